import type { TopologySpreadConstraint } from '../../src/api/kubernetes.ts'
import type { PodInfo } from '../../src/model/pod.ts'
import { aNode, aPool, type PodOptions, pods, zoneKey } from './scheduling-world.ts'

/** What pods that spread are tried on: a deployment `web`, and nodes and pools in zones. */

export const labels = { app: 'web' }

export function spread(topologyKey: string, rest: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint {
  return {
    maxSkew: 1,
    topologyKey,
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels: labels },
    ...rest,
  }
}

export function webPods(count: number, constraint: TopologySpreadConstraint, rest: PodOptions = {}): PodInfo[] {
  return pods(count, { labels, topologySpreadConstraints: [constraint], ...rest })
}

export const byZone = spread(zoneKey)
export const inOneOf = (...values: string[]) => [{ key: zoneKey, operator: 'In' as const, values }]
export const zonesOf = (...values: string[]) => [aPool({ requirements: inOneOf(...values) })]

/** A full node of the pool with running pods of the deployment in a zone. */
export function running(zone: string, count: number, rest: { labels?: Record<string, string>; name?: string } = {}) {
  const name = rest.name ?? `node-${zone}`
  return aNode({
    name,
    pool: 'np',
    labels: { [zoneKey]: zone, ...rest.labels },
    allocatable: { cpu: '4', memory: '4Gi', pods: String(count) },
    pods: pods(count, { labels, nodeName: name }),
  })
}

export function required(...matchExpressions: { key: string; operator: string; values?: string[] }[]): PodOptions {
  return {
    affinity: {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
    },
  }
}

export const inZones = (...values: string[]) => required({ key: zoneKey, operator: 'In', values })
