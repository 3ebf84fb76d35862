import type { EC2NodeClass, NodeClaim } from '../../src/api/karpenter.ts'
import type { Node, Unsaved } from '../../src/api/kubernetes.ts'
import { annotationDoNotDisrupt, labelZone } from '../../src/api/labels.ts'
import type { TypeFacts } from '../../src/embedded/aws/catalogue.ts'
import type { Stack } from '../../src/cli/embedded/stack.ts'
import { ec2NodeClasses, nodeClaims, nodePools, rolloutPolicies } from '../../src/kube/karpenter-kinds.ts'
import { deployments, nodes, podDisruptionBudgets, pods, priorityClasses } from '../../src/kube/kinds.ts'
import type { SeededRandom } from '../../src/embedded/random.ts'
import type { Options } from '../../src/operator/options.ts'
import { aNodeClass, aPool, type PoolShape, type Shape } from './objects.ts'
import { ignoreNotFound } from './ignore-not-found.ts'
import { minute } from './time.ts'
import type { World } from './world.ts'

/**
 * Days in an estate that has grown: two architectures, two operating systems, a pool for one team alone, workloads that say where they want
 * to run, how important they are and how they may be moved, and people who work on single nodes by hand.
 */

const teamKey = 'example.com/team'
const startupKey = 'startup.example.com/network'
const gate = 'example.com/quota'

/** Of every pool beside these: careful with drift, and no moves in the morning. */
export const estateBudgets: PoolShape['budgets'] = [
  { nodes: '1', reasons: ['Drifted'] },
  { nodes: '0', reasons: ['Underutilized'], schedule: '0 9 * * *', duration: '2h' },
]

export const estatePools: readonly PoolShape[] = [
  {
    name: 'arm',
    nodeClass: 'bottlerocket',
    archs: ['arm64', 'amd64'],
    capacityTypes: ['spot', 'on-demand'],
    budget: '50%',
    cpu: '40',
    terminationGracePeriod: '20m',
  },
  {
    name: 'batch',
    nodeClass: 'bottlerocket',
    capacityTypes: ['spot', 'on-demand'],
    budget: '100%',
    cpu: '64',
    consolidationPolicy: 'WhenEmpty',
    consolidateAfter: '30s',
    labels: { [teamKey]: 'batch' },
    taints: [{ key: teamKey, value: 'batch', effect: 'NoSchedule' }],
    startupTaints: [{ key: startupKey, effect: 'NoExecute' }],
    requirements: [{ key: 'karpenter.k8s.aws/instance-family', operator: 'Exists', minValues: 3 }],
  },
]

const zoneTerm = (operator: 'In' | 'NotIn', values: string[]) => ({ key: labelZone, operator, values })

export const estateShapes: readonly Shape[] = [
  { name: 'graviton', replicas: 5, cpu: '1', memory: '2Gi', pod: { nodeSelector: { 'kubernetes.io/arch': 'arm64' } } },
  {
    name: 'report',
    replicas: 4,
    cpu: '1500m',
    memory: '3Gi',
    maxUnavailable: 1,
    pod: {
      nodeSelector: { [teamKey]: 'batch' },
      tolerations: [{ key: teamKey, operator: 'Equal', value: 'batch', effect: 'NoSchedule' }],
      terminationGracePeriodSeconds: 120,
    },
  },
  {
    name: 'picky',
    replicas: 4,
    cpu: '500m',
    memory: '1Gi',
    pod: {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: 'karpenter.k8s.aws/instance-generation', operator: 'Gt', values: ['6'] }] },
              { matchExpressions: [zoneTerm('NotIn', ['us-west-2a'])] },
            ],
          },
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 10, preference: { matchExpressions: [zoneTerm('In', ['us-west-2c'])] } },
            {
              weight: 50,
              preference: { matchExpressions: [{ key: 'example.com/none', operator: 'Exists' }] },
            },
          ],
        },
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 1,
              podAffinityTerm: { labelSelector: { matchLabels: { app: 'picky' } }, topologyKey: labelZone },
            },
          ],
        },
      },
    },
  },
  { name: 'important', replicas: 3, cpu: '1', memory: '2Gi', pod: { priorityClassName: 'important' } },
  // Room kept in hand: what else finds no place pushes these aside.
  { name: 'placeholder', replicas: 4, cpu: '1', memory: '2Gi', pod: { priorityClassName: 'placeholder' } },
  {
    name: 'queued',
    replicas: 4,
    cpu: '1',
    memory: '1Gi',
    pod: { schedulingGates: [{ name: gate }] },
  },
]

/** Beside the usual families those of another architecture. */
const armFamilies = new Set(['c7g', 'm7g'])
export function isOfArm(facts: TypeFacts): boolean {
  return armFamilies.has(facts.name.split('.')[0] ?? '') && facts.vcpu <= 16 && facts.bareMetal !== true
}

