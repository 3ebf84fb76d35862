import { isDeepStrictEqual } from 'node:util'
import { sumPrices } from '../../src/model/instance-type.ts'
import type { PodInfo } from '../../src/model/pod.ts'
import type { Snapshot } from '../../src/model/snapshot.ts'
import { optionTable } from '../../src/operator/option-table.ts'
import {
  defaultSettings,
  packedInSlices,
  type Packing,
  type Placement,
  prepare,
  prepareInSlices,
  type SchedulingSettings,
  type SolveContext,
  solve,
  solveInSlices,
} from '../../src/scheduling/index.ts'
import { referenceSolve } from '../reference-scheduler/index.ts'
import { violations } from '../support/placement-checker.ts'
import { referenceSummary, summaryOf } from '../support/placement-summary.ts'
import { aPool, aSnapshot, fakeTypes, testVocabulary } from '../support/scheduling-world.ts'
import { resourceLowerBound } from './lower-bound.ts'
import { realTypes } from './packing-world.ts'
import { round, SliceTimer, threadMs } from './slice-timer.ts'
import type { SolveResult } from './solve-result.ts'
import {
  busyCluster,
  deploymentPods,
  diversePods,
  hopelessPods,
  lognormalPods,
  preferencePods,
  spreadAndApartPods,
} from './workloads.ts'

/**
 * `npm run bench:scheduling [-- -o json] [-- workload …]`: how fast the solver is and how well it packs. Times are the best of
 * several runs on one core and include everything from plain pods and nodes to plans: preparing the snapshot, classes, the solve. It
 * fails when a pod was left out that has a place, when the independent checker finds fault with an answer, and when the plain scheduler
 * does not come to the same.
 */
interface Workload {
  readonly name: string
  readonly runs: number
  readonly make: () => { readonly snapshot: Snapshot; readonly pods: readonly PodInfo[] }
  readonly settings?: Partial<SchedulingSettings>
  /** How many of its pods have a place; all where it does not say. */
  readonly placed?: number
  /** How the operator packs where it is told nothing; without, greedily. */
  readonly packing?: Packing
}

const operatorPacking: Packing = {
  kind: 'improved',
  slicesMax: optionTable.packingBudget.default,
  largestShare: optionTable.packingLargestShare.default,
}

const benchmarkPool = aPool({
  labels: { 'testing/cluster': 'unspecified' },
  limits: { cpu: '10000000', memory: '10000000Gi' },
})
const types = fakeTypes(400)
const twentyPools = Array.from({ length: 20 }, (_, index) => aPool({ name: `pool-${index}`, weight: index + 1 }))

/** Seven hundred of the sizes and families that EC2 really has, one on-demand and one spot offering per zone. */
const manyRealTypes = realTypes.slice(0, 700)

function emptyCluster(pods: readonly PodInfo[]) {
  return { snapshot: aSnapshot({ pools: [benchmarkPool], types }), pods }
}

