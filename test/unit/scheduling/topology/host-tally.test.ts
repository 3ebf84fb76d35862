import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HostTally } from '../../../../src/scheduling/topology/host-tally.ts'

test('counts as an array would, whether few hosts have pods or all', () => {
  const hosts = 64
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(hosts - 1), fc.integer({ min: 1, max: 9 }))), (added) => {
      const tally = new HostTally(hosts)
      const plain = new Int32Array(hosts)
      for (const [host, pods] of added) {
        tally.add(host, pods)
        plain[host] = (plain[host] ?? 0) + pods
      }
      const copy = new Int32Array(hosts)
      tally.copyTo(copy)
      expect(copy).toEqual(plain)
      expect(Array.from({ length: hosts + 1 }, (_, host) => tally.on(host))).toEqual([...plain, 0])
      expect(tally.occupied).toBe(plain.filter((pods) => pods > 0).length)
    }),
  )
})
