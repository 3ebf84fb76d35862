import { type ComparedFleet, type Ending, protectedOne, replaced, same, small } from './compared-fleet.ts'

const waits = { kept: 0, fresh: 1, isReady: false } as const
const gone: Ending = { kept: 0, fresh: 0 }
const agent = { key: 'example.com/agent', effect: 'NoSchedule' as const }

/** What their first pods wait for comes, or does not. */
export const arriving: readonly ComparedFleet[] = [
  { name: 'arrived', groups: [], change: (hands) => hands.start(small), ends: { kept: 0, fresh: 1 } },
  {
    name: 'dressed',
    groups: [],
    template: { taints: [{ key: 'example.com/soft', value: 'yes', effect: 'PreferNoSchedule' }] },
    change: (hands) => hands.start(small),
    ends: { kept: 0, fresh: 1 },
  },
  {
    name: 'starting',
    groups: [],
    template: { startupTaints: [agent] },
    change: (hands) => hands.start(small),
    ends: waits,
    says: 'StartupTaint',
  },
  {
    name: 'started',
    groups: [],
    template: { startupTaints: [agent] },
    change: async (hands) => {
      await hands.start(small)
      await hands.untaint(agent.key)
    },
    ends: { kept: 0, fresh: 1 },
  },
  { name: 'by-hand', groups: [], change: (hands) => hands.claim(), ends: { kept: 0, fresh: 1 } },
  {
    name: 'scaled',
    replicas: 1,
    groups: [],
    change: (hands) => hands.patchPool({ replicas: 3 }),
    ends: { kept: 1, fresh: 2 },
  },
  {
    name: 'scaled-to-limit',
    replicas: 1,
    limits: { nodes: '2' },
    groups: [],
    change: (hands) => hands.patchPool({ replicas: 3 }),
    ends: { kept: 1, fresh: 1 },
  },
]

/** EC2 refuses them. As long as one is not launched, nobody counts, plans or disrupts anything. */
export const unlaunched: readonly ComparedFleet[] = [
  {
    name: 'forbidden',
    types: ['r5.large'],
    groups: [],
    refusal: {
      kind: 'error',
      status: 403,
      code: 'UnauthorizedOperation',
      message: 'You are not authorized to perform this operation.',
    },
    change: (hands) => hands.start(small),
    ends: waits,
    says: 'not authorized',
  },
  {
    name: 'wrong',
    types: ['r5.xlarge'],
    groups: [],
    refusal: { kind: 'error', status: 400, code: 'InvalidParameterValue', message: 'Value is invalid.' },
    change: (hands) => hands.start(small),
    ends: waits,
    says: 'LaunchFailed',
  },
]

/** What they are, or what they are made from, goes away. */
export const leaving: readonly ComparedFleet[] = [
  { name: 'pool-deleted', groups: [small], change: (hands) => hands.deletePool(), ends: gone },
  {
    name: 'pool-deleted-guarded',
    groups: [small],
    guards: 1,
    change: (hands) => hands.deletePool(),
    ends: same,
    says: 'waiting to be evicted',
  },
  {
    name: 'class-deleted',
    hasClass: true,
    groups: [small],
    change: (hands) => hands.deleteClass(),
    ends: same,
    says: 'aiting',
  },
  { name: 'vanished', groups: [small], change: (hands) => hands.terminateInstances(), ends: replaced },
  {
    name: 'attached',
    groups: [small],
    change: async (hands) => {
      await hands.attachVolume()
      await hands.deleteClaims()
    },
    ends: { kept: 1, fresh: 1 },
    says: 'AwaitingVolumeDetachment',
  },
  {
    name: 'attached-grace',
    template: { terminationGracePeriod: '20s' },
    groups: [small],
    change: async (hands) => {
      await hands.attachVolume()
      await hands.deleteClaims()
    },
    ends: replaced,
  },
  {
    name: 'held',
    groups: [protectedOne],
    change: (hands) => hands.deleteClaims(),
    ends: same,
    says: 'waiting to be evicted',
  },
  {
    name: 'held-grace',
    template: { terminationGracePeriod: '20s' },
    groups: [protectedOne],
    change: (hands) => hands.deleteClaims(),
    ends: replaced,
  },
  {
    name: 'mixed',
    groups: [small, { ...protectedOne, name: 'held' }],
    change: (hands) => hands.deleteNodes(),
    ends: { kept: 1, fresh: 1 },
    says: 'waiting to be evicted',
  },
  {
    name: 'refilled',
    replicas: 1,
    groups: [],
    change: (hands) => hands.deleteClaims(),
    ends: replaced,
  },
]
