import type { PodDisruptionBudget } from '../../api/kubernetes.ts'
import { nodeClaims } from '../../kube/karpenter-kinds.ts'
import { nodes, podDisruptionBudgets } from '../../kube/kinds.ts'
import { readFleet } from '../embedded/fleet.ts'
import type { Stack } from '../embedded/stack.ts'

/** Watches while a step runs: what must never happen, and how far it went. */
export interface Witness {
  /** Most nodes that were being disrupted at one moment. */
  readonly mostDisrupted: number
  /** Times a PodDisruptionBudget had fewer healthy pods than it asks for. */
  readonly breaches: readonly string[]
  stop(): void
}

export function watchPromises(stack: Stack): Witness {
  let mostDisrupted = 0
  const breaches: string[] = []
  const { caches } = stack.operator
  const count = (): void => {
    mostDisrupted = Math.max(mostDisrupted, readFleet(stack).disrupted)
  }
  const unsubscribe = [
    caches.of(nodes).subscribe(count),
    caches.of(nodeClaims).subscribe(count),
    caches.of(podDisruptionBudgets).subscribe(({ after }) => {
      if (after !== undefined && isBreached(after)) {
        const { currentHealthy = 0, desiredHealthy = 0 } = after.status ?? {}
        breaches.push(`${after.metadata.name}: ${currentHealthy} of ${desiredHealthy}`)
      }
    }),
  ]
  return {
    get mostDisrupted() {
      return mostDisrupted
    },
    breaches,
    stop: () => {
      for (const end of unsubscribe) end()
    },
  }
}

function isBreached({ metadata, status }: PodDisruptionBudget): boolean {
  if (status?.observedGeneration !== metadata.generation) return false
  return (status?.currentHealthy ?? 0) < (status?.desiredHealthy ?? 0)
}
