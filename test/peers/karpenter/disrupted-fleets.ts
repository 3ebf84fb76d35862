import {
  type ComparedFleet,
  doNotDisrupt,
  type Hands,
  type PodGroup,
  protectedOne,
  replaced,
  same,
  scheduledChange,
  small,
  typesOf,
} from './compared-fleet.ts'

const newImage = (hands: Hands) => hands.release('v20260201')
const teamLabel = { template: { metadata: { labels: { 'example.com/team': 'web' } } } }
const atOnce = { consolidateAfter: '0s' as const }
const consolidate = (hands: Hands) => hands.patchPool({ disruption: atOnce })

/** Nothing of these waits for another, so that they go on at the same time. */
export const drifting: readonly ComparedFleet[] = [
  { name: 'drifted', hasClass: true, groups: [small], change: newImage, ends: replaced },
  {
    name: 'drifted-pod-held',
    hasClass: true,
    groups: [protectedOne],
    change: newImage,
    ends: same,
    says: 'do-not-disrupt',
  },
  {
    name: 'drifted-guarded',
    hasClass: true,
    groups: [small],
    guards: 1,
    change: newImage,
    ends: same,
    says: 'Pdb prevents',
  },
  {
    name: 'drifted-guarded-twice',
    hasClass: true,
    groups: [small],
    guards: 2,
    change: newImage,
    ends: same,
    says: 'multiple PDBs',
  },
  {
    name: 'drifted-pod-held-an-hour',
    hasClass: true,
    groups: [{ ...small, annotations: { 'karpenter.sh/do-not-disrupt': '1h' } }],
    change: newImage,
    ends: same,
    says: 'do-not-disrupt',
  },
  {
    name: 'drifted-pod-not-held',
    hasClass: true,
    groups: [{ ...small, annotations: { 'karpenter.sh/do-not-disrupt': 'false' } }],
    change: newImage,
    ends: replaced,
  },
  {
    name: 'drifted-node-held',
    hasClass: true,
    groups: [small],
    change: async (hands) => {
      await hands.patchNodes({ annotations: doNotDisrupt })
      await newImage(hands)
    },
    ends: same,
    says: 'do-not-disrupt',
  },
  {
    name: 'drifted-grace',
    hasClass: true,
    groups: [protectedOne],
    template: { terminationGracePeriod: '45s' },
    change: newImage,
    ends: replaced,
  },
  {
    name: 'drifted-frozen',
    hasClass: true,
    groups: [small],
    disruption: { budgets: [{ nodes: '0' }] },
    change: newImage,
    ends: same,
    says: 'reason Drifted',
  },
  {
    name: 'drifted-stuck',
    hasClass: true,
    groups: [small],
    change: async (hands) => {
      await addPet(hands)
      await newImage(hands)
    },
    ends: same,
    says: 'Not all pods would schedule',
  },
  {
    name: 'relabelled',
    groups: [small],
    change: (hands) => hands.patchPool(teamLabel),
    ends: replaced,
  },
  {
    name: 'retyped',
    types: ['m5.large', 'c5.large'],
    groups: [small],
    change: (hands) => hands.patchPool(typesOf(['c5.large'])),
    ends: replaced,
  },
  {
    name: 'emptied',
    groups: [small],
    change: async (hands) => {
      await hands.remove('app')
      await consolidate(hands)
    },
    ends: { kept: 0, fresh: 0 },
  },
  {
    name: 'emptied-node-held',
    groups: [small],
    change: async (hands) => {
      await hands.patchNodes({ annotations: doNotDisrupt })
      await hands.remove('app')
      await consolidate(hands)
    },
    ends: same,
    says: 'do-not-disrupt',
  },
  { name: 'shrunk', replicas: 2, groups: [], change: (hands) => hands.patchPool({ replicas: 1 }), ends: same },
]

/** Nobody is asked. */
export const forced: readonly ComparedFleet[] = [
  { name: 'ended', groups: [small], change: (hands) => hands.deleteClaims(), ends: replaced },
  {
    name: 'ended-guarded',
    groups: [small],
    guards: 1,
    change: (hands) => hands.deleteClaims(),
    ends: same,
    says: 'waiting to be evicted',
  },
  {
    name: 'ended-grace',
    groups: [small],
    template: { terminationGracePeriod: '20s' },
    guards: 1,
    change: (hands) => hands.deleteClaims(),
    ends: replaced,
  },
  { name: 'node-deleted', groups: [small], change: (hands) => hands.deleteNodes(), ends: replaced },
  {
    // What comes after it is not to expire as well; that its pool has changed is no reason to replace it, by its budget.
    name: 'expired',
    groups: [small],
    template: { expireAfter: '180s' },
    disruption: { budgets: [{ nodes: '0' }] },
    change: (hands) => hands.patchPool({ template: { spec: { expireAfter: 'Never' } } }),
    ends: replaced,
  },
  {
    name: 'interrupted',
    groups: [small],
    change: (hands) =>
      hands.publish((instance) => ({
        source: 'aws.ec2',
        type: 'EC2 Spot Instance Interruption Warning',
        detail: { 'instance-id': instance, 'instance-action': 'terminate' },
      })),
    ends: replaced,
  },
  {
    name: 'stopping',
    groups: [small],
    change: (hands) =>
      hands.publish((instance) => ({
        source: 'aws.ec2',
        type: 'EC2 Instance State-change Notification',
        detail: { 'instance-id': instance, state: 'stopping' },
      })),
    ends: replaced,
  },
  {
    name: 'rebalanced',
    groups: [small],
    change: (hands) =>
      hands.publish((instance) => ({
        source: 'aws.ec2',
        type: 'EC2 Instance Rebalance Recommendation',
        detail: { 'instance-id': instance },
      })),
    ends: same,
    says: 'rebalance recommendation',
  },
  {
    name: 'maintained',
    groups: [small],
    change: (hands) => hands.publish((instance) => scheduledChange(instance)),
    ends: replaced,
  },
]

