import type { Pod, PodSpec, Unsaved } from '../../../src/api/kubernetes.ts'
import { labelCapacityType, labelZone } from '../../../src/api/labels.ts'
import type { Random } from '../../../src/model/random.ts'
import { type Labels, mutualPlaces, pick } from '../../support/pod-places.ts'

const workloadZones = ['us-east-1a', 'us-east-1b', 'us-east-1c'] as const

/** So many that the operator tells of each one where it means to put it: its events about that are limited to ten at once. */
const podsMax = 10

/**
 * Pods in groups that are alike, each group with its own demands on place: a zone, a capacity type, a spread, a distance or a
 * closeness. Whatever comes out can be placed.
 */
export function randomWorkload(random: Random, name: string): readonly Unsaved<Pod>[] {
  const pods: Unsaved<Pod>[] = []
  for (let group = 0; pods.length < podsMax; group += 1) {
    const labels = { workload: name, group: `${name}-${group}` }
    const size = 1 + random.below(Math.min(4, podsMax - pods.length))
    const requests = {
      cpu: `${pick(random, [200, 450, 700, 1_200])}m`,
      memory: `${pick(random, [128, 512, 1_024, 2_048])}Mi`,
    }
    const place = pick(random, places)(labels, random)
    for (let index = 0; index < size; index += 1) {
      pods.push({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: `${name}-${group}-${index}`, namespace: 'default', labels },
        spec: {
          terminationGracePeriodSeconds: 1,
          containers: [{ name: 'app', image: 'registry.example/app:1', resources: { requests } }],
          ...place,
          nodeSelector: { ...place.nodeSelector, fleet: name },
        },
      })
    }
  }
  return pods
}

type Place = Omit<Partial<PodSpec>, 'nodeSelector'> & { readonly nodeSelector?: Labels }

const places: readonly ((labels: Labels, random: Random) => Place)[] = [
  () => ({}),
  (_labels, random) => ({ nodeSelector: { [labelZone]: pick(random, workloadZones) } }),
  (_labels, random) => ({ nodeSelector: { [labelCapacityType]: pick(random, ['spot', 'on-demand']) } }),
  ...mutualPlaces,
]
