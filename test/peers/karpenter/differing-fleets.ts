import { setTimeout as sleep } from 'node:timers/promises'
import { minute } from '../../simulation/time.ts'
import { type ComparedFleet, type Ending, replaced, same, scheduledChange, small, typesOf } from './compared-fleet.ts'

/** Where we decide otherwise than Karpenter, as a line of docs/compatibility.md says. */
export interface DifferingFleet extends Omit<ComparedFleet, 'ends' | 'says'> {
  /** With what the line begins. */
  readonly line: string
  readonly ends: { readonly Karpenter: Ending; readonly Joinery: Ending }
}

/** A claim whose Node is gone is room for that long with the operator, too. */
const lostMs = 6 * minute
/** Several passes of either controller. */
const triedMs = minute

export const overlooked: readonly DifferingFleet[] = [
  {
    name: 'abroad',
    line: 'A message of the interruption queue that says that it is of another account or another region',
    groups: [small],
    change: (hands) =>
      hands.send((instance) => ({
        version: '0',
        id: 'a-message',
        'detail-type': 'EC2 Spot Instance Interruption Warning',
        source: 'aws.ec2',
        account: '999999999999',
        region: 'eu-west-1',
        time: new Date().toISOString(),
        resources: [],
        detail: { 'instance-id': instance, 'instance-action': 'terminate' },
      })),
    ends: { Karpenter: replaced, Joinery: same },
  },
  {
    name: 'over',
    line: 'A scheduled event of an instance that is over',
    groups: [small],
    change: (hands) => hands.publish((instance) => scheduledChange(instance, { statusCode: 'closed' })),
    ends: { Karpenter: replaced, Joinery: same },
  },
  {
    name: 'spoilt',
    line: 'A NodeClaim whose `status.providerID` can be that of no instance, as after an edit, once it is deleted',
    groups: [small],
    change: async (hands) => {
      await hands.mistake('aws:///nowhere')
      await hands.deleteClaims()
    },
    ends: { Karpenter: { kept: 1, fresh: 1 }, Joinery: replaced },
  },
  {
    name: 'lost',
    line: 'A NodeClaim that joined more than five minutes ago and whose Node was deleted without its finalizer',
    groups: [small],
    change: async (hands) => {
      await hands.loseNodes()
      await sleep(lostMs)
    },
    ends: { Karpenter: same, Joinery: { kept: 1, fresh: 1 } },
  },
]

/** Afterwards Karpenter disrupts nothing any more. */
export const blocking: readonly DifferingFleet[] = [
  {
    name: 'limited',
    line: 'A node to be disrupted whose replacement is refused at the launch',
    types: ['m5.xlarge'],
    groups: [small],
    change: async (hands) => {
      await hands.patchPool({ ...typesOf(['m5.large']), limits: { cpu: '3' } })
      await sleep(triedMs)
    },
    ends: { Karpenter: same, Joinery: same },
  },
]

export const blocked: readonly DifferingFleet[] = [
  {
    name: 'behind',
    line: 'A node to be disrupted whose replacement is refused at the launch',
    hasClass: true,
    groups: [small],
    change: async (hands) => {
      await hands.release('v20260201')
      await sleep(triedMs)
    },
    ends: { Karpenter: same, Joinery: replaced },
  },
]

const sizes = ['medium', 'large', 'xlarge', '2xlarge', '4xlarge', '8xlarge', '12xlarge', '16xlarge']
/** More than a launch may take, all of them cheaper than the last; the class has images of the other architecture alone. */
const imageless = ['m6g', 'c6g', 'r6g', 'm6gd', 'c6gd', 'r6gd', 'm7g', 'c7g', 'r7g'].flatMap((family) =>
  sizes.map((size) => `${family}.${size}`),
)

/** Afterwards Karpenter plans nothing any more. */
export const unlaunchable: readonly DifferingFleet[] = [
  {
    name: 'imageless',
    line: 'A NodeClaim that takes types for which its EC2NodeClass has no image, beside others',
    groups: [],
    change: async (hands) => {
      await hands.patchPool(typesOf([...imageless, 'm5.24xlarge']))
      await hands.start(small)
      await sleep(triedMs)
    },
    ends: { Karpenter: { kept: 0, fresh: 1, isReady: false }, Joinery: { kept: 0, fresh: 1 } },
  },
]

/** With node repair. */
export const mishandled: readonly DifferingFleet[] = [
  {
    name: 'undated',
    line: 'A node condition that does not say since when',
    groups: [small],
    change: async (hands) => {
      await hands.sayOfNodes({ type: 'StorageReady', status: 'False', reason: 'Broken', message: 'a disk is gone' })
      await sleep(triedMs)
    },
    ends: { Karpenter: replaced, Joinery: same },
  },
]
