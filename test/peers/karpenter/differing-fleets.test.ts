import { beforeAll, expect, test } from 'vitest'
import { hasCompatibilityLine } from '../support/compatibility-page.ts'
import { reportFailures } from '../support/failure-report.ts'
import { describeWithPeers } from '../support/peers.ts'
import type { ComparedFleet } from './compared-fleet.ts'
import { blocked, blocking, type DifferingFleet, overlooked, unlaunchable } from './differing-fleets.ts'
import { type KeptFleets, keepFleets } from './fleet-world.ts'

const rounds = [overlooked, blocking, blocked, unlaunchable]

await describeWithPeers(
  'what docs/compatibility.md says of nodes that come and go, with Karpenter and with the operator',
  ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'moto', 'karpenter'],
  () => {
    let theirs: KeptFleets
    let ours: KeptFleets
    beforeAll(async () => {
      ;[theirs, ours] = await Promise.all([kept('Karpenter'), kept('Joinery')])
    })
    reportFailures(() => Promise.resolve([theirs?.log, ours?.log].join('\n')))

    test.each(rounds.flat())('$name: $line', async ({ name, line, ends }) => {
      expect({ Karpenter: endOf(theirs, name), Joinery: endOf(ours, name) }).toMatchObject(ends)
      expect(await hasCompatibilityLine(line)).toBe(true)
    })
  },
)

function kept(who: 'Karpenter' | 'Joinery'): Promise<KeptFleets> {
  const asComparedFleet = (fleet: DifferingFleet): ComparedFleet => ({ ...fleet, ends: fleet.ends[who] })
  return keepFleets(
    who,
    rounds.map((round) => round.map(asComparedFleet)),
  )
}

/** Where nothing else is expected, what is fresh has become ready. */
function endOf({ outcomes }: KeptFleets, name: string): unknown {
  const { kept = [], fresh = [], progress = [] } = outcomes[name] ?? {}
  const isReady = JSON.stringify(progress).includes('"Ready True')
  return { kept: kept.length, fresh: fresh.length, isReady }
}
