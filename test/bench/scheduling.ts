import { sumPrices } from '../../src/model/instance-type.ts'
import type { PodInfo } from '../../src/model/pod.ts'
import type { Snapshot } from '../../src/model/snapshot.ts'
import {
  defaultSettings,
  type Placement,
  prepare,
  prepareInSlices,
  type SchedulingSettings,
  type SolveContext,
  solve,
  solveInSlices,
} from '../../src/scheduling/index.ts'
import { referenceSolve } from '../reference-scheduler/index.ts'
import { aPool, aSnapshot, fakeTypes, testVocabulary } from '../support/scheduling-world.ts'
import { resourceLowerBound } from './lower-bound.ts'
import { round, SliceTimer } from './slice-timer.ts'
import type { SolveResult } from './solve-result.ts'
import { busyCluster, diversePods, hopelessPods, lognormalPods, preferencePods } from './workloads.ts'

/**
 * `npm run bench:scheduling [-- -o json] [-- workload …]`: how fast the solver is and how well it packs. Times are the best of
 * several runs on one core and include everything from plain pods and nodes to plans: preparing the snapshot, classes, the solve.
 */
interface Workload {
  readonly name: string
  readonly runs: number
  readonly make: () => { readonly snapshot: Snapshot; readonly pods: readonly PodInfo[] }
  readonly settings?: Partial<SchedulingSettings>
}

const benchmarkPool = aPool({
  labels: { 'testing/cluster': 'unspecified' },
  limits: { cpu: '10000000', memory: '10000000Gi' },
})
const types = fakeTypes(400)
const twentyPools = Array.from({ length: 20 }, (_, index) => aPool({ name: `pool-${index}`, weight: index + 1 }))

function emptyCluster(pods: readonly PodInfo[]) {
  return { snapshot: aSnapshot({ pools: [benchmarkPool], types }), pods }
}

const workloads: readonly Workload[] = [
  ...[100, 500, 1000, 2000, 5000, 10_000, 20_000].map((count) => ({
    name: `diverse-${count}`,
    runs: 5,
    make: () => emptyCluster(diversePods(count)),
  })),
  { name: 'preferences-4000-respect', runs: 7, make: () => emptyCluster(preferencePods(4000)) },
  {
    name: 'preferences-4000-ignore',
    runs: 7,
    make: () => emptyCluster(preferencePods(4000)),
    settings: { preferencePolicy: 'Ignore' },
  },
  { name: 'lognormal-5000', runs: 3, make: () => emptyCluster(lognormalPods(5000)) },
  {
    name: 'hopeless-2000-on-20-pools',
    runs: 3,
    make: () => ({ snapshot: aSnapshot({ pools: twentyPools, types }), pods: hopelessPods(2000) }),
  },
  { name: 'existing-2000x2000', runs: 3, make: () => busyCluster({ nodes: 2000, running: 40_000, pending: 2000 }) },
]

const settings: SchedulingSettings = { ...defaultSettings, vocabulary: testVocabulary }

function measure(workload: Workload): SolveResult {
  let best: { ms: number; longestBlockMs: number; placement: Placement } | undefined
  let peakMB = 0
  const { snapshot, pods } = workload.make()
  for (let run = 0; run < workload.runs; run += 1) {
    // Each run works on objects that it has not seen: classes are remembered per object.
    const fresh = pods.map((pod) => ({ ...pod }))
    const timer = new SliceTimer()
    const started = performance.now()
    const context: SolveContext = timer.run(prepareInSlices(snapshot, { ...settings, ...workload.settings }, fresh))
    const placement: Placement = timer.run(solveInSlices(context, { pods: fresh, reservedMode: 'fallback' }))
    const ms = performance.now() - started
    peakMB = Math.max(peakMB, process.memoryUsage().rss / 2 ** 20)
    if (best === undefined || ms < best.ms) best = { ms, longestBlockMs: timer.longestMs, placement }
  }
  if (best === undefined) throw new Error('a workload has at least one run')
  const { ms, placement, longestBlockMs } = best
  const pricePerHour = sumPrices(placement.newNodePlans.flatMap(({ price }) => price ?? []))
  const placedOnNew = placement.newNodePlans.flatMap((plan) => plan.pods)
  const lowerBound = placedOnNew.length === 0 ? 0 : resourceLowerBound(types, placedOnNew)
  return {
    workload: workload.name,
    pods: pods.length,
    podsPerSecond: Math.round((pods.length / ms) * 1000),
    ms: round(ms),
    nodes: placement.newNodePlans.length,
    pricePerHour: round(pricePerHour),
    lowerBound: round(lowerBound),
    ratio: lowerBound === 0 ? 1 : round(pricePerHour / lowerBound),
    peakMB: Math.round(peakMB),
    longestBlockMs: round(longestBlockMs),
  }
}

/** The plain scheduler on the same pods: how much the data structures are worth. */
function measureReference(count: number): SolveResult & { readonly timesFaster: number } {
  const { snapshot, pods } = emptyCluster(diversePods(count))
  const started = performance.now()
  const { claims } = referenceSolve(snapshot, pods, { vocabulary: testVocabulary })
  const ms = performance.now() - started
  const ours = measure({ name: '', runs: 5, make: () => ({ snapshot, pods }) })
  return {
    ...ours,
    workload: `reference-${count}`,
    podsPerSecond: Math.round((count / ms) * 1000),
    ms: round(ms),
    nodes: claims.length,
    timesFaster: round(ms / ours.ms),
  }
}

/** What one what-if of consolidation costs, once the snapshot is prepared. */
function measureSimulations(): SolveResult {
  const { snapshot } = busyCluster({ nodes: 1000, running: 10_000, pending: 0 })
  const context = prepare(snapshot, settings)
  const probed = snapshot.nodes.slice(0, 200)
  const started = performance.now()
  for (const node of probed) {
    solve(context, { pods: node.pods, excludedNodes: new Set([node.key]), reservedMode: 'fallback' })
  }
  const ms = performance.now() - started
  const pods = probed.reduce((sum, node) => sum + node.pods.length, 0)
  return {
    workload: 'simulations-200-of-1000-nodes',
    pods,
    podsPerSecond: Math.round((pods / ms) * 1000),
    ms: round(ms),
    nodes: 0,
    pricePerHour: 0,
    lowerBound: 0,
    ratio: 1,
    peakMB: Math.round(process.memoryUsage().rss / 2 ** 20),
    longestBlockMs: round(ms / probed.length),
  }
}

const args = process.argv.slice(2)
const asJSON = args.includes('json')
const wanted = args.filter((arg) => !arg.startsWith('-') && arg !== 'json')
const isWanted = (name: string): boolean => wanted.length === 0 || wanted.some((part) => name.startsWith(part))
const results: SolveResult[] = workloads.filter(({ name }) => isWanted(name)).map(measure)
if (isWanted('reference')) results.push(measureReference(1000))
if (isWanted('simulations')) results.push(measureSimulations())
if (asJSON) process.stdout.write(`${JSON.stringify(results, null, 2)}\n`)
else console.table(results)
