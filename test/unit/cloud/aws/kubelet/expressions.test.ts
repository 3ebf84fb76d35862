import { expect, test } from 'vitest'
import { compileExpression } from '../../../../../src/cloud/aws/kubelet/expressions.ts'
import { processorMs } from '../../../../support/processor-time.ts'

const variables = {
  instanceType: 'u7in-32tb.224xlarge',
  vcpus: 896,
  memoryMiB: 33_554_432,
  defaultENIs: 15,
  ipsPerENI: 50,
  maxPods: 737,
}

function outcomeOf(text: string): number | string {
  const compiled = compileExpression(text)
  if (compiled.kind === 'invalid') return compiled.error
  try {
    return compiled.evaluate(variables)
  } catch (error) {
    return String(error)
  }
}

test.each([
  ['vcpus - 1', 895],
  ['min(max_pods, 110)', 110],
  ['max(1, 2.5)', 2],
  ['double(vcpus) * 1.5 + 0.9', 1344],
  ['int(double(memory_mib) * 0.01)', 335_544],
  ['instance_type.startsWith("u7in") ? 58 : 110', 58],
  ['default_enis * (ips_per_eni - 1) + 2', 737],
])('%s comes to %s', (text, want) => {
  expect(outcomeOf(text)).toBe(want)
})

test.each([
  ['vcpus * 1.5', 'no such overload: int * double'],
  ['instance_type', 'expression must return int or double, got string'],
  ['pods', 'Unknown variable: pods'],
  ['instance_type.matches(5) ? 1 : 2', "found no matching overload for 'string.matches (int)'"],
])('%s is none', (text, want) => {
  expect(outcomeOf(text)).toBe(want)
})

test('regular expressions are those of RE2, and take no longer than the text is long', async () => {
  expect(outcomeOf('instance_type.matches("(?i)^U7IN-") ? 1 : 2')).toBe(1)
  expect(outcomeOf('matches(instance_type, "[.]224xlarge$") ? 1 : 2')).toBe(1)
  expect(outcomeOf('instance_type.matches("^u7(?=in)") ? 1 : 2')).toContain('u7in-32tb.224xlarge')
  const ms = await processorMs(() => {
    expect(outcomeOf('instance_type.matches("^(([a-z0-9.-]+)+)+X$") ? 1 : 2')).toBe(2)
  })
  expect(ms).toBeLessThan(1_000)
})

test.each(['int("")', 'int("0b1")', 'int(1e300)'])('%s is no number, as in Go', (text) => {
  expect(outcomeOf(text)).toContain('ExpressionError')
})

test.each(['1e19', '-1e19', 'double(memory_mib) * 1e15'])('%s is more than 64 bits hold', (text) => {
  expect(outcomeOf(text)).toContain('result does not fit 64 bits')
})
