import { beforeAll, describe, expect, test } from 'vitest'
import { hasCompatibilityLine } from '../support/compatibility-page.ts'
import { reportFailures } from '../support/failure-report.ts'
import { describeWithPeers } from '../support/peers.ts'
import type { ComparedFleet } from './compared-fleet.ts'
import { blocked, blocking, type DifferingFleet, mishandled, overlooked, unlaunchable } from './differing-fleets.ts'
import { type KeptFleets, keepFleets } from './fleet-world.ts'

/** What is done one after the other in a world of its own. */
interface Course {
  readonly rounds: readonly (readonly DifferingFleet[])[]
  readonly gates?: string
  /** Lines of docs/compatibility.md about what is told of it. */
  readonly told?: readonly Told[]
}

interface Told {
  readonly line: string
  /** Whether it is told as the line says of Karpenter. */
  readonly isTheirs: (kept: KeptFleets) => boolean
}

const told: readonly Told[] = [
  {
    line: 'Events `Finalized`',
    isTheirs: ({ events }) =>
      events.some(({ reason, involvedObject: { name = '' } }) => reason === 'Finalized' && name === ''),
  },
  {
    line: '`karpenter_scheduler_queue_depth`, `karpenter_scheduler_unfinished_work_seconds`',
    isTheirs: ({ metrics }) => /^karpenter_scheduler_queue_depth\{.*scheduling_id="[0-9a-f]{8}-/m.test(metrics),
  },
  {
    line: 'Labels of metrics of disrupted claims and of nodes',
    isTheirs: ({ metrics }) => !/^karpenter_nodeclaims_disrupted_total\{.*consolidation_policy=/m.test(metrics),
  },
]

const courses: Readonly<Record<string, Course>> = {
  'that come and go': { rounds: [overlooked, blocking, blocked, unlaunchable], told },
  'that are said to be broken': { rounds: [mishandled], gates: 'NodeRepair=true' },
}

await describeWithPeers(
  'what docs/compatibility.md says of nodes, with Karpenter and with the operator',
  ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'moto', 'karpenter'],
  () => {
    describe.each(Object.entries(courses))('%s', (_name, course) => {
      let theirs: KeptFleets
      let ours: KeptFleets
      beforeAll(async () => {
        ;[theirs, ours] = await Promise.all([kept('Karpenter', course), kept('Joinery', course)])
      })
      reportFailures(() => Promise.resolve([theirs?.log, ours?.log].join('\n')))

      test.each(course.told ?? [])('told of it: $line', async ({ line, isTheirs }) => {
        expect({ Karpenter: isTheirs(theirs), Joinery: isTheirs(ours) }).toEqual({ Karpenter: true, Joinery: false })
        expect(await hasCompatibilityLine(line)).toBe(true)
      })

      test.each(course.rounds.flat())('$name: $line', async ({ name, line, ends }) => {
        expect({ Karpenter: endOf(theirs, name), Joinery: endOf(ours, name) }).toMatchObject(ends)
        expect(await hasCompatibilityLine(line)).toBe(true)
      })
    })
  },
)

function kept(who: 'Karpenter' | 'Joinery', { rounds, gates }: Course): Promise<KeptFleets> {
  const asComparedFleet = (fleet: DifferingFleet): ComparedFleet => ({
    ...fleet,
    ends: fleet.ends[who],
  })
  return keepFleets(
    who,
    rounds.map((round) => round.map(asComparedFleet)),
    gates,
  )
}

/** Where nothing else is expected, what is fresh has become ready. */
function endOf({ outcomes }: KeptFleets, name: string): unknown {
  const { kept = [], progress = [] } = outcomes[name] ?? {}
  // One that never came up is given up after a while, and the next is made while it goes.
  const fresh = progress.map((claim) => JSON.stringify(claim)).filter((text) => !text.includes('"isLeaving":true'))
  return { kept: kept.length, fresh: fresh.length, isReady: fresh.some((text) => text.includes('"Ready True')) }
}
