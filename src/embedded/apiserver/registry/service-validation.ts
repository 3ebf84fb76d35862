import { field, type FieldError } from '../errors.ts'
import { isIP } from 'node:net'
import { jsonEqual } from '../../../api/json.ts'
import { arrayAt, isObject, type JsonObject, numberAt, objectAt, textAt } from '../json.ts'
import type { IncomingObject, StoredObject } from '../object.ts'
import { ipDetail, isRange, rangeDetail } from './addresses.ts'
import { choice } from './field-rules.ts'
import { labelErrors, labelProblem, qualifiedNameProblem, subdomainProblem } from './names.ts'
import { needsOf } from './service-strategy.ts'

/** What is wrong with a Service, besides addresses and ports that others have. */
export function serviceErrors(service: IncomingObject, old: StoredObject | undefined): readonly FieldError[] {
  const spec = objectAt(service, 'spec') ?? {}
  return [
    ...(old === undefined ? [] : changeErrors(spec, objectAt(old, 'spec') ?? {})),
    ...portErrors(spec),
    ...typeErrors(spec),
    ...labelErrors(objectAt(spec, 'selector') ?? {}, 'spec.selector'),
    ...choice(spec, 'spec.sessionAffinity', ['ClientIP', 'None']),
    ...choice(spec, 'spec.internalTrafficPolicy', ['Cluster', 'Local']),
    ...(needsOf(spec).outside ? choice(spec, 'spec.externalTrafficPolicy', ['Cluster', 'Local']) : []),
    ...choice(spec, 'spec.trafficDistribution', ['PreferClose', 'PreferSameZone', 'PreferSameNode']),
    ...addressErrors(spec),
    ...loadBalancerErrors(spec),
  ]
}

function changeErrors(spec: JsonObject, before: JsonObject): FieldError[] {
  const errors: FieldError[] = []
  const address = textAt(before, 'clusterIP')
  if (address !== undefined && needsOf(spec).address && spec['clusterIP'] !== address) {
    errors.push(field.invalid('spec.clusterIPs[0]', spec['clusterIPs'], 'may not change once set'))
  }
  if (needsOf(spec).loadBalancer && needsOf(before).loadBalancer) {
    const name = 'loadBalancerClass'
    if (!jsonEqual(spec[name], before[name])) {
      errors.push(field.invalid(`spec.${name}`, spec[name] ?? null, 'may not change once set'))
    }
  }
  return errors
}

function addressErrors(spec: JsonObject): FieldError[] {
  const address = textAt(spec, 'clusterIP')
  const errors: FieldError[] = []
  if (address !== undefined && !needsOf(spec).address) {
    errors.push(field.forbidden('spec.clusterIPs', 'may not be set for ExternalName services'))
  } else if (address !== undefined && address !== 'None' && isIP(address) === 0) {
    errors.push(field.invalid('spec.clusterIPs[0]', address, ipDetail))
  }
  arrayAt(spec, 'externalIPs').forEach((ip, index) => {
    if (isIP(String(ip)) === 0) errors.push(field.invalid(`spec.externalIPs[${index}]`, ip, ipDetail))
  })
  const policies = choice(spec, 'spec.ipFamilyPolicy', ['PreferDualStack', 'RequireDualStack', 'SingleStack'])
  const families = arrayAt(spec, 'ipFamilies').flatMap((family, index) => {
    const path = `spec.ipFamilies[${index}]`
    if (family === 'IPv4' || spec['clusterIP'] === 'None') return []
    if (family === 'IPv6') return [field.invalid(path, family, 'not configured on this cluster')]
    return [field.notSupported(path, family, ['IPv4', 'IPv6'])]
  })
  if (spec['ipFamilyPolicy'] === 'RequireDualStack' && spec['clusterIP'] !== 'None') {
    const detail = 'this cluster is not configured for dual-stack services'
    errors.push(field.invalid('spec.ipFamilyPolicy', 'RequireDualStack', detail))
  }
  return [...errors, ...families, ...policies]
}

function loadBalancerErrors(spec: JsonObject): FieldError[] {
  if (!needsOf(spec).loadBalancer) {
    return ['allocateLoadBalancerNodePorts', 'loadBalancerClass']
      .filter((name) => spec[name] !== undefined)
      .map((name) => field.forbidden(`spec.${name}`, "may only be used when `type` is 'LoadBalancer'"))
  }
  return arrayAt(spec, 'loadBalancerSourceRanges').flatMap((range, index) =>
    isRange(String(range)) ? [] : [field.invalid(`spec.LoadBalancerSourceRanges[${index}]`, range, rangeDetail)],
  )
}

function typeErrors(spec: JsonObject): FieldError[] {
  const type = textAt(spec, 'type')
  if (type === 'ExternalName') {
    const name = textAt(spec, 'externalName') ?? ''
    if (name === '') return [field.required('spec.externalName')]
    const problem = subdomainProblem(name.replace(/\.$/, ''))
    return problem === undefined ? [] : [field.invalid('spec.externalName', name, problem)]
  }
  const errors = [...choice(spec, 'spec.type', ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'])]
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
    errors.push(...portTargetErrors(`${path}.targetPort`, port['targetPort']))
    if (port['nodePort'] !== undefined && port['nodePort'] !== 0 && type === 'ClusterIP') {
      errors.push(field.forbidden(`${path}.nodePort`, "may not be used when `type` is 'ClusterIP'"))
    }
    const appProtocol = textAt(port, 'appProtocol') ?? ''
    const problem = appProtocol === '' ? undefined : qualifiedNameProblem(appProtocol)
    if (problem !== undefined) errors.push(field.invalid(`${path}.appProtocol`, appProtocol, problem))
    const number = `${protocol}/${String(port['port'])}`
    if (numbers.has(number)) errors.push(field.duplicate(path, goPort(port, protocol)))
    numbers.add(number)
    return errors
  })
}

function numberErrors(path: string, value: number): FieldError[] {
  return value >= 1 && value <= 65_535 ? [] : [field.invalid(path, value, 'must be between 1 and 65535, inclusive')]
}

/** What is wrong with the number or the name of a port. */
export function portTargetErrors(path: string, target: unknown): FieldError[] {
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
