import { expect } from 'vitest'
import { consolidated, drifting, forced, refused } from './disrupted-fleets.ts'
import { describeSameOutcomes } from './same-outcomes.ts'

await describeSameOutcomes('the same fleets, kept by Karpenter and by the operator', {
  rounds: [drifting, forced, refused, ...consolidated.map((fleet) => [fleet])],
  // Logged once for each thing that happened, however often it was looked at.
  countedLines: [
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
  ],
  alsoOfKarpenter: ({ outcomes }) => {
    const commands = Object.values(outcomes).flatMap((outcome) => outcome.commands.map((each) => JSON.stringify(each)))
    for (const kind of ['Empty', 'Drifted', 'Underutilized'])
      expect(commands.filter((command) => command.includes(`"${kind}/`))).not.toEqual([])
  },
  // Of a fleet whose nodes are consolidated, those that are left are looked at again, or not, before all is over.
  shown: (outcome, name) => {
    const isLookedAtAgain = consolidated.some((fleet) => fleet.name === name)
    const told = outcome.told.filter((text) => !isLookedAtAgain || !text.includes(' Unconsolidatable '))
    return { ...outcome, told }
  },
})
