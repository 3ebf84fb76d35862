import type { EC2NodeClass, NodeOverlay, NodePool } from '../../../src/api/karpenter.ts'
import type { PodSpec, Taint } from '../../../src/api/kubernetes.ts'

/** Pods that are alike, and the pools that only they may use. */
export interface Workload {
  /** Its pools, pods and DaemonSet are called after it; the pools' nodes carry it as label `fleet`, which its pods select. */
  readonly name: string
  /** One, of `anyLarge`, unless said. */
  readonly pools?: readonly PoolShape[]
  readonly groups: readonly PodGroup[]
  /** Whether zones are as good as one another, so that any of them may be chosen. */
  readonly isTied?: boolean
  /** Whether Karpenter draws a zone for the first pod more than once, so that its claims may name several where ours name one. */
  readonly isZoneDrawn?: boolean
  /** Whether a later pass may find its reservation used up, and warn that nothing else is left. */
  readonly mayRunOut?: boolean
  /** CPU and memory of a DaemonSet's pods on each of its nodes. */
  readonly daemon?: Requests
  /** For the first of its pools alone. */
  readonly overlays?: readonly Overlay[]
  /** Room that is kept for more pods, by how many of which size. */
  readonly buffer?: Pick<PodGroup, 'count' | 'requests'> & {
    /** Whether what it asks for is said as limits alone. */
    readonly isLimits?: true
  }
  /** Each of its pods mounts all of them. */
  readonly volumes?: readonly VolumeShape[]
  /** A node that was there before, and is nobody's. */
  readonly neighbour?: Neighbour
}

/** A ready node that no controller has launched, and a pod of the workload on it. */
interface Neighbour {
  readonly zone: string
  readonly taints?: readonly Taint[]
  readonly allocatable: Requests
  /** None, unless said. */
  readonly resident?: Pick<PodGroup, 'requests'>
}

/** A volume that is there. */
export interface VolumeShape {
  readonly name: string
  readonly labels?: Readonly<Record<string, string>>
  /** `ReadWriteOnce`, unless said. */
  readonly accessMode?: string
  /** Of the nodes that can have it. */
  readonly nodeLabels?: Readonly<Record<string, string>>
}

type Overlay = Omit<NonNullable<NodeOverlay['spec']>, 'requirements'> & {
  /** Of which only one value is asked for. */
  readonly only?: Readonly<Record<string, string>>
}

