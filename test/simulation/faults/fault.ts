import type { SeededRandom } from '../../../src/embedded/random.ts'
import type { InstanceRecord } from '../../../src/embedded/aws/state.ts'
import { clusterOwnedTagKey } from '../../../src/api/labels.ts'
import type { Timer } from '../../../src/model/clock.ts'
import type { ApiHooks } from '../hooks.ts'
import type { Invariants } from '../invariants.ts'
import type { World } from '../world.ts'

export interface FaultContext {
  readonly world: World
  readonly hooks: ApiHooks
  readonly invariants: Invariants
  readonly random: SeededRandom
  /** Kills the operator now and starts another on what it left a little later. */
  restart(): void
}

/** Begins; what it returns ends it. */
export type Inject = (context: FaultContext) => Promise<() => void> | (() => void)

export interface Fault {
  readonly id: string
  readonly name: string
  readonly inject: Inject
  /** The ways it comes in, by name, where there are several; `inject` draws one of them. */
  readonly ways?: Readonly<Record<string, Inject>>
}

/** A fault that comes in several ways. */
export function inOneOf(id: string, name: string, ways: Readonly<Record<string, Inject>>): Fault {
  const all = Object.values(ways)
  const inject: Inject = (context) => (all[context.random.below(all.length)] ?? (() => nothing))(context)
  return { id, name, inject, ways }
}

/** Now, and again each time so much has passed, until it is ended. */
export function every({ world }: FaultContext, ms: number, run: () => Promise<unknown>): () => void {
  const { clock } = world.stack.cluster
  let timer: Timer | undefined
  const again = (): void => {
    void run().catch(() => undefined)
    timer = clock.schedule(ms, again)
  }
  again()
  return () => timer?.cancel()
}

export const nothing = (): void => undefined

/** A running machine of ours, drawn; undefined when there is none. */
export function anInstance({ world, random }: FaultContext): InstanceRecord | undefined {
  const { aws, clusterName } = world.stack.cluster
  const ours = aws.state.instances.filter(
    ({ state, tags }) =>
      state === 'running' && tags[clusterOwnedTagKey(clusterName)] === 'owned' && 'karpenter.sh/nodepool' in tags,
  )
  return ours[random.below(Math.max(1, ours.length))]
}
