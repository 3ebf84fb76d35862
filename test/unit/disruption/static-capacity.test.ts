import { expect, test } from 'vitest'
import { chooseScaleDown, nodeLimitOf } from '../../../src/disruption/static-capacity.ts'
import type { NodeClaim } from '../../../src/api/karpenter.ts'
import type { PodInfo } from '../../../src/model/pod.ts'
import type { StateNode } from '../../../src/model/snapshot.ts'
import { toTimestamp } from '../../../src/model/clock.ts'
import {
  aPool,
  aRunningPod,
  aStateNode,
  condition,
  daemonSetOwner,
  minute,
  noon,
} from '../../support/disruption-builders.ts'

const day = 24 * 60 * minute

interface Machine {
  readonly pods?: readonly PodInfo[]
  readonly ageDays?: number
  readonly expireAfter?: string
  readonly going?: boolean
  readonly drifted?: boolean
  readonly initialized?: boolean
}

function aMachine(name: string, machine: Machine): StateNode {
  const { pods = [], ageDays = 1, expireAfter = '720h', going = false, drifted = false, initialized = true } = machine
  const conditions = drifted ? [condition('Drifted')] : []
  const state = aStateNode(name, { pods, conditions, markedForDeletion: going, initialized })
  if (state.nodeClaim === undefined) throw new Error('it has a claim')
  const { metadata, spec } = state.nodeClaim
  const creationTimestamp = toTimestamp(noon - ageDays * day)
  return {
    ...state,
    nodeClaim: { ...state.nodeClaim, metadata: { ...metadata, creationTimestamp }, spec: { ...spec, expireAfter } },
  }
}

function chosen(
  excess: number,
  machines: Readonly<Record<string, Machine>>,
  unlaunched: readonly NodeClaim[] = [],
  late?: ReadonlyMap<string, string>,
) {
  const nodes = Object.entries(machines).map(([name, machine]) => aMachine(name, machine))
  const claims = [...nodes.flatMap(({ nodeClaim }) => nodeClaim ?? []), ...unlaunched]
  return chooseScaleDown({ excess, claims, nodes, now: noon, ...(late === undefined ? {} : { late }) }).map(
    ({ claim, because }) => `${claim.metadata.name} ${because}`,
  )
}

const pods = (...costs: readonly number[]) =>
  costs.map((cost) =>
    aRunningPod({ annotations: { 'controller.kubernetes.io/pod-deletion-cost': `${(cost - 1) * 2 ** 27}` } }),
  )
const held = aRunningPod({ annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })

test('what is not launched goes first, then what runs nothing but daemons, and no more than is too much', () => {
  const { nodeClaim } = aStateNode('new')
  if (nodeClaim === undefined) throw new Error('it has a claim')
  const unlaunched = { ...nodeClaim, status: {} }
  const daemon = aRunningPod({ ownerReferences: daemonSetOwner })
  const machines = { busy: { pods: pods(1) }, idle: { pods: [daemon] }, bare: {}, going: { going: true } }
  const all = ['claim-new notLaunched', 'claim-bare empty', 'claim-idle empty', 'claim-busy leastDisruption']
  expect(chosen(9, machines, [unlaunched]).toSorted()).toEqual(all.toSorted())
  expect(chosen(1, machines, [unlaunched])).toEqual(['claim-new notLaunched'])
  expect(chosen(3, machines, [unlaunched])).not.toContain('claim-busy leastDisruption')
  expect(chosen(0, machines, [unlaunched])).toEqual([])
})

test('what is on its way out already is not chosen once more, launched or not', () => {
  const { nodeClaim } = aStateNode('new')
  if (nodeClaim === undefined) throw new Error('it has a claim')
  const going = { ...nodeClaim, metadata: { ...nodeClaim.metadata, deletionTimestamp: toTimestamp(noon) }, status: {} }
  expect(chosen(1, { busy: { pods: pods(1) } }, [going])).toEqual(['claim-busy leastDisruption'])
})

test('of those that run something the one whose pods lose least by moving, near the end of its life less', () => {
  const least = (machines: Readonly<Record<string, Machine>>) => chosen(1, machines)[0]?.split(' ')[0]
  expect(least({ a: { pods: pods(2) }, b: { pods: pods(1) } })).toBe('claim-b')
  expect(least({ a: { pods: pods(2), ageDays: 29 }, b: { pods: pods(1) } })).toBe('claim-a')
  expect(least({ a: { pods: pods(2), ageDays: 29, expireAfter: 'Never' }, b: { pods: pods(1) } })).toBe('claim-b')
  // Costs below nothing count as they are.
  expect(least({ a: { pods: pods(3, -2) }, b: { pods: pods(1.5) } })).toBe('claim-a')
  expect(least({ a: { pods: pods(1, -1) }, b: { pods: pods(1), ageDays: 29 } })).toBe('claim-a')
})

