import { setConditionTrue, nodeClaimConditions } from '../../src/api/conditions.ts'
import { poolTotals } from '../../src/disruption/balanced.ts'
import { computeBudgets } from '../../src/disruption/budgets.ts'
import { type CandidateSurvey, type DisruptionClass, surveyInSlices } from '../../src/disruption/candidates.ts'
import { type Command, type DisruptionMethod, estimatedSavings, reasonOf } from '../../src/disruption/command.ts'
import { filterConsolidation } from '../../src/disruption/consolidation.ts'
import { decideDrift, filterDrifted } from '../../src/disruption/drift.ts'
import { decideEmptiness, filterEmpty } from '../../src/disruption/emptiness.ts'
import { decideMultiNode } from '../../src/disruption/multi-node.ts'
import type { Simulate } from '../../src/disruption/simulation.ts'
import type { Sliced } from '../../src/model/sliced.ts'
import { decideSingleNode } from '../../src/disruption/single-node.ts'
import { drive } from '../../src/controllers/disruption/drive.ts'
import { Interner } from '../../src/kube/interner.ts'
import { systemClock } from '../../src/kube/system-clock.ts'
import { allocatableOf, sumPrices } from '../../src/model/instance-type.ts'
import type { PodInfo } from '../../src/model/pod.ts'
import type { Snapshot, StateNode } from '../../src/model/snapshot.ts'
import { simulatorOn } from '../../src/disruption/what-if.ts'
import { defaultSettings, type NodePlan, prepare, type SchedulingSettings, solve } from '../../src/scheduling/index.ts'
import { violations } from '../support/placement-checker.ts'
import { aNode, aPod, fakeTypes, testVocabulary } from '../support/scheduling-world.ts'
import { resourceLowerBound } from './lower-bound.ts'
import { round, SliceTimer } from './slice-timer.ts'
import { busyCluster, seeded } from './workloads.ts'

/**
 * `npm run bench:disruption [-- -o json]`: what one pass over 2,000 nodes and 40,000 pods costs, method by method, with a budget that
 * allows everything; how long it takes with the pauses between its slices; and how far consolidation gets when its commands are carried
 * out until it finds no more. It fails when a pass finds what it should not, or nothing, and when the independent checker finds fault
 * with where the pods are in the end.
 */
interface PassResult {
  readonly workload: string
  readonly method: DisruptionMethod | 'all'
  readonly nodes: number
  readonly pods: number
  readonly ms: number
  /** Processor time of the thread: what the machine does besides does not count. */
  readonly cpuMs: number
  readonly longestBlockMs: number
  readonly peakMB: number
  /** Nodes that the command would take away. */
  readonly taken: number
  readonly savingsPerHour: number
}

interface PausedResult {
  readonly workload: string
  readonly ms: number
  readonly pauses: number
}

interface FixedPointResult {
  readonly workload: string
  readonly nodesBefore: number
  readonly nodesAfter: number
  readonly passes: number
  readonly priceBefore: number
  readonly priceAfter: number
  readonly lowerBound: number
  readonly ratioBefore: number
  readonly ratioAfter: number
  readonly ms: number
}

const settings: SchedulingSettings = { ...defaultSettings, vocabulary: testVocabulary }
const types = fakeTypes(32)
const typesByName = new Map(types.map((type) => [type.name, type]))
const methods: readonly DisruptionMethod[] = ['emptiness', 'drift', 'multiNode', 'singleNode']

interface FleetOptions {
  readonly nodes: number
  readonly cpu: string
  readonly drifted?: boolean
  /** The largest type allowed, in cores; nodes have 8. */
  readonly largest: number
}

/** Each node initialized, ready and consolidatable; twenty pods on each. */
function fleet({ nodes, cpu, largest, drifted = false }: FleetOptions): Snapshot {
  const { snapshot } = busyCluster({ nodes, running: nodes * 20, pending: 0, cpu })
  const nodePools = snapshot.nodePools.map((pool) => ({
    ...pool,
    spec: {
      ...pool.spec,
      // Far away: what the nodes hold has to be known all the same.
      limits: { cpu: '1000000', memory: '10000Ti' },
      disruption: { consolidateAfter: '0s', budgets: [{ nodes: '100%' }] },
    },
  }))
  const interner = new Interner()
  return {
    ...snapshot,
    nodePools,
    instanceTypes: new Map([['np', { kind: 'resolved', types: types.slice(0, largest) }]]),
    nodes: snapshot.nodes.map((node) => {
      const pods = node.pods.map((pod) => sharing(pod, interner))
      return settled({ ...node, pods }, snapshot.now, drifted)
    }),
  }
}

