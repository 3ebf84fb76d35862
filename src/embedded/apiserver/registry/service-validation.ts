import { field, type FieldError } from '../errors.ts'
import { arrayAt, isObject, type JsonObject, numberAt, objectAt, textAt, withAt } from '../json.ts'
import type { IncomingObject } from '../object.ts'
import { labelErrors, labelProblem, subdomainProblem } from './names.ts'
import { withDefaults } from './pod-defaults.ts'

/** The defaults that do not depend on addresses, of which Services get none here. */
export function defaultService(service: IncomingObject): IncomingObject {
  const spec = withDefaults(objectAt(service, 'spec') ?? {}, { type: 'ClusterIP', sessionAffinity: 'None' })
  const ports = arrayAt(spec, 'ports').map((port) => (isObject(port) ? defaultPort(port) : port))
  return withAt(service, ['spec'], ports.length === 0 ? spec : { ...spec, ports })
}

function defaultPort(port: JsonObject): JsonObject {
  const { targetPort, ...others } = port
  const isUnset = targetPort === undefined || targetPort === 0 || targetPort === ''
  return withDefaults(isUnset ? others : port, { protocol: 'TCP', targetPort: port['port'] })
}

/** What is wrong with a Service, besides addresses. */
export function serviceErrors(service: IncomingObject): readonly FieldError[] {
  const spec = objectAt(service, 'spec') ?? {}
  return [
    ...portErrors(spec),
    ...typeErrors(spec),
    ...labelErrors(objectAt(spec, 'selector') ?? {}, 'spec.selector'),
    ...choice(spec, 'sessionAffinity', ['ClientIP', 'None']),
    ...choice(spec, 'internalTrafficPolicy', ['Cluster', 'Local']),
  ]
}

function choice(spec: JsonObject, name: string, supported: readonly string[]): FieldError[] {
  const value = textAt(spec, name)
  if (value === undefined || supported.includes(value)) return []
  return [field.notSupported(`spec.${name}`, value, supported)]
}

function typeErrors(spec: JsonObject): FieldError[] {
  const type = textAt(spec, 'type')
  if (type === 'ExternalName') {
    const name = textAt(spec, 'externalName') ?? ''
    if (name === '') return [field.required('spec.externalName')]
    const problem = subdomainProblem(name.replace(/\.$/, ''))
    return problem === undefined ? [] : [field.invalid('spec.externalName', name, problem)]
  }
  const errors = choice(spec, 'type', ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'])
  const isOutside = type === 'LoadBalancer' || type === 'NodePort' || arrayAt(spec, 'externalIPs').length > 0
  const policy = textAt(spec, 'externalTrafficPolicy') ?? ''
  if (policy !== '' && !isOutside) {
    const detail = 'may only be set for externally-accessible services'
    errors.push(field.invalid('spec.externalTrafficPolicy', policy, detail))
  }
  if (type === 'LoadBalancer' && spec['clusterIP'] === 'None') {
    errors.push(field.invalid('spec.clusterIPs[0]', 'None', "may not be set to 'None' for LoadBalancer services"))
  }
  return errors
}

const protocols = ['SCTP', 'TCP', 'UDP']

function portErrors(spec: JsonObject): FieldError[] {
  const ports = arrayAt(spec, 'ports').filter(isObject)
  const type = textAt(spec, 'type')
  const isHeadless = spec['clusterIP'] === 'None'
  if (ports.length === 0) return isHeadless || type === 'ExternalName' ? [] : [field.required('spec.ports')]
  const names = new Set<string>()
  const numbers = new Set<string>()
  return ports.flatMap((port, index) => {
    const path = `spec.ports[${index}]`
    const name = textAt(port, 'name') ?? ''
    const errors: FieldError[] = []
    if (name === '' && ports.length > 1) errors.push(field.required(`${path}.name`))
    else if (name !== '') {
      const problem = labelProblem(name)
      if (problem !== undefined) errors.push(field.invalid(`${path}.name`, name, problem))
      if (names.has(name)) errors.push(field.duplicate(`${path}.name`, name))
      names.add(name)
    }
    errors.push(...numberErrors(`${path}.port`, numberAt(port, 'port') ?? 0))
    const protocol = textAt(port, 'protocol') ?? 'TCP'
    if (!protocols.includes(protocol)) errors.push(field.notSupported(`${path}.protocol`, protocol, protocols))
    errors.push(...targetErrors(`${path}.targetPort`, port['targetPort']))
    if (port['nodePort'] !== undefined && port['nodePort'] !== 0 && type === 'ClusterIP') {
      errors.push(field.forbidden(`${path}.nodePort`, "may not be used when `type` is 'ClusterIP'"))
    }
    const number = `${protocol}/${String(port['port'])}`
    if (numbers.has(number)) errors.push(field.duplicate(path, goPort(port, protocol)))
    numbers.add(number)
    return errors
  })
}

function numberErrors(path: string, value: number): FieldError[] {
  return value >= 1 && value <= 65_535 ? [] : [field.invalid(path, value, 'must be between 1 and 65535, inclusive')]
}

function targetErrors(path: string, target: unknown): FieldError[] {
  if (typeof target === 'number') return numberErrors(path, target)
  if (typeof target !== 'string') return []
  const problems: string[] = []
  if (target.length > 15) problems.push('must be no more than 15 characters')
  if (!/^[-a-z0-9]+$/.test(target)) {
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)')
  }
  if (!/[a-z]/.test(target)) problems.push('must contain at least one letter (a-z)')
  return problems.map((problem) => field.invalid(path, target, problem))
}

/** As Go prints what it compares: of a port only its number and protocol. */
function goPort(port: JsonObject, protocol: string): JsonObject {
  return { Name: '', Protocol: protocol, AppProtocol: null, Port: port['port'], TargetPort: 0, NodePort: 0 }
}
