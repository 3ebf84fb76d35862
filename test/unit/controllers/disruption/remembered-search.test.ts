import { expect, test } from 'vitest'
import {
  RememberedSearch,
  searchFacts,
  type SearchInputs,
  snapshotFacts,
} from '../../../../src/controllers/disruption/remembered-search.ts'
import type { DaemonSet } from '../../../../src/api/kubernetes.ts'
import { computeBudgets } from '../../../../src/disruption/budgets.ts'
import { surveyCandidates } from '../../../../src/disruption/candidates.ts'
import { isSameList } from '../../../../src/model/same-list.ts'
import type { Snapshot } from '../../../../src/model/snapshot.ts'
import { aPool, aRunningPod, aWorld, aStateNode, aType, minute, noon } from '../../../support/disruption-builders.ts'

const pool = aPool({
  disruption: { consolidateAfter: '5m', consolidationPolicy: 'WhenEmptyOrUnderutilized', budgets: [{ nodes: '1' }] },
})
const guarded = aRunningPod({ annotations: { 'karpenter.sh/do-not-disrupt': '2h' }, startedAt: noon - 60 * minute })
const base: Snapshot = aWorld({
  pools: [pool],
  nodes: [aStateNode('a', { pods: [aRunningPod()] }), aStateNode('b', { pods: [guarded] })],
  types: [aType('m5.large', { price: 0.1 })],
  now: noon,
})

const aDaemonSet: DaemonSet = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'logs', namespace: 'default', uid: 'logs', resourceVersion: '1', creationTimestamp: '' },
  spec: { selector: {}, template: { spec: { containers: [] } } },
}

/** As the methods gather them. */
function inputsOf(snapshot: Snapshot): SearchInputs {
  return {
    snapshot,
    eligible: surveyCandidates(snapshot, { disruptionClass: 'graceful', queued: new Set() }).candidates,
    budgets: computeBudgets(snapshot.nodePools, snapshot.nodes, 'Underutilized', snapshot.now),
    totals: new Map([['default', { cost: 1, disruptionCost: 2 }]]),
  }
}

async function searches(second: readonly unknown[], found = false): Promise<number> {
  const memory = new RememberedSearch<string>()
  let count = 0
  for (const facts of [searchFacts(inputsOf(base)), second]) {
    const search = () => Promise.resolve(`search ${(count += 1)}`)
    await memory.find(facts, search, () => !found)
  }
  return count
}

test('a search that found nothing is not repeated while nothing but the time has changed', async () => {
  expect(await searches(searchFacts(inputsOf({ ...base, now: noon + 10_000 })))).toBe(1)
})

test('nor where the types were listed anew, and are the same', async () => {
  const instanceTypes = new Map([...base.instanceTypes].map(([pool, list]) => [pool, { ...list }]))
  expect(await searches(searchFacts(inputsOf({ ...base, instanceTypes })))).toBe(1)
})

test('a search that found something is repeated', async () => {
  expect(await searches(searchFacts(inputsOf(base)), true)).toBe(2)
})

const changes: Readonly<Record<string, () => readonly unknown[]>> = {
  'a node': () => searchFacts(inputsOf({ ...base, nodes: [...base.nodes] })),
  'a pod without a node': () => searchFacts(inputsOf({ ...base, unboundPods: [aRunningPod()] })),
  'a pool': () => searchFacts(inputsOf({ ...base, nodePools: [...base.nodePools] })),
  'an offering': () =>
    searchFacts(
      inputsOf({
        ...base,
        instanceTypes: new Map([['default', { kind: 'resolved', types: [aType('m5.large', { price: 0.05 })] }]]),
      }),
    ),
  'a PodDisruptionBudget': () => searchFacts(inputsOf({ ...base, podDisruptionBudgets: [] })),
  'a volume': () => searchFacts(inputsOf({ ...base, volumes: { ...base.volumes, volumes: new Map() } })),
  'what a budget has left': () => searchFacts({ ...inputsOf(base), budgets: new Map() }),
  'what pools may start together': () => {
    const inputs = inputsOf(base)
    const common = [{ name: 'brake', nodes: 1 }]
    const budgets = new Map([...inputs.budgets].map(([name, budget]) => [name, { ...budget, common }]))
    return searchFacts({ ...inputs, budgets })
  },
  'what the pool costs': () =>
    searchFacts({ ...inputsOf(base), totals: new Map([['default', { cost: 1.5, disruptionCost: 2 }]]) }),
  'who is eligible': () => searchFacts({ ...inputsOf(base), eligible: [] }),
  'something the caller knows of': () => searchFacts(inputsOf(base), 'another'),
  'a protection that runs out by itself': () => searchFacts(inputsOf({ ...base, now: noon + 61 * minute })),
}

