import { describe, expect, test } from 'vitest'
import { surveyCandidates } from '../../../src/disruption/candidates.ts'
import type { Replacement } from '../../../src/disruption/command.ts'
import { filterConsolidation } from '../../../src/disruption/consolidation.ts'
import { runToEnd } from '../../../src/model/sliced.ts'
import { validateCandidates, validateEmptiness, validateSimulation } from '../../../src/disruption/validation.ts'
import { aPool, aRunningPod, aType, aWorld, candidatesOf, noon } from '../../support/disruption-builders.ts'
import { type Answer, budgetsOf, busy, plan, simulating } from '../../support/disruption-decisions.ts'

describe('a consolidation is looked at again after the wait', () => {
  const world = aWorld({ nodes: [busy('a')] })
  const [candidate] = candidatesOf(world)
  if (candidate === undefined) throw new Error('expected a candidate')
  const chosen = plan([aType('c', { price: 0.5 }), aType('d', { price: 0.6 })])
  const command = {
    method: 'singleNode',
    reason: 'Underutilized',
    candidates: [candidate],
    replacements: [chosen],
    destinations: [],
  } as const
  const resimulate = (answer: Answer, of: Parameters<typeof validateSimulation<Replacement>>[0] = command) =>
    runToEnd(validateSimulation<Replacement>(of, simulating(() => answer).simulate))

  test('case 95: a node that is no longer one is churn', () => {
    const eligible = filterConsolidation(
      surveyCandidates(
        aWorld({
          nodes: [busy('a', { pods: [aRunningPod({ annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })] })],
        }),
        {
          disruptionClass: 'graceful',
          queued: new Set(),
        },
      ).candidates,
    ).eligible
    expect(
      validateCandidates({ command, eligible, budgets: budgetsOf(world, 'Underutilized'), now: noon }),
    ).toMatchObject({
      kind: 'invalid',
      failure: 'churn',
      message: '1 candidates are no longer valid',
    })
  })
  test('a node is taken as it is by now, and one that was promised to a pod until now is free', () => {
    const now = { ...candidate, stateNode: { ...candidate.stateNode, nominatedUntil: noon } }
    const validated = validateCandidates({
      command,
      eligible: [now],
      budgets: budgetsOf(world, 'Underutilized'),
      now: noon,
    })
    expect(validated.kind === 'valid' ? validated.command.candidates[0] : undefined).toBe(now)
  })
  test('a node promised to a pod meanwhile', () => {
    const eligible = [{ ...candidate, stateNode: { ...candidate.stateNode, nominatedUntil: noon + 1000 } }]
    expect(
      validateCandidates({ command, eligible, budgets: budgetsOf(world, 'Underutilized'), now: noon }),
    ).toMatchObject({
      failure: 'budget',
      message: 'a candidate was nominated during validation',
    })
  })
  test('of empty nodes one that was promised to a pod meanwhile stays, and the others go', () => {
    const both = aWorld({ nodes: [busy('a', { pods: [] }), busy('b', { pods: [] })] })
    const [a, b] = candidatesOf(both)
    if (a === undefined || b === undefined) throw new Error('expected two candidates')
    const promised = { ...a, stateNode: { ...a.stateNode, nominatedUntil: noon + 1000 } }
    const of = { ...command, method: 'emptiness', reason: 'Empty', candidates: [a, b], replacements: [] } as const
    const budgets = budgetsOf(both, 'Empty')
    expect(validateEmptiness({ command: of, eligible: [promised, b], budgets, now: noon })).toMatchObject({
      kind: 'valid',
      command: { candidates: [{ name: 'b' }] },
      dropped: 1,
    })
  })
  test('a budget that has room for some of the nodes only', () => {
    const validate = (nodes: string) => {
      const pools = [aPool({ disruption: { consolidateAfter: '0s', budgets: [{ nodes }] } })]
      const both = aWorld({ pools, nodes: [busy('a'), busy('b')] })
      const [a, b] = candidatesOf(both)
      if (a === undefined || b === undefined) throw new Error('expected two candidates')
      const of = { ...command, candidates: [a, b] } as const
      return validateCandidates({ command: of, eligible: [a, b], budgets: budgetsOf(both, 'Underutilized'), now: noon })
    }
    expect(validate('2').kind).toBe('valid')
    expect(validate('1')).toMatchObject({
      failure: 'budget',
      message: 'a candidate can no longer be disrupted without violating budgets',
      dropped: 2,
    })
  })
  test('of several nodes one that is no candidate any more keeps the others, too: what was to come is sized for all', () => {
    const both = aWorld({ nodes: [busy('a'), busy('b')] })
    const [a, b] = candidatesOf(both)
    if (a === undefined || b === undefined) throw new Error('expected two candidates')
    const of = { ...command, method: 'multiNode', candidates: [a, b] } as const
    const validate = (eligible: readonly (typeof a)[]) =>
      validateCandidates({ command: of, eligible, budgets: budgetsOf(both, 'Underutilized'), now: noon })
    expect(validate([a, b])).toMatchObject({ kind: 'valid', dropped: 0 })
    expect(validate([a])).toEqual({
      kind: 'invalid',
      failure: 'churn',
      message: '1 candidates are no longer valid',
      dropped: 2,
    })
  })
  test('case 96: the chosen types must all still be offered', () => {
    expect(resimulate({ replacements: [plan([aType('c', { price: 0.5 })])] })).toMatchObject({
      failure: 'scheduling',
      message: 'scheduling simulation produced new results',
    })
    const wider = plan([aType('c', { price: 0.5 }), aType('d', { price: 0.6 }), aType('e', { price: 0.7 })])
    expect(resimulate({ replacements: [wider] }).kind).toBe('valid')
  })
  test('a replacement that another pool would launch now is a new result: the chosen pool may be at its limit', () => {
    expect(resimulate({ replacements: [chosen] }).kind).toBe('valid')
    expect(resimulate({ replacements: [{ ...chosen, nodePool: 'other' }] })).toMatchObject({
      failure: 'scheduling',
      message: 'scheduling simulation produced new results',
    })
  })
  test('one node is not traded for two that it would take now', () => {
    expect(resimulate({ replacements: [chosen, chosen] })).toMatchObject({
      failure: 'scheduling',
      message: 'scheduling simulation produced new results',
    })
  })
  test('nothing new to launch fits a deletion only', () => {
    expect(resimulate({}).kind).toBe('invalid')
    expect(resimulate({}, { ...command, replacements: [] }).kind).toBe('valid')
    expect(resimulate({ replacements: [chosen] }, { ...command, replacements: [] }).kind).toBe('invalid')
  })
})
