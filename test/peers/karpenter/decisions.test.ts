import { beforeAll, expect, test } from 'vitest'
import { reportFailures } from '../support/failure-report.ts'
import { countsByZone, type Decisions, withoutZones } from '../support/decisions.ts'
import { describeWithPeers } from '../support/peers.ts'
import { decide } from './decision-world.ts'
import { classes, type Workload, workloads } from './workloads.ts'

await describeWithPeers(
  'the same pods and pools, given to Karpenter and to the operator',
  ['kube-apiserver', 'kube-scheduler', 'moto', 'karpenter'],
  () => {
    let theirs: Decisions
    let ours: Decisions
    const logs: string[] = []
    beforeAll(async () => {
      for (const who of ['Karpenter', 'Joinery'] as const) {
        const { decisions, log } = await decide(who, { classes, workloads })
        if (who === 'Karpenter') theirs = decisions
        else ours = decisions
        logs.unshift(log)
      }
    })
    reportFailures(() => Promise.resolve(logs.join('\n')))

    test.each(workloads)('$name: the same nodes, the same choice of machines, the same words', (workload) => {
      expect(of(ours, workload)).toEqual(of(theirs, workload))
    })

    test('pods that are to be together are in one zone, wherever it is drawn', () => {
      const together = workloads.filter(({ isZoneDrawn }) => isZoneDrawn)
      expect(together.map(({ name }) => countsByZone(ours.claims[name]))).toEqual([[ours.claims['together']?.length]])
    })

    test('most workloads get nodes, and some pods are refused', () => {
      expect(Object.keys(theirs.claims).length).toBeGreaterThan(15)
      expect(Object.keys(theirs.told).filter((name) => name.startsWith('Pod ')).length).toBeGreaterThan(5)
    })

    test.each(classes)('EC2NodeClass $name: the same status', ({ name }) => {
      const object = `EC2NodeClass ${name}`
      expect(ours.status[object]).toEqual(theirs.status[object])
      expect(ours.told[object]).toEqual(theirs.told[object])
    })

    test('the same launch templates', () => {
      expect(ours.templates).toEqual(theirs.templates)
    })
  },
)

function of(
  { claims, progress, fleets, status, told }: Decisions,
  { name, isTied = false, isZoneDrawn = false, mayRunOut = false, overlays = [], pools = [{}] }: Workload,
): unknown {
  const names = pools.map(({ suffix = '' }) => `${name}${suffix}`)
  const warnings = (texts: readonly unknown[] | undefined) =>
    texts
      ?.map(String)
      .filter((text) => text.startsWith('Warning') && !(mayRunOut && text.includes('NoCompatibleInstanceTypes')))
  const place = (values: readonly unknown[] | undefined) => (isTied ? withoutZones(values) : values)
  return {
    pools: names.map((pool) => ({
      status: status[`NodePool ${pool}`],
      claims: place(claims[pool]),
      zones: isZoneDrawn ? 'drawn' : countsByZone(claims[pool]),
      progress: progress[pool],
      fleets: place(fleets[pool]),
      told: told[`NodeClaim claim of ${pool}`],
      warned: warnings(told[`NodePool ${pool}`]),
    })),
    overlays: overlays.map((_, index) => status[`NodeOverlay ${name}-${index}`]),
    buffer: status[`CapacityBuffer ${name}`],
    told: Object.entries(told)
      .filter(([object]) => object.startsWith(`Pod ${name}-`))
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  }
}
