import type { RolloutPolicyStatus } from '../../api/karpenter.ts'
import { recordEnd } from './history.ts'
import type { ClassFacts, ImageFacts, PoolFacts, RolloutInput } from './input.ts'
import { replacedCount } from './progress.ts'
import type { ImageVerdict, Rollback, Transition } from './result.ts'
import type { Run } from './run.ts'

/** What one look finds out on its way: to be told, to be done and to be remembered. */
export class Findings {
  readonly transitions: Transition[] = []
  readonly rollbacks: Rollback[] = []
  readonly verdicts: ImageVerdict[] = []
  readonly discards: string[] = []
  /** When further nodes will have had their time, in ms since the epoch. */
  readonly timeouts: number[] = []
  /** Images that a failed rollout brought. */
  badImages: ReadonlySet<string> = new Set()
  history: NonNullable<RolloutPolicyStatus['history']>
  readonly #input: RolloutInput

  constructor(input: RolloutInput) {
    this.#input = input
    this.history = input.policy.status?.history ?? []
  }

  /** Waits and pauses are told when they begin, and approvals when they come. */
  noteShown(previous: RolloutPolicyStatus | undefined, status: RolloutPolicyStatus): void {
    if (isNewlyShown(previous, status)) {
      if (status.phase === 'Paused') this.tell('Paused', 'Normal', status.message ?? '')
      if (status.phase === 'Waiting' || status.phase === 'AwaitingApproval') {
        this.tell('Waiting', 'Normal', status.message ?? '')
      }
      if (status.reason === 'DeadlineExceeded') this.tell('DeadlineExceeded', 'Warning', status.message ?? '')
    }
    const known = new Set((previous?.approvals ?? []).map(({ kind, name, target }) => `${kind}/${name}/${target}`))
    for (const { kind, name, target, fieldManager, user } of status.approvals ?? []) {
      if (known.has(`${kind}/${name}/${target}`)) continue
      const writer = user ?? fieldManager ?? 'an unknown writer'
      this.tell('Approved', 'Normal', `${kind} ${name}: ${target} approved by ${writer}`)
    }
  }

  good(nodeClass: ClassFacts): void {
    if (!nodeClass.isGood) this.verdict(nodeClass.name, nodeClass.images, 'good')
  }

  verdict(nodeClass: string, images: readonly ImageFacts[], outcome: 'good' | 'bad'): void {
    if (images.length === 0 || this.verdicts.some((verdict) => verdict.nodeClass === nodeClass)) return
    this.verdicts.push({ nodeClass, images: images.map(({ id }) => id), outcome })
  }

  end(
    run: Run,
    pools: readonly PoolFacts[],
    outcome: 'Completed' | 'Halted' | 'RolledBack' | 'Superseded',
    message: string,
    { replaced = replacedCount(run, pools), atLeast = 0 }: { replaced?: number; atLeast?: number } = {},
  ): void {
    const { policy, now } = this.#input
    const limit = Math.max(atLeast, policy.spec.historyLimit ?? 10)
    this.history = [...recordEnd(this.history, { run, outcome, message, pools, replaced, now }, limit)]
  }

  tell(kind: Transition['kind'], type: Transition['type'], message: string): void {
    this.transitions.push({ kind, type, message })
  }

  tellStep({ step, startNodes }: Run): void {
    const message = `step ${step.index + 1} of ${step.count} begins: ${step.goal} of ${startNodes} node(s)`
    this.tell('StepStarted', 'Normal', message)
  }
}

/** What is to be approved stands in the message alone: another target there is another wait. */
function isNewlyShown(
  previous: RolloutPolicyStatus | undefined,
  { phase, reason, message }: RolloutPolicyStatus,
): boolean {
  if (previous?.phase !== phase || previous?.reason !== reason) return true
  return phase === 'AwaitingApproval' && previous?.message !== message
}