/** Consolidation looks at them, and leaves them. */
export const refused: readonly ComparedFleet[] = [
  {
    name: 'when-empty',
    groups: [small],
    change: (hands) => hands.consolidateSoon({ consolidationPolicy: 'WhenEmpty' }),
    ends: same,
    says: 'consolidation policy WhenEmpty',
  },
  {
    name: 'never',
    groups: [small],
    change: (hands) => hands.patchPool({ disruption: { consolidateAfter: 'Never' } }),
    ends: same,
    says: 'has consolidation disabled',
  },
  {
    name: 'cheapest',
    groups: [small],
    change: (hands) => hands.consolidateSoon(),
    ends: same,
    says: 'cheaper node',
  },
  {
    name: 'pod-held',
    groups: [protectedOne],
    change: (hands) => hands.consolidateSoon(),
    ends: same,
    says: 'do-not-disrupt',
  },
  {
    name: 'guarded',
    groups: [small],
    guards: 1,
    change: (hands) => hands.consolidateSoon(),
    ends: same,
    says: 'Pdb prevents',
  },
  {
    name: 'frozen',
    groups: [small],
    change: (hands) => hands.consolidateSoon({ budgets: [{ nodes: '0', reasons: ['Underutilized'] }] }),
    ends: same,
    says: 'reason Underutilized',
  },
  {
    name: 'stuck',
    groups: [small],
    change: async (hands) => {
      await addPet(hands)
      await hands.consolidateSoon()
    },
    ends: same,
    says: 'Not all pods would schedule',
  },
  {
    name: 'spot',
    types: ['m5.xlarge', 'm5.large'],
    capacityType: 'spot',
    groups: [small],
    change: async (hands) => {
      await hands.patchPool(typesOf(['m5.xlarge', 'm5.large'], 'spot'))
      await hands.consolidateSoon()
    },
    ends: same,
    says: 'SpotToSpotConsolidation is disabled',
  },
]

const half: PodGroup = { name: 'half', requests: { cpu: '1', memory: '128Mi' } }
const rest: PodGroup = { name: 'rest', requests: { cpu: '950m', memory: '128Mi' } }

/** One at a time: what one of them frees or needs is looked at together with the others. */
export const consolidated: readonly ComparedFleet[] = [
  {
    name: 'oversized',
    types: ['m5.xlarge', 'm5.large', 'c5.large'],
    groups: [small],
    change: (hands) => hands.patchPool({ ...typesOf(['m5.xlarge', 'm5.large', 'c5.large']), disruption: atOnce }),
    ends: replaced,
  },
  {
    name: 'roomy',
    groups: [half, rest],
    later: [{ ...small, count: 2 }],
    change: async (hands) => {
      await hands.remove('rest')
      await consolidate(hands)
    },
    ends: same,
  },
  {
    name: 'balanced',
    groups: [half, rest],
    later: [{ ...small, count: 2 }],
    change: async (hands) => {
      await hands.remove('rest')
      await hands.patchPool({ disruption: { ...atOnce, consolidationPolicy: 'Balanced' } })
    },
    ends: same,
  },
  {
    name: 'scattered',
    groups: [{ ...half, count: 3 }],
    later: [{ ...small, count: 3 }],
    change: async (hands) => {
      await hands.remove('half')
      await consolidate(hands)
    },
    ends: same,
  },
  {
    name: 'merged',
    types: ['m5.xlarge', 'm5.large'],
    groups: [{ name: 'big', count: 2, requests: { cpu: '3', memory: '128Mi' } }],
    later: [{ ...small, count: 2 }],
    change: async (hands) => {
      await hands.remove('big')
      await hands.patchPool({ ...typesOf(['m5.xlarge', 'm5.large']), disruption: atOnce })
    },
    ends: replaced,
  },
]

/** A pod that only the node it is on can have. */
async function addPet(hands: Hands): Promise<void> {
  const pet = { 'example.com/pet': 'yes' }
  await hands.patchNodes({ labels: pet })
  await hands.add({ ...small, name: 'pet', nodeSelector: pet })
}
