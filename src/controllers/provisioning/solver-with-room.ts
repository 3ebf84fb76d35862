import type { PodInfo } from '../../model/pod.ts'
import { askingFor, type Shortfall } from '../launches/shortfall.ts'
import type { Solver } from './solver-port.ts'

/** Pods whose nodes were smaller than promised ask for as much more; what comes out is told of the pods as they are. */
export function solverWithRoom(
  solver: Pick<Solver, 'solve'>,
  real: readonly PodInfo[],
  shortfalls: ReadonlyMap<string, Shortfall>,
): Pick<Solver, 'solve'> {
  if (shortfalls.size === 0) return solver
  const originals = new Map(real.flatMap((pod) => (shortfalls.has(pod.uid) ? [[pod.uid, pod] as const] : [])))
  const enlarged = (pods: readonly PodInfo[]): readonly PodInfo[] => pods.map((pod) => askingFor(pod, shortfalls))
  const original = (pod: PodInfo): PodInfo => originals.get(pod.uid) ?? pod
  const withOriginals = <T extends { readonly pods: readonly PodInfo[] }>(each: T): T => ({
    ...each,
    pods: each.pods.map(original),
  })
  return {
    async solve(request, signal) {
      const { pending, displaced } = request
      const asked = { ...request, pending: enlarged(pending), displaced: enlarged(displaced) }
      const outcome = await solver.solve(asked, signal)
      if (outcome.kind === 'noPools') return outcome
      return {
        ...outcome,
        claims: outcome.claims.map(withOriginals),
        existing: outcome.existing.map(withOriginals),
        failed: outcome.failed.map((each) => ({ ...each, pod: original(each.pod) })),
        relaxed: outcome.relaxed.map((each) => ({ ...each, pod: original(each.pod) })),
      }
    },
  }
}
