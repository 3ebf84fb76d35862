import type { PodInfo } from '../../model/pod.ts'
import { askingFor, type Shortfall } from '../launches/shortfall.ts'
import type { Solver } from './solver-port.ts'

/** Pods whose nodes were smaller than promised ask for as much more; what comes out is told of the pods as they are. */
export function solverWithRoom(
  solver: Pick<Solver, 'solve'>,
  pods: readonly PodInfo[],
  shortfalls: ReadonlyMap<string, Shortfall>,
): Pick<Solver, 'solve'> {
  if (shortfalls.size === 0) return solver
  const originals = new Map(pods.flatMap((pod) => (shortfalls.has(pod.uid) ? [[pod.uid, pod] as const] : [])))
  const enlarged = (some: readonly PodInfo[]): readonly PodInfo[] => some.map((pod) => askingFor(pod, shortfalls))
  const original = (pod: PodInfo): PodInfo => originals.get(pod.uid) ?? pod
  const withOriginals = <T extends { readonly pods: readonly PodInfo[] }>(each: T): T => ({
    ...each,
    pods: each.pods.map(original),
  })
  return {
    async solve(request, signal) {
      const { pending, virtual, displaced } = request
      const asked = {
        ...request,
        pending: enlarged(pending),
        virtual: enlarged(virtual),
        displaced: enlarged(displaced),
      }
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
