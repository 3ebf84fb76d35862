import type { Affinity } from '../../src/api/kubernetes.ts'
import type { PodInfo } from '../../src/model/pod.ts'

/** The pod with its next soft constraint dropped; undefined when nothing soft is left. */
export function relax(pod: PodInfo, tolerateSoftTaints: boolean): PodInfo | undefined {
  const { affinity } = pod
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  if (required.length > 1) {
    return withAffinity(pod, {
      nodeAffinity: {
        ...affinity?.nodeAffinity,
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: required.slice(1) },
      },
    })
  }
  for (const kind of ['podAffinity', 'podAntiAffinity', 'nodeAffinity'] as const) {
    const preferred: readonly { readonly weight: number }[] =
      affinity?.[kind]?.preferredDuringSchedulingIgnoredDuringExecution ?? []
    if (preferred.length === 0) continue
    const lighter = preferred.toSorted((a, b) => b.weight - a.weight).slice(1)
    const changed = { ...affinity?.[kind], preferredDuringSchedulingIgnoredDuringExecution: lighter }
    return withAffinity(pod, { [kind]: changed } as Affinity)
  }
  const anyway = pod.topologySpreadConstraints.findIndex(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway',
  )
  if (anyway >= 0) {
    const constraints = [...pod.topologySpreadConstraints]
    const last = constraints.pop()
    if (last !== undefined && anyway < constraints.length) constraints[anyway] = last
    return { ...pod, topologySpreadConstraints: constraints }
  }
  const soft = { operator: 'Exists', effect: 'PreferNoSchedule' } as const
  const isThere = pod.tolerations.some(
    ({ key, operator, value, effect }) =>
      key === undefined && value === undefined && operator === soft.operator && effect === soft.effect,
  )
  return tolerateSoftTaints && !isThere ? { ...pod, tolerations: [...pod.tolerations, soft] } : undefined
}

function withAffinity(pod: PodInfo, change: Affinity): PodInfo {
  return { ...pod, affinity: { ...pod.affinity, ...change } }
}
