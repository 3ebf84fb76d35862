import type { PodSpec } from '../../src/api/kubernetes.ts'
import { labelHostname, labelZone } from '../../src/api/labels.ts'
import type { Random } from '../../src/model/random.ts'

export type Labels = Readonly<Record<string, string>>

/** What pods that carry the labels ask of each other's places: to be spread over zones or nodes, each on its own node, all in one zone. */
export const mutualPlaces: readonly ((labels: Labels) => Pick<PodSpec, 'affinity' | 'topologySpreadConstraints'>)[] = [
  (labels) => ({ topologySpreadConstraints: [spread(labelZone, labels)] }),
  (labels) => ({ topologySpreadConstraints: [spread(labelHostname, labels)] }),
  (labels) => ({
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(labelHostname, labels)] } },
  }),
  (labels) => ({
    affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(labelZone, labels)] } },
  }),
]

function spread(topologyKey: string, matchLabels: Labels) {
  return { maxSkew: 1, topologyKey, whenUnsatisfiable: 'DoNotSchedule' as const, labelSelector: { matchLabels } }
}

function term(topologyKey: string, matchLabels: Labels) {
  return { topologyKey, labelSelector: { matchLabels } }
}

/** One of the choices, by a single draw. @throws when there are none */
export function pick<T>(random: Random, choices: readonly T[]): T {
  const chosen = choices[random.below(choices.length)]
  if (chosen === undefined) throw new Error('nothing to choose from')
  return chosen
}
