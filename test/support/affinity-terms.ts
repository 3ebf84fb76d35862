import type { PodAffinityTerm } from '../../src/api/kubernetes.ts'
import { zoneKey, type PodOptions } from './scheduling-world.ts'

/** Pods that want to be near others, or away from them. */

/** Labels of the pods that the terms of these tests select. */
export const secured = { security: 's2' }

export function term(
  topologyKey: string,
  matchLabels: Record<string, string>,
  rest: Partial<PodAffinityTerm> = {},
): PodAffinityTerm {
  return { topologyKey, labelSelector: { matchLabels }, ...rest }
}

export const near = (...terms: PodAffinityTerm[]): PodOptions => ({
  affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
})
export const away = (...terms: PodAffinityTerm[]): PodOptions => ({
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
})
export const preferAway = (...terms: PodAffinityTerm[]): PodOptions => ({
  affinity: {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: terms.map((podAffinityTerm) => ({
        weight: 10,
        podAffinityTerm,
      })),
    },
  },
})
export const inZone = (zone: string): PodOptions => ({ nodeSelector: { [zoneKey]: zone } })
export const cpu = (amount: string): PodOptions => ({ requests: { cpu: amount } })
