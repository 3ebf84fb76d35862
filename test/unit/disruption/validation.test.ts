import { describe, expect, test } from 'vitest'
import { surveyCandidates } from '../../../src/disruption/candidates.ts'
import type { Replacement } from '../../../src/disruption/command.ts'
import { filterConsolidation } from '../../../src/disruption/consolidation.ts'
import { runToEnd } from '../../../src/disruption/sliced.ts'
import { validateCandidates, validateSimulation } from '../../../src/disruption/validation.ts'
import { aRunningPod, aType, aWorld, candidatesOf, noon } from '../../support/disruption-builders.ts'
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
  test('a node promised to a pod meanwhile', () => {
    const eligible = [{ ...candidate, stateNode: { ...candidate.stateNode, nominatedUntil: noon + 1000 } }]
    expect(
      validateCandidates({ command, eligible, budgets: budgetsOf(world, 'Underutilized'), now: noon }),
    ).toMatchObject({
      failure: 'budget',
      message: 'a candidate was nominated during validation',
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
  test('nothing new to launch fits a deletion only', () => {
    expect(resimulate({}).kind).toBe('invalid')
    expect(resimulate({}, { ...command, replacements: [] }).kind).toBe('valid')
    expect(resimulate({ replacements: [chosen] }, { ...command, replacements: [] }).kind).toBe('invalid')
  })
})
