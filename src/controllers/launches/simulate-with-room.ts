import type { Replacement } from '../../disruption/command.ts'
import type { Simulate } from '../../disruption/simulation.ts'
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
      const shortfalls = vain.shortfalls(candidate.reschedulablePods)
      if (shortfalls.size === 0) return candidate
      return { ...candidate, reschedulablePods: candidate.reschedulablePods.map((pod) => askingFor(pod, shortfalls)) }
    })
    return simulate({ ...request, candidates })
  }
}
