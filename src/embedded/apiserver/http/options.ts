import type { WriteRequest } from '../api/context.ts'
import type { DeleteRequest } from '../api/delete.ts'
import { badRequest, field, type FieldError } from '../errors.ts'
import { arrayAt, at, isObject, type JsonObject, numberAt, textAt } from '../json.ts'
import { writeRequest } from '../server.ts'
import { builtinType } from '../types/builtin.ts'
import { decode } from '../types/decode.ts'
import type { ResourceCall } from './handler.ts'
import { booleanOf, integerOf, throwIfRefused } from './query.ts'

/** Options come in the body, or from older clients in the query. */
export function deleteRequest({ query }: ResourceCall, body: unknown): DeleteRequest {
  const policy = textAt(body, 'propagationPolicy') ?? query.get('propagationPolicy') ?? undefined
  const orphans = at(body, 'orphanDependents') ?? booleanOf(query, 'orphanDependents')
  const errors: FieldError[] = []
  if (policy !== undefined && orphans !== undefined) {
    const detail = 'orphanDependents and deletionPropagation cannot be both set'
    errors.push(field.invalid('propagationPolicy', policy, detail))
  }
  if (policy !== undefined && !isPropagation(policy)) {
    errors.push(field.notSupported('propagationPolicy', policy, ['Foreground', 'Background', 'Orphan', 'nil']))
  }
  throwIfRefused('DeleteOptions', [...errors, ...dryRunErrors(arrayAt(body, 'dryRun'))])
  return {
    gracePeriodSeconds: numberAt(body, 'gracePeriodSeconds') ?? integerOf(query, 'gracePeriodSeconds'),
    propagationPolicy: isPropagation(policy) ? policy : orphans === true ? 'Orphan' : undefined,
    preconditions: {
      uid: textAt(body, 'preconditions', 'uid'),
      resourceVersion: textAt(body, 'preconditions', 'resourceVersion'),
    },
  }
}

function isPropagation(text: string | undefined): text is NonNullable<DeleteRequest['propagationPolicy']> {
  return text === 'Background' || text === 'Foreground' || text === 'Orphan'
}

/** What a delete sends beside its address: nothing, or options of the type that they have. */
export function deleteOptionsOf({ body }: ResourceCall): JsonObject | undefined {
  if (body === undefined || body === null) return undefined
  const { kind } = optionsType
  if (!isObject(body)) throw badRequest("couldn't get version/kind; the delete options are not an object")
  const apiVersion = textAt(body, 'apiVersion') ?? 'v1'
  if ((textAt(body, 'kind') ?? kind) !== kind) {
    throw badRequest(`no kind ${JSON.stringify(body['kind'])} is registered for version "${apiVersion}"`)
  }
  const { errors } = decode(optionsType.type, body)
  if (errors[0] !== undefined) throw badRequest(errors[0])
  return body
}

const optionsType = { kind: 'DeleteOptions', type: builtinType('V1DeleteOptions') }

const optionsOf: Readonly<Record<string, string>> = {
  POST: 'CreateOptions',
  PUT: 'UpdateOptions',
  PATCH: 'PatchOptions',
  DELETE: 'DeleteOptions',
}

const fieldManagerMaxBytes = 128

export function requestOf(call: ResourceCall, dryRunInBody = false): WriteRequest {
  const { method, query, caller, userAgent, warn, contentType } = call
  const validation = query.get('fieldValidation') ?? ''
  const manager = query.get('fieldManager')
  const dryRun = query.getAll('dryRun')
  const isApply = contentType.startsWith('application/apply-patch')
  const errors = [...dryRunErrors(dryRun)]
  if (method === 'PATCH' && !isApply && query.has('force')) {
    errors.push(field.forbidden('force', 'may not be specified for non-apply patch'))
  }
  if (method !== 'DELETE') {
    errors.push(...managerErrors(manager ?? ''))
    if (!isFieldValidation(validation)) {
      errors.push(field.notSupported('fieldValidation', validation, ['', 'Ignore', 'Strict', 'Warn']))
    }
  }
  throwIfRefused(optionsOf[method] ?? 'CreateOptions', errors)
  // Apply must name its manager; other writes are known by their program.
  const fallback = isApply ? '' : userAgent.split('/')[0] || 'unknown'
  return writeRequest({
    caller,
    fieldManager: manager ?? fallback,
    dryRun: dryRun.length > 0 || dryRunInBody,
    fieldValidation: isFieldValidation(validation) && validation !== '' ? validation : 'Warn',
    warn,
  })
}

function isFieldValidation(text: string): text is WriteRequest['fieldValidation'] | '' {
  return text === '' || text === 'Ignore' || text === 'Warn' || text === 'Strict'
}

function dryRunErrors(values: readonly unknown[]): readonly FieldError[] {
  return values.every((value) => value === 'All') ? [] : [field.notSupported('dryRun', values, ['All'])]
}

function managerErrors(manager: string): readonly FieldError[] {
  const errors: FieldError[] = []
  if (Buffer.byteLength(manager) > fieldManagerMaxBytes)
    errors.push(field.tooLong('fieldManager', fieldManagerMaxBytes))
  const odd = unprintable.exec(manager)
  if (odd !== null) {
    const code = (odd[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    errors.push(field.invalid('fieldManager', manager, `invalid character U+${code} (at position ${odd.index})`))
  }
  return errors
}

const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u
