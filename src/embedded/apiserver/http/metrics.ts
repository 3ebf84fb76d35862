import { toTimestamp } from '../../../model/clock.ts'
import { addResources, type Resources, toResourceList, toResources } from '../../../model/resources.ts'
import { methodNotAllowed, notFound, unknownResource } from '../errors.ts'
import { arrayAt, type JsonObject, objectAt, textAt } from '../json.ts'
import type { StoredObject } from '../object.ts'
import type { ApiServer } from '../server.ts'
import { listRequest } from './query.ts'
import type { ResourceRoute } from './route.ts'

const group = { group: 'metrics.k8s.io', version: 'v1beta1' } as const

/** What `kubectl top` and autoscalers ask a metrics server for. Worked out when asked, never stored. */
export const metricKinds = [
  { ...group, kind: 'NodeMetrics', plural: 'nodes', namespaced: false },
  { ...group, kind: 'PodMetrics', plural: 'pods', namespaced: true },
] as const

/** Over how long usage is said to have been measured. */
const window = '30s'

/**
 * The answer to a question about usage; undefined for other resources. Nothing runs in these containers, so each is said to use just
 * what it requests, and a node what its running pods use.
 */
export function answerMetrics(
  server: ApiServer,
  { method, route, query }: { readonly method: string; readonly route: ResourceRoute; readonly query: URLSearchParams },
): object | undefined {
  if (route.group !== group.group) return undefined
  const kind = metricKinds.find(({ version, plural }) => version === route.version && plural === route.plural)
  if (kind === undefined || route.subresource !== undefined) throw unknownResource()
  if (method !== 'GET') throw methodNotAllowed()
  const definition = server.definition('', 'v1', kind.plural)
  const { items, resourceVersion } = server.list(definition, listRequest(query, route.namespace, undefined))
  const timestamp = toTimestamp(server.context.clock.now())
  const all = kind.plural === 'pods' ? items.filter(isRunning).map(podMetrics) : nodeMetrics(server, items)
  const about = all.map((each) => ({ ...each, timestamp, window }))
  const typed = { kind: kind.kind, apiVersion: `${kind.group}/${kind.version}` }
  if (route.name === undefined) {
    return { ...typed, kind: `${kind.kind}List`, metadata: { resourceVersion }, items: about }
  }
  const found = about.find(({ metadata }) => metadata.name === route.name)
  if (found === undefined) throw notFound(kind, route.name)
  return { ...typed, ...found }
}

interface Measured {
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined; readonly labels: object }
  readonly [field: string]: unknown
}

function podMetrics(pod: StoredObject): Measured {
  const containers = arrayAt(pod, 'spec', 'containers').map((container) => ({
    name: textAt(container, 'name') ?? '',
    usage: toResourceList(usageOf(container)),
  }))
  return { metadata: identityOf(pod), containers }
}

function nodeMetrics(server: ApiServer, nodes: readonly StoredObject[]): readonly Measured[] {
  const used = new Map<string, Resources>()
  for (const pod of server.list(server.definition('', 'v1', 'pods'), { namespace: undefined }).items) {
    const node = textAt(pod, 'spec', 'nodeName')
    if (node === undefined || !isRunning(pod)) continue
    used.set(node, addResources(used.get(node) ?? nothing, ...arrayAt(pod, 'spec', 'containers').map(usageOf)))
  }
  return nodes.map((node) => ({
    metadata: identityOf(node),
    usage: toResourceList(used.get(node.metadata.name) ?? nothing),
  }))
}

const nothing = toResources({ cpu: '0', memory: '0' })

/** CPU and memory, all that a metrics server knows of. */
function usageOf(container: unknown): Resources {
  return toResources({
    cpu: textAt(container, 'resources', 'requests', 'cpu') ?? '0',
    memory: textAt(container, 'resources', 'requests', 'memory') ?? '0',
  })
}

function isRunning(pod: JsonObject): boolean {
  return textAt(pod, 'status', 'phase') === 'Running'
}

function identityOf(object: StoredObject): Measured['metadata'] {
  const { name, namespace } = object.metadata
  return { name, namespace, labels: objectAt(object, 'metadata', 'labels') ?? {} }
}
