import { KubeError } from '../../../src/kube/errors.ts'
import { nodeClaims } from '../../../src/kube/karpenter-kinds.ts'
import { type Scenario, startScenario } from '../incidents/scenario.ts'
import { cloudTextOf, isCloudWrite, isRecorded, Recorder, textOf, type Trace } from './record.ts'
import { casesOf, type PatternCase } from './cases.ts'
import { endStateOf } from './end-state.ts'
import { type Fired, inject } from './inject.ts'
import type { PatternScenario } from './scenarios.ts'
import { minute } from '../world.ts'

/** From the last fault to the state in which nothing is left to do. */
const healMs = 10 * minute
/** A fault may begin with the last write, and lasts for less than this. */
const faultMs = 2 * minute
/** At the end so long nothing is written any more but what is written all the time. */
const restMs = 3 * minute
/** What a run may cost beyond the reference. */
interface Tolerance {
  /** A share of its machine time, or what a restart takes. */
  readonly machineTime: number
  readonly machineMinutesMore: number
  /** Claims that were made twice. */
  readonly claims: (expected: number) => number
  /** May be there at the end. */
  readonly leftover?: RegExp
  /** Does not hold meanwhile. */
  readonly suspended?: RegExp
}

const usualTolerance: Tolerance = { machineTime: 1.25, machineMinutesMore: 3, claims: (expected) => expected + 1 }
/**
 * A creation that arrives after the handover stands for nothing that the new leader knows of, as each has a name of its own; its node is
 * found empty and goes. A launch template that the old leader made is cleared away by the next one.
 */
const handoverTolerance: Tolerance = {
  machineTime: 1.5,
  machineMinutesMore: 5,
  claims: (expected) => 2 * expected,
  leftover: /^launch templates \d$/,
  // Both leaders make a node for a pod that waits.
  suspended: /^I16 /,
}
/** Of a run in which one thing happens to a node or two: a hundred times what it takes. */
const writesMax = 5_000

export interface Reference {
  readonly scenario: PatternScenario
  readonly outcome: Outcome
  readonly cases: readonly PatternCase[]
}

interface Outcome {
  readonly problems: readonly string[]
  readonly endState: readonly string[]
  readonly claims: number
  readonly machineMinutes: number
  /** Writes while it should rest. */
  readonly restless: readonly string[]
}

/** The run that nothing disturbs, and all that the patterns make of it. */
export async function referenceOf(scenario: PatternScenario): Promise<Reference> {
  const { outcome, trace } = await run(scenario, undefined)
  if (outcome.problems.length > 0) throw new Error(`${scenario.name}: ${outcome.problems.join('; ')}`)
  return { scenario, outcome, cases: casesOf(trace) }
}

/** What is wrong with the run in which this case happens; nothing when all is well. */
export async function judge({ scenario, outcome: expected }: Reference, each: PatternCase): Promise<readonly string[]> {
  const { outcome } = await run(scenario, each)
  const told = ({ endState }: Outcome): readonly string[] =>
    endState.map((line) => (scenario.varying === undefined ? line : line.replace(scenario.varying, '')))
  const { leftover, suspended, machineTime, machineMinutesMore, claims } =
    each.pattern === 'reentrancy' ? handoverTolerance : usualTolerance
  const counts = (line: string): boolean => leftover?.test(line) !== true
  const missing = without(told(expected), told(outcome)).filter(counts)
  const extra = without(told(outcome), told(expected)).filter(counts)
  const restless = outcome.restless.length > expected.restless.length ? outcome.restless : []
  return [
    ...outcome.problems.filter((problem) => suspended?.test(problem) !== true),
    ...missing.map((line) => `is missing at the end: ${line}`),
    ...extra.map((line) => `is there at the end: ${line}`),
    ...(restless.length === 0 ? [] : [`does not come to rest: ${restless.slice(0, 5).join(', ')}`]),
    ...(outcome.claims <= claims(expected.claims)
      ? []
      : [`${outcome.claims} claims were made, ${expected.claims} without the fault`]),
    ...(outcome.machineMinutes <=
    Math.max(expected.machineMinutes * machineTime, expected.machineMinutes + machineMinutesMore)
      ? []
      : [`${outcome.machineMinutes} machine minutes, ${expected.machineMinutes} without the fault`]),
  ]
}

