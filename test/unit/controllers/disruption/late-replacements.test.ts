import { expect, test } from 'vitest'
import { LateReplacements } from '../../../../src/controllers/disruption/late-replacements.ts'
import type { VoluntaryReason } from '../../../../src/disruption/budgets.ts'
import { openGate } from '../../../../src/disruption/gate.ts'
import { VirtualClock } from '../../../../src/embedded/clock.ts'
import type { StateNode } from '../../../../src/model/snapshot.ts'
import { aStateNode, aWorld, candidatesOf, condition, minute } from '../../../support/disruption-builders.ts'

const drifted = aStateNode('old', { conditions: [condition('Drifted')] })

/** A command that was to replace the node `old` by `late` has been given up. */
function given(reason: 'Drifted' | 'Underutilized') {
  const clock = new VirtualClock()
  const late = new LateReplacements(clock)
  const [candidate] = candidatesOf(aWorld({ nodes: [drifted] }))
  if (candidate === undefined) throw new Error('it is a candidate')
  const method = reason === 'Drifted' ? 'drift' : 'singleNode'
  late.note({ method, reason, candidates: [candidate], replacements: [], destinations: [] }, ['claim-late'])
  const holdOf = (name: string, of: VoluntaryReason, nodes: readonly StateNode[]) => {
    const [asked] = candidatesOf(aWorld({ nodes: [aStateNode(name)] }))
    return asked === undefined ? undefined : late.gate(nodes).hold(asked, of)
  }
  return { clock, late, holdOf }
}

test('it is kept, and no other node, as long as the node is there that it was to replace', () => {
  const { late, holdOf } = given('Drifted')
  for (const reason of ['Empty', 'Underutilized'] as const) {
    expect(holdOf('late', reason, [drifted])).toEqual({
      code: 'LateReplacement',
      message: 'the command that it came for was given up, and node old is still to go for it',
    })
  }
  expect(holdOf('late', 'Drifted', [drifted])).toBeUndefined()
  expect(holdOf('other', 'Empty', [drifted])).toBeUndefined()
  expect(holdOf('late', 'Empty', [{ ...drifted, markedForDeletion: true }])).toBeDefined()
  expect(late.gate([])).toBe(openGate)
})

test('a drifted node that is as it should be again needs none; one that only costs too much still does', () => {
  expect(given('Drifted').holdOf('late', 'Empty', [aStateNode('old')])).toBeUndefined()
  expect(given('Underutilized').holdOf('late', 'Empty', [aStateNode('old')])).toBeDefined()
})

test('another node that has drifted is none that it was to replace', () => {
  const { late } = given('Drifted')
  const other = aStateNode('other', { conditions: [condition('Drifted')] })
  expect(late.gate([other])).toBe(openGate)
  expect(late.awaited([other, drifted]).get('claim-late')).toBe(drifted)
})

test('it is not kept for longer than half an hour', async () => {
  const { clock, late, holdOf } = given('Drifted')
  await clock.run({ forMs: 30 * minute - 1 })
  expect(holdOf('late', 'Empty', [drifted])).toBeDefined()
  await clock.run({ forMs: 1 })
  expect(late.gate([drifted])).toBe(openGate)
})
