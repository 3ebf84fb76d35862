import { field, type FieldError } from '../errors.ts'
import { arrayAt, isObject, numberAt, objectAt, textAt, withAt } from '../json.ts'
import { type IncomingObject, nameOf, type StoredObject } from '../object.ts'
import type { KindDefinition } from '../registry/definition.ts'
import { needsOf } from '../registry/service-strategy.ts'
import type { ApiContext } from './context.ts'
import { throwIfInvalid } from './metadata.ts'

/** The range that EKS gives services, `172.20.0.0/16`; its first 256 addresses are for those that ask for one. */
const range = { prefix: '172.20.', first: 256, last: 65_534 }
/** The first of these are likewise left to those that ask for one. */
const nodePorts = { min: 30_000, first: 30_086, max: 32_767 }

/** Gives a Service that is written the address and node ports that it needs and has not; each is given once in the cluster. */
export function allocateService(
  context: ApiContext,
  definition: KindDefinition,
  service: IncomingObject,
  old?: StoredObject,
): IncomingObject {
  const self = nameOf(service)
  const namespace = textAt(service, 'metadata', 'namespace')
  const others = context.store
    .list(definition.table)
    .filter(({ metadata }) => metadata.name !== self || metadata.namespace !== namespace)
  const errors: FieldError[] = []
  const addressed = withAddress(service, others, errors)
  const complete = withPorts(addressed, others, errors, old)
  throwIfInvalid(definition, complete, errors)
  return complete
}

function withAddress(service: IncomingObject, others: readonly StoredObject[], errors: FieldError[]): IncomingObject {
  const spec = objectAt(service, 'spec') ?? {}
  if (!needsOf(spec).address) return service
  const wanted = textAt(spec, 'clusterIP')
  const selects = Object.keys(objectAt(spec, 'selector') ?? {}).length > 0
  if (wanted === 'None') {
    const families = selects
      ? { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' }
      : { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' }
    return withAt(service, ['spec'], { clusterIPs: ['None'], ...families, ...spec })
  }
  const taken = new Set(others.map((other) => textAt(other, 'spec', 'clusterIP')))
  if (wanted !== undefined) {
    const because = !wanted.startsWith(range.prefix)
      ? 'the provided network does not match the current range'
      : taken.has(wanted)
        ? 'provided IP is already allocated'
        : undefined
    if (because !== undefined) {
      errors.push(field.invalid('spec.clusterIPs', [wanted], `failed to allocate IP ${wanted}: ${because}`))
    }
  }
  const address = wanted ?? freeAddress(taken)
  const given = { clusterIP: address, clusterIPs: [address], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' }
  return withAt(service, ['spec'], { ...given, ...spec })
}

function freeAddress(taken: ReadonlySet<string | undefined>): string {
  for (let number = range.first; number <= range.last; number += 1) {
    const address = `${range.prefix}${number >> 8}.${number & 255}`
    if (!taken.has(address)) return address
  }
  throw new Error('no service has an address left')
}

function withPorts(
  service: IncomingObject,
  others: readonly StoredObject[],
  errors: FieldError[],
  old: StoredObject | undefined,
): IncomingObject {
  if (!needsOf(objectAt(service, 'spec') ?? {}).nodePorts) return service
  // A number may be given once for each protocol.
  const taken = new Set(others.flatMap(portKeys))
  const own = new Set(old === undefined ? [] : portKeys(old))
  const asked = arrayAt(service, 'spec', 'ports').map((port, index) => {
    const nodePort = numberAt(port, 'nodePort')
    if (nodePort === undefined) return port
    const path = `spec.ports[${index}].nodePort`
    const key = portKey(port)
    if (nodePort < nodePorts.min || nodePort > nodePorts.max) {
      const valid = `The range of valid ports is ${nodePorts.min}-${nodePorts.max}`
      errors.push(field.invalid(path, nodePort, `provided port is not in the valid range. ${valid}`))
    } else if (taken.has(key) && !own.has(key)) {
      errors.push(field.invalid(path, nodePort, 'provided port is already allocated'))
    }
    taken.add(key)
    return port
  })
  const ports = asked.map((port) => {
    if (!isObject(port) || port['nodePort'] !== undefined) return port
    for (let nodePort = nodePorts.first; nodePort <= nodePorts.max; nodePort += 1) {
      const given = { ...port, nodePort }
      if (taken.has(portKey(given))) continue
      taken.add(portKey(given))
      return given
    }
    return port
  })
  return withAt(service, ['spec', 'ports'], ports)
}

function portKeys(service: StoredObject): readonly string[] {
  return arrayAt(service, 'spec', 'ports')
    .filter((port) => numberAt(port, 'nodePort') !== undefined)
    .map(portKey)
}

function portKey(port: unknown): string {
  return `${textAt(port, 'protocol') ?? 'TCP'}/${numberAt(port, 'nodePort') ?? 0}`
}