export const taintAgents = [{ taintKey: startupKey, afterMs: 20_000 }]

/** Policies of the whole cluster, one of four by seed. */
export function settingsOfSeed(seed: number): Partial<Options> {
  return {
    preferencePolicy: seed % 2 === 0 ? 'Respect' : 'Ignore',
    minValuesPolicy: seed % 4 < 2 ? 'Strict' : 'BestEffort',
  }
}

function aBottlerocketClass(): Unsaved<EC2NodeClass> {
  const { spec } = aNodeClass()
  const { userData: _shell, ...rest } = spec ?? {}
  return {
    ...aNodeClass(),
    metadata: { name: 'bottlerocket' },
    spec: {
      ...(rest as NonNullable<EC2NodeClass['spec']>),
      amiSelectorTerms: [{ alias: 'bottlerocket@latest' }],
      kubelet: { maxPods: 24, systemReserved: { memory: '200Mi' } },
    },
  }
}

export async function createEstate({ cluster }: Stack): Promise<void> {
  const { client } = cluster
  await client.create(ec2NodeClasses, aBottlerocketClass())
  for (const [name, value] of Object.entries({ important: 1_000, placeholder: -10 })) {
    const header = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass' }
    await client.create(priorityClasses, { ...header, metadata: { name }, value })
  }
}

/** What somebody does by hand, or a team with its own pool; what is done to be undone is undone within the hour. */
export async function workOnEstate(world: World): Promise<string> {
  const acts = [
    editClass,
    closeBudget,
    openGates,
    deleteNode,
    deleteClaim,
    holdNode,
    cordon,
    editArm,
    recreateBatch,
    standalone,
    relabel,
    queueMore,
  ]
  const act = acts[world.random.below(acts.length)]
  return act === undefined ? 'nothing' : act(world)
}

const onCallEveryMs = 20 * minute

/**
 * Somebody on call: a rollout that halted, with no image to return to, is tried again by an edit of its policy. Without, whatever else its
 * pools are to become waits, and nothing takes a bad image back.
 */
export function tryAgainWhereHalted(stack: Stack): void {
  const { client, clock } = stack.cluster
  const look = async (): Promise<void> => {
    for (const { metadata, spec, status } of (await client.list(rolloutPolicies)).items) {
      if (status?.failure?.state !== 'Halted') continue
      const podReadyTimeout = spec.gates?.podReadyTimeout === '11m' ? '10m' : '11m'
      const body = { spec: { gates: { podReadyTimeout } } }
      await client.patch(rolloutPolicies, { name: metadata.name }, { kind: 'merge', body })
    }
  }
  const again = (): void => {
    clock.schedule(onCallEveryMs, () => {
      void look().catch(() => undefined)
      again()
    })
  }
  again()
}

type Act = (world: World) => Promise<string>

function later({ stack, random }: World, run: () => Promise<unknown>): void {
  stack.cluster.clock.schedule((10 + random.below(40)) * minute, () => void run().catch(() => undefined))
}

const editClass: Act = async ({ random, stack }) => {
  const { client } = stack.cluster
  const choices = [
    { tags: { costCentre: String(random.below(3)) } },
    { detailedMonitoring: random.below(2) === 0 },
    { metadataOptions: { httpTokens: 'required', httpPutResponseHopLimit: 1 + random.below(2) } },
    { kubelet: { maxPods: 20 + random.below(3) * 5 } },
  ]
  const spec = choices[random.below(choices.length)] ?? {}
  await client.patch(ec2NodeClasses, { name: 'bottlerocket' }, { kind: 'merge', body: { spec } }).catch(ignoreNotFound)
  return `class bottlerocket: ${JSON.stringify(spec)}`
}

const closeBudget: Act = async (world) => {
  const { client } = world.stack.cluster
  const shape = world.shapes[world.random.below(world.shapes.length)]
  if (shape === undefined) return 'nothing'
  const key = { namespace: 'default', name: shape.name }
  const set = (maxUnavailable: string | number) =>
    client.patch(podDisruptionBudgets, key, { kind: 'merge', body: { spec: { maxUnavailable } } })
  await set(0).catch(ignoreNotFound)
  later(world, () => set(shape.maxUnavailable ?? '25%'))
  return `no pod of ${shape.name} may be moved`
}

const openGates: Act = async ({ stack, random }) => {
  const { client } = stack.cluster
  const { items } = await client.list(pods)
  const gated = items.filter(({ spec }) => (spec.schedulingGates ?? []).length > 0)
  const opened = gated.slice(0, 1 + random.below(3))
  for (const { metadata } of opened) {
    const key = { namespace: metadata.namespace ?? '', name: metadata.name }
    await client.patch(pods, key, { kind: 'merge', body: { spec: { schedulingGates: null } } }).catch(ignoreNotFound)
  }
  return `${opened.length} gates are opened`
}

