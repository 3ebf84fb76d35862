import type { Pod } from '../../api/kubernetes.ts'

interface Told {
  readonly succeeded?: number
  readonly failed?: number
}

interface Tally {
  /** Those that were counted before this process knew the job and that have gone since. */
  readonly earlier: number
  readonly uids: Set<string>
}

/** How many pods of each job have ended. Each counts once, for good: whoever deletes a finished pod does not undo its work. */
export class FinishedPods {
  readonly #byJob = new Map<string, { readonly succeeded: Tally; readonly failed: Tally }>()
  readonly #gone = new Map<string, readonly Pod[]>()
  readonly #excused = new Map<string, Set<string>>()

  /** `told` is what the status of the job says. */
  count(
    job: string,
    told: Told,
    present: { readonly succeeded: readonly Pod[]; readonly failed: readonly Pod[] },
  ): { readonly succeeded: number; readonly failed: number } {
    const succeeded = present.succeeded.map(uidOf)
    const failed = present.failed.map(uidOf)
    const known = this.#byJob.get(job) ?? {
      succeeded: tallyOf(told.succeeded, succeeded),
      failed: tallyOf(told.failed, failed),
    }
    this.#byJob.set(job, known)
    return { succeeded: add(known.succeeded, succeeded), failed: add(known.failed, failed) }
  }

  /** A pod that is there no more: it may never have been seen to end. */
  noteGone(job: string, pod: Pod): void {
    this.#gone.set(job, [...(this.#gone.get(job) ?? []), pod])
  }

  /** Those that have gone since it was asked last, as they were seen last. */
  takeGone(job: string): readonly Pod[] {
    const gone = this.#gone.get(job) ?? []
    this.#gone.delete(job)
    return gone
  }

  /** Of a pod that the job ends itself: that is no failure of the pod. */
  excuse(job: string, pod: Pod): void {
    this.#excused.set(job, (this.#excused.get(job) ?? new Set<string>()).add(uidOf(pod)))
  }

  isExcused(job: string, pod: Pod): boolean {
    return this.#excused.get(job)?.has(uidOf(pod)) === true
  }

  forget(job: string): void {
    this.#byJob.delete(job)
    this.#gone.delete(job)
    this.#excused.delete(job)
  }
}

function uidOf({ metadata }: Pod): string {
  return metadata.uid
}

function tallyOf(told = 0, present: readonly string[]): Tally {
  return { earlier: Math.max(0, told - present.length), uids: new Set() }
}

function add({ earlier, uids }: Tally, present: readonly string[]): number {
  for (const uid of present) uids.add(uid)
  return earlier + uids.size
}