/**
 * The fleet on the morning after: deployments of four sizes, each of which has lost half of its pods anywhere, so that nodes stand
 * between empty and nearly full.
 */
function scaledIn(options: FleetOptions): Snapshot {
  const below = seeded(23)
  const sizes = [100, 250, 500, 900]
  const sizeOf = new Map<string, number>()
  const snapshot = fleet(options)
  const nodes = snapshot.nodes.map((node) => {
    let free = 1_000 * (node.allocatable.get('cpu')?.toNumber() ?? 0)
    const pods = node.pods.flatMap((pod) => {
      if (below(2) !== 0) return []
      const app = pod.labels['app'] ?? ''
      const milliCPU = sizeOf.get(app) ?? sizes[below(sizes.length)] ?? 100
      sizeOf.set(app, milliCPU)
      // No scheduler would have put it there.
      if (milliCPU > free) return []
      free -= milliCPU
      return { ...pod, requests: aPod({ requests: { cpu: `${milliCPU}m`, memory: '512Mi' } }).requests }
    })
    return { ...node, pods }
  })
  return { ...snapshot, nodes }
}

/** Pods of one application have in common what they would share in the caches. */
function sharing(pod: PodInfo, interner: Interner): PodInfo {
  return {
    ...pod,
    labels: interner.intern(pod.labels),
    nodeSelector: interner.intern(pod.nodeSelector),
    affinity: pod.affinity === undefined ? undefined : interner.intern(pod.affinity),
    tolerations: interner.intern(pod.tolerations),
    topologySpreadConstraints: interner.intern(pod.topologySpreadConstraints),
  }
}

function settled(node: StateNode, now: number, drifted: boolean): StateNode {
  if (node.nodeClaim === undefined || node.node === undefined) return node
  const conditions = ['Initialized', 'Consolidatable', ...(drifted ? ['Drifted'] : [])]
  let nodeClaim = node.nodeClaim
  for (const type of conditions) nodeClaim = setConditionTrue(nodeClaim, nodeClaimConditions, type, now)
  const ready = [{ type: 'Ready', status: 'True' as const }]
  return { ...node, nodeClaim, node: { ...node.node, status: { ...node.node.status, conditions: ready } } }
}

interface Decided {
  readonly command: Command<NodePlan> | undefined
}

/** What the methods of one pass share, as those of the disruption controller do while the cluster stays as it is. */
interface Look {
  readonly snapshot: Snapshot
  readonly survey: (disruptionClass: DisruptionClass) => Sliced<CandidateSurvey>
  readonly simulate: Simulate<NodePlan>
}

function lookAt(snapshot: Snapshot): Look {
  const surveys = new Map<DisruptionClass, CandidateSurvey>()
  return {
    snapshot,
    *survey(disruptionClass) {
      const survey =
        surveys.get(disruptionClass) ?? (yield* surveyInSlices(snapshot, { disruptionClass, queued: new Set() }))
      surveys.set(disruptionClass, survey)
      return survey
    },
    simulate: simulatorOn(snapshot, settings),
  }
}

