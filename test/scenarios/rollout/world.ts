import { isReady, readFleet } from '../../../src/cli/embedded/fleet.ts'
import { startStack, type Stack } from '../../../src/cli/embedded/stack.ts'
import type {
  EC2NodeClass,
  NodeClaim,
  NodePool,
  RolloutPolicy,
  RolloutPolicySpec,
  RolloutPolicyStatus,
} from '../../../src/api/karpenter.ts'
import { labelNodePool, taintDisruptedKey } from '../../../src/api/labels.ts'
import { isConditionTrue } from '../../../src/api/conditions.ts'
import type { MetricQuery } from '../../../src/controllers/rollout/index.ts'
import type { Deployment, Unsaved } from '../../../src/api/kubernetes.ts'
import { ec2NodeClasses, nodeClaims, nodePools, rolloutPolicies } from '../../../src/kube/karpenter-kinds.ts'
import { deployments, nodes, pods } from '../../../src/kube/kinds.ts'
import { containerOf, deploymentOf } from '../../support/deployments.ts'

export const minute = 60_000
export const hour = 60 * minute

export const oldVersion = 'v20260301'
export const newVersion = 'v20260401'

/** A fleet whose every node runs one pod, under a policy, and a second image to move it to. */
export interface RolloutWorld {
  readonly stack: Stack
  /** Ids of the images of a version. */
  readonly images: { readonly old: ReadonlySet<string>; readonly new: ReadonlySet<string> }
  run(ms: number): Promise<void>
  /** Whether it came true in time. */
  until(condition: () => boolean, withinMs: number): Promise<boolean>
  status(): RolloutPolicyStatus
  claims(): readonly NodeClaim[]
  /** Nodes that boot from the new image, by the names of their claims. */
  onNewImage(): readonly string[]
  pool(name?: string): NodePool
  nodeClass(): EC2NodeClass
  /** Whether every pod of the workload is ready. */
  allRun(): boolean
  /** Changes the alias, as a commit to the node class would. */
  editAlias(version: string): Promise<void>
  annotate(kind: 'pool' | 'class', annotations: Readonly<Record<string, string | null>>): Promise<void>
}

/** A pool with a workload of its own that fills its nodes. */
interface PoolShape {
  readonly name: string
  readonly nodes: number
  readonly budget?: string
  /** Of the template. */
  readonly labels?: Readonly<Record<string, string>>
  readonly zone?: string
  readonly expireAfter?: string
  readonly terminationGracePeriod?: string
  /** As many nodes as asked for, whatever waits. */
  readonly isStatic?: boolean
}

export interface WorldOptions {
  readonly policy: Omit<RolloutPolicySpec, 'nodePoolSelector'>
  /** Of the one pool that there is unless `pools` says otherwise. */
  readonly nodes?: number
  readonly budget?: string
  readonly pools?: readonly PoolShape[]
  readonly seed?: number
  readonly onLogLine?: (line: string) => void
  readonly metricQuery?: MetricQuery
}

/** Everything runs on the old image when it is handed out, and the policy has seen that. */
export async function createRolloutWorld(options: WorldOptions): Promise<RolloutWorld> {
  const { policy, nodes: single = 6, budget, seed = 1, onLogLine, metricQuery } = options
  const pools = options.pools ?? [{ name: 'default', nodes: single, ...(budget === undefined ? {} : { budget }) }]
  const count = pools.reduce((sum, pool) => sum + pool.nodes, 0)
  const isStatic = pools.some((pool) => pool.isStatic)
  const stack = await startStack({
    seed,
    offers: ({ name }) => ['m6i.xlarge', 'm7i.xlarge'].includes(name),
    settings: {
      disableClusterStateObservability: true,
      ...(isStatic ? { featureGates: { StaticCapacity: true } } : {}),
    },
    ...(onLogLine === undefined ? {} : { onLogLine }),
    ...(metricQuery === undefined ? {} : { metricQuery }),
  })
  const { cluster } = stack
  const published = (version: string): ReadonlySet<string> =>
    new Set(cluster.aws.publishImage('al2023', { version }).map(({ id }) => id))
  const images = { old: published(oldVersion), new: published(newVersion) }
  const { client, clock } = cluster
  await client.create(ec2NodeClasses, aClass())
  for (const pool of pools) await client.create(nodePools, aPool(pool))
  await client.create(rolloutPolicies, aPolicy(policy))
  for (const pool of pools) await client.create(deployments, aDeployment(pool, { isBound: pools.length > 1 }))
  const caches = () => stack.operator.caches
  const claims = (): readonly NodeClaim[] => caches().of(nodeClaims).list()
  const first = <T>(list: readonly T[]): T => {
    const [one] = list
    if (one === undefined) throw new Error('it is not there')
    return one
  }
  const world: RolloutWorld = {
    stack,
    images,
    run: async (ms) => void (await clock.run({ until: () => false, withinMs: ms })),
    until: (condition, withinMs) => clock.run({ until: condition, withinMs }),
    status: () => first(caches().of(rolloutPolicies).list()).status ?? {},
    claims,
    onNewImage: () =>
      claims()
        .filter(({ status }) => images.new.has(status?.imageID ?? ''))
        .map(({ metadata }) => metadata.name),
    pool: (name = 'default') => first([caches().of(nodePools).get({ name })].filter((pool) => pool !== undefined)),
    nodeClass: () => first(caches().of(ec2NodeClasses).list()),
    allRun: () => {
      const own = caches()
        .of(pods)
        .list()
        .filter(({ metadata }) => metadata.namespace === 'default' && metadata.deletionTimestamp === undefined)
      return own.length === count && own.every(isReady)
    },
    editAlias: async (version) => {
      const body = { spec: { amiSelectorTerms: [{ alias: `al2023@${version}` }] } }
      await client.patch(ec2NodeClasses, { name: 'default' }, { kind: 'merge', body }, { fieldManager: 'argocd' })
    },
    annotate: async (kind, annotations) => {
      const body = { metadata: { annotations } }
      const patch = { kind: 'merge', body } as const
      if (kind === 'pool') await client.patch(nodePools, { name: 'default' }, patch, { fieldManager: 'argocd' })
      else await client.patch(ec2NodeClasses, { name: 'default' }, patch, { fieldManager: 'argocd' })
    },
  }
  const isSettled = (): boolean =>
    world.allRun() &&
    claims().length === count &&
    readFleet(stack).nodes.every((node) => node.isReady) &&
    world.nodeClass().status?.imageHistory?.[0]?.outcome === 'good'
  if (!(await world.until(isSettled, 30 * minute))) {
    throw new Error(`the fleet did not settle: ${JSON.stringify({ status: world.status(), claims: claims().length })}`)
  }
  return world
}

