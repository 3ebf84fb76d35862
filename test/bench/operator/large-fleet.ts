import { DescribeSubnetsCommand } from '@aws-sdk/client-ec2'
import type { EC2NodeClass, NodeClaim, NodePool } from '../../../src/api/karpenter.ts'
import type { Node, Pod, PodStatus, ReplicaSet, Unsaved } from '../../../src/api/kubernetes.ts'
import { ec2NodeClasses, nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { nodes, pods, replicaSets } from '../../../src/kube/kinds.ts'
import type { KubeClient } from '../../../src/kube/port.ts'
import { toTimestamp } from '../../../src/model/clock.ts'
import { aNodeClass, aNodePool } from '../../peers/support/fleet-manifests.ts'
import type { BenchServer } from './servers.ts'
import { clusterName, type MotoAccount, releases } from '../../peers/support/moto-account.ts'

const shape = { name: 'bench' }
const instanceType = 'm5.large'
const capacity = { cpu: '2', memory: '7577Mi', pods: '29', 'ephemeral-storage': '20Gi' }
const allocatable = { cpu: '1930m', memory: '6903Mi', pods: '29', 'ephemeral-storage': '17Gi' }
/** Twenty of them fill a node, so that one more needs another node. */
const requests = { cpu: '95m', memory: '256Mi' }
/** Two of them do not share a node, so each one needs its own. */
const pendingRequests = { cpu: '1200m', memory: '256Mi' }
const claimConditions = ['Launched', 'Registered', 'Initialized', 'Ready', 'ConsistentStateFound', 'Consolidatable']

export interface LargeFleet {
  readonly podNames: readonly string[]
  /** For an edge in front of moto. */
  readonly describeInstances: (call: string) => string
}

/** Pool and class, which an operator then finds images, subnets and groups for. */
export async function writePool(kube: KubeClient): Promise<void> {
  await kube.create(ec2NodeClasses, aNodeClass('v20260101', shape))
  const { spec, ...pool } = aNodePool(shape)
  const disruption = { ...spec.disruption, consolidateAfter: '0s' as const }
  await kube.create(nodePools, { ...pool, spec: { ...spec, disruption } })
}

export async function isPoolReady(kube: KubeClient): Promise<boolean> {
  const isReady = ({ status }: NodePool | EC2NodeClass): boolean =>
    (status?.conditions ?? []).some(({ type, status: value }) => type === 'Ready' && value === 'True')
  return isReady(await kube.get(ec2NodeClasses, shape)) && isReady(await kube.get(nodePools, shape))
}

/**
 * A fleet of ours as it is after weeks: every node has its claim and its instance, is registered, initialized and full of running pods.
 * Nothing drifts, so an operator that starts finds nothing to do.
 */
export async function writeLargeFleet(
  { kube, writeAll }: Pick<BenchServer, 'kube' | 'writeAll'>,
  account: MotoAccount,
  size: { readonly nodes: number; readonly podsPerNode: number },
): Promise<LargeFleet> {
  const pool = await kube.get(nodePools, shape)
  const machines = await machinesOf(account, size.nodes)
  const claims = await writeAll(
    nodeClaims,
    machines.map((machine, index) => aClaim({ machine, index, pool })),
  )
  await writeAll(
    nodes,
    machines.map((machine, index) => aNode(machine, index, claims[index] ?? '')),
  )
  const owner = await kube.create(replicaSets, aReplicaSet())
  const running = machines.flatMap((_machine, node) =>
    Array.from({ length: size.podsPerNode }, (_, index) => aRunningPod(`app-${node}-${index}`, nodeName(node), owner)),
  )
  await writeAll(pods, running)
  return {
    podNames: running.map(({ metadata }) => metadata.name ?? ''),
    describeInstances: describeAnswer(machines, account.securityGroupID),
  }
}

/** A pod for which there is no room. */
export async function writePendingPod(kube: KubeClient, name: string): Promise<void> {
  await kube.create(pods, aPod(name, pendingRequests))
  const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no room' }
  const body = { status: { conditions: [condition] } }
  await kube.patch(pods, { namespace: 'default', name }, { kind: 'merge', body }, { subresource: 'status' })
}

/** One of the instances behind the nodes. moto takes minutes to list two thousand, so they are only ever spoken of. */
interface Machine {
  readonly id: string
  readonly zone: string
  readonly subnetID: string
  readonly address: string
}

async function machinesOf({ ec2 }: MotoAccount, count: number): Promise<readonly Machine[]> {
  const { Subnets = [] } = await ec2.send(
    new DescribeSubnetsCommand({ Filters: [{ Name: 'tag:karpenter.sh/discovery', Values: [clusterName] }] }),
  )
  return Array.from({ length: count }, (_, index) => {
    const { AvailabilityZone: zone = '', SubnetId: subnetID = '' } = Subnets[index % Subnets.length] ?? {}
    const address = `172.31.${128 + Math.floor(index / 250)}.${1 + (index % 250)}`
    return { id: `i-${index.toString(16).padStart(17, '0')}`, zone, subnetID, address }
  })
}

/** What EC2 answers to DescribeInstances of such a fleet: those asked for by id, else all. */
function describeAnswer(machines: readonly Machine[], securityGroupID: string): (call: string) => string {
  const texts = new Map(machines.map((machine) => [machine.id, machineText(machine, securityGroupID)]))
  const all = answerText([...texts.values()])
  return (call) => {
    const ids = [...new URLSearchParams(call)].filter(([key]) => key.startsWith('InstanceId.')).map(([, id]) => id)
    return ids.length === 0 ? all : answerText(ids.map((id) => texts.get(id) ?? ''))
  }
}

function answerText(machines: readonly string[]): string {
  const items = machines.map((text) => `<item><instancesSet><item>${text}</item></instancesSet></item>`)
  return `<DescribeInstancesResponse><reservationSet>${items.join('')}</reservationSet></DescribeInstancesResponse>`
}

function machineText({ id, zone, subnetID, address }: Machine, securityGroupID: string): string {
  const tags = {
    [`kubernetes.io/cluster/${clusterName}`]: 'owned',
    'eks:eks-cluster-name': clusterName,
    'karpenter.sh/nodepool': shape.name,
    'karpenter.k8s.aws/ec2nodeclass': shape.name,
  }
  return [
    `<instanceId>${id}</instanceId><imageId>${releases.v20260101}</imageId>`,
    `<instanceState><code>16</code><name>running</name></instanceState><instanceType>${instanceType}</instanceType>`,
    `<launchTime>2026-01-01T00:00:00.000Z</launchTime><privateIpAddress>${address}</privateIpAddress>`,
    `<placement><availabilityZone>${zone}</availabilityZone><tenancy>default</tenancy></placement>`,
    `<subnetId>${subnetID}</subnetId><architecture>x86_64</architecture>`,
    `<groupSet><item><groupId>${securityGroupID}</groupId></item></groupSet>`,
    `<tagSet>${Object.entries(tags)
      .map(([key, value]) => `<item><key>${key}</key><value>${value}</value></item>`)
      .join('')}</tagSet>`,
  ].join('')
}

interface ClaimParts {
  readonly machine: Machine
  readonly index: number
  readonly pool: NodePool
}

function aClaim({ machine, index, pool }: ClaimParts): Unsaved<NodeClaim> {
  const { nodeClassRef, requirements, expireAfter } = pool.spec.template.spec
  const now = toTimestamp(Date.now())
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: {
      name: claimName(index),
      labels: labelsOf(machine),
      // Without hashes, which nothing is compared with, no node can drift from its pool or class.
      annotations: {
        'karpenter.k8s.aws/tagged': 'true',
        'compatibility.karpenter.k8s.aws/cluster-name-tagged': 'true',
      },
      finalizers: ['karpenter.sh/termination'],
      ownerReferences: [
        {
          apiVersion: pool.apiVersion,
          kind: pool.kind,
          name: pool.metadata.name,
          uid: pool.metadata.uid,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: { nodeClassRef, requirements, ...(expireAfter === undefined ? {} : { expireAfter }) },
    status: {
      providerID: providerIDOf(machine),
      nodeName: nodeName(index),
      imageID: releases.v20260101,
      capacity,
      allocatable,
      conditions: claimConditions.map((type) => ({
        type,
        status: 'True',
        reason: type,
        message: '',
        lastTransitionTime: now,
        observedGeneration: 1,
      })),
      lastPodEventTime: now,
    },
  }
}

function aNode(machine: Machine, index: number, claimUID: string): Unsaved<Node> {
  const hostname = nodeName(index)
  const now = toTimestamp(Date.now())
  const condition = { lastHeartbeatTime: now, lastTransitionTime: now, reason: 'Kubelet', message: '' }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: hostname,
      labels: {
        ...labelsOf(machine),
        'kubernetes.io/hostname': hostname,
        'karpenter.sh/registered': 'true',
        'karpenter.sh/initialized': 'true',
      },
      finalizers: ['karpenter.sh/termination'],
      ownerReferences: [
        {
          apiVersion: 'karpenter.sh/v1',
          kind: 'NodeClaim',
          name: claimName(index),
          uid: claimUID,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: { providerID: providerIDOf(machine) },
    status: {
      capacity,
      allocatable,
      conditions: [
        { ...condition, type: 'Ready', status: 'True' },
        { ...condition, type: 'MemoryPressure', status: 'False' },
        { ...condition, type: 'DiskPressure', status: 'False' },
        { ...condition, type: 'PIDPressure', status: 'False' },
      ],
    },
  }
}

function aRunningPod(name: string, node: string, owner: ReplicaSet): Unsaved<Pod> {
  const pod = aPod(name, requests, owner)
  const now = toTimestamp(Date.now())
  const conditions = ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({
    type,
    status: 'True' as const,
    lastTransitionTime: now,
  }))
  const containerStatuses = pod.spec.containers.map(({ name: container, image = '', resources = {} }) => ({
    name: container,
    image,
    imageID: `${image}@sha256:${'0'.repeat(64)}`,
    containerID: `containerd://${'0'.repeat(64)}`,
    ready: true,
    started: true,
    restartCount: 0,
    state: { running: { startedAt: now } },
    lastState: {},
    allocatedResources: resources.requests ?? {},
    resources,
  }))
  const status: PodStatus = { phase: 'Running', startTime: now, podIP: '10.0.0.1', conditions, containerStatuses }
  return { ...pod, spec: { ...pod.spec, nodeName: node }, status }
}

/** Nobody acts on it: it only stands for the pods' owner, without which they would be cleared away. */
function aReplicaSet(): Unsaved<ReplicaSet> {
  const labels = { app: 'app' }
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'app', namespace: 'default' },
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'registry.example/app:1' }] } },
    },
  }
}

