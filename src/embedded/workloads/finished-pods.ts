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

  /** `told` is what the status of the job says. */
  count(job: string, told: Told, owned: readonly Pod[]): { readonly succeeded: number; readonly failed: number } {
    const succeeded = uidsIn(owned, 'Succeeded')
    const failed = uidsIn(owned, 'Failed')
    const known = this.#byJob.get(job) ?? {
      succeeded: tallyOf(told.succeeded, succeeded),
      failed: tallyOf(told.failed, failed),
    }
    this.#byJob.set(job, known)
    return { succeeded: add(known.succeeded, succeeded), failed: add(known.failed, failed) }
  }

  forget(job: string): void {
    this.#byJob.delete(job)
  }
}

function uidsIn(owned: readonly Pod[], phase: string): readonly string[] {
  return owned.filter(({ status }) => status?.phase === phase).map(({ metadata }) => metadata.uid)
}

function tallyOf(told = 0, present: readonly string[]): Tally {
  return { earlier: Math.max(0, told - present.length), uids: new Set() }
}

function add({ earlier, uids }: Tally, present: readonly string[]): number {
  for (const uid of present) uids.add(uid)
  return earlier + uids.size
}
