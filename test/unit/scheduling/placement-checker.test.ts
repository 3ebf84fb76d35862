import { expect, test } from 'vitest'
import type { Affinity } from '../../../src/api/kubernetes.ts'
import { oneValue } from '../../../src/model/requirement.ts'
import type { PodInfo } from '../../../src/model/pod.ts'
import type { StateNode } from '../../../src/model/snapshot.ts'
import type { Placement } from '../../../src/scheduling/index.ts'
import { violations } from '../../support/placement-checker.ts'
import { aNode, aPod, aType, type PodOptions, pods, zoneKey } from '../../support/scheduling-world.ts'
import { solveWorld } from '../../support/solving.ts'

const web = { app: 'web' }
const byZone = { topologyKey: zoneKey, labelSelector: { matchLabels: web } }
const inZone = (zone: string): PodOptions => ({ nodeSelector: { [zoneKey]: zone } })
const spread: PodOptions = {
  labels: web,
  topologySpreadConstraints: [{ ...byZone, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' }],
}
const wanting = (kind: keyof Pick<Affinity, 'podAffinity' | 'podAntiAffinity'>): PodOptions => ({
  affinity: { [kind]: { requiredDuringSchedulingIgnoredDuringExecution: [byZone] } },
})

/** The same pods on the same plans, in other zones. */
function moved(placement: Placement, zones: readonly string[]): Placement {
  const newNodePlans = placement.newNodePlans.map((plan, index) => {
    const requirements = new Map([...plan.requirements, [zoneKey, oneValue(zoneKey, zones[index] ?? 'z1')]])
    return { ...plan, requirements }
  })
  return { ...placement, newNodePlans }
}

interface Case {
  readonly pods: readonly PodInfo[]
  readonly nodes?: readonly StateNode[]
  /** Of the planned nodes, in their order. */
  readonly zones: readonly string[]
  readonly wrong: RegExp
}

const cases: Record<string, Case> = {
  'pods of a spread that are three to one': {
    pods: pods(4, spread),
    zones: ['z1', 'z2', 'z1'],
    wrong: /^pods like .* are 3, 1 in z1, z2$/,
  },
  'pods of a spread that went where others run': {
    pods: pods(2, spread),
    nodes: [
      aNode({ name: 'n', labels: { [zoneKey]: 'z1' }, allocatable: { pods: '2' }, pods: pods(2, { labels: web }) }),
    ],
    zones: ['z1', 'z2'],
    wrong: /^pods like .* are 3, 1 in z1, z2$/,
  },
  'a pod beside one that it avoids': {
    pods: [aPod({ labels: web, requests: { cpu: '2' }, ...inZone('z1') }), aPod(wanting('podAntiAffinity'))],
    zones: ['z1', 'z1'],
    wrong: /, which keep apart, are both in z1$/,
  },
  'a pod far from the one that it wants to be near to': {
    pods: [
      aPod({ labels: web, requests: { cpu: '3' }, ...inZone('z1') }),
      aPod({ requests: { cpu: '3' }, ...wanting('podAffinity') }),
    ],
    zones: ['z1', 'z2'],
    wrong: / is in z2, where nobody is that it wants to be near to$/,
  },
  'pods of one kind that want to be together, in two zones': {
    pods: pods(2, { labels: web, requests: { cpu: '3' }, ...wanting('podAffinity') }),
    zones: ['z1', 'z2'],
    wrong: / is in z[12], where nobody is that it wants to be near to$/,
  },
}

test.each(Object.entries(cases))(
  'the checker of placements finds %s',
  (_name, { nodes = [], zones, wrong, ...given }) => {
    const placement = solveWorld({ types: [aType({ name: 'four', cpu: '4', memory: '4Gi' })], nodes, pods: given.pods })
    expect(violations(given.pods, placement, nodes)).toEqual([])
    expect(violations(given.pods, moved(placement, zones), nodes)).toEqual(
      expect.arrayContaining([expect.stringMatching(wrong)]),
    )
  },
)
