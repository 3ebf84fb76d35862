import { expect, test } from 'vitest'
import { runCommand } from '../../support/command-run.ts'

test('--version and -V say what the command says', async () => {
  const { stdout } = await runCommand(['version'])
  expect(stdout).toMatch(/^joinery \d+\.\d+\.\d+.* \(behaves as Karpenter 1\.14, Node \d/)
  for (const flag of ['--version', '-V']) expect(await runCommand([flag])).toMatchObject({ code: 0, stdout })
})

test('the commit is that of the build', async () => {
  const env = { JOINERY_COMMIT: '1234567' }
  expect((await runCommand(['version'], { env })).stdout).toContain(', commit 1234567 (')
  const { stdout } = await runCommand(['version', '-o', 'json'], { env })
  expect(JSON.parse(stdout)).toMatchObject({ commit: '1234567', karpenter: '1.14' })
})
