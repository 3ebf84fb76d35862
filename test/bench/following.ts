import { place } from '../../src/embedded/scheduler/placement.ts'
import { addPod, type NodeState, toNodeState } from '../../src/embedded/scheduler/node-state.ts'
import type { Node, Pod } from '../../src/api/kubernetes.ts'
import type { Caches } from '../../src/kube/controller.ts'
import { allocatableOf } from '../../src/model/instance-type.ts'
import type { PodInfo } from '../../src/model/pod.ts'
import { toResourceList, toResources } from '../../src/model/resources.ts'
import { runToEnd } from '../../src/model/sliced.ts'
import { defaultSettings, type NodePlan, type Placement, prepare, priceOf, solve } from '../../src/scheduling/index.ts'
import { improveInSlices, packingSlices } from '../../src/scheduling/packing/improve.ts'
import { aPool, aSnapshot } from '../support/scheduling-world.ts'
import { daemonSets, packingPools, realTypes } from './packing-world.ts'
import { round } from './slice-timer.ts'
import { deploymentPods, seeded } from './workloads.ts'

/**
 * `npm run bench:following [-- -o json] [-- first last]`: whether a scheduler that does not know the plan fits the pods on the planned
 * nodes. Batches of 20 to 299 pods of 2 to 31 deployments, one per seed; nodes come up all at once, one by one, or in groups, in a random
 * order; the embedded cluster's scheduler, which shares no code with the solver, binds what waits each time. `broken` are batches in which
 * some pod was left over, and `extra` is what nodes for those pods would cost, in US dollars per hour.
 */
type Packing = 'greedy' | 'improved'

interface Row {
  batches: number
  broken: number
  podsLeft: number
  nodes: number
  pricePerHour: number
  extraPerHour: number
}

const arrivals = ['all at once', 'one by one', 'in groups'] as const
const requirements = packingPools['<=64 vCPU'] ?? []
const daemonRequests = toResources({ cpu: '150m', memory: '200Mi', pods: '4' })
const created = '2026-01-01T00:00:00Z'

/** Pods of this bench have neither volumes nor wishes about namespaces. */
const nothingCached: Caches = {
  of: () => {
    throw new Error('no cache is asked')
  },
  synced: () => Promise.resolve(),
}

function toNode({ instanceTypes, labels }: NodePlan, index: number): NodeState {
  const [type] = instanceTypes
  if (type === undefined) throw new Error('a plan without instance types')
  const allocatable = toResourceList(allocatableOf(type.capacity, type.overhead))
  const metadata = { uid: '', resourceVersion: '', creationTimestamp: created }
  const node: Node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { ...metadata, name: nodeName(index), labels },
    spec: {},
    status: { allocatable },
  }
  return toNodeState(node, [toPod('daemons', daemonRequests)])
}

function nodeName(index: number): string {
  return `node-${String(index).padStart(4, '0')}`
}

function toPod(name: string, requests: PodInfo['requests']): Pod {
  const { pods: _pods, ...amounts } = toResourceList(requests)
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid: name, resourceVersion: '', creationTimestamp: created },
    spec: { containers: [{ name: 'main', resources: { requests: amounts } }] },
  }
}

/** Pods for which no planned node had room left when all had come up. */
function leftOver(
  placement: Placement,
  pods: readonly PodInfo[],
  arrival: (typeof arrivals)[number],
  seed: number,
  nominates: boolean,
) {
  const below = seeded(seed)
  const planOf = new Map(
    placement.newNodePlans.flatMap((plan, index) => plan.pods.map(({ uid }) => [uid, nodeName(index)])),
  )
  const coming = placement.newNodePlans
    .map((plan, index) => ({ state: toNode(plan, index), turn: below(2 ** 30) }))
    .toSorted((a, b) => a.turn - b.turn)
    .map(({ state }) => state)
  const groupMax = Math.ceil(coming.length / 3)
  const states: NodeState[] = []
  let waiting = pods.map((info) => {
    const pod = toPod(info.name, info.requests)
    const nominatedNodeName = planOf.get(info.uid)
    return { info, pod: nominates && nominatedNodeName !== undefined ? { ...pod, status: { nominatedNodeName } } : pod }
  })
  while (coming.length > 0) {
    const size = arrival === 'all at once' ? coming.length : arrival === 'one by one' ? 1 : 1 + below(groupMax)
    for (const state of coming.splice(0, size)) {
      for (const { pod } of waiting) if (pod.status?.nominatedNodeName === state.name) state.nominees.add(pod)
      states.push(state)
    }
    waiting = waiting.filter(({ pod }) => {
      const found = place(pod, { states, caches: nothingCached, namespaces: () => undefined })
      if (found.kind === 'placed') {
        addPod(found.node, pod)
        states.find(({ name }) => name === pod.status?.nominatedNodeName)?.nominees.delete(pod)
      }
      return found.kind === 'unschedulable'
    })
  }
  return waiting.map(({ info }) => info)
}

function planned(pods: readonly PodInfo[], packing: Packing): Placement {
  const context = prepare(
    aSnapshot({ pools: [aPool({ requirements })], types: realTypes, daemonSets, pods }),
    defaultSettings,
    pods,
  )
  const request = { pods, reservedMode: 'fallback' } as const
  const greedy = solve(context, request)
  if (packing === 'greedy') return greedy
  return runToEnd(improveInSlices(context, request, greedy, { workUnits: packingSlices(pods.length, 300) }))
}

const args = process.argv.slice(2)
const [first = 1, last = 200] = args.map(Number).filter((number) => Number.isInteger(number) && number > 0)
const rows = new Map<string, Row>()
for (let seed = first; seed <= last; seed += 1) {
  const below = seeded(seed * 7_919)
  const pods = deploymentPods(20 + below(280), 2 + below(30), seed)
  for (const packing of ['greedy', 'improved'] as const) {
    const placement = planned(pods, packing)
    const placed = placement.newNodePlans.reduce((sum, plan) => sum + plan.pods.length, 0)
    if (placed !== pods.length) throw new Error(`seed ${seed}: not all pods were placed`)
    for (const [arrival, nominates] of arrivals.flatMap(
      (each) =>
        [
          [each, false],
          [each, true],
        ] as const,
    )) {
      const name = `${packing}, ${arrival}${nominates ? ', nominated' : ''}`
      const row = rows.get(name) ?? { batches: 0, broken: 0, podsLeft: 0, nodes: 0, pricePerHour: 0, extraPerHour: 0 }
      rows.set(name, row)
      const left = leftOver(placement, pods, arrival, seed * 100, nominates)
      row.batches += 1
      row.broken += left.length > 0 ? 1 : 0
      row.podsLeft += left.length
      row.nodes += placement.newNodePlans.length
      row.pricePerHour += priceOf(placement) ?? Number.NaN
      row.extraPerHour += left.length === 0 ? 0 : (priceOf(planned(left, 'greedy')) ?? Number.NaN)
    }
  }
}
const results = [...rows].map(([workload, row]) => ({
  workload,
  ...row,
  pricePerHour: round(row.pricePerHour),
  extraPerHour: round(row.extraPerHour),
}))
if (args.includes('json')) process.stdout.write(`${JSON.stringify(results, null, 2)}\n`)
else console.table(results)