export interface PoolShape {
  /** Added to the workload's name. */
  readonly suffix?: string
  readonly requirements?: NodePool['spec']['template']['spec']['requirements']
  /** What else the pool says. */
  readonly spec?: Partial<Omit<NodePool['spec'], 'template'>>
  readonly template?: Partial<Omit<NodePool['spec']['template']['spec'], 'requirements'>>
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

export interface PodGroup {
  readonly count: number
  readonly requests: Requests
  readonly labels?: Readonly<Record<string, string>>
  readonly spec?: Partial<PodSpec>
  /** Whether its pods end, without a node, before anything is decided. */
  readonly hasFailed?: true
}

export interface ClassShape {
  readonly name: string
  readonly spec: Partial<EC2NodeClass['spec']>
}

export interface Requests {
  readonly cpu: string
  readonly memory: string
  readonly [resource: string]: string
}

export const zone = 'topology.kubernetes.io/zone'
const host = 'kubernetes.io/hostname'
const instanceType = 'node.kubernetes.io/instance-type'
const capacityType = 'karpenter.sh/capacity-type'
export const onDemand = { key: capacityType, operator: 'In' as const, values: ['on-demand'] }
export const large = { key: instanceType, operator: 'In' as const, values: ['c5.large', 'm5.large'] }
const anyLarge = [onDemand, large]
export const small = { cpu: '700m', memory: '256Mi' }

/** In the order of the field: what kube-scheduler's predicates ask for, then what NodePools say. */
export const workloads: readonly Workload[] = [
  { name: 'plain', groups: [{ count: 5, requests: small }] },
  {
    name: 'open',
    pools: [
      {
        requirements: [
          onDemand,
          { key: 'karpenter.k8s.aws/instance-category', operator: 'In', values: ['c', 'm', 'r'] },
          { key: 'karpenter.k8s.aws/instance-generation', operator: 'Gt', values: ['4'] },
        ],
      },
    ],
    groups: [
      { count: 3, requests: { cpu: '3500m', memory: '4Gi' } },
      { count: 6, requests: { cpu: '1', memory: '2Gi' } },
      { count: 9, requests: { cpu: '250m', memory: '768Mi' } },
    ],
  },
  {
    name: 'zones',
    isTied: true,
    groups: [{ count: 5, requests: small, spec: { topologySpreadConstraints: [spread('zones', zone)] } }],
  },
  {
    name: 'hosts',
    groups: [{ count: 3, requests: small, spec: { topologySpreadConstraints: [spread('hosts', host)] } }],
  },
  {
    name: 'spread-anyway',
    isTied: true,
    groups: [
      {
        count: 4,
        requests: small,
        spec: {
          topologySpreadConstraints: [{ ...spread('spread-anyway', zone), whenUnsatisfiable: 'ScheduleAnyway' }],
        },
      },
    ],
  },
  {
    name: 'apart',
    groups: [
      {
        count: 3,
        requests: { cpu: '200m', memory: '128Mi' },
        spec: {
          affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term('apart', host)] } },
        },
      },
    ],
  },
  {
    name: 'together',
    isTied: true,
    isZoneDrawn: true,
    groups: [
      {
        count: 4,
        requests: small,
        spec: {
          affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term('together', zone)] } },
        },
      },
    ],
  },
  {
    name: 'picky',
    pools: [
      { requirements: [onDemand, { key: 'karpenter.k8s.aws/instance-family', operator: 'In', values: ['m5', 'c5'] }] },
    ],
    groups: [
      {
        count: 2,
        requests: { cpu: '900m', memory: '1Gi' },
        spec: {
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [
                  {
                    matchExpressions: [
                      { key: zone, operator: 'NotIn', values: ['us-east-1a'] },
                      { key: 'karpenter.k8s.aws/instance-cpu', operator: 'Gt', values: ['2'] },
                      { key: 'karpenter.k8s.aws/instance-cpu', operator: 'Lt', values: ['17'] },
                      { key: 'example.com/team', operator: 'DoesNotExist' },
                    ],
                  },
                ],
              },
            },
          },
        },
      },
    ],
  },
  {
    name: 'wishful',
    groups: [
      {
        count: 2,
        requests: small,
        spec: {
          affinity: {
            nodeAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [
                { weight: 10, preference: { matchExpressions: [{ key: zone, operator: 'In', values: ['mars-1a'] }] } },
                {
                  weight: 1,
                  preference: { matchExpressions: [{ key: instanceType, operator: 'In', values: ['m5.large'] }] },
                },
              ],
            },
          },
        },
      },
    ],
  },
  {
    name: 'ports',
    groups: [
      {
        count: 2,
        requests: { cpu: '100m', memory: '64Mi' },
        spec: {
          containers: [
            {
              name: 'app',
              image: 'registry.example/app:1',
              ports: [{ containerPort: 80, hostPort: 8080 }],
              resources: { requests: { cpu: '100m', memory: '64Mi' } },
            },
          ],
        },
      },
    ],
  },
  {
    name: 'starters',
    groups: [
      {
        count: 2,
        requests: { cpu: '300m', memory: '128Mi' },
        spec: {
          initContainers: [
            {
              name: 'migrate',
              image: 'registry.example/app:1',
              resources: { requests: { cpu: '1200m', memory: '64Mi' } },
            },
            {
              name: 'proxy',
              image: 'registry.example/app:1',
              restartPolicy: 'Always',
              resources: { requests: { cpu: '150m', memory: '96Mi' } },
            },
          ],
        },
      },
    ],
  },
  { name: 'daemons', daemon: { cpu: '250m', memory: '300Mi' }, groups: [{ count: 4, requests: small }] },
  {
    name: 'tainted',
    pools: [
      {
        requirements: anyLarge,
        template: {
          taints: [{ key: 'example.com/team', value: 'web', effect: 'NoSchedule' }],
          startupTaints: [{ key: 'example.com/agent', effect: 'NoExecute' }],
        },
      },
    ],
    groups: [
      {
        count: 2,
        requests: small,
        spec: { tolerations: [{ key: 'example.com/team', operator: 'Equal', value: 'web', effect: 'NoSchedule' }] },
      },
      { count: 1, requests: { cpu: '600m', memory: '256Mi' } },
    ],
  },
  {
    name: 'limited',
    pools: [{ requirements: anyLarge, spec: { limits: { cpu: '4' } } }],
    groups: [{ count: 6, requests: small }],
  },
  {
    name: 'weighted',
    pools: [
      { suffix: '-first', requirements: anyLarge, spec: { weight: 50, limits: { cpu: '2' } } },
      { suffix: '-second', requirements: anyLarge, spec: { weight: 10 } },
    ],
    groups: [{ count: 4, requests: small }],
  },
  {
    name: 'mixed',
    pools: [{ requirements: [{ key: capacityType, operator: 'In', values: ['on-demand', 'spot'] }, large] }],
    groups: [
      { count: 2, requests: small, spec: { nodeSelector: { [capacityType]: 'on-demand' } } },
      { count: 1, requests: { cpu: '650m', memory: '256Mi' } },
    ],
  },
  {
    name: 'various',
    pools: [
      {
        requirements: [
          onDemand,
          { key: 'karpenter.k8s.aws/instance-family', operator: 'In', values: ['c5', 'm5', 'r5', 'c6i'], minValues: 3 },
        ],
      },
    ],
    groups: [{ count: 2, requests: { cpu: '1500m', memory: '1Gi' } }],
  },
  {
    name: 'too-various',
    pools: [
      {
        requirements: [
          onDemand,
          { key: 'karpenter.k8s.aws/instance-family', operator: 'In', values: ['c5', 'm5', 'r5'], minValues: 3 },
        ],
      },
    ],
    groups: [{ count: 1, requests: { cpu: '1', memory: '300Gi' } }],
  },
  {
    name: 'mortal',
    pools: [
      {
        requirements: anyLarge,
        template: { expireAfter: '48h', terminationGracePeriod: '30m' },
        labels: { 'example.com/team': 'web' },
        annotations: { 'example.com/owner': 'web' },
      },
    ],
    groups: [{ count: 1, requests: small, spec: { nodeSelector: { 'example.com/team': 'web' } } }],
  },
  {
    name: 'detailed',
    pools: [{ requirements: anyLarge, template: { nodeClassRef: reference('detailed') } }],
    groups: [{ count: 3, requests: small }],
  },
  {
    name: 'classless',
    pools: [{ requirements: anyLarge, template: { nodeClassRef: reference('absent') } }],
    groups: [{ count: 1, requests: small }],
  },
  {
    name: 'netless',
    pools: [{ requirements: anyLarge, template: { nodeClassRef: reference('netless') } }],
    groups: [{ count: 1, requests: small }],
  },
  {
    // As many nodes as the reservation has: what it has no room for waits for another pass.
    name: 'reserved',
    pools: [
      {
        requirements: [{ key: capacityType, operator: 'In', values: ['reserved', 'on-demand'] }, large],
        template: { nodeClassRef: reference('reserving') },
      },
    ],
    groups: [{ count: 2, requests: { cpu: '1500m', memory: '256Mi' } }],
  },
  {
    name: 'reserved-only',
    mayRunOut: true,
    pools: [
      {
        requirements: [{ key: capacityType, operator: 'In', values: ['reserved'] }, large],
        template: { nodeClassRef: reference('reserving') },
      },
    ],
    groups: [{ count: 1, requests: { cpu: '300m', memory: '20Gi' } }],
  },
  {
    name: 'overpriced',
    overlays: [{ price: '0.5', only: { [instanceType]: 'c5.large' } }],
    groups: [{ count: 3, requests: small }],
  },
  {
    name: 'adjusted',
    overlays: [
      { priceAdjustment: '-50%', only: { [instanceType]: 'm5.large' }, weight: 10 },
      { priceAdjustment: '+90%', only: { [instanceType]: 'm5.large' }, weight: 5 },
    ],
    groups: [{ count: 1, requests: small }],
  },
  {
    name: 'contradicted',
    overlays: [
      { price: '0.01', only: { [instanceType]: 'm5.large' }, weight: 7 },
      { priceAdjustment: '+0.4', only: { [zone]: 'us-east-1a' }, weight: 7 },
      { priceAdjustment: '-20%', only: { [capacityType]: 'on-demand' }, weight: 3 },
    ],
    groups: [{ count: 1, requests: small }],
  },
  {
    name: 'equipped',
    overlays: [{ capacity: { 'example.com/fuse': 3 }, only: { [instanceType]: 'm5.large' } }],
    groups: [
      { count: 4, requests: { cpu: '100m', memory: '64Mi', 'example.com/fuse': '1' } },
      { count: 1, requests: { cpu: '105m', memory: '64Mi', 'example.com/fuse': '4' } },
    ],
  },
  {
    name: 'buffered',
    buffer: { count: 3, requests: small },
    groups: [{ count: 2, requests: { cpu: '800m', memory: '128Mi' } }],
  },
  {
    name: 'refused',
    groups: [
      { count: 1, requests: { cpu: '10k', memory: '1Gi' } },
      { count: 1, requests: { cpu: '110m', memory: '1Gi' }, spec: { nodeSelector: { [zone]: 'mars-1a' } } },
      { count: 1, requests: { cpu: '120m', memory: '1Gi' }, spec: { nodeSelector: { 'kubernetes.io/arch': 'arm64' } } },
      { count: 1, requests: { cpu: '130m', memory: '1Gi' }, spec: { nodeSelector: { 'example.com/unknown': 'yes' } } },
      { count: 1, requests: { cpu: '140m', memory: '1Gi' }, spec: { nodeSelector: { [host]: 'somewhere' } } },
    ],
  },
]

