import { expect, test } from 'vitest'
import type { NodeClaim } from '../../../../src/api/karpenter.ts'
import { taintDisrupted } from '../../../../src/api/labels.ts'
import { leftBehind, replacesAnnotation } from '../../../../src/controllers/disruption/left-behind.ts'
import { LateReplacements } from '../../../../src/controllers/disruption/late-replacements.ts'
import type { VoluntaryReason } from '../../../../src/disruption/budgets.ts'
import { VirtualClock } from '../../../../src/embedded/clock.ts'
import type { StateNode } from '../../../../src/model/snapshot.ts'
import { aStateNode, condition, minute, type NodeOptions, noon } from '../../../support/disruption-builders.ts'

/** A node that a process marked at noon and did not come to delete; without a reason by the taint alone, as an older Karpenter does it. */
function marked(
  name: string,
  reason: VoluntaryReason | 'none',
  { conditions = [], ...more }: NodeOptions = {},
): StateNode {
  const why = reason === 'none' ? [] : [{ ...condition('DisruptionReason', 'True', noon), reason }]
  const state = aStateNode(name, { ...more, conditions: [...conditions, ...why] })
  if (state.node === undefined) throw new Error('it has one')
  return { ...state, node: { ...state.node, spec: { ...state.node.spec, taints: [taintDisrupted] } } }
}

function made(name: string, at: number, options: NodeOptions = {}): NodeClaim {
  const { nodeClaim } = aStateNode(name, options)
  if (nodeClaim === undefined) throw new Error('it has one')
  return { ...nodeClaim, metadata: { ...nodeClaim.metadata, creationTimestamp: new Date(at).toISOString() } }
}

function coming(name: string): NodeClaim {
  const claim = made(name, soon)
  const conditions = (claim.status?.conditions ?? []).filter(({ type }) => type !== 'Initialized')
  return { ...claim, status: { ...claim.status, conditions } }
}

/** As the loop makes it for the disruption of these. */
function told(name: string, reason: VoluntaryReason, claims: readonly string[], at = soon): NodeClaim {
  const claim = made(name, at)
  const replaced = claims.map((one) => made(one, noon))
  const annotations = replacesAnnotation(reason, replaced)
  return { ...claim, metadata: { ...claim.metadata, annotations } }
}

const later = noon + 10 * minute
const soon = noon + 1_000
const deleting = made('new', soon)
const old = marked('old', 'Drifted')

/** By the replacement, what it replaces. */
const cases: Record<
  string,
  { nodes: readonly StateNode[]; claims: readonly NodeClaim[]; want: Record<string, string[]> }
> = {
  'what was made since the node was marked replaces it': {
    nodes: [old],
    claims: [made('new', soon), made('before', noon - minute)],
    want: { 'claim-new': ['claim-old'] },
  },
  'the clock that marked it may be ahead of the one that dates claims': {
    nodes: [old],
    claims: [made('new', noon - 30_000), made('before', noon - 31_000)],
    want: { 'claim-new': ['claim-old'] },
  },
  'marked by the taint alone, it is replaced by what has not come up': {
    nodes: [marked('old', 'none')],
    claims: [coming('new'), made('other', soon)],
    want: { 'claim-new': ['claim-old'] },
  },
  'each node of a pool is replaced by another one': {
    nodes: [old, marked('older', 'Drifted')],
    claims: [made('a', soon), made('b', soon), made('c', soon)],
    want: { 'claim-a': ['claim-old'], 'claim-b': ['claim-older'], 'claim-c': ['claim-old', 'claim-older'] },
  },
  'a replacement may be of another pool': {
    nodes: [old],
    claims: [made('new', soon, { pool: 'other' })],
    want: { 'claim-new': ['claim-old'] },
  },
  'what says so replaces what it says, whatever has become of the marks, and others replace nothing of that': {
    nodes: [aStateNode('old'), marked('older', 'Drifted')],
    claims: [told('a', 'Drifted', ['old']), told('b', 'Underutilized', ['older', 'gone']), made('c', soon)],
    want: { 'claim-a': ['claim-old'], 'claim-b': ['claim-older'] },
  },
  'what was made for a node that goes replaces nothing any more': {
    nodes: [{ ...old, markedForDeletion: true }],
    claims: [told('new', 'Drifted', ['old'])],
    want: {},
  },
  'nor does what was made long ago': {
    nodes: [aStateNode('old')],
    claims: [
      told('new', 'Drifted', ['old'], later - 90 * minute),
      told('newer', 'Drifted', ['old'], later - 89 * minute),
    ],
    want: { 'claim-newer': ['claim-old'] },
  },
  'an empty node needs none': { nodes: [marked('old', 'Empty')], claims: [made('new', soon)], want: {} },
  'a node without a mark needs none': { nodes: [aStateNode('old')], claims: [made('new', soon)], want: {} },
  'a node that is deleted has its replacement': {
    nodes: [{ ...old, markedForDeletion: true }],
    claims: [made('new', soon)],
    want: {},
  },
  'what goes itself replaces nothing, nor does what was marked': {
    nodes: [old, marked('older', 'Drifted')],
    claims: [
      { ...deleting, metadata: { ...deleting.metadata, deletionTimestamp: '2026-06-14T12:01:00Z' } },
      made('older', soon),
    ],
    want: {},
  },
}

test.each(Object.entries(cases))('%s', (_, { nodes, claims, want }) => {
  const found = leftBehind(nodes, claims, later)
  expect(Object.fromEntries([...found].map(([name, left]) => [name, [...left.claims]]))).toEqual(want)
})

test('a node that drifts needs its replacement as long as it does, one that only costs too much as long as it is there', () => {
  const claims = [made('new', soon)]
  const reasonOf = (node: StateNode) => leftBehind([node], claims, later).get('claim-new')?.reason
  expect(reasonOf(old)).toBe('Drifted')
  expect(reasonOf(marked('old', 'Underutilized'))).toBe('Underutilized')
  const tainted = { conditions: [condition('Drifted')] }
  expect(leftBehind([marked('old', 'none', tainted)], [coming('new')], later).get('claim-new')?.reason).toBe('Drifted')
  expect(leftBehind([marked('old', 'none')], [coming('new')], later).get('claim-new')?.reason).toBe('Underutilized')
})

test('it is taken over once: what is marked later this process has marked itself', () => {
  const late = new LateReplacements(new VirtualClock())
  const claims = [made('new', soon)]
  expect(late.hasTakenOver).toBe(false)
  late.takeOver([], claims)
  expect(late.hasTakenOver).toBe(true)
  const drifted = marked('old', 'Drifted', { conditions: [condition('Drifted')] })
  late.takeOver([drifted], claims)
  expect(late.awaited([drifted])).toEqual(new Map())
  const next = new LateReplacements(new VirtualClock())
  next.takeOver([drifted], claims)
  expect(next.awaited([drifted])).toEqual(new Map([['claim-new', drifted]]))
})

test('whoever starts after that takes over the same, though the marks were taken off', () => {
  const drifted = aStateNode('old', { conditions: [condition('Drifted')] })
  const claims = [told('new', 'Drifted', ['old'])]
  for (let start = 0; start < 3; start += 1) {
    const late = new LateReplacements(new VirtualClock({ startMs: later }))
    late.takeOver([drifted], claims)
    expect([...late.awaited([drifted]).keys()]).toEqual(['claim-new'])
  }
})
