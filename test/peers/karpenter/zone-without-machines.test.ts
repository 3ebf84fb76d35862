import { beforeAll, expect, test } from 'vitest'
import { hasCompatibilityLine } from '../support/compatibility-page.ts'
import { countsByZone, type Decisions } from '../support/decisions.ts'
import { describeWithPeers } from '../support/peers.ts'
import { decide } from './decision-world.ts'
import { classes, zoneWithoutMachines } from './workloads.ts'

/** A world of its own: Karpenter draws among equal zones, so that a later batch may place what waited for the empty one. */
await describeWithPeers(
  'pods that spread with a skew of two over three zones, of which one has no machines',
  ['kube-apiserver', 'kube-scheduler', 'moto', 'karpenter'],
  () => {
    const nodes: { [who in 'Karpenter' | 'Joinery']?: Decisions['claims'][string] | undefined } = {}
    beforeAll(async () => {
      for (const who of ['Karpenter', 'Joinery'] as const) {
        const asked = { classes, workloads: [zoneWithoutMachines], hasLaterBatches: true } as const
        nodes[who] = (await decide(who, asked)).decisions.claims[zoneWithoutMachines.name]
      }
    }, 900_000)

    test('go as far as their skew lets them with the operator, and with Karpenter wait for that zone', async () => {
      expect(countsByZone(nodes.Joinery)).toEqual([2, 2])
      // Each goes to a zone that has fewest, which of those with machines is none that has a pod.
      const theirs = countsByZone(nodes.Karpenter)
      expect(theirs.filter((count) => count !== 1)).toEqual([])
      expect(theirs.length).toBeLessThanOrEqual(2)
      expect(await hasCompatibilityLine('Pods that may spread with a skew of more than one')).toBe(true)
    })
  },
)
