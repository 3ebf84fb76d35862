import { jsonEqual } from '../../../api/json.ts'
import { arrayAt, isObject, type JsonObject, objectAt, textAt, withAt } from '../json.ts'
import type { IncomingObject, StoredObject } from '../object.ts'
import { withDefaults } from './pod-defaults.ts'

/** The fields that a Service has only as one of a certain type. */
interface ServiceNeeds {
  /** All but names of services elsewhere. */
  readonly address: boolean
  readonly nodePorts: boolean
  readonly loadBalancer: boolean
  /** Can be reached from outside the cluster. */
  readonly outside: boolean
}

export function needsOf(spec: JsonObject): ServiceNeeds {
  const type = textAt(spec, 'type') ?? 'ClusterIP'
  const loadBalancer = type === 'LoadBalancer'
  return {
    address: type !== 'ExternalName',
    nodePorts: type === 'NodePort' || (loadBalancer && spec['allocateLoadBalancerNodePorts'] !== false),
    loadBalancer,
    outside: loadBalancer || type === 'NodePort' || (type === 'ClusterIP' && arrayAt(spec, 'externalIPs').length > 0),
  }
}

/** The defaults that do not depend on which addresses and ports are free. */
export function defaultService(service: IncomingObject): IncomingObject {
  const sent = objectAt(service, 'spec') ?? {}
  const needs = needsOf(sent)
  const spec = withDefaults(withoutEmpty(sent, ['clusterIP']), {
    type: 'ClusterIP',
    sessionAffinity: 'None',
    ...(needs.outside ? { externalTrafficPolicy: 'Cluster' } : {}),
    ...(needs.address ? { internalTrafficPolicy: 'Cluster' } : {}),
    ...(needs.loadBalancer ? { allocateLoadBalancerNodePorts: true } : {}),
    ...(sent['sessionAffinity'] === 'ClientIP'
      ? { sessionAffinityConfig: { clientIP: { timeoutSeconds: clientIPSeconds } } }
      : {}),
  })
  const ports = arrayAt(spec, 'ports').map((port) => (isObject(port) ? defaultPort(port) : port))
  const address = textAt(spec, 'clusterIP')
  return withAt(service, ['spec'], {
    ...(address === undefined ? spec : withDefaults(spec, { clusterIPs: [address] })),
    ...(ports.length === 0 ? {} : { ports }),
  })
}

/** How long a client stays with the pod that it got. */
const clientIPSeconds = 10_800

function withoutEmpty(spec: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(spec).filter(([name, value]) => !(names.includes(name) && value === '')))
}

function defaultPort(port: JsonObject): JsonObject {
  const { targetPort, nodePort, ...others } = port
  const isUnset = targetPort === undefined || targetPort === 0 || targetPort === ''
  return withDefaults(
    {
      ...others,
      ...(isUnset ? {} : { targetPort }),
      ...(nodePort === undefined || nodePort === 0 ? {} : { nodePort }),
    },
    { protocol: 'TCP', targetPort: port['port'] },
  )
}

/** What a change leaves out stays, as far as the new type has it: addresses and ports are given once. */
export function carryAllocated(service: IncomingObject, old: StoredObject): IncomingObject {
  const before = objectAt(old, 'spec') ?? {}
  const spec = withoutOtherTypes(objectAt(service, 'spec') ?? {}, before)
  const [had, needs] = [needsOf(before), needsOf(spec)]
  const kept: Record<string, unknown> = { ...spec }
  if (had.address && needs.address) {
    if (spec['clusterIP'] === undefined) {
      for (const name of ['clusterIP', 'clusterIPs']) if (before[name] !== undefined) kept[name] = before[name]
    } else if (spec['clusterIP'] !== before['clusterIP'] && jsonEqual(spec['clusterIPs'], before['clusterIPs'])) {
      kept['clusterIPs'] = [spec['clusterIP']]
    }
    for (const name of ['ipFamilies', 'ipFamilyPolicy']) kept[name] ??= before[name]
  }
  if (had.nodePorts && needs.nodePorts) kept['ports'] = withNodePorts(arrayAt(spec, 'ports'), arrayAt(before, 'ports'))
  return withAt(service, ['spec'], Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined)))
}

/** Without what the old type had and the new one cannot have, unless the change itself set it. */
function withoutOtherTypes(spec: JsonObject, before: JsonObject): JsonObject {
  const [had, needs] = [needsOf(before), needsOf(spec)]
  const lost = [
    ...(had.address && !needs.address
      ? ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy']
      : []),
    ...(had.outside && !needs.outside ? ['externalTrafficPolicy'] : []),
    ...(had.loadBalancer && !needs.loadBalancer ? ['allocateLoadBalancerNodePorts', 'loadBalancerClass'] : []),
  ]
  const left = Object.fromEntries(
    Object.entries(spec).filter(([name, value]) => !(lost.includes(name) && jsonEqual(value, before[name]))),
  )
  if (!had.nodePorts || needs.nodePorts) return left
  const numbers = new Set(arrayAt(before, 'ports').map((port) => objectAt({ port }, 'port')?.['nodePort']))
  const ports = arrayAt(left, 'ports').map((port) => {
    if (!isObject(port) || !numbers.has(port['nodePort'])) return port
    const { nodePort: _lost, ...others } = port
    return others
  })
  return { ...left, ports }
}

function withNodePorts(ports: readonly unknown[], before: readonly unknown[]): readonly unknown[] {
  const keyOf = (port: JsonObject) => `${String(port['protocol'])}/${String(port['port'])}`
  const known = new Map(before.filter(isObject).map((port) => [keyOf(port), port['nodePort']]))
  const taken = new Set(ports.map((port) => objectAt({ port }, 'port')?.['nodePort']))
  return ports.map((port) => {
    if (!isObject(port) || port['nodePort'] !== undefined) return port
    const nodePort = known.get(keyOf(port))
    return nodePort === undefined || taken.has(nodePort) ? port : { ...port, nodePort }
  })
}
