import type { NodeClaim, NodePool } from '../../src/api/karpenter.ts'
import type { Node, Pod } from '../../src/api/kubernetes.ts'
import type { ApiHooks } from './hooks.ts'
import { budgetWatcher, limitWatcher } from './invariants/budgets.ts'
import { fleetSizeWatcher } from './invariants/fleet-size.ts'
import { interruptionWatcher, stormWatcher } from './invariants/calls.ts'
import { callRateWatcher } from './invariants/call-rates.ts'
import { attentionWatcher, commandWatcher } from './invariants/commands.ts'
import { driftWatcher } from './invariants/drift.ts'
import {
  type Allowances,
  type ChangeType,
  type LogLine,
  Look,
  type RecordedEvent,
  type Violation,
  type Watcher,
} from './invariants/look.ts'
import { loopWatcher, memoryWatcher } from './invariants/loop.ts'
import { clockWatcher, quietWatcher } from './invariants/clocks.ts'
import { ownershipWatcher } from './invariants/ownership.ts'
import { launchesPerPodWatcher } from './invariants/launches-per-pod.ts'
import { planWatcher } from './invariants/plans.ts'
import { promiseWatcher } from './invariants/pods.ts'
import { retryWatcher } from './invariants/retries.ts'
import { rolloutWatcher } from './invariants/rollouts.ts'
import { secretWatcher } from './invariants/secrets.ts'
import type { World } from './world.ts'

export type { Violation } from './invariants/look.ts'

/**
 * Watches a cluster from outside: every committed change, every call of the operator, every plan it decides, every line it logs, every minute.
 * I18, I23 and the size of the fleet (I16) are judged at the end of a run (`run.ts`); the invariants of admission and user data, which no
 * cluster has to run for, are in `offline-invariants.test.ts`.
 */
export class Invariants {
  readonly #look: Look
  readonly #watchers: readonly Watcher[]

  constructor(world: World, hooks: ApiHooks) {
    const look = new Look(world)
    this.#look = look
    this.#watchers = [
      ownershipWatcher(look),
      clockWatcher(look),
      quietWatcher(look),
      budgetWatcher(look),
      limitWatcher(look),
      promiseWatcher(look),
      loopWatcher(look),
      memoryWatcher(look),
      stormWatcher(look),
      callRateWatcher(look),
      retryWatcher(look),
      interruptionWatcher(look),
      commandWatcher(look),
      attentionWatcher(look),
      driftWatcher(look),
      launchesPerPodWatcher(look),
      fleetSizeWatcher(look),
      planWatcher(look),
      secretWatcher(look),
      rolloutWatcher(look),
    ]
    look.cluster.apiServer.context.store.subscribe('all', ({ type, table, object, previous }) => {
      look.steps += 1
      this.#onChange(type, table, object, previous)
    })
    hooks.observe((call) => {
      for (const watcher of this.#watchers) watcher.onCall?.(call)
    })
    hooks.observeOutcome((call, error) => {
      for (const watcher of this.#watchers) watcher.onOutcome?.(call, error)
    })
    look.cluster.aws.faults.observe((call, error) => {
      for (const watcher of this.#watchers) watcher.onCloudOutcome?.(call, error)
    })
    hooks.observePlacement((decided) => {
      for (const watcher of this.#watchers) watcher.onPlacement?.(decided)
    })
    hooks.observeLog((text) => this.#onLog(text))
    look.cluster.aws.faults.add((call) => {
      for (const watcher of this.#watchers) watcher.onCloudCall?.(call)
      return undefined
    })
  }

  get violations(): Violation[] {
    return this.#look.violations
  }

  get allowances(): Allowances {
    return this.#look.allowances
  }

  get steps(): number {
    return this.#look.steps
  }

  /** What a fault itself has found broken. */
  report(invariant: string, subject: string, message: string): void {
    this.#look.report(invariant, subject, message)
  }

  /** Once a virtual minute. */
  tick(): void {
    for (const watcher of this.#watchers) watcher.tick?.()
  }

  #onChange(type: ChangeType, table: string, object: unknown, previous: unknown): void {
    for (const watcher of this.#watchers) {
      switch (table) {
        case 'karpenter.sh/nodeclaims':
          watcher.onClaim?.(type, object as NodeClaim, previous as NodeClaim | undefined)
          break
        case '/nodes':
          watcher.onNode?.(type, object as Node, previous as Node | undefined)
          break
        case '/pods':
          watcher.onPod?.(type, object as Pod, previous as Pod | undefined)
          break
        case 'karpenter.sh/nodepools':
          watcher.onPool?.(type, object as NodePool)
          break
        case '/events':
          // Those that are over say nothing new.
          if (type !== 'DELETED') watcher.onEvent?.(object as RecordedEvent)
          break
      }
    }
  }

  /** Only lines that somebody waits for are parsed. */
  #onLog(text: string): void {
    const wanted = ['disrupting node(s)', 'created nodeclaim'].some((part) => text.includes(part))
    const line: LogLine = wanted ? (JSON.parse(text) as LogLine) : {}
    for (const watcher of this.#watchers) watcher.onLog?.(line, text)
  }
}