test('a pod that must not be disrupted outweighs any cost, whatever runs beside it', () => {
  for (const more of [[], pods(1)]) {
    expect(chosen(1, { a: { pods: [held, ...more] }, b: { pods: pods(10, 10) } })).toEqual(['claim-b leastDisruption'])
  }
})

test('a daemon makes no node empty that runs something else, too', () => {
  const daemon = aRunningPod({ ownerReferences: daemonSetOwner })
  expect(chosen(1, { a: { pods: [daemon, ...pods(2)] }, b: { pods: pods(1) } })).toEqual(['claim-b leastDisruption'])
})

test('of those whose loss costs the same a drifted one goes, whether it runs something or nothing, then by name', () => {
  expect(chosen(1, { a: {}, b: { drifted: true } })).toEqual(['claim-b empty'])
  expect(chosen(1, { a: { pods: pods(1) }, b: { pods: pods(1), drifted: true } })).toEqual(['claim-b leastDisruption'])
  expect(chosen(1, { a: { pods: pods(1) }, b: { pods: pods(2), drifted: true } })).toEqual(['claim-a leastDisruption'])
  expect(chosen(1, { b: { pods: pods(1) }, a: { pods: pods(1) } })).toEqual(['claim-a leastDisruption'])
})

/** Machine `late` was to replace `old`, and `other` is a third one; as many are too many as are left when those go that are named. */
function chosenBeside(late: Machine, excess: number, old: Machine = { pods: pods(5) }) {
  const machines = { late, old, other: { pods: pods(1) } }
  return chosen(excess, machines, [], new Map([['claim-late', 'claim-old']]))
}

test('a machine that came late for another one is waited for, and then the other one goes', () => {
  expect(chosenBeside({ initialized: false }, 1)).toEqual([])
  expect(chosenBeside({}, 1)).toEqual(['claim-old replaced'])
})

test('it stays when the pool is made smaller meanwhile, too', () => {
  expect(chosenBeside({ initialized: false }, 2)).toEqual(['claim-other leastDisruption'])
  expect(chosenBeside({}, 2)).toEqual(['claim-old replaced', 'claim-other leastDisruption'])
})

test('it stays before it is launched, too', () => {
  const { nodeClaim } = aStateNode('late')
  if (nodeClaim === undefined) throw new Error('it has a claim')
  const machines = { old: { pods: pods(5) }, other: { pods: pods(1) } }
  const late = new Map([['claim-late', 'claim-old']])
  expect(chosen(2, machines, [{ ...nodeClaim, status: {} }], late)).toEqual(['claim-other leastDisruption'])
})

test('a pod that must not be disrupted keeps the other one for the time being', () => {
  expect(chosenBeside({}, 1, { pods: [held] })).toEqual([])
})

test('a machine that came late counts as any other once the one that it was to replace goes or is gone', () => {
  expect(chosenBeside({}, 1, { going: true })).toEqual(['claim-late empty'])
  expect(chosen(1, { late: {}, other: { pods: pods(1) } }, [], new Map([['claim-late', 'claim-old']]))).toEqual([
    'claim-late empty',
  ])
})

test('one that came late and is going itself keeps nothing back', () => {
  const { nodeClaim } = aStateNode('late')
  if (nodeClaim === undefined) throw new Error('it has a claim')
  const going = { ...nodeClaim, metadata: { ...nodeClaim.metadata, deletionTimestamp: toTimestamp(noon) } }
  const machines = { old: { pods: pods(1) }, other: { pods: pods(5) } }
  expect(chosen(1, machines, [going], new Map([['claim-late', 'claim-old']]))).toEqual(['claim-old leastDisruption'])
})

test('of two that came late for one the second is one too many', () => {
  const coming = { initialized: false }
  const machines = { late1: coming, late2: coming, old: { pods: pods(5) }, other: { pods: pods(1) } }
  const late = new Map(['claim-late1', 'claim-late2'].map((name) => [name, 'claim-old']))
  expect(chosen(2, machines, [], late)).toEqual(['claim-late2 empty'])
})

test('a protected pod that is going or has ended protects nothing', () => {
  const ended = [
    { ...held, deletedAt: noon },
    { ...held, phase: 'Succeeded' as const },
  ]
  for (const pod of ended) {
    expect(chosen(1, { a: { pods: [pod, ...pods(1)] }, b: { pods: pods(5, 5) } })).toEqual(['claim-a leastDisruption'])
  }
})

test.each([
  [{ nodes: '5' }, 5],
  [{ cpu: '5' }, Number.MAX_SAFE_INTEGER],
  [undefined, Number.MAX_SAFE_INTEGER],
  [{ nodes: 'many' }, 0],
])('limits of %j let a static pool have %d nodes', (limits, want) => {
  expect(nodeLimitOf(aPool({ replicas: 1, ...(limits === undefined ? {} : { limits }) }))).toBe(want)
})