async function run(
  { options, prepare, act, shows, withinMs }: PatternScenario,
  each: PatternCase | undefined,
): Promise<{ readonly outcome: Outcome; readonly trace: Trace }> {
  const rejections: unknown[] = []
  const onRejection = (error: unknown): void => void rejections.push(error)
  process.on('unhandledRejection', onRejection)
  const scenario = await startScenario(options)
  const recorder = each === undefined ? new Recorder(scenario) : undefined
  try {
    await prepare?.(scenario)
    await scenario.run(2 * minute)
    const meter = metersOf(scenario)
    recorder?.act()
    const shown = shownBy(scenario, each === undefined ? shows : [])
    const fired = each === undefined ? always : inject(scenario, each)
    const { clock } = scenario.world.stack.cluster
    const until = clock.monotonicMs() + withinMs
    await act(scenario)
    await meter.run(withinMs + faultMs + healMs)
    meter.rest()
    await meter.run(restMs)
    const endState = await endStateOf(scenario)
    const problems = [
      ...scenario.invariants.violations.map(
        ({ invariant, message, step, at }) => `${invariant} at step ${step} (${at}): ${message}`,
      ),
      ...rejections.map((error) => `unhandled rejection: ${String(error)}`),
      ...(fired() ? [] : ['the fault did not happen']),
      ...(meter.storm === undefined ? [] : [meter.storm]),
      ...shown.missing.map((pattern) => `no line ${String(pattern)}`),
    ]
    const { claims, machineMinutes, restless } = meter
    return {
      outcome: { problems, endState, claims, machineMinutes, restless },
      trace: recorder?.trace(until) ?? { writes: [], seen: [], actSeen: 0 },
    }
  } finally {
    await scenario.end()
    process.off('unhandledRejection', onRejection)
  }
}

/** Which lines, in this order, have not been logged from now on. */
function shownBy({ hooks }: Scenario, wanted: readonly RegExp[]): { readonly missing: readonly RegExp[] } {
  let next = 0
  hooks.observeLog((line) => {
    const pattern = wanted[next]
    if (pattern === undefined) return
    const { message, command, reason, error } = JSON.parse(line) as Readonly<Record<string, unknown>>
    if (pattern.test([message, command, reason, error].join(' '))) next += 1
  })
  return {
    get missing() {
      return wanted.slice(next)
    },
  }
}

const always: Fired = () => true

/** Counts from now on what a run costs. */
function metersOf(scenario: Scenario) {
  const { hooks, world, machines } = scenario
  const { apiServer, aws } = world.stack.cluster
  let claims = 0
  let machineMinutes = 0
  let resting = false
  const restless: string[] = []
  const table = `${nodeClaims.group}/${nodeClaims.plural}`
  apiServer.context.store.subscribe(table, ({ type }) => {
    if (type === 'ADDED') claims += 1
  })
  let writes = 0
  let storm: string | undefined
  // Writes that answer one another at one instant would never end: they are refused, and told.
  hooks.addCall((call) => {
    writes += isRecorded(call) ? 1 : 0
    if (writes > writesMax)
      storm ??= `more than ${writesMax} writes, the last: ${textOf(call)} ${JSON.stringify(call.body)}`
    return storm === undefined ? undefined : { failBefore: new KubeError('TooManyRequests', 429, 'a storm of writes') }
  })
  hooks.observe((call) => {
    if (resting && isRecorded(call)) restless.push(textOf(call))
  })
  aws.faults.add((call) => {
    if (resting && isCloudWrite(call)) restless.push(cloudTextOf(call))
    return undefined
  })
  return {
    async run(ms: number): Promise<void> {
      for (let left = ms; left > 0; left -= minute) {
        await scenario.run(Math.min(minute, left))
        machineMinutes += machines().length
      }
    },
    rest(): void {
      resting = true
    },
    get claims() {
      return claims
    },
    get storm() {
      return storm
    },
    get machineMinutes() {
      return machineMinutes
    },
    restless,
  }
}

/** A line that is there twice is missing once when the other has it once. */
function without(list: readonly string[], other: readonly string[]): readonly string[] {
  const left = [...other]
  return list.filter((line) => {
    const at = left.indexOf(line)
    if (at !== -1) left.splice(at, 1)
    return at === -1
  })
}
