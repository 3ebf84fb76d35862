import { beforeAll, expect, test } from 'vitest'
import { SeededRandom } from '../../../src/embedded/random.ts'
import { addResources, toResourceList, toResources } from '../../../src/model/resources.ts'
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

    /**
     * Karpenter lets a pod that its spread refuses tolerate soft taints at last, and then counts none of those that the pass has placed
     * before it (docs/compatibility.md).
     */
    const isMiscounted = (workload: Workload) => {
      const refusals = Object.entries(ours.told).filter(([object]) => object.startsWith(`Pod ${workload.name}-`))
      const areOfSpread = refusals.every(([, texts]) =>
        texts.every((text) => String(text).includes('unsatisfiable topology constraint for topology spread')),
      )
      return refusals.length > 0 && areOfSpread && of(theirs, workload).told.length === 0
    }

    /** To Karpenter pods that are to be together or apart by zone may use none of a pool with a soft taint (docs/compatibility.md). */
    const isBarred = ({ name, pools = [] }: Workload) =>
      JSON.stringify(pools).includes('PreferNoSchedule') &&
      Object.entries(theirs.told)
        .filter(([object]) => object.startsWith(`Pod ${name}-`))
        .some(([, texts]) => texts.some((text) => String(text).includes('unsatisfiable topology constraint for pod a')))

    /** Karpenter does not come back to node terms that a pod gave up for want of what it only prefers (docs/compatibility.md). */
    const isStranded = (workload: Workload) => {
      const hasTerms = workload.groups.some(({ spec }) => {
        const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
        return (required?.nodeSelectorTerms.length ?? 0) > 1
      })
      return hasTerms && of(theirs, workload).told.length > of(ours, workload).told.length
    }

    test.each(workloads)('$name: the same decisions', (workload) => {
      if (isDrawn(workload) || isMiscounted(workload) || isBarred(workload) || isStranded(workload)) return
      expect(of(ours, workload), JSON.stringify(workload)).toEqual(of(theirs, workload))
    })

    test('few of them are drawn, barred or stranded, and next to none miscounted', () => {
      expect(workloads.filter(isDrawn).length).toBeLessThan(workloads.length / 4)
      expect(workloads.filter(isBarred).length).toBeLessThanOrEqual(workloads.length / 10)
      expect(workloads.filter(isStranded).length).toBeLessThanOrEqual(workloads.length / 10)
      expect(workloads.filter(isMiscounted).length).toBeLessThanOrEqual(workloads.length / 20)
    })
  },
)

/**
 * What no lot changes: the machines of each pool, and how much is to run on all of them together. Which of two machines with as many pods
 * gets the next one is drawn, since machines of all workloads are sorted together; and whether a pool's limits are reached already, which
 * the message about a pod says of every pool, depends on whose turn came first. The first of pods that are to be in one zone may leave its
 * machine two to choose from.
 */
function of({ claims, told }: Decisions, { name, pools = [], groups }: Workload) {
  const joinsByZone = groups.some(({ spec }) => JSON.stringify(spec?.affinity?.podAffinity ?? {}).includes('zone'))
  return {
    pools: pools.map(({ suffix = '' }) => {
      const wishes = (claims[`${name}${suffix}`] ?? []) as readonly Wish[]
      const machines = wishes.map((wish) => ({ ...wish, resources: undefined }))
      const zones = joinsByZone ? 'drawn' : countsByZone(machines)
      return { machines: withoutZones(machines), zones, requested: requestedBy(wishes) }
    }),
    told: Object.entries(told)
      .filter(([object]) => object.startsWith(`Pod ${name}-`))
      .map(([object, texts]) => [object, [...new Set(texts.map((text) => reasonOf(String(text))))]])
      .toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)),
  }
}

interface Wish {
  readonly resources?: { readonly requests?: Readonly<Record<string, string>> }
}

function requestedBy(wishes: readonly Wish[]): Readonly<Record<string, string>> {
  return toResourceList(addResources(...wishes.map(({ resources }) => toResources(resources?.requests))))
}

/** `Warning FailedScheduling`, of an event's type, reason and message. */
function reasonOf(text: string): string {
  return text.split(' ', 2).join(' ')
}
