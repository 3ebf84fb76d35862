import { expect, test } from 'vitest'
import type { PodInfo } from '../../../src/model/pod.ts'
import { runToEnd } from '../../../src/model/sliced.ts'
import { countByEffectiveZone, prepare } from '../../../src/scheduling/index.ts'
import { aClaim, aVolume, inZones } from '../../support/scheduling-objects.ts'
import { aNode, aPod, aSnapshot, type PodOptions, zoneKey } from '../../support/scheduling-world.ts'
import { testSettings } from '../../support/solving.ts'

const labels = { app: 'a' }
const spread: PodOptions = {
  labels,
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: zoneKey, whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: labels } },
  ],
}
const near = (app: string): PodOptions => ({
  affinity: {
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: zoneKey, labelSelector: { matchLabels: { app } } },
      ],
    },
  },
})
const mounting: PodOptions = { volumes: [{ name: 'c', persistentVolumeClaim: { claimName: 'c' } }] }

/** Pods of the app run in z1 and z2, one each; the volume is in z2. */
function zoneOf(pod: PodInfo): string[] {
  const nodes = ['z1', 'z2'].map((zone) =>
    aNode({ name: zone, pool: 'np', labels: { [zoneKey]: zone }, pods: [aPod({ labels, nodeName: zone })] }),
  )
  const volumes = {
    claims: new Map([['default/c', aClaim({ name: 'c', volumeName: 'pv' })]]),
    volumes: new Map([['pv', aVolume('pv', [inZones('z2')])]]),
  }
  const context = prepare(aSnapshot({ nodes, volumes }), testSettings, [pod])
  return [...runToEnd(countByEffectiveZone(context, [pod]))].map(([zone, count]) => `${zone}=${count}`)
}

const cases: Record<string, { pod: PodInfo; want: string[] }> = {
  'nothing required: flexible': { pod: aPod(), want: ['flexible=1'] },
  'one zone required': { pod: aPod({ nodeSelector: { [zoneKey]: 'z3' } }), want: ['z3=1'] },
  'where the volume is': { pod: aPod(mounting), want: ['z2=1'] },
  'a zone that the volume is not in': {
    pod: aPod({ ...mounting, nodeSelector: { [zoneKey]: 'z1' } }),
    want: ['none=1'],
  },
  'the only zone that the spread leaves': { pod: aPod(spread), want: ['z3=1'] },
  'beside somebody who is nowhere': { pod: aPod(near('nobody')), want: ['none=1'] },
  'beside pods in two zones': { pod: aPod(near('a')), want: ['flexible=1'] },
  'a pod that runs already is not counted': { pod: aPod({ nodeName: 'z1' }), want: [] },
}

test.each(Object.entries(cases))('%s', (_name, { pod, want }) => {
  expect(zoneOf(pod)).toEqual(want)
})