function* decide(method: DisruptionMethod, look: Look): Sliced<Decided> {
  const { snapshot, simulate } = look
  const survey = yield* look.survey(method === 'drift' ? 'eventual' : 'graceful')
  const budgets = computeBudgets(snapshot.nodePools, snapshot.nodes, reasonOf[method], snapshot.now)
  const consolidation = () => ({
    eligible: filterConsolidation(survey.candidates).eligible,
    budgets,
    simulate,
    totals: poolTotals({
      snapshot,
      candidates: survey.candidates,
      trackedCost: new Map(),
      trackedDisruptionCost: new Map(),
    }),
    options: { wellKnownLabels: testVocabulary.wellKnown, spotToSpot: false },
    elapsedMs: () => 0,
  })
  switch (method) {
    case 'emptiness': {
      const decision = decideEmptiness<NodePlan>(filterEmpty(survey.candidates, new Set()).eligible, budgets)
      return { command: decision.kind === 'command' ? decision.command : undefined }
    }
    case 'drift':
      return yield* decideDrift(filterDrifted(survey.candidates), budgets, simulate)
    case 'multiNode':
      return yield* decideMultiNode(consolidation())
    case 'singleNode': {
      const { step } = yield* decideSingleNode({ ...consolidation(), unseenPools: new Set(), unsteady: new Set() })
      return { command: step.kind === 'command' ? step.command : undefined }
    }
    case 'staticDrift':
      return { command: undefined }
  }
}

/** `finds`: the method that begins something on such a fleet. */
function measurePass(workload: string, snapshot: Snapshot, finds: DisruptionMethod | 'nothing'): PassResult[] {
  const pods = snapshot.nodes.reduce((sum, node) => sum + node.pods.length, 0)
  const rows: PassResult[] = []
  const look = lookAt(snapshot)
  for (const method of methods) {
    const timer = new SliceTimer()
    const started = performance.now()
    const { command } = timer.run(decide(method, look))
    rows.push({
      workload,
      method,
      nodes: snapshot.nodes.length,
      pods,
      ms: round(performance.now() - started),
      cpuMs: round(timer.totalMs),
      longestBlockMs: round(timer.longestMs),
      peakMB: Math.round(process.memoryUsage().rss / 2 ** 20),
      taken: command?.candidates.length ?? 0,
      savingsPerHour: command === undefined ? 0 : round(estimatedSavings(command, testVocabulary.wellKnown)),
    })
    // The first method that starts something ends the pass.
    if (command !== undefined) break
  }
  const found = rows.find(({ taken }) => taken > 0)?.method ?? 'nothing'
  if (found !== finds) throw new Error(`${workload}: ${found} was found instead of ${finds}`)
  const total = {
    ms: round(rows.reduce((sum, row) => sum + row.ms, 0)),
    cpuMs: round(rows.reduce((sum, row) => sum + row.cpuMs, 0)),
  }
  const longestBlockMs = Math.max(...rows.map((row) => row.longestBlockMs))
  const last = rows.at(-1)
  return last === undefined ? [] : [...rows, { ...last, ...total, method: 'all', longestBlockMs }]
}

/** A pass as the operator runs it: with a pause after each slice, in which everything else has its turn. */
async function measurePaused(workload: string, snapshot: Snapshot): Promise<PausedResult> {
  const look = lookAt(snapshot)
  const { signal } = new AbortController()
  const clock = systemClock()
  let pauses = 0
  const counted = function* <T>(work: Sliced<T>): Sliced<T> {
    for (let step = work.next(); ; step = work.next()) {
      if (step.done === true) return step.value
      pauses += 1
      yield
    }
  }
  const started = performance.now()
  for (const method of methods) {
    const { command } = await drive(counted(decide(method, look)), clock, signal)
    if (command !== undefined) throw new Error(`${workload}: ${method} was found`)
  }
  return { workload, ms: round(performance.now() - started), pauses }
}

/** Carries out each command at once, as if every replacement came up and every pod moved, until nothing is found any more. */
function measureFixedPoint(workload: string, start: Snapshot): FixedPointResult {
  const started = performance.now()
  let snapshot = start
  let passes = 0
  const timer = new SliceTimer()
  const next = (): Command<NodePlan> | undefined => {
    const look = lookAt(snapshot)
    for (const method of methods) {
      const { command } = timer.run(decide(method, look))
      if (command !== undefined) return command
    }
    return undefined
  }
  for (let command = next(); command !== undefined; command = next()) {
    passes += 1
    if (passes > 2_000) throw new Error('consolidation does not come to an end')
    snapshot = carryOut(snapshot, command, passes)
  }
  const pods = start.nodes.flatMap((node) => node.pods)
  const existing = snapshot.nodes.map((node) => ({ node: { ...node, pods: [] }, pods: node.pods }))
  const wrong = violations(pods, { existing, newNodePlans: [], failures: [], deferred: [], unattempted: [] })
  if (wrong.length > 0) throw new Error(`${workload}: ${wrong.slice(0, 3).join('; ')}`)
  const lowerBound = resourceLowerBound(types, pods)
  const [priceBefore, priceAfter] = [priceOf(start), priceOf(snapshot)]
  return {
    workload,
    nodesBefore: start.nodes.length,
    nodesAfter: snapshot.nodes.length,
    passes,
    priceBefore: round(priceBefore),
    priceAfter: round(priceAfter),
    lowerBound: round(lowerBound),
    ratioBefore: round(priceBefore / lowerBound),
    ratioAfter: round(priceAfter / lowerBound),
    ms: round(performance.now() - started),
  }
}

