import { field, type FieldError } from '../errors.ts'
import { arrayAt, at, isObject, type JsonObject, numberAt, objectAt, textAt, withAt } from '../json.ts'
import type { IncomingObject } from '../object.ts'
import { isRange, isWithin, rangeDetail } from './addresses.ts'
import { withDefaults } from './pod-defaults.ts'
import { labelSelectorErrors } from './selector-validation.ts'
import { portTargetErrors } from './service-validation.ts'

/** A policy that names no direction is about traffic to its pods, and about traffic from them where it says so. */
export function defaultNetworkPolicy(policy: IncomingObject): IncomingObject {
  const spec = objectAt(policy, 'spec') ?? {}
  const policyTypes = arrayAt(spec, 'egress').length > 0 ? ['Ingress', 'Egress'] : ['Ingress']
  const defaulted = withDefaults(spec, at(spec, 'policyTypes') === undefined ? { policyTypes } : {})
  return withAt(policy, ['spec'], {
    ...defaulted,
    ...Object.fromEntries(
      ['ingress', 'egress']
        .filter((name) => arrayAt(spec, name).length > 0)
        .map((name) => [name, arrayAt(spec, name).map((rule) => (isObject(rule) ? withProtocols(rule) : rule))]),
    ),
  })
}

function withProtocols(rule: JsonObject): JsonObject {
  const ports = arrayAt(rule, 'ports')
  if (ports.length === 0) return rule
  return { ...rule, ports: ports.map((port) => (isObject(port) ? withDefaults(port, { protocol: 'TCP' }) : port)) }
}

export function networkPolicyErrors(policy: IncomingObject): readonly FieldError[] {
  const spec = objectAt(policy, 'spec') ?? {}
  const errors: FieldError[] = [...labelSelectorErrors(objectAt(spec, 'podSelector'), 'spec.podSelector')]
  for (const [way, peers] of [
    ['ingress', 'from'],
    ['egress', 'to'],
  ] as const) {
    arrayAt(spec, way).forEach((rule, index) => {
      const path = `spec.${way}[${index}]`
      arrayAt(rule, 'ports').forEach((port, place) => errors.push(...portErrors(port, `${path}.ports[${place}]`)))
      arrayAt(rule, peers).forEach((peer, place) => errors.push(...peerErrors(peer, `${path}.${peers}[${place}]`)))
    })
  }
  const types = arrayAt(spec, 'policyTypes')
  if (types.length > 2) {
    errors.push(field.invalid('spec.policyTypes', types, 'may not specify more than two policyTypes'))
    return errors
  }
  types.forEach((type, index) => {
    if (type === 'Ingress' || type === 'Egress') return
    errors.push(field.notSupported(`spec.policyTypes[${index}]`, type, ['Ingress', 'Egress']))
  })
  return errors
}

const protocols = ['TCP', 'UDP', 'SCTP']

function portErrors(rule: unknown, path: string): FieldError[] {
  const protocol = textAt(rule, 'protocol') ?? 'TCP'
  const port = at(rule, 'port')
  const end = numberAt(rule, 'endPort')
  const errors: FieldError[] = []
  if (!protocols.includes(protocol)) errors.push(field.notSupported(`${path}.protocol`, protocol, protocols))
  if (port !== undefined) errors.push(...portTargetErrors(`${path}.port`, port))
  if (end === undefined) return errors
  if (port === undefined) {
    errors.push(field.invalid(`${path}.endPort`, end, 'may not be specified when `port` is not specified'))
  } else if (typeof port === 'string') {
    errors.push(field.invalid(`${path}.endPort`, end, 'may not be specified when `port` is non-numeric'))
  } else {
    // A real API server prints the port here, not the end.
    if (end < Number(port))
      errors.push(field.invalid(`${path}.endPort`, port, 'must be greater than or equal to `port`'))
    if (end < 1 || end > 65_535) {
      errors.push(field.invalid(`${path}.endPort`, end, 'must be between 1 and 65535, inclusive'))
    }
  }
  return errors
}

function peerErrors(peer: unknown, path: string): FieldError[] {
  const errors: FieldError[] = []
  const selectors = ['podSelector', 'namespaceSelector'].filter((name) => objectAt(peer, name) !== undefined)
  for (const name of selectors) errors.push(...labelSelectorErrors(objectAt(peer, name), `${path}.${name}`))
  const block = objectAt(peer, 'ipBlock')
  if (block !== undefined) errors.push(...blockErrors(block, `${path}.ipBlock`))
  if (block !== undefined && selectors.length > 0) {
    errors.push(field.forbidden(path, 'may not specify both ipBlock and another peer'))
  } else if (block === undefined && selectors.length === 0) {
    errors.push(field.required(path, 'must specify a peer'))
  }
  return errors
}

function blockErrors(block: JsonObject, path: string): FieldError[] {
  const range = textAt(block, 'cidr') ?? ''
  if (range === '') return [field.required(`${path}.cidr`)]
  if (!isRange(range)) return [field.invalid(`${path}.cidr`, range, rangeDetail)]
  return arrayAt(block, 'except').flatMap((except, index) => {
    const where = `${path}.except[${index}]`
    if (!isRange(String(except))) return [field.invalid(where, except, rangeDetail)]
    return isWithin(String(except), range) ? [] : [field.invalid(where, except, 'must be a strict subset of `cidr`')]
  })
}
