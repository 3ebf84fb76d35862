import { beforeAll, expect, test } from 'vitest'
import { reportFailures } from '../support/failure-report.ts'
import { describeWithPeers } from '../support/peers.ts'
import { consolidated, drifting, forced, refused } from './disrupted-fleets.ts'
import { loggedOf, type Outcome } from './disruption-outcomes.ts'
import { type Disruptions, disrupt } from './disruption-world.ts'

const rounds = [drifting, forced, refused, ...consolidated.map((fleet) => [fleet])]

/** Logged once for each thing that happened, however often it was looked at. */
const countedLines = [
  'created nodeclaim',
  'launched nodeclaim',
  'registered nodeclaim',
  'initialized nodeclaim',
  'disrupting node(s)',
  'command succeeded',
  'consolidation score',
  'annotated nodeclaim',
  'tainted node',
  'deleting pod',
  'deleted node',
  'deleted nodeclaim',
  'initiating delete from interruption message',
  'provisioning nodeclaims to satisfy replica count',
  'deprovisioning nodeclaims to satisfy replica count',
  'deleting nodeclaim',
]

/** Of the code that wrote the line, and of the controller it belongs to. */
const ofWriter: ReadonlySet<string> = new Set(['caller', 'controllerGroup', 'controllerKind'])

await describeWithPeers(
  'the same fleets, kept by Karpenter and by the operator',
  ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'moto', 'karpenter'],
  () => {
    let theirs: Disruptions
    let ours: Disruptions
    beforeAll(async () => {
      ;[theirs, ours] = await Promise.all([disrupt('Karpenter', rounds), disrupt('Joinery', rounds)])
    })
    reportFailures(() => Promise.resolve([theirs.log, ours.log].join('\n')))

    test.each(rounds.flat())('$name: the same commands, the same nodes in the end, the same words', ({ name }) => {
      expect(shown(ours, name)).toEqual(shown(theirs, name))
    })

    test('commands of every kind were among them', () => {
      const commands = Object.values(theirs.outcomes).flatMap((outcome) =>
        outcome.commands.map((each) => JSON.stringify(each)),
      )
      for (const kind of ['Empty', 'Drifted', 'Underutilized'])
        expect(commands.filter((command) => command.includes(`"${kind}/`))).not.toEqual([])
    })

    test('the same is counted', () => {
      expect(ours.counted).toEqual(theirs.counted)
      expect(theirs.counted.length).toBeGreaterThan(15)
    })

    test.each(countedLines)('"%s" is logged as often, with the same fields', (message) => {
      const [mine, their] = [ours, theirs].map(({ lines }) => loggedOf(lines).get(message))
      expect(mine?.count).toEqual(their?.count)
      const absent = [...(their?.fields ?? [])].filter(
        (field) => !ofWriter.has(field) && mine?.fields.has(field) !== true,
      )
      expect(absent).toEqual([])
    })
  },
)

/** Of a fleet whose nodes are consolidated, those that are left are looked at again, or not, before all is over. */
function shown({ outcomes }: Disruptions, name: string): Outcome | undefined {
  const outcome = outcomes[name]
  const isLookedAtAgain = consolidated.some((fleet) => fleet.name === name)
  return (
    outcome && {
      ...outcome,
      told: outcome.told.filter((text) => !isLookedAtAgain || !text.includes(' Unconsolidatable ')),
    }
  )
}
