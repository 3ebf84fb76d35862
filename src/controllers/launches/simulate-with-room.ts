import type { Replacement } from '../../disruption/command.ts'
import type { Simulate } from '../../disruption/simulation.ts'
import type { PodInfo } from '../../model/pod.ts'
import { askingFor } from './shortfall.ts'
import type { VainLaunches } from './vain-launches.ts'

/** No pod moves to a node that is planned as small as those which did not take the likes of it. */
export function simulateWithRoom<Plan extends Replacement>(
  simulate: Simulate<Plan>,
  vain: Pick<VainLaunches, 'shortfalls' | 'shortfallsText'>,
): Simulate<Plan> {
  if (vain.shortfallsText === '') return simulate
  return (request) => {
    const candidates = request.candidates.map((candidate) => {
      const reschedulablePods = withRoom(candidate.reschedulablePods, vain)
      return reschedulablePods === candidate.reschedulablePods ? candidate : { ...candidate, reschedulablePods }
    })
    return simulate({ ...request, candidates })
  }
}

/** The pods themselves where nothing was learned of their nodes. */
export function withRoom(pods: readonly PodInfo[], vain: Pick<VainLaunches, 'shortfalls'>): readonly PodInfo[] {
  const shortfalls = vain.shortfalls(pods)
  return shortfalls.size === 0 ? pods : pods.map((pod) => askingFor(pod, shortfalls))
}
