import { messageOf } from '../../../api/error-text.ts'
import { KubeError, type KubeErrorCode } from '../../../kube/errors.ts'
import type { Random } from '../../../model/random.ts'
import type { AdmissionAttempt } from '../api/context.ts'
import { badRequest } from '../errors.ts'
import { arrayAt, isArray, isObject, type JsonObject, numberAt, objectAt, textAt } from '../json.ts'
import { type IncomingObject, storeKeyOf } from '../object.ts'
import { jsonPatch } from '../patch/json-patch.ts'
import type { Store } from '../store.ts'
import { admissionVariables, matchConditions } from './expressions.ts'
import { matchesRules, matchesSelectors } from './matching.ts'
import { reviewRequest } from './review.ts'
import type { WebhookTransport } from './transport.ts'

interface ServiceReference {
  readonly namespace: string
  readonly name: string
  readonly port: number
}

export interface WebhookAdmissionOptions {
  readonly store: Store
  readonly random: Random
  readonly transport: WebhookTransport
  /** Where a service of the cluster answers, as `https://host:port`; undefined when it does not exist here. */
  readonly resolveService: (service: ServiceReference) => string | undefined
}

export interface Webhook {
  readonly name: string
  readonly config: JsonObject
}

const tables = {
  mutating: 'admissionregistration.k8s.io/mutatingwebhookconfigurations',
  validating: 'admissionregistration.k8s.io/validatingwebhookconfigurations',
} as const

/** The webhooks that must be asked about the attempt, in the order of their configurations' names. */
export function matchingWebhooks(
  options: WebhookAdmissionOptions,
  kind: keyof typeof tables,
  attempt: AdmissionAttempt,
): readonly Webhook[] {
  const { store } = options
  // Webhooks never judge webhook configurations: a broken one could not be repaired.
  if (attempt.definition.table === tables.mutating || attempt.definition.table === tables.validating) return []
  const found: Webhook[] = []
  for (const configuration of store.list(tables[kind])) {
    for (const config of arrayAt(configuration, 'webhooks').filter(isObject)) {
      if (!matchesRules(arrayAt(config, 'rules'), attempt) || !matchesSelectors(store, config, attempt)) continue
      const name = textAt(config, 'name') ?? ''
      const conditions = arrayAt(config, 'matchConditions')
      const matched = conditions.length === 0 ? 'yes' : matchConditions(conditions, admissionVariables(store, attempt))
      if (matched instanceof Error) {
        if (textAt(config, 'failurePolicy') === 'Ignore') continue
        throw new KubeError(
          'Forbidden',
          403,
          `admission webhook "${name}": match conditions could not be evaluated: ${matched.message}`,
        )
      }
      if (matched !== 'yes') continue
      const silent = silentService(options, config)
      if (silent === undefined) found.push({ name, config })
      else
        attempt.request.warn(
          `webhook "${name}" was not asked: no program runs behind service ${silent} in this cluster`,
        )
    }
  }
  return found
}

/** Asks one mutating webhook; returns the object it leaves. */
export async function mutateBy(
  options: WebhookAdmissionOptions,
  webhook: Webhook,
  attempt: AdmissionAttempt,
): Promise<IncomingObject | undefined> {
  const response = await ask(options, webhook, attempt)
  const { object } = attempt
  const patch = textAt(response, 'patch')
  if (patch === undefined || object === undefined) return object
  const operations = operationsOf(webhook, Buffer.from(patch, 'base64').toString('utf8'))
  const patched = jsonPatch(object, isArray(operations) ? operations : [])
  if (!isObject(patched))
    throw new KubeError('InternalError', 500, `admission webhook "${webhook.name}" left no object`)
  const metadata = objectAt(patched, 'metadata') ?? {}
  return { ...patched, apiVersion: object.apiVersion, kind: object.kind, metadata }
}

function operationsOf({ name }: Webhook, patch: string): unknown {
  try {
    return JSON.parse(patch)
  } catch (error) {
    const message = `Internal error occurred: the patch of admission webhook "${name}" is no JSON: ${String(error)}`
    throw new KubeError('InternalError', 500, message, { cause: error })
  }
}