const workloads: readonly Workload[] = [
  ...[1, 50, 100, 500, 1000, 2000, 5000, 10_000, 20_000].map((count) => ({
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
  {
    name: 'deployments-50x200-on-700-real-types',
    runs: 5,
    make: () => {
      const pods = deploymentPods(10_000, 50)
      return { snapshot: aSnapshot({ pools: [aPool()], types: manyRealTypes }), pods }
    },
    settings: { vocabulary: defaultSettings.vocabulary },
  },
  { name: 'spread-and-apart-5000', runs: 5, make: () => emptyCluster(spreadAndApartPods(5000)) },
  { name: 'improved-diverse-20000', runs: 1, make: () => emptyCluster(diversePods(20_000)), packing: operatorPacking },
  { name: 'lognormal-5000', runs: 3, make: () => emptyCluster(lognormalPods(5000)) },
  {
    name: 'hopeless-2000-on-20-pools',
    runs: 3,
    make: () => ({ snapshot: aSnapshot({ pools: twentyPools, types }), pods: hopelessPods(2000) }),
    placed: 0,
  },
  { name: 'existing-2000x2000', runs: 3, make: () => busyCluster({ nodes: 2000, running: 40_000, pending: 2000 }) },
]

const settings: SchedulingSettings = { ...defaultSettings, vocabulary: testVocabulary }

function measure(workload: Workload): SolveResult {
  let best: { ms: number; timer: SliceTimer; placement: Placement } | undefined
  let peakMB = 0
  const { snapshot, pods } = workload.make()
  for (let run = 0; run < workload.runs; run += 1) {
    // Each run works on objects that it has not seen: classes are remembered per object.
    const fresh = pods.map((pod) => ({ ...pod }))
    const timer = new SliceTimer()
    const started = performance.now()
    const context: SolveContext = timer.run(prepareInSlices(snapshot, { ...settings, ...workload.settings }, fresh))
    const request = { pods: fresh, reservedMode: 'fallback' } as const
    const greedy: Placement = timer.run(solveInSlices(context, request))
    const placement = timer.run(packedInSlices(context, request, greedy, workload.packing ?? { kind: 'greedy' }))
    const ms = performance.now() - started
    peakMB = Math.max(peakMB, process.memoryUsage().rss / 2 ** 20)
    if (best === undefined || timer.totalMs < best.timer.totalMs) best = { ms, timer, placement }
  }
  if (best === undefined) throw new Error('a workload has at least one run')
  const { ms, placement, timer } = best
  judge({ name: workload.name, placed: workload.placed ?? pods.length, snapshot }, pods, placement)
  const pricePerHour = sumPrices(placement.newNodePlans.flatMap(({ price }) => price ?? []))
  const placedOnNew = placement.newNodePlans.flatMap((plan) => plan.pods)
  const offered = snapshot.instanceTypes.values().next().value
  const catalogue = offered?.kind === 'resolved' ? offered.types : []
  const lowerBound = placedOnNew.length === 0 ? 0 : resourceLowerBound(catalogue, placedOnNew)
  return {
    workload: workload.name,
    pods: pods.length,
    podsPerSecond: Math.round((pods.length / ms) * 1000),
    ms: round(ms),
    cpuMs: round(timer.totalMs),
    nodes: placement.newNodePlans.length,
    pricePerHour: round(pricePerHour),
    lowerBound: round(lowerBound),
    ratio: lowerBound === 0 ? 1 : round(pricePerHour / lowerBound),
    peakMB: Math.round(peakMB),
    longestBlockMs: round(timer.longestMs),
  }
}

/** @throws Error when the answer is not what the workload is about. */
function judge(
  { name, placed: expected, snapshot }: Required<Pick<Workload, 'name' | 'placed'>> & { readonly snapshot: Snapshot },
  pods: readonly PodInfo[],
  placement: Placement,
): void {
  const count = [...placement.newNodePlans, ...placement.existing].reduce((sum, one) => sum + one.pods.length, 0)
  if (count !== expected) throw new Error(`${name}: ${count} pods were placed instead of ${expected}`)
  const wrong = violations(pods, placement, snapshot.nodes)
  if (wrong.length > 0) throw new Error(`${name}: ${wrong.slice(0, 3).join('; ')}`)
}

/** The plain scheduler on the same pods: how much the data structures are worth. */
function measureReference(count: number): SolveResult & { readonly timesFaster: number } {
  const { snapshot, pods } = emptyCluster(diversePods(count))
  const started = performance.now()
  const startedMs = threadMs()
  const reference = referenceSolve(snapshot, pods, { vocabulary: testVocabulary })
  const cpuMs = threadMs() - startedMs
  const ms = performance.now() - started
  const same = solve(prepare(snapshot, settings, pods), { pods, reservedMode: 'fallback' })
  if (!isDeepStrictEqual(referenceSummary(reference), summaryOf(same))) {
    throw new Error(`reference-${count}: the plain scheduler and the solver decide differently`)
  }
  const ours = measure({ name: '', runs: 5, make: () => ({ snapshot, pods }) })
  return {
    ...ours,
    workload: `reference-${count}`,
    podsPerSecond: Math.round((count / ms) * 1000),
    ms: round(ms),
    cpuMs: round(cpuMs),
    nodes: reference.claims.length,
    timesFaster: round(cpuMs / ours.cpuMs),
  }
}

/** What one what-if of consolidation costs, once the snapshot is prepared. */
function measureSimulations(): SolveResult {
  const { snapshot } = busyCluster({ nodes: 1000, running: 10_000, pending: 0 })
  const context = prepare(snapshot, settings)
  const probed = snapshot.nodes.slice(0, 200)
  const started = performance.now()
  const startedMs = threadMs()
  for (const node of probed) {
    const excludedNodes = new Set([node.key])
    const { failures } = solve(context, { pods: node.pods, excludedNodes, reservedMode: 'fallback' })
    if (failures.length > 0) throw new Error(`simulations: ${failures[0]?.text}`)
  }
  const ms = performance.now() - started
  const cpuMs = threadMs() - startedMs
  const pods = probed.reduce((sum, node) => sum + node.pods.length, 0)
  return {
    workload: 'simulations-200-of-1000-nodes',
    pods,
    podsPerSecond: Math.round((pods / ms) * 1000),
    ms: round(ms),
    cpuMs: round(cpuMs),
    nodes: 0,
    pricePerHour: 0,
    lowerBound: 0,
    ratio: 1,
    peakMB: Math.round(process.memoryUsage().rss / 2 ** 20),
    longestBlockMs: round(cpuMs / probed.length),
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
else {
  console.table(results)
  console.log(`longest without a pause: ${Math.max(...results.map(({ longestBlockMs }) => longestBlockMs))} ms`)
}