/**
 * Counts, while it runs, the nodes of the old fleet that were ever disturbed, in that order, the most that were out of service at once,
 * and the most that were chosen to go at once, as budgets count them: their replacements on the way or not, up to the end of the machine.
 */
export function watchFleet(world: RolloutWorld): {
  readonly touched: ReadonlySet<string>
  readonly mostUnavailable: number
  readonly mostChosen: number
} {
  const original = new Set(world.claims().map(({ metadata }) => metadata.name))
  const touched = new Set<string>()
  let mostUnavailable = 0
  let mostChosen = 0
  const look = (): void => {
    const fleet = new Map(world.claims().map((claim) => [claim.metadata.name, claim]))
    let unavailable = 0
    for (const name of original) {
      const claim = fleet.get(name)
      const isGoing = claim === undefined || claim.metadata.deletionTimestamp !== undefined
      if (isGoing) touched.add(name)
      if (claim !== undefined && isGoing) unavailable += 1
    }
    mostUnavailable = Math.max(mostUnavailable, unavailable)
    const ended = new Set(
      [...fleet.values()].flatMap((claim) =>
        isConditionTrue(claim, 'InstanceTerminating') ? [claim.status?.nodeName] : [],
      ),
    )
    const chosen = world.stack.operator.caches
      .of(nodes)
      .list()
      .filter(({ metadata }) => !ended.has(metadata.name))
      .filter(({ spec }) => spec.taints?.some(({ key }) => key === taintDisruptedKey))
    mostChosen = Math.max(mostChosen, chosen.length)
  }
  world.stack.operator.caches.of(nodeClaims).subscribe(look)
  world.stack.operator.caches.of(nodes).subscribe(look)
  return {
    touched,
    get mostUnavailable() {
      return mostUnavailable
    },
    get mostChosen() {
      return mostChosen
    },
  }
}

function aClass(): Unsaved<EC2NodeClass> {
  const tags = { 'karpenter.sh/discovery': 'demo' }
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: 'default' },
    spec: {
      role: 'KarpenterNodeRole-demo',
      amiSelectorTerms: [{ alias: `al2023@${oldVersion}` }],
      subnetSelectorTerms: [{ tags }],
      securityGroupSelectorTerms: [{ tags }],
    },
  }
}

function aPool(shape: PoolShape): Unsaved<NodePool> {
  const { name, nodes: replicas, budget = '2', labels, zone, expireAfter = '720h', terminationGracePeriod } = shape
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name, labels: { team: 'web' } },
    spec: {
      ...(shape.isStatic ? { replicas } : {}),
      template: {
        ...(labels === undefined ? {} : { metadata: { labels } }),
        spec: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
          requirements: [
            { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
            { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
            ...(zone === undefined
              ? []
              : [{ key: 'topology.kubernetes.io/zone', operator: 'In' as const, values: [zone] }]),
          ],
          expireAfter,
          ...(terminationGracePeriod === undefined ? {} : { terminationGracePeriod }),
        },
      },
      disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: '1m', budgets: [{ nodes: budget }] },
    },
  }
}

function aPolicy(spec: Omit<RolloutPolicySpec, 'nodePoolSelector'>): Unsaved<RolloutPolicy> {
  return {
    apiVersion: 'joinery.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name: 'careful' },
    spec: { nodePoolSelector: { matchLabels: { team: 'web' } }, ...spec },
  }
}

/** Three CPUs each: one to a node of four. */
function aDeployment({ name, nodes: replicas }: PoolShape, { isBound }: { isBound: boolean }): Unsaved<Deployment> {
  return deploymentOf(name, replicas, {
    terminationGracePeriodSeconds: 10,
    ...(isBound ? { nodeSelector: { [labelNodePool]: name } } : {}),
    containers: [containerOf({ cpu: '3', memory: '1Gi' })],
  })
}
