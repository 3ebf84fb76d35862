import { describe, expect, test } from 'vitest'
import { candidateText, commandText, estimatedSavings } from '../../../src/disruption/command.ts'
import { aPool, aType, aWorld, candidatesOf } from '../../support/disruption-builders.ts'
import { busy, plan, wellKnownLabels } from '../../support/disruption-decisions.ts'

describe('what commands look like in logs and events', () => {
  const world = aWorld({ nodes: [busy('a'), busy('b')] })
  const [a, b] = candidatesOf(world)
  if (a === undefined || b === undefined) throw new Error('expected two candidates')
  const replacement = plan([aType('m5.xlarge', { price: 1.88 })])
  const replace = {
    method: 'multiNode',
    reason: 'Underutilized',
    candidates: [a, b],
    replacements: [replacement],
    destinations: [],
  } as const

  test('savings are the nodes’ prices less the cheapest launch', () => {
    expect(estimatedSavings(replace, wellKnownLabels)).toBeCloseTo(0.12, 10)
  })
  test('the command line names reason, pools, nodes and savings', () => {
    expect(commandText(replace, 'id-1', 0.12)).toBe(
      'Underutilized/id-1: replace: nodepools=[default]: [a, b] -> [1 replacement] (savings: $0.12)',
    )
    expect(commandText({ ...replace, replacements: [] }, 'id-1', 2)).toBe(
      'Underutilized/id-1: delete: nodepools=[default]: [a, b] (savings: $2.00)',
    )
    expect(commandText({ ...replace, replacements: [replacement, replacement] }, 'id-1', 0)).toBe(
      'Underutilized/id-1: replace: nodepools=[default]: [a, b] -> [2 replacements] (savings: $0.00)',
    )
  })
  test('what costs more than it saves, as a drifted node may, says so', () => {
    const dearer = plan([aType('m5.xlarge', { price: 2.5 })])
    const savings = estimatedSavings({ candidates: [a, b], replacements: [dearer] }, wellKnownLabels)
    expect(commandText({ ...replace, replacements: [dearer] }, 'id-1', savings)).toContain('(savings: $-0.50)')
  })
  test('pools are named by name, each once, whichever node comes first', () => {
    const pools = ['zeta', 'alpha'].map((name) => aPool({ name }))
    const nodes = [busy('a', { pool: 'zeta' }), busy('b', { pool: 'alpha' }), busy('c', { pool: 'zeta' })]
    const [first, ...others] = candidatesOf(aWorld({ pools, nodes }))
    if (first === undefined) throw new Error('expected candidates')
    expect(commandText({ ...replace, candidates: [first, ...others] }, 'id-1', 1)).toContain(
      'nodepools=[alpha,zeta]: [a, b, c] -> ',
    )
  })
  test('a replacement of which none can be had at the moment costs nothing', () => {
    const none = plan([aType('m5.xlarge', { price: 1.88, available: false })])
    expect(estimatedSavings({ ...replace, replacements: [none] }, wellKnownLabels)).toBe(2)
  })
  test('an event on one node of several says that it is a part', () => {
    expect(candidateText(replace, 'a')).toBe('replace: [a] (part of 2-node consolidation)')
    expect(candidateText({ ...replace, candidates: [a] }, 'a')).toBe('replace: [a] -> [1 replacement]')
  })
})