export async function validateBy(
  options: WebhookAdmissionOptions,
  webhook: Webhook,
  attempt: AdmissionAttempt,
): Promise<void> {
  await ask(options, webhook, attempt)
}

async function ask(options: WebhookAdmissionOptions, webhook: Webhook, attempt: AdmissionAttempt): Promise<JsonObject> {
  const { name, config } = webhook
  const sideEffects = textAt(config, 'sideEffects') ?? 'Unknown'
  if (attempt.request.dryRun && sideEffects !== 'None' && sideEffects !== 'NoneOnDryRun') {
    throw badRequest(`admission webhook "${name}" does not support dry run`)
  }
  const uid = options.random.uuid()
  const body = { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', request: reviewRequest(attempt, uid) }
  let response: JsonObject
  try {
    response = responseOf(await send(options, webhook, JSON.stringify(body)), uid)
  } catch (error) {
    if (textAt(config, 'failurePolicy') === 'Ignore') return { allowed: true }
    const because = messageOf(error)
    throw new KubeError(
      'InternalError',
      500,
      `Internal error occurred: failed calling webhook "${name}": failed to call webhook: ${because}`,
      {
        cause: error,
      },
    )
  }
  for (const warning of arrayAt(response, 'warnings')) attempt.request.warn(String(warning))
  if (response['allowed'] !== true) throw denied(name, objectAt(response, 'status') ?? {})
  return response
}

function responseOf(text: string, uid: string): JsonObject {
  const parsed: unknown = JSON.parse(text)
  const response = objectAt({ parsed }, 'parsed', 'response')
  if (response === undefined) throw new Error('the answer has no response')
  if (textAt(response, 'uid') !== uid) throw new Error(`expected response.uid="${uid}"`)
  return response
}

function send(
  { transport, resolveService }: WebhookAdmissionOptions,
  { config }: Webhook,
  body: string,
): Promise<string> {
  const timeoutMs = (numberAt(config, 'timeoutSeconds') ?? 10) * 1000
  const bundle = textAt(config, 'clientConfig', 'caBundle')
  const authority = bundle === undefined || bundle === '' ? undefined : Buffer.from(bundle, 'base64').toString('utf8')
  const address = textAt(config, 'clientConfig', 'url')
  if (address !== undefined)
    return transport({ url: new URL(address), serverName: undefined, authority, body, timeoutMs })
  const service = serviceOf(config)
  const base = resolveService(service)
  if (base === undefined) throw new Error(`service "${service.name}" not found`)
  const url = new URL(textAt(config, 'clientConfig', 'service', 'path') ?? '/', base)
  return transport({ url, serverName: `${service.name}.${service.namespace}.svc`, authority, body, timeoutMs })
}

function serviceOf(config: JsonObject): ServiceReference {
  const service = objectAt(config, 'clientConfig', 'service') ?? {}
  return {
    namespace: textAt(service, 'namespace') ?? '',
    name: textAt(service, 'name') ?? '',
    port: numberAt(service, 'port') ?? 443,
  }
}

/**
 * A service that is there, and nobody answers: pods here run nothing. The webhook of an add-on, which usually may not be missed, would keep
 * everything else out of the cluster.
 */
function silentService({ store, resolveService }: WebhookAdmissionOptions, config: JsonObject): string | undefined {
  if (textAt(config, 'clientConfig', 'url') !== undefined) return undefined
  const service = serviceOf(config)
  const isThere = store.get('/services', storeKeyOf(service.namespace, service.name)) !== undefined
  return isThere && resolveService(service) === undefined ? `${service.namespace}/${service.name}` : undefined
}

const codesByStatus: Readonly<Record<number, KubeErrorCode>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  404: 'NotFound',
  409: 'Conflict',
  413: 'RequestEntityTooLarge',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
}

function denied(name: string, status: JsonObject): KubeError {
  const code = numberAt(status, 'code') ?? 403
  const why = textAt(status, 'message') ?? textAt(status, 'reason')
  const text = `admission webhook "${name}" denied the request${why === undefined || why === '' ? ' without explanation' : `: ${why}`}`
  return new KubeError(codesByStatus[code] ?? 'Forbidden', code, text)
}
