import { describe, expect, test } from 'vitest'
import { userDataProblem } from '../../../../../src/cloud/aws/userdata/user-data-problem.ts'
import { processorMs } from '../../../../support/processor-time.ts'

const bytesMax = 16_384
const tooLarge = (bytes: number) => `User data is limited to ${bytesMax} bytes, this takes ${bytes}`

describe('user data is as large as EC2 takes it, with what the family adds, and no larger', () => {
  test('of a Custom image to the byte, and a letter may take two', () => {
    expect(userDataProblem('x'.repeat(bytesMax), 'Custom')).toBeUndefined()
    expect(userDataProblem('x'.repeat(bytesMax + 1), 'Custom')).toBe(tooLarge(bytesMax + 1))
    expect(userDataProblem('ä'.repeat(bytesMax / 2), 'Custom')).toBeUndefined()
    expect(userDataProblem(`${'ä'.repeat(bytesMax / 2)}x`, 'Custom')).toBe(tooLarge(bytesMax + 1))
  })

  test.each(['AL2', 'AL2023', 'Windows2022'] as const)('of %s less what stands around it', (family) => {
    const script = (length: number) => '#'.repeat(length)
    const around = Number(/this takes (\d+)/.exec(userDataProblem(script(bytesMax), family) ?? '')?.[1]) - bytesMax
    expect(around).toBeGreaterThan(100)
    expect(userDataProblem(script(bytesMax - around), family)).toBeUndefined()
    expect(userDataProblem(script(bytesMax - around + 1), family)).toBe(tooLarge(bytesMax + 1))
  })

  test('carriage returns that do not reach the node do not count, nor do comments of TOML', () => {
    expect(userDataProblem('#\r\n'.repeat(7_000), 'AL2023')).toBeUndefined()
    expect(userDataProblem(`${'# note\n'.repeat(5_000)}[settings]\nmotd = "hi"\n`, 'Bottlerocket')).toBeUndefined()
    expect(userDataProblem(`[settings]\nmotd = "${'x'.repeat(bytesMax)}"\n`, 'Bottlerocket')).toMatch(/^User data is/)
  })
})

describe('a megabyte of what YAML is slow to refuse is refused before it is read', () => {
  const repeated: Record<string, string> = { quotes: '"', anchors: '&a ', brackets: '[', tags: '!a ', lines: '%\n' }
  test.each(Object.entries(repeated))('%s', async (_name, text) => {
    const ms = await processorMs(() => {
      expect(userDataProblem(text.repeat(1_000_000 / text.length), 'AL2023')).toMatch(/^User data is limited/)
    })
    expect(ms).toBeLessThan(1_000)
  })
})
