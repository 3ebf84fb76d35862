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
import { intentWatcher } from './invariants/intents.ts'
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
      intentWatcher(look),
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
    const onChange = this.#changeJudges()
    look.cluster.apiServer.context.store.subscribe('all', ({ type, table, object, previous }) => {
      look.steps += 1
      onChange.get(table)?.(type, object, previous)
    })
    const callJudges = this.#having('onCall')
    hooks.observe((call) => {
      for (const watcher of callJudges) watcher.onCall(call)
    })
    const outcomeJudges = this.#having('onOutcome')
    hooks.observeOutcome((call, error) => {
      for (const watcher of outcomeJudges) watcher.onOutcome(call, error)
    })
    const cloudOutcomeJudges = this.#having('onCloudOutcome')
    look.cluster.aws.faults.observe((call, error) => {
      for (const watcher of cloudOutcomeJudges) watcher.onCloudOutcome(call, error)
    })
    const placementJudges = this.#having('onPlacement')
    hooks.observePlacement((decided) => {
      for (const watcher of placementJudges) watcher.onPlacement(decided)
    })
    const logJudges = this.#having('onLog')
    hooks.observeLog((text) => {
      const line = lineOf(text)
      for (const watcher of logJudges) watcher.onLog(line, text)
    })
    const cloudCallJudges = this.#having('onCloudCall')
    look.cluster.aws.faults.add((call) => {
      for (const watcher of cloudCallJudges) watcher.onCloudCall(call)
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

  /** By table. Most changes are of leases, which nobody judges. */
  #changeJudges(): ReadonlyMap<string, ChangeJudge> {
    const claimJudges = this.#having('onClaim')
    const nodeJudges = this.#having('onNode')
    const podJudges = this.#having('onPod')
    const poolJudges = this.#having('onPool')
    const eventJudges = this.#having('onEvent')
    return new Map<string, ChangeJudge>([
      [
        'karpenter.sh/nodeclaims',
        (type, claim, previous) => {
          for (const watcher of claimJudges)
            watcher.onClaim(type, claim as NodeClaim, previous as NodeClaim | undefined)
        },
      ],
      [
        '/nodes',
        (type, node, previous) => {
          for (const watcher of nodeJudges) watcher.onNode(type, node as Node, previous as Node | undefined)
        },
      ],
      [
        '/pods',
        (type, pod, previous) => {
          for (const watcher of podJudges) watcher.onPod(type, pod as Pod, previous as Pod | undefined)
        },
      ],
      [
        'karpenter.sh/nodepools',
        (type, pool) => {
          for (const watcher of poolJudges) watcher.onPool(type, pool as NodePool)
        },
      ],
      [
        '/events',
        (type, event) => {
          // Those that are over say nothing new.
          if (type !== 'DELETED') for (const watcher of eventJudges) watcher.onEvent(event as RecordedEvent)
        },
      ],
    ])
  }

  #having<Hook extends keyof Watcher>(hook: Hook): readonly (Watcher & Required<Pick<Watcher, Hook>>)[] {
    return this.#watchers.filter(
      (watcher): watcher is Watcher & Required<Pick<Watcher, Hook>> => watcher[hook] !== undefined,
    )
  }
}

type ChangeJudge = (type: ChangeType, object: unknown, previous: unknown) => void

/** Only lines that somebody waits for are parsed. */
function lineOf(text: string): LogLine {
  const wanted = ['disrupting node(s)', 'created nodeclaim'].some((part) => text.includes(part))
  return wanted ? (JSON.parse(text) as LogLine) : {}
}
