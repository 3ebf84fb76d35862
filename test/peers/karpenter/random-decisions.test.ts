import { beforeAll, expect, test } from 'vitest'
import { SeededRandom } from '../../../src/embedded/random.ts'
import { type Decisions, countsByZone, withoutZones } from '../support/decisions.ts'
import { reportFailures } from '../support/failure-report.ts'
import { describeWithPeers } from '../support/peers.ts'
import { type Asked, decide } from './decision-world.ts'
import { randomWorkloads } from './random-workloads.ts'
import { classes, type Workload } from './workloads.ts'

/** Another one each time: `JOINERY_SEED=7 npm run test:karpenter random-decisions`. */
const seed = process.env['JOINERY_SEED'] ?? '1'
const workloads = randomWorkloads(new SeededRandom(`decisions ${seed}`), 60)
const asked: Asked = { classes: classes.filter(({ name }) => name === 'decisions'), workloads, hasLaterBatches: true }

await describeWithPeers(
  `random pods and pools of seed ${seed}, given to Karpenter and to the operator`,
  ['kube-apiserver', 'kube-scheduler', 'moto', 'karpenter'],
  () => {
    let theirs: Decisions
    let again: Decisions
    let ours: Decisions
    const logs: string[] = []
    beforeAll(async () => {
      const first = await decide('Karpenter', asked)
      const second = await decide('Karpenter', asked)
      const own = await decide('Joinery', asked)
      theirs = first.decisions
      again = second.decisions
      ours = own.decisions
      logs.push(first.log, own.log)
    })
    reportFailures(() => Promise.resolve(logs.join('\n')))

    /** Karpenter draws lots where there is nothing to choose between. */
    const isDrawn = (workload: Workload) => JSON.stringify(of(theirs, workload)) !== JSON.stringify(of(again, workload))

    test.each(workloads)('$name: the same decisions', (workload) => {
      if (!isDrawn(workload)) expect(of(ours, workload), JSON.stringify(workload)).toEqual(of(theirs, workload))
    })

    test('few of them are drawn', () => {
      expect(workloads.filter(isDrawn).length).toBeLessThan(workloads.length / 4)
    })
  },
)

function of({ claims, told }: Decisions, { name, pools = [] }: Workload): unknown {
  return {
    pools: pools.map(({ suffix = '' }) => ({
      claims: withoutZones(claims[`${name}${suffix}`]),
      zones: countsByZone(claims[`${name}${suffix}`]),
    })),
    told: Object.entries(told)
      .filter(([object]) => object.startsWith(`Pod ${name}-`))
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  }
}
