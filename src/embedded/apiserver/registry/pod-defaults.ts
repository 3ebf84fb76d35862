import { arrayAt, isObject, type JsonObject, objectAt } from '../json.ts'

/** The defaults of a pod spec that something in the cluster or a client looks at. */
export function defaultPodSpec(spec: JsonObject): JsonObject {
  const withLists = withItems(
    withItems(withItems(spec, 'containers', defaultContainer), 'initContainers', defaultContainer),
    'ephemeralContainers',
    defaultContainer,
  )
  const withVolumes = withItems(withLists, 'volumes', defaultVolume)
  // What was negative once meant to stop at once.
  const grace = withVolumes['terminationGracePeriodSeconds']
  const withGrace =
    typeof grace === 'number' && grace < 0 ? { ...withVolumes, terminationGracePeriodSeconds: 1 } : withVolumes
  return withDefaults(withGrace, {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
    ...(typeof spec['serviceAccountName'] === 'string' ? { serviceAccount: spec['serviceAccountName'] } : {}),
  })
}

export function defaultTemplate(template: JsonObject): JsonObject {
  const spec = objectAt(template, 'spec')
  if (spec === undefined) return template
  const next = defaultPodSpec(spec)
  return next === spec ? template : { ...template, spec: next }
}

/** `value` with what `defaults` has and it lacks; the same reference when nothing is lacking. */
export function withDefaults<T extends JsonObject>(value: T, defaults: JsonObject): T {
  const missing = Object.entries(defaults).filter(([key]) => value[key] === undefined)
  return missing.length === 0 ? value : { ...value, ...Object.fromEntries(missing) }
}

function withItems(
  object: JsonObject,
  name: string,
  change: (item: JsonObject, owner: JsonObject) => JsonObject,
): JsonObject {
  const items = arrayAt(object, name)
  let changed = false
  const next = items.map((item) => {
    if (!isObject(item)) return item
    const after = change(item, object)
    changed ||= after !== item
    return after
  })
  return changed ? { ...object, [name]: next } : object
}

function defaultContainer(container: JsonObject, spec: JsonObject): JsonObject {
  const withPorts = withItems(container, 'ports', (port) =>
    withDefaults(port, {
      protocol: 'TCP',
      ...(spec['hostNetwork'] === true && port['hostPort'] === undefined ? { hostPort: port['containerPort'] } : {}),
    }),
  )
  const resources = defaultResources(objectAt(withPorts, 'resources'))
  const image = typeof container['image'] === 'string' ? container['image'] : ''
  const withProbes = defaultProbes(withPorts)
  const withResources = withProbes['resources'] === resources ? withProbes : { ...withProbes, resources }
  return withDefaults(withResources, {
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: isLatest(image) ? 'Always' : 'IfNotPresent',
  })
}

function defaultProbes(container: JsonObject): JsonObject {
  return ['livenessProbe', 'readinessProbe', 'startupProbe'].reduce((current, name) => {
    const probe = objectAt(current, name)
    if (probe === undefined) return current
    const http = objectAt(probe, 'httpGet')
    const complete = withDefaults(probe, {
      timeoutSeconds: 1,
      periodSeconds: 10,
      successThreshold: 1,
      failureThreshold: 3,
    })
    const next =
      http === undefined ? complete : { ...complete, httpGet: withDefaults(http, { path: '/', scheme: 'HTTP' }) }
    return { ...current, [name]: next }
  }, container)
}

/** A limit without a request is also the request. */
function defaultResources(resources: JsonObject | undefined): JsonObject {
  if (resources === undefined) return {}
  const limits = objectAt(resources, 'limits')
  if (limits === undefined) return resources
  const requests = objectAt(resources, 'requests') ?? {}
  const missing = Object.entries(limits).filter(([name]) => requests[name] === undefined)
  return missing.length === 0 ? resources : { ...resources, requests: { ...requests, ...Object.fromEntries(missing) } }
}

function isLatest(image: string): boolean {
  if (image.includes('@')) return false
  const name = image.slice(image.lastIndexOf('/') + 1)
  return !name.includes(':') || name.endsWith(':latest')
}

function defaultVolume(volume: JsonObject): JsonObject {
  for (const source of ['configMap', 'secret', 'projected', 'downwardAPI']) {
    const value = objectAt(volume, source)
    if (value === undefined) continue
    const next = withDefaults(value, { defaultMode: 420 })
    return next === value ? volume : { ...volume, [source]: next }
  }
  return Object.keys(volume).length === 1 ? { ...volume, emptyDir: {} } : volume
}
