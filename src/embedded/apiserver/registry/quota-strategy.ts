import { type Quantity, tryParseQuantity } from '../../../model/quantity.ts'
import { field, type FieldError } from '../errors.ts'
import { arrayAt, isObject, type JsonObject, objectAt, textAt, textMapAt, withAt } from '../json.ts'
import type { IncomingObject } from '../object.ts'
import { qualifiedNameProblem } from './names.ts'
import { withDefaults } from './pod-defaults.ts'

/** The limits of containers are what they get when they name none, and what they are taken to request. */
export function defaultLimits(range: IncomingObject): IncomingObject {
  const limits = arrayAt(range, 'spec', 'limits').map((limit) => (isObject(limit) ? defaultLimit(limit) : limit))
  return withAt(range, ['spec', 'limits'], limits)
}

function defaultLimit(limit: JsonObject): JsonObject {
  if (limit['type'] !== 'Container') return limit
  const given = withDefaults(objectAt(limit, 'default') ?? {}, objectAt(limit, 'max') ?? {})
  const asked = withDefaults(objectAt(limit, 'defaultRequest') ?? {}, given)
  const requests = withDefaults(asked, objectAt(limit, 'min') ?? {})
  return {
    ...limit,
    ...(Object.keys(given).length === 0 ? {} : { default: given }),
    ...(Object.keys(requests).length === 0 ? {} : { defaultRequest: requests }),
  }
}

/** Bounds of which the first may not be above the second, which field is to blame, and whose value is told. */
const order = [
  { low: 'min', high: 'max', blamed: 'min', told: 'low' },
  { low: 'min', high: 'defaultRequest', blamed: 'defaultRequest', told: 'high' },
  { low: 'defaultRequest', high: 'max', blamed: 'defaultRequest', told: 'low' },
  { low: 'defaultRequest', high: 'default', blamed: 'defaultRequest', told: 'low' },
  { low: 'min', high: 'default', blamed: 'default', told: 'low' },
  { low: 'default', high: 'max', blamed: 'default', told: 'high' },
] as const

/** The bounds in the words of the messages. */
const words = { min: 'min', max: 'max', default: 'default', defaultRequest: 'default request' } as const

export function limitErrors(range: IncomingObject): readonly FieldError[] {
  const seen = new Set<string>()
  return arrayAt(range, 'spec', 'limits').flatMap((limit, index) => {
    const path = `spec.limits[${index}]`
    const type = textAt(limit, 'type') ?? ''
    const errors: FieldError[] = []
    if (seen.has(type)) errors.push(field.duplicate(`${path}.type`, type))
    seen.add(type)
    if (type === 'Pod') {
      for (const name of ['default', 'defaultRequest'].filter((each) => objectAt(limit, each) !== undefined)) {
        errors.push(field.forbidden(`${path}.${name}`, "may not be specified when `type` is 'Pod'"))
      }
    }
    for (const { low, high, blamed, told } of order) {
      const [lows, highs] = [textMapAt(limit, low), textMapAt(limit, high)]
      for (const [resource, least] of Object.entries(lows)) {
        const most = highs[resource]
        const [a, b] = [amountOf(least), amountOf(most)]
        if (a === undefined || b === undefined || a.compare(b) <= 0) continue
        const above = low === 'defaultRequest' && high === 'default' ? 'default limit' : words[high]
        const detail = `${words[low]} value ${least} is greater than ${above} value ${most}`
        errors.push(field.invalid(`${path}.${blamed}[${resource}]`, told === 'low' ? least : most, detail))
      }
    }
    return errors
  })
}

function amountOf(text: string | undefined): Quantity | undefined {
  return text === undefined ? undefined : tryParseQuantity(text)
}

const counted = ['pods', 'services', 'replicationcontrollers', 'resourcequotas', 'secrets', 'configmaps']
const standard = [
  ...counted,
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
  'cpu',
  'memory',
  'ephemeral-storage',
]
const scopes = [
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'PriorityClass',
  'CrossNamespacePodAffinity',
  'VolumeAttributesClass',
]

export function quotaErrors(quota: IncomingObject): readonly FieldError[] {
  const hard = Object.entries(textMapAt(quota, 'spec', 'hard')).flatMap(([resource, text]) => {
    const path = `spec.hard[${resource}]`
    const errors: FieldError[] = []
    const problem = qualifiedNameProblem(resource)
    if (problem !== undefined) errors.push(field.invalid(path, resource, problem))
    const isStandard = standard.includes(resource) || /^(requests|limits)\./.test(resource)
    if (!resource.includes('/') && !isStandard) {
      errors.push(field.invalid(path, resource, 'must be a standard resource for quota'))
    }
    if (text.startsWith('-')) errors.push(field.invalid(path, text, 'must be greater than or equal to 0'))
    if (counted.includes(resource) && text.endsWith('m')) errors.push(field.invalid(path, text, 'must be an integer'))
    return errors
  })
  const named = arrayAt(quota, 'spec', 'scopes')
  const unknown = named.some((scope) => !scopes.includes(String(scope)))
  return [...hard, ...(unknown ? [field.invalid('spec.scopes', named, 'unsupported scope')] : [])]
}
