import {
  isSoftToleration,
  type PodConstraints,
  removing,
  tolerateSoftTaints,
} from '../../src/scheduling/pod-constraints.ts'

interface Relaxation {
  readonly constraints: PodConstraints
  /** As the log line names what was given up. */
  readonly reason: string
}

/**
 * Gives up the next thing a pod can do without; undefined when it insists on all that is left. The rule as the spec says it, one step at
 * a time.
 */
export function relax(constraints: PodConstraints, options: { softTaints: boolean }): Relaxation | undefined {
  const { requiredNodeTerms, spread } = constraints
  const [firstTerm, ...otherTerms] = requiredNodeTerms
  if (firstTerm !== undefined && otherTerms.length > 0) {
    return {
      constraints: { ...constraints, requiredNodeTerms: otherTerms },
      reason: `removing: spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]=${JSON.stringify(firstTerm)}`,
    }
  }
  const affinity = withoutHeaviest(constraints.preferredAffinity)
  if (affinity !== undefined) {
    return {
      constraints: { ...constraints, preferredAffinity: affinity.rest },
      reason: removing('podAffinity', affinity.dropped),
    }
  }
  const antiAffinity = withoutHeaviest(constraints.preferredAntiAffinity)
  if (antiAffinity !== undefined) {
    return {
      constraints: { ...constraints, preferredAntiAffinity: antiAffinity.rest },
      reason: removing('podAntiAffinity', antiAffinity.dropped),
    }
  }
  const nodeAffinity = withoutHeaviest(constraints.preferredNodeTerms)
  if (nodeAffinity !== undefined) {
    return {
      constraints: { ...constraints, preferredNodeTerms: nodeAffinity.rest },
      reason: removing('nodeAffinity', nodeAffinity.dropped),
    }
  }
  const soft = spread.findIndex((constraint) => constraint.whenUnsatisfiable === 'ScheduleAnyway')
  const dropped = spread[soft]
  if (dropped !== undefined) {
    // The last constraint takes the slot of the dropped one.
    const last = spread.at(-1) ?? dropped
    const rest = spread.with(soft, last).slice(0, -1)
    return {
      constraints: { ...constraints, spread: rest },
      reason: `removing: spec.topologySpreadConstraints = ${JSON.stringify(dropped)}`,
    }
  }
  if (options.softTaints && !constraints.tolerations.some(isSoftToleration)) {
    return { constraints: tolerateSoftTaints(constraints), reason: 'adding: toleration for PreferNoSchedule taints' }
  }
  return undefined
}

function withoutHeaviest<T extends { readonly weight: number }>(
  terms: readonly T[],
): { readonly dropped: T; readonly rest: readonly T[] } | undefined {
  const [dropped, ...rest] = terms.toSorted((a, b) => b.weight - a.weight)
  return dropped === undefined ? undefined : { dropped, rest }
}
