import { beforeAll, expect, test } from 'vitest'
import { reportFailures } from '../support/failure-report.ts'
import { describeWithPeers } from '../support/peers.ts'
import type { ComparedFleet } from './compared-fleet.ts'
import { loggedOf, type Outcome } from './fleet-outcomes.ts'
import { type KeptFleets, keepFleets } from './fleet-world.ts'

export interface Comparison {
  /** Fleets to which things are done at the same time, one list after the other. */
  readonly rounds: readonly (readonly ComparedFleet[])[]
  /** Messages of which both log as many. */
  readonly countedLines: readonly string[]
  /** What else is to hold of what Karpenter did, lest both do nothing. */
  readonly alsoOfKarpenter: (theirs: KeptFleets) => void
  /** Leaves out what differs from run to run. */
  readonly shown?: (outcome: Outcome, fleet: string) => Outcome
}

/** Of the code that wrote the line, and of the controller it belongs to. */
const ofWriter: ReadonlySet<string> = new Set(['caller', 'controllerGroup', 'controllerKind'])

/** The same fleets in two worlds at a time, one of them kept by Karpenter, the other by the operator. */
export async function describeSameOutcomes(
  title: string,
  { rounds, countedLines, alsoOfKarpenter, shown = (outcome) => outcome }: Comparison,
): Promise<void> {
  const peers = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'moto', 'karpenter'] as const
  await describeWithPeers(title, peers, () => {
    let theirs: KeptFleets
    let ours: KeptFleets
    beforeAll(async () => {
      ;[theirs, ours] = await Promise.all([keepFleets('Karpenter', rounds), keepFleets('Joinery', rounds)])
    })
    reportFailures(() => Promise.resolve([theirs.log, ours.log].join('\n')))

    test.each(rounds.flat())('$name: the same commands, the same nodes in the end, the same words', ({ name }) => {
      const [mine, their] = [ours, theirs].map(({ outcomes }) => outcomes[name])
      expect(mine && shown(mine, name)).toEqual(their && shown(their, name))
    })

    test('of Karpenter, what is compared is more than nothing', () => {
      alsoOfKarpenter(theirs)
    })

    test('the same is counted', () => {
      expect(ours.counted).toEqual(theirs.counted)
      expect(theirs.counted.length).toBeGreaterThan(10)
    })

    test.each(countedLines)('"%s" is logged as often, with the same fields', (message) => {
      const [mine, their] = [ours, theirs].map(({ lines }) => loggedOf(lines).get(message))
      expect(mine?.count).toEqual(their?.count)
      const absent = [...(their?.fields ?? [])].filter(
        (field) => !ofWriter.has(field) && mine?.fields.has(field) !== true,
      )
      expect(absent).toEqual([])
    })
  })
}