function aPod(name: string, wanted: typeof requests, owner?: ReplicaSet): Unsaved<Pod> {
  const ownerReferences =
    owner === undefined
      ? []
      : [
          {
            apiVersion: owner.apiVersion,
            kind: owner.kind,
            name: owner.metadata.name,
            uid: owner.metadata.uid,
            controller: true,
          },
        ]
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels: { app: 'app' }, ownerReferences },
    spec: {
      // What admission plugins and the kubelet add to every pod.
      tolerations: ['not-ready', 'unreachable'].map((state) => ({
        key: `node.kubernetes.io/${state}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      })),
      volumes: [
        {
          name: 'kube-api-access',
          projected: {
            sources: [
              { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
              { downwardAPI: { items: [{ path: 'namespace', fieldRef: { fieldPath: 'metadata.namespace' } }] } },
            ],
          },
        },
      ],
      containers: [
        {
          name: 'app',
          image: 'registry.example/app:1',
          env: [{ name: 'MODE', value: 'production' }],
          resources: { requests: wanted, limits: { memory: wanted.memory } },
        },
      ],
    },
  }
}

function claimName(index: number): string {
  return `${shape.name}-${String(index).padStart(5, '0')}`
}

function nodeName(index: number): string {
  return `node-${String(index).padStart(5, '0')}`
}

function labelsOf({ zone }: Machine): Record<string, string> {
  return {
    'karpenter.sh/nodepool': shape.name,
    'karpenter.sh/capacity-type': 'on-demand',
    'karpenter.k8s.aws/ec2nodeclass': shape.name,
    'node.kubernetes.io/instance-type': instanceType,
    'topology.kubernetes.io/zone': zone,
    'topology.kubernetes.io/region': 'us-east-1',
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/os': 'linux',
    fleet: shape.name,
  }
}

function providerIDOf({ id, zone }: Machine): string {
  return `aws:///${zone}/${id}`
}
