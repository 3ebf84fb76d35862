import { expect, test } from 'vitest'
import { away, near } from '../../support/affinity-terms.ts'
import { aNode, aPod, zoneKey, type PodOptions } from '../../support/scheduling-world.ts'
import { solveWorld, whereabouts } from '../../support/solving.ts'
import { running, spread } from '../../support/spread-world.ts'

/* To kube-scheduler a constraint without a selector speaks of no pod at all. */

const taken = ['z1', 'z2', 'z3'].map((zone) => running(zone, 2))

function placed(wish: PodOptions, nodes = taken): string | undefined {
  return whereabouts(solveWorld({ nodes, pods: [aPod({ name: 'p', ...wish })] }))['p']
}

test('nobody is there to be near to, so that no node helps', () => {
  expect(placed(near({ topologyKey: zoneKey }))).toMatch(/^unsatisfiable topology constraint for pod affinity/)
})

test('nobody is there to keep away from', () => {
  expect(placed(away({ topologyKey: zoneKey }))).toBe('new-0')
})

test('no zone is ahead', () => {
  const { labelSelector: _none, ...byZone } = spread(zoneKey)
  const roomy = aNode({ name: 'roomy', pool: 'np', labels: { [zoneKey]: 'z1' } })
  expect(placed({ topologySpreadConstraints: [byZone] }, [roomy, running('z1', 3)])).toBe('roomy')
})
