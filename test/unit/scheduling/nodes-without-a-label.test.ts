import { expect, test } from 'vitest'
import { away, near, secured, term } from '../../support/affinity-terms.ts'
import { aClaim, aVolume, inZones } from '../../support/scheduling-objects.ts'
import { aNode, aPod, type PodOptions, zoneKey } from '../../support/scheduling-world.ts'
import { solveWorld, whereabouts } from '../../support/solving.ts'
import { required, spread } from '../../support/spread-world.ts'

/** A node that says nothing of its zone, as one outside of the cloud may not, with a pod on it. */
const unlabelled = aNode({ name: 'n', pool: 'np', pods: [aPod({ nodeName: 'n', labels: secured })] })
const volumes = {
  claims: new Map([['default/c', aClaim({ name: 'c', volumeName: 'pv' })]]),
  volumes: new Map([['pv', aVolume('pv', [inZones('z1')])]]),
}

function placed(wish: PodOptions): string | undefined {
  const notInZ3 = required({ key: zoneKey, operator: 'NotIn', values: ['z3'] })
  const pod = aPod({ name: 'p', ...wish, affinity: { ...wish.affinity, ...notInZ3.affinity } })
  return whereabouts(solveWorld({ nodes: [unlabelled], volumes, pods: [pod] }))['p']
}

test('a pod that rules out a zone goes to a node without a zone', () => {
  expect(placed({})).toBe('n')
  expect(placed(away(term(zoneKey, { app: 'other' })))).toBe('n')
})

test.each<[string, PodOptions]>([
  ['its volume is in one', { volumes: [{ name: 'c', persistentVolumeClaim: { claimName: 'c' } }] }],
  ['it has to be near to others in one', { labels: secured, ...near(term(zoneKey, secured)) }],
  [
    'it is spread over them',
    { labels: secured, topologySpreadConstraints: [spread(zoneKey, { labelSelector: { matchLabels: secured } })] },
  ],
])('but not where %s: kube-scheduler would refuse the node', (_why, wish) => {
  expect(placed(wish)).toBe('new-0')
})
