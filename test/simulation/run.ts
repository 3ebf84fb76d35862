import { complaintsAtRest } from './at-rest.ts'
import { type Fault, type FaultContext, faults as allFaults } from './faults/index.ts'
import { ApiHooks } from './hooks.ts'
import { Invariants, type Violation } from './invariants.ts'
import { actOnce, createWorld, hour, minute, type World, type WorldOptions } from './world.ts'

export interface SimulationOptions
  extends Pick<WorldOptions, 'settings' | 'shapes' | 'pools' | 'policy' | 'features' | 'estate' | 'onLogLine'> {
  readonly seed: number
  /** Virtual hours with faults; one quiet hour follows. */
  readonly hours: number
  readonly faults?: readonly Fault[]
  /** The longest time from the end of one fault to the next, which comes with a change of the cluster. */
  readonly pauseMaxMs?: number
  /** How long nothing happens before the end is judged; an hour. */
  readonly quietMs?: number
  /** Told what happens. */
  readonly onEvent?: (text: string) => void
}

export interface SimulationResult {
  readonly seed: number
  readonly violations: readonly Violation[]
  readonly steps: number
  readonly faults: number
  readonly claimsLaunched: number
  /** Instances at the end. */
  readonly machines: number
}

const faultMaxMs = 15 * minute
const pauseMinMs = 5 * minute
/** Some forty-five faults a day. */
export const pauseMaxDefaultMs = 45 * minute
const quietDefaultMs = hour

/** One run: a function of its options. */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const { seed, hours, faults = allFaults, quietMs = quietDefaultMs, onEvent = () => undefined } = options
  const pauseMinutes = ((options.pauseMaxMs ?? pauseMaxDefaultMs) - pauseMinMs) / minute
  const hooks = new ApiHooks()
  const world = await createWorld({ ...options, operatorFaults: hooks })
  const { clock } = world.stack.cluster
  const invariants = new Invariants(world, hooks)
  const rejections: unknown[] = []
  const onRejection = (error: unknown): void => void rejections.push(error)
  process.on('unhandledRejection', onRejection)
  let restarting = false
  const startLater = (): void => {
    if (restarting) return
    restarting = true
    clock.schedule(1_000 + world.random.below(20_000), () => {
      restarting = false
      world.stack.startOperator()
    })
  }
  const run = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= minute) {
      await clock.run({ forMs: Math.min(left, minute) })
      // A process that lost its lease ends, and the kubelet starts it again.
      if (world.stack.operator.lifecycle.state === 'stopped') startLater()
      invariants.tick()
    }
  }
  const context: FaultContext = {
    world,
    hooks,
    invariants,
    random: world.random.fork('faults'),
    restart: () => {
      invariants.allowances.crashes.push(clock.monotonicMs())
      world.stack.crashOperator()
      startLater()
    },
  }
  let injected = 0
  try {
    await run(15 * minute)
    const endAt = clock.monotonicMs() + hours * hour
    while (clock.monotonicMs() < endAt) {
      const acted = await actOnce(world, injected)
      const fault = faults[context.random.below(Math.max(1, faults.length))]
      if (fault === undefined) {
        await run(30 * minute)
        continue
      }
      onEvent(`${new Date(clock.now()).toISOString()} step ${invariants.steps}: ${fault.id} ${fault.name}; ${acted}`)
      injected += 1
      const heal = await fault.inject(context)
      invariants.allowances.healedAt = Number.POSITIVE_INFINITY
      await run(minute * (1 + context.random.below(faultMaxMs / minute)))
      heal()
      invariants.allowances.healedAt = clock.monotonicMs()
      const pauseMs = pauseMinMs + minute * context.random.below(pauseMinutes)
      await run(Math.min(pauseMs, endAt - clock.monotonicMs()))
    }
    steady(world)
    await run(quietMs)
    const late = await complaintsAtRest(world, run)
    const rejected = rejections.map((error) => ({
      invariant: 'oracle',
      message: `unhandled rejection: ${textOf(error)}`,
    }))
    const at = new Date(clock.now()).toISOString()
    const more = [...late, ...rejected].map((violation) => ({ ...violation, step: invariants.steps, at }))
    return {
      seed,
      violations: [...invariants.violations, ...more],
      steps: invariants.steps,
      faults: injected,
      claimsLaunched: world.stack.cluster.aws.faults.count('ec2:CreateFleet'),
      machines: world.stack.cluster.aws.state.instances.filter(({ state }) => state === 'running').length,
    }
  } finally {
    process.off('unhandledRejection', onRejection)
    await world.stack.stop()
  }
}

/** A machine that goes on turning unready keeps the budget of its pool, and moves its pods, for ever. */
function steady({ stack }: World): void {
  const { aws, behaviours } = stack.cluster
  for (const instance of aws.state.instances)
    if (behaviours.of(instance).flapMs > 0) behaviours.setInstance(instance.id, { flapMs: 0 })
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