/** Where we decide otherwise, as docs/compatibility.md says: the emptiest zone of three has no machines, and a skew of two lets others be ahead. */
export const zoneWithoutMachines: Workload = {
  name: 'ahead',
  pools: [
    { requirements: [...anyLarge, { key: zone, operator: 'In', values: ['us-east-1a', 'us-east-1b', 'us-east-1z'] }] },
  ],
  groups: [
    {
      count: 5,
      requests: { cpu: '1', memory: '512Mi' },
      spec: { topologySpreadConstraints: [{ ...spread('ahead', zone), maxSkew: 2 }] },
    },
  ],
}

/** What differs from the class that the other pools use. */
export const classes: readonly ClassShape[] = [
  { name: 'decisions', spec: {} },
  { name: 'reserving', spec: { capacityReservationSelectorTerms: [{ tags: { team: 'web' } }] } },
  { name: 'netless', spec: { subnetSelectorTerms: [{ tags: { none: 'such' } }] } },
  { name: 'groupless', spec: { securityGroupSelectorTerms: [{ tags: { none: 'such' } }] } },
  { name: 'imageless', spec: { amiSelectorTerms: [{ name: 'no-such-image' }], amiFamily: 'AL2023' } },
  {
    name: 'detailed',
    spec: {
      tags: { team: 'web' },
      userData: '#!/bin/bash\necho hello\n',
      detailedMonitoring: true,
      blockDeviceMappings: [
        {
          deviceName: '/dev/xvda',
          rootVolume: true,
          ebs: { volumeSize: '100Gi', volumeType: 'gp3', encrypted: true, iops: 4000 },
        },
      ],
      metadataOptions: {
        httpEndpoint: 'enabled',
        httpTokens: 'required',
        httpPutResponseHopLimit: 2,
        httpProtocolIPv6: 'disabled',
      },
      kubelet: { maxPods: 40, kubeReserved: { cpu: '200m', memory: '512Mi' }, systemReserved: { memory: '100Mi' } },
    },
  },
]