const queueMore: Act = async ({ stack, random }) => {
  const replicas = 2 + random.below(7)
  const key = { namespace: 'default', name: 'queued' }
  await stack.cluster.client.patch(deployments, key, { kind: 'merge', body: { spec: { replicas } } })
  return `queued is scaled to ${replicas}`
}

async function aNodeOf({ stack, random }: World) {
  const { items } = await stack.cluster.client.list(nodes)
  const ours = items.filter(({ metadata }) => metadata.labels?.['karpenter.sh/nodepool'] !== undefined)
  return ours[random.below(Math.max(1, ours.length))]
}

const deleteNode: Act = async (world) => {
  const node = await aNodeOf(world)
  if (node === undefined) return 'no node to delete'
  await world.stack.cluster.client.delete(nodes, { name: node.metadata.name }).catch(ignoreNotFound)
  return `node ${node.metadata.name} is deleted`
}

const deleteClaim: Act = async ({ stack, random }) => {
  const { client } = stack.cluster
  const { items } = await client.list(nodeClaims)
  const claim = items[random.below(Math.max(1, items.length))]
  if (claim === undefined) return 'no claim to delete'
  await client.delete(nodeClaims, { name: claim.metadata.name }).catch(ignoreNotFound)
  return `claim ${claim.metadata.name} is deleted`
}

/** Changes a node, and back again later. */
function onANode(changeOf: (node: Node, random: SeededRandom) => { to: object; back: object; told: string }): Act {
  return async (world) => {
    const node = await aNodeOf(world)
    if (node === undefined) return 'no node to change'
    const { client } = world.stack.cluster
    const { name } = node.metadata
    const { to, back, told } = changeOf(node, world.random)
    const patch = (body: object) => client.patch(nodes, { name }, { kind: 'merge', body })
    await patch(to).catch(ignoreNotFound)
    later(world, () => patch(back))
    return `node ${name} ${told}`
  }
}

/** Somebody looks into it. */
const holdNode = onANode(() => {
  const held = (value: string | null) => ({ metadata: { annotations: { [annotationDoNotDisrupt]: value } } })
  return { to: held('true'), back: held(null), told: 'is held' }
})

const cordon = onANode(() => ({
  to: { spec: { unschedulable: true } },
  back: { spec: { unschedulable: null } },
  told: 'is cordoned',
}))

const relabel = onANode(({ metadata }, random) => {
  const keys = ['example.com/mark', teamKey, 'karpenter.sh/capacity-type']
  const key = keys[random.below(keys.length)] ?? ''
  const before = metadata.labels?.[key] ?? null
  const labelled = (value: string | null) => ({ metadata: { labels: { [key]: value } } })
  return { to: labelled(before === null ? 'yes' : null), back: labelled(before), told: `changes its label ${key}` }
})

const editArm: Act = async ({ stack, random, pools }) => {
  const shape = pools.find(({ name }) => name === 'arm')
  if (shape === undefined) return 'nothing'
  const changes: Partial<PoolShape>[] = [
    { archs: ['arm64'] },
    {},
    { expireAfter: '3h' },
    { taints: [{ key: 'example.com/soft', effect: 'PreferNoSchedule' }] },
    { labels: { tier: String(random.below(3)) } },
    { consolidateAfter: '10m' },
    { consolidateAfter: 'Never' },
  ]
  const change = changes[random.below(changes.length)] ?? {}
  const { spec } = aPool({ ...shape, ...change })
  const { client } = stack.cluster
  await client
    .get(nodePools, { name: 'arm' })
    .then((pool) => client.update(nodePools, { ...pool, spec }))
    .catch(() => undefined)
  return `NodePool arm: ${JSON.stringify(change)}`
}

const recreateBatch: Act = async (world) => {
  const { client } = world.stack.cluster
  const shape = world.pools.find(({ name }) => name === 'batch')
  if (shape === undefined) return 'nothing'
  await client.delete(nodePools, { name: 'batch' }).catch(ignoreNotFound)
  later(world, () => client.create(nodePools, aPool(shape)))
  return 'NodePool batch is deleted'
}

/** A node for a test, which somebody deletes again. */
const standalone: Act = async (world) => {
  const { client } = world.stack.cluster
  const name = `by-hand-${world.random.below(1_000_000)}`
  const claim: Unsaved<NodeClaim> = {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name },
    spec: {
      nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
      requirements: [
        { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
        { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m6i.large', 'm7i.large'] },
      ],
      taints: [{ key: 'example.com/by-hand', effect: 'NoSchedule' }],
      resources: { requests: { cpu: '1' } },
      expireAfter: '720h',
    },
  }
  await client.create(nodeClaims, claim)
  later(world, () => client.delete(nodeClaims, { name }))
  return `claim ${name} is made by hand`
}