const { volumes, spreadOwners } = base
const devices = { claims: new Map(), classes: new Map(), slices: [] }
const daemonSets = [{ daemonSet: aDaemonSet, newestPod: aRunningPod() }]
/** A snapshot, and one in which just this is another. */
const others: Readonly<Record<string, readonly [Partial<Snapshot>, Partial<Snapshot>]>> = {
  'the labels of a namespace': [{}, { namespaces: new Map(base.namespaces) }],
  'the claim of a volume': [{}, { volumes: { ...volumes, claims: new Map() } }],
  'a storage class': [{}, { volumes: { ...volumes, storageClasses: new Map() } }],
  'how many volumes a node takes': [{}, { volumes: { ...volumes, csiNodes: new Map() } }],
  'a service': [{}, { spreadOwners: { ...spreadOwners, services: [] } }],
  'a replica set': [{}, { spreadOwners: { ...spreadOwners, replicaSets: new Map() } }],
  'a replication controller': [{}, { spreadOwners: { ...spreadOwners, replicationControllers: new Map() } }],
  'a stateful set': [{}, { spreadOwners: { ...spreadOwners, statefulSets: new Map() } }],
  'a resource claim': [{ devices }, { devices: { ...devices, claims: new Map() } }],
  'a device class': [{ devices }, { devices: { ...devices, classes: new Map() } }],
  'what a driver offers': [{ devices }, { devices: { ...devices, slices: [] } }],
  'a daemon set': [
    { daemonSets },
    { daemonSets: daemonSets.map((each) => ({ ...each, daemonSet: { ...aDaemonSet } })) },
  ],
  'what pods of a daemon set ask for': [
    { daemonSets },
    { daemonSets: daemonSets.map((each) => ({ ...each, newestPod: aRunningPod() })) },
  ],
}

test.each(Object.entries(others))('nor is it the same cluster after a change of %s', (_what, [before, after]) => {
  const first = { ...base, ...before }
  expect(isSameList(snapshotFacts(first), snapshotFacts({ ...first }))).toBe(true)
  expect(isSameList(snapshotFacts(first), snapshotFacts({ ...first, ...after }))).toBe(false)
})

test.each(Object.entries(changes))('it is repeated after a change of %s', async (_what, facts) => {
  expect(await searches(facts())).toBe(2)
})

test('it is repeated when the protection of a pod ends whose node is going, for which a place is looked for then', () => {
  const nodes = base.nodes.map((node) => ({ ...node, markedForDeletion: node.name === 'b' }))
  const [before, still, lapsed] = [0, 59, 60].map((later) =>
    searchFacts(inputsOf({ ...base, nodes, now: noon + later * minute })),
  )
  expect(still).toEqual(before)
  expect(lapsed).not.toEqual(before)
})

test('it is repeated when a node has settled since its last pod event', async () => {
  const nodeOf = (at: number) => {
    const node = aStateNode('a', { pods: [aRunningPod()] })
    const { nodeClaim } = node
    if (nodeClaim === undefined) throw new Error('the node has a claim')
    const lastPodEventTime = new Date(at).toISOString()
    return { ...node, nodeClaim: { ...nodeClaim, status: { ...nodeClaim.status, lastPodEventTime } } }
  }
  const nodes = [nodeOf(noon - 4 * minute)]
  const [before, still, settled] = [0, 30_000, 2 * minute].map((later) =>
    searchFacts(inputsOf({ ...base, nodes, now: noon + later })),
  )
  expect(still).toEqual(before)
  expect(settled).not.toEqual(before)
})