function carryOut(snapshot: Snapshot, command: Command<NodePlan>, pass: number): Snapshot {
  const gone = new Set(command.candidates.map(({ stateNode }) => stateNode.key))
  const displaced = command.candidates.flatMap(({ reschedulablePods }) => reschedulablePods)
  const placement = solve(prepare(snapshot, settings), {
    pods: displaced,
    excludedNodes: gone,
    reservedMode: 'fallback',
  })
  const moved = new Map(placement.existing.map(({ node, pods }) => [node.key, pods]))
  const kept = snapshot.nodes
    .filter((node) => !gone.has(node.key))
    .map((node) => {
      const more = moved.get(node.key) ?? []
      return more.length === 0 ? node : { ...node, pods: [...node.pods, ...more.map((pod) => on(pod, node.name))] }
    })
  const fresh = placement.newNodePlans.map((plan, index) => {
    const name = `new-${pass}-${index}`
    const type = plan.instanceTypes[0]
    if (type === undefined) throw new Error('a plan without a type')
    const node = aNode({
      name,
      pool: 'np',
      labels: {
        'topology.kubernetes.io/zone':
          [...(plan.requirements.get('topology.kubernetes.io/zone')?.values ?? [])][0] ?? 'z1',
        'karpenter.sh/capacity-type': 'on-demand',
        'node.kubernetes.io/instance-type': type.name,
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/os': 'linux',
      },
      pods: plan.pods.map((pod) => on(pod, name)),
    })
    const allocatable = allocatableOf(type.capacity, type.overhead)
    return settled({ ...node, capacity: type.capacity, allocatable }, snapshot.now, false)
  })
  return { ...snapshot, nodes: [...kept, ...fresh] }
}

function on<P extends { readonly nodeName: string }>(pod: P, nodeName: string): P {
  return { ...pod, nodeName }
}

function priceOf(snapshot: Snapshot): number {
  return sumPrices(
    snapshot.nodes.map(({ labels }) => {
      const offerings = typesByName.get(labels['node.kubernetes.io/instance-type'] ?? '')?.offerings ?? []
      return Math.min(...offerings.map(({ price }) => price))
    }),
  )
}

const tight = fleet({ nodes: 2_000, cpu: '385m', largest: 8 })
const passes = [
  // The first one meets code that is not compiled yet, and pods of which nothing is known.
  ...measurePass('tight: nothing to find, the first pass', tight, 'nothing'),
  ...measurePass('tight: nothing to find, the second', tight, 'nothing'),
  ...measurePass('tight: nothing to find, the third', tight, 'nothing'),
  ...measurePass('all drifted', fleet({ nodes: 2_000, cpu: '385m', largest: 8, drifted: true }), 'drift'),
  ...measurePass('half empty', fleet({ nodes: 2_000, cpu: '200m', largest: 32 }), 'multiNode'),
]
const fixedPoints = [
  measureFixedPoint('half empty, until nothing is found', fleet({ nodes: 2_000, cpu: '200m', largest: 32 })),
  measureFixedPoint('scaled in, until nothing is found', scaledIn({ nodes: 2_000, cpu: '200m', largest: 32 })),
]
const paused = [await measurePaused('tight: nothing to find, with pauses', tight)]
if (process.argv.includes('json')) {
  process.stdout.write(`${JSON.stringify({ passes, paused, fixedPoints }, null, 2)}\n`)
} else {
  console.table(passes)
  console.table(paused)
  console.table(fixedPoints)
}
