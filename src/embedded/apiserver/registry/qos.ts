import { arrayAt, isObject, type JsonObject, objectAt } from '../json.ts'

/** Guaranteed when every container limits cpu and memory and requests as much, BestEffort when none asks for either. */
export function qosClassOf(spec: JsonObject): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const containers = [...arrayAt(spec, 'containers'), ...arrayAt(spec, 'initContainers')].filter(isObject)
  let any = false
  let guaranteed = containers.length > 0
  for (const container of containers) {
    const requests = objectAt(container, 'resources', 'requests') ?? {}
    const limits = objectAt(container, 'resources', 'limits') ?? {}
    for (const name of ['cpu', 'memory']) {
      if (requests[name] !== undefined || limits[name] !== undefined) any = true
      if (limits[name] === undefined || (requests[name] ?? limits[name]) !== limits[name]) guaranteed = false
    }
  }
  return !any ? 'BestEffort' : guaranteed ? 'Guaranteed' : 'Burstable'
}
