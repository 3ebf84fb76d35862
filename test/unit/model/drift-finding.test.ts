import { describe, expect, test } from 'vitest'
import { type DriftFinding, driftMessage } from '../../../src/model/drift-finding.ts'

const field = (path: string, old: unknown = 'a', now: unknown = 'b') => ({ path, old, new: now })
const drifted = (more: Partial<DriftFinding> = {}): DriftFinding => ({ reason: 'NodePoolDrifted', fields: [], ...more })

describe('the message of the Drifted condition', () => {
  test.each<[string, DriftFinding, string]>([
    ['is the reason when nothing else is known', drifted(), 'NodePoolDrifted'],
    [
      'names fields and generation',
      drifted({ fields: [field('spec.x'), { path: 'spec.y', old: undefined, new: [1] }], generation: 7 }),
      'NodePoolDrifted: spec.x: a -> b, spec.y: (absent) -> [1] (generation 7)',
    ],
    [
      'says the detail where there are no fields',
      drifted({ detail: 'no record', generation: 2 }),
      'NodePoolDrifted: no record (generation 2)',
    ],
    ['needs no generation', drifted({ fields: [field('status.amis')] }), 'NodePoolDrifted: status.amis: a -> b'],
    [
      'cuts long values',
      drifted({ fields: [field('spec.x', 'y'.repeat(500))] }),
      `NodePoolDrifted: spec.x: ${'y'.repeat(157)}... -> b`,
    ],
  ])('%s', (_name, finding, want) => {
    expect(driftMessage(finding)).toBe(want)
  })

  test('stays within 1024 characters and counts what it leaves out', () => {
    const fields = Array.from({ length: 100 }, (_, index) => field(`spec.template.metadata.labels.label-${index}`))
    const message = driftMessage(drifted({ fields, generation: 7 }))
    const [, left] = /, and (\d+) more \(generation 7\)$/.exec(message) ?? []
    expect(message.length).toBeLessThanOrEqual(1_024)
    expect(message.split(' -> ')).toHaveLength(100 - Number(left) + 1)
  })

  test('a single field that is too long is cut', () => {
    const message = driftMessage(drifted({ fields: [field(`spec.labels["${'k'.repeat(2_000)}"]`)], generation: 7 }))
    expect(message.length).toBeLessThanOrEqual(1_024)
    expect(message).toMatch(/\.\.\. \(generation 7\)$/)
  })

  test.each<[string, string, string]>([
    ['keeps the generation that is told already', 'NodePoolDrifted: spec.x: a -> b (generation 5)', '(generation 5)'],
    ['has its own beside other fields', 'NodePoolDrifted: spec.x: a -> c (generation 5)', '(generation 7)'],
    [
      'has its own where the old message went on',
      'NodePoolDrifted: spec.x: a -> b (generation 5), spec.y',
      '(generation 7)',
    ],
    ['has its own after the bare reason', 'NodePoolDrifted', '(generation 7)'],
  ])('%s', (_name, before, want) => {
    const message = driftMessage(drifted({ fields: [field('spec.x')], generation: 7 }), before)
    expect(message).toBe(`NodePoolDrifted: spec.x: a -> b ${want}`)
  })
})
