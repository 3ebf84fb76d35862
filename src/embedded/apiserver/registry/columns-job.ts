import { parseTimestamp } from '../../../model/clock.ts'
import { arrayAt, numberAt, textAt } from '../json.ts'
import type { StoredObject } from '../object.ts'
import { column, workloadWideColumns } from './columns.ts'
import type { TableColumn } from './definition.ts'
import { ageColumn, durationText, nameColumn } from './kind.ts'

export const jobColumns: readonly TableColumn[] = [
  nameColumn,
  column('Status', jobStatus),
  column('Completions', completions),
  column('Duration', jobDuration),
  ageColumn,
  ...workloadWideColumns,
]

function jobStatus(job: StoredObject): string {
  const is = (type: string) =>
    arrayAt(job, 'status', 'conditions').some(
      (condition) => textAt(condition, 'type') === type && textAt(condition, 'status') === 'True',
    )
  const ended = ['Complete', 'Failed'].find(is)
  if (ended !== undefined) return ended
  if (job.metadata.deletionTimestamp !== undefined) return 'Terminating'
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(is) ?? 'Running'
}

/** Without a number of completions one is enough, of as many as run at once. */
function completions(job: StoredObject): string {
  const succeeded = numberAt(job, 'status', 'succeeded') ?? 0
  const wanted = numberAt(job, 'spec', 'completions')
  if (wanted !== undefined) return `${succeeded}/${wanted}`
  const parallelism = numberAt(job, 'spec', 'parallelism') ?? 0
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`
}

/** How long it took, or has been at it. */
function jobDuration(job: StoredObject, now: number): string {
  const started = parseTimestamp(textAt(job, 'status', 'startTime'))
  if (started === undefined) return ''
  const ended = parseTimestamp(textAt(job, 'status', 'completionTime'))
  return durationText((ended ?? now) - started)
}
