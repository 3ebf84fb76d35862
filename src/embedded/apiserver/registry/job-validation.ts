import { jsonEqual } from '../../../api/json.ts'
import { field, type FieldError } from '../errors.ts'
import { at, type JsonObject, objectAt, textAt, textMapAt } from '../json.ts'
import { labelPredicate, toLabelSelector } from '../label-selectors.ts'
import type { IncomingObject, StoredObject } from '../object.ts'
import { choice, notNegative } from './field-rules.ts'
import { templateErrors } from './template-validation.ts'

/** What is wrong with a Job; its template is fixed once it is there. */
export function jobErrors(job: IncomingObject, old: StoredObject | undefined): readonly FieldError[] {
  const spec = objectAt(job, 'spec') ?? {}
  const errors = jobSpecErrors(spec, 'spec')
  const selector = objectAt(spec, 'selector')
  const labels = textMapAt(spec, 'template', 'metadata', 'labels')
  const isMatched = selector === undefined || labelPredicate(toLabelSelector(selector))(labels)
  if (!isMatched) {
    errors.push(field.invalid('spec.template.metadata.labels', labels, '`selector` does not match template `labels`'))
  }
  if (old !== undefined) {
    for (const name of ['completionMode', 'selector']) {
      if (!jsonEqual(at(old, 'spec', name), spec[name])) {
        errors.push(field.invalid(`spec.${name}`, spec[name], 'field is immutable'))
      }
    }
  }
  return errors
}

function jobSpecErrors(spec: JsonObject, path: string): FieldError[] {
  const counts = ['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished']
  const policy = textAt(spec, 'template', 'spec', 'restartPolicy') ?? 'Always'
  const where = `${path}.template.spec.restartPolicy`
  const errors = [
    ...notNegative(spec, path, counts),
    ...choice(spec, `${path}.completionMode`, ['NonIndexed', 'Indexed']),
    ...choice(spec, `${path}.podReplacementPolicy`, ['Failed', 'TerminatingOrFailed']),
    ...templateErrors(spec, `${path}.template`),
  ]
  if (policy === 'Always') errors.push(field.required(where, 'valid values: "OnFailure", "Never"'))
  if (spec['podFailurePolicy'] !== undefined && policy === 'OnFailure') {
    errors.push(field.invalid(where, policy, 'only "Never" is supported when podFailurePolicy is specified'))
  }
  if (spec['completionMode'] !== 'Indexed' && spec['backoffLimitPerIndex'] !== undefined) {
    const value = spec['backoffLimitPerIndex']
    errors.push(field.invalid(`${path}.backoffLimitPerIndex`, value, 'requires indexed completion mode'))
  }
  return errors
}

/** Jobs are named for the minute they start in, which takes eleven characters. */
const cronJobNameMax = 52

/** What is wrong with a CronJob, its schedule and the Jobs that it would make. */
export function cronJobErrors(cronJob: IncomingObject, old: StoredObject | undefined): readonly FieldError[] {
  const spec = objectAt(cronJob, 'spec') ?? {}
  const name = textAt(cronJob, 'metadata', 'name') ?? ''
  const counts = ['startingDeadlineSeconds', 'successfulJobsHistoryLimit', 'failedJobsHistoryLimit']
  const errors = [
    ...scheduleErrors(textAt(spec, 'schedule') ?? ''),
    ...choice(spec, 'spec.concurrencyPolicy', ['Allow', 'Forbid', 'Replace']),
    ...notNegative(spec, 'spec', counts),
    ...jobSpecErrors(objectAt(spec, 'jobTemplate', 'spec') ?? {}, 'spec.jobTemplate.spec'),
  ]
  if (old === undefined && name.length > cronJobNameMax) {
    errors.push(field.invalid('metadata.name', name, `must be no more than ${cronJobNameMax} characters`))
  }
  return errors
}

function scheduleErrors(schedule: string): FieldError[] {
  if (schedule === '') return [field.required('spec.schedule')]
  if (schedule.includes('TZ=')) {
    const detail = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'
    return [field.invalid('spec.schedule', schedule, detail)]
  }
  const parts = schedule.split(/\s+/).filter((part) => part !== '')
  if (!schedule.startsWith('@') && parts.length !== 5) {
    const detail = `expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`
    return [field.invalid('spec.schedule', schedule, detail)]
  }
  return []
}