function reference(name: string) {
  return { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name }
}

export function spread(workload: string, topologyKey: string) {
  const labelSelector = { matchLabels: { workload } }
  return { maxSkew: 1, topologyKey, whenUnsatisfiable: 'DoNotSchedule' as const, labelSelector }
}

export function term(workload: string, topologyKey: string) {
  return { topologyKey, labelSelector: { matchLabels: { workload } } }
}

/** What EC2 answers when asked for reservations, of which moto has none: room for two machines of the same type in one zone. */
export function reservationsAnswer(): string {
  const fields = {
    capacityReservationId: 'cr-0a1b2c3d4e5f60001',
    ownerId: '123456789012',
    instanceType: 'm5.large',
    instancePlatform: 'Linux/UNIX',
    availabilityZone: 'us-east-1b',
    availabilityZoneId: 'use1-az1',
    tenancy: 'default',
    totalInstanceCount: 2,
    availableInstanceCount: 2,
    state: 'active',
    startDate: '2026-01-01T00:00:00.000Z',
    createDate: '2026-01-01T00:00:00.000Z',
    endDateType: 'unlimited',
    instanceMatchCriteria: 'targeted',
    reservationType: 'default',
  }
  const item = Object.entries(fields).map(([name, value]) => `<${name}>${value}</${name}>`)
  return `<DescribeCapacityReservationsResponse><capacityReservationSet><item>${item.join('')}<tagSet><item><key>team</key><value>web</value></item></tagSet></item></capacityReservationSet></DescribeCapacityReservationsResponse>`
}
