import { fileURLToPath } from 'node:url'
import { nodes, pods } from '../../src/kube/kinds.ts'
import { simulate } from '../simulation/run.ts'
import { runBenchmark } from './own-process.ts'
import { actOnce, createWorld, hour, minute, type World, type WorldOptions } from '../simulation/world.ts'

/**
 * `npm run bench:simulation [-- -o json] [-- workload …]`: what an hour of virtual time costs. Quiet fleets, with the operator and
 * without, and days on which people work. Each workload has a process of its own. A day and a month of 200 nodes, `day-200` and
 * `month-200`, take minutes and run only when they are asked for.
 */
interface Result {
  readonly workload: string
  readonly nodes: number
  readonly pods: number
  readonly virtualHours: number
  /** Real time of the measured part, and the processor's, which other work on the machine does not stretch. */
  readonly ms: number
  readonly cpuMs: number
  /** Milliseconds of processor time for an hour of virtual time. */
  readonly cpuMsPerHour: number
  readonly peakMB: number
}

interface Measured {
  readonly cpuMs: number
  readonly ms: number
  readonly nodes: number
  readonly pods: number
}

interface Workload {
  readonly virtualHours: number
  readonly run: (virtualHours: number) => Promise<Measured>
  readonly onlyWhenAsked?: true
}

const podsPerNode = 5
const day = 24
/** From the first pod until nothing moves any more: the fleet stands, and what looks back at the last change has let go of it. */
const settleMs = 2 * hour

const workloads: Readonly<Record<string, Workload>> = {
  'quiet-5': { virtualHours: 24, run: (hours) => quiet({ fleet: 5, hours, operator: true }) },
  'quiet-12': { virtualHours: 24, run: (hours) => quiet({ fleet: 12, hours, operator: true }) },
  'quiet-12-cluster': { virtualHours: 24, run: (hours) => quiet({ fleet: 12, hours, operator: false }) },
  'quiet-20': { virtualHours: 24, run: (hours) => quiet({ fleet: 20, hours, operator: true }) },
  'quiet-20-cluster': { virtualHours: 24, run: (hours) => quiet({ fleet: 20, hours, operator: false }) },
  'busy-day': { virtualHours: day, run: busy },
  'fault-day': { virtualHours: day, run: withFaults },
  'day-200': { virtualHours: day, run: (hours) => changing({ fleet: 200, hours }), onlyWhenAsked: true },
  'month-200': {
    virtualHours: 30 * day,
    run: (hours) => changing({ fleet: 200, hours }),
    onlyWhenAsked: true,
  },
}

/** A fleet of full nodes, which nothing would improve. */
function fullFleet(fleet: number): WorldOptions {
  return {
    seed: 1,
    shapes: [{ name: 'web', replicas: podsPerNode * fleet, cpu: '1500m', memory: '2Gi' }],
    pools: [{ name: 'general', instanceTypes: ['m6i.2xlarge'], cpu: String(16 * fleet) }],
    settings: { disableClusterStateObservability: false },
  }
}

async function quiet(of: {
  readonly fleet: number
  readonly hours: number
  readonly operator: boolean
}): Promise<Measured> {
  const world = await createWorld(fullFleet(of.fleet))
  const { clock } = world.stack.cluster
  await clock.run({ forMs: settleMs })
  if (!of.operator) world.stack.crashOperator()
  return measure(world, () => clock.run({ forMs: of.hours * hour }))
}

/** The ordinary day of the simulation, without faults and without onlookers: something changes every forty minutes. */
async function busy(hours: number): Promise<Measured> {
  const world = await createWorld({ seed: 1 })
  await world.stack.cluster.clock.run({ forMs: hour })
  return measure(world, () => people(world, hours * hour, 40 * minute))
}

/** Full nodes, and a change of a pool, an image or a workload twice a day. */
async function changing(of: { readonly fleet: number; readonly hours: number }): Promise<Measured> {
  const world = await createWorld({ ...fullFleet(of.fleet), settings: {} })
  await world.stack.cluster.clock.run({ forMs: settleMs })
  return measure(world, () => people(world, of.hours * hour, 12 * hour))
}

async function people(world: World, forMs: number, everyMs: number): Promise<void> {
  const started = performance.now()
  for (let passed = 0; passed < forMs; passed += everyMs) {
    await actOnce(world, passed / everyMs)
    await world.stack.cluster.clock.run({ forMs: everyMs })
    const [now, whole] = [passed + everyMs, forMs].map((ms) => ms / (day * hour))
    if (whole !== undefined && whole > 1 && Number.isInteger(now)) {
      console.error(`day ${now} of ${whole}, ${Math.round((performance.now() - started) / 1000)} s`)
    }
  }
}

/** As `npm run simulate:faults` runs one seed: faults, and every invariant looking on. */
async function withFaults(hours: number): Promise<Measured> {
  const from = performance.now()
  const cpuFrom = process.cpuUsage()
  const { machines, violations } = await simulate({ seed: 1, hours })
  const cpuMs = cpuSince(cpuFrom)
  if (violations.length > 0)
    throw new Error(violations.map(({ invariant, message }) => `${invariant}: ${message}`).join('\n'))
  return { cpuMs, ms: performance.now() - from, nodes: machines, pods: 0 }
}

async function measure(world: World, run: () => Promise<unknown>): Promise<Measured> {
  const from = performance.now()
  const cpuFrom = process.cpuUsage()
  await run()
  const cpuMs = cpuSince(cpuFrom)
  const ms = performance.now() - from
  const { client } = world.stack.cluster
  const [allNodes, allPods] = [await client.list(nodes), await client.list(pods)]
  const running = allPods.items.filter(({ status }) => status?.phase === 'Running')
  return { cpuMs, ms, nodes: allNodes.items.length, pods: running.length }
}

function cpuSince(from: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(from)
  return (user + system) / 1000
}

async function resultOf(name: string, { virtualHours, run }: Workload): Promise<Result> {
  const measured = await run(virtualHours)
  return {
    workload: name,
    nodes: measured.nodes,
    pods: measured.pods,
    virtualHours,
    ms: round(measured.ms),
    cpuMs: round(measured.cpuMs),
    cpuMsPerHour: round(measured.cpuMs / virtualHours),
    peakMB: Math.round(process.resourceUsage().maxRSS / 1024),
  }
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

await runBenchmark({
  script: fileURLToPath(import.meta.url),
  workloads,
  measure: resultOf,
  isOnlyWhenAsked: ({ onlyWhenAsked }) => onlyWhenAsked === true,
})
