import { expect } from 'vitest'
import { arriving, leaving, unlaunched } from './lifecycle-fleets.ts'
import { describeSameOutcomes } from './same-outcomes.ts'

await describeSameOutcomes('machines that come and go, with Karpenter and with the operator', {
  rounds: [leaving, arriving, unlaunched],
  countedLines: [
    'launched nodeclaim',
    'registered nodeclaim',
    'initialized nodeclaim',
    'tainted node',
    'deleting pod',
    'deleted node',
    'deleted nodeclaim',
    'provisioning nodeclaims to satisfy replica count',
    'garbage collected nodeclaim with no cloudprovider representation',
  ],
  alsoOfKarpenter: ({ outcomes }) => {
    const told = Object.values(outcomes).flatMap((outcome) => outcome.told)
    expect(told.length).toBeGreaterThan(20)
  },
  // A pass may look at a node just before it goes.
  shown: (outcome) => ({ ...outcome, told: outcome.told.filter((text) => !text.includes(' DisruptionBlocked ')) }),
})
