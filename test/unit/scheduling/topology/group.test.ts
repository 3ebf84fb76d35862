import fc from 'fast-check'
import { expect, test } from 'vitest'
import { labelHostname } from '../../../../src/api/labels.ts'
import { TopologyGroup } from '../../../../src/scheduling/topology/group.ts'
import type { GroupSpec } from '../../../../src/scheduling/topology/group-spec.ts'
import { HostTally } from '../../../../src/scheduling/topology/host-tally.ts'

const spec: GroupSpec = {
  kind: 'spread',
  inverse: false,
  key: labelHostname,
  namespaces: new Set(['default']),
  selector: {},
  maxSkew: 1,
  minDomains: undefined,
  filter: undefined,
  identity: 'web',
  tolerations: [],
}
/** Hosts of nodes; those of claims follow. */
const nodes = 48
const hosts = 2 * nodes

/** Pods that run, of which some leave, and pods that are placed one after another on nodes and claims. */
const histories = fc.record({
  running: fc.array(fc.nat(nodes - 1), { maxLength: 12 }),
  leaving: fc.nat(12),
  placed: fc.array(fc.oneof(fc.nat(5), fc.nat(hosts - 1), fc.integer({ min: nodes, max: nodes + 5 })), {
    maxLength: 120,
  }),
})

test('pods by host are counted as an array would count them, whoever leaves and however many are placed', () => {
  fc.assert(
    fc.property(histories, fc.boolean(), ({ running, leaving, placed }, asksFirst) => {
      const tally = new HostTally(nodes)
      for (const host of running) tally.add(host, 1)
      const left = running.slice(0, leaving)
      const group = new TopologyGroup(spec, nodes, () => ({
        domains: new Map(),
        withNodes: new Set(),
        hosts: tally,
        left,
      }))
      if (asksFirst) group.count()
      const plain = new Array<number>(hosts).fill(0)
      for (const host of running.slice(leaving)) plain[host] = (plain[host] ?? 0) + 1
      for (const host of placed) {
        group.addOnHost(host, 1)
        plain[host] = (plain[host] ?? 0) + 1
      }
      expect(plain.map((_, host) => group.onHost(host))).toEqual(plain)
      expect(group.isEmpty).toBe(plain.every((pods) => pods === 0))
      for (const most of [0, 1, 2]) {
        expect(group.claimsAbove(most)).toBe(plain.slice(nodes).filter((pods) => pods > most).length)
      }
      expect(group.occupiedHosts()).toEqual([...plain.keys()].filter((host) => (plain[host] ?? 0) > 0))
      expect(plain.map((_, host) => group.onHost(host))).toEqual(plain)
      expect(group.onHost(10 * hosts)).toBe(0)
    }),
    { numRuns: 300, seed: 1 },
  )
})
