import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { reportFailures } from '../support/failure-report.ts'
import { describeWithPeers } from '../support/peers.ts'
import type { ComparedFleet } from './compared-fleet.ts'
import { blocked, blocking, type DepartingFleet, departing, unlaunchable } from './departing-fleets.ts'
import { type KeptFleets, keepFleets } from './fleet-world.ts'

const page = join(import.meta.dirname, '..', '..', '..', 'docs', 'compatibility.md')
const rounds = [departing, blocking, blocked, unlaunchable]

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
      expect(await readFile(page, 'utf8')).toContain(`\n| ${line}`)
    })
  },
)

function kept(who: 'Karpenter' | 'Joinery'): Promise<KeptFleets> {
  const asComparedFleet = (fleet: DepartingFleet): ComparedFleet => ({ ...fleet, ends: fleet.ends[who] })
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
