import { startStack, type Stack, type StackOptions } from '../../src/cli/embedded/stack.ts'
import type { TypeFacts } from '../../src/embedded/aws/catalogue.ts'
import { SeededRandom } from '../../src/embedded/random.ts'
import type { RolloutPolicySpec } from '../../src/api/karpenter.ts'
import { ec2NodeClasses, nodePools, rolloutPolicies } from '../../src/kube/karpenter-kinds.ts'
import { daemonSets, deployments, podDisruptionBudgets, statefulSets } from '../../src/kube/kinds.ts'
import type { Options } from '../../src/operator/options.ts'
import { AdmissionDoor } from './admission-door.ts'
import type { ApiHooks } from './hooks.ts'
import {
  createEstate,
  estateBudgets,
  estatePools,
  estateShapes,
  isOfArm,
  settingsOfSeed,
  taintAgents,
  tryAgainWhereHalted,
  workOnEstate,
} from './estate.ts'
import { aReservingClass, changeFeature, createFeatures, everyGate, featurePools, featureShapes } from './features.ts'
import { ignoreNotFound } from './ignore-not-found.ts'
import { chooseImage } from './image-acts.ts'
import {
  aBudget,
  aDaemonSet,
  aDeployment,
  aJob,
  aNodeClass,
  aPool,
  aStatefulSet,
  jobs,
  type PoolShape,
  type Shape,
} from './objects.ts'
import { hour, minute } from './time.ts'

export { hour, minute }

export interface World {
  readonly seed: number
  readonly stack: Stack
  /** Decides what people and workloads do; the cluster draws from generators of its own. */
  readonly random: SeededRandom
  readonly shapes: readonly Shape[]
  readonly pools: readonly PoolShape[]
  readonly policy: WorldOptions['policy']
  readonly features: boolean
  readonly estate: boolean
  readonly admission: AdmissionDoor
}

export interface WorldOptions extends Pick<StackOptions, 'attachments' | 'taintAgents' | 'zones' | 'offers'> {
  readonly seed: number
  readonly settings?: Partial<Options>
  readonly operatorFaults?: ApiHooks
  readonly shapes?: readonly Shape[]
  readonly pools?: readonly PoolShape[]
  /** Governs the rollouts of all pools; images then come more often, and some of them are broken. */
  readonly policy?: Omit<RolloutPolicySpec, 'nodePoolSelector'>
  readonly onLogLine?: (line: string) => void
  /** Every feature that has a gate, nodes that expire, and reservations; on some days they are changed. */
  readonly features?: boolean
  /** Two architectures and operating systems, a team's own pool, what workloads may say of nodes, and work by hand. */
  readonly estate?: boolean
  /** Pods, with a volume each, of a database beside the shapes; three. */
  readonly database?: number
}

/** About twenty nodes of up to eight CPUs. */
const usualShapes: readonly Shape[] = [
  { name: 'web', replicas: 20, cpu: '500m', memory: '1Gi', spread: true },
  { name: 'api', replicas: 12, cpu: '1', memory: '2Gi' },
  { name: 'batch', replicas: 8, cpu: '2', memory: '4Gi' },
  { name: 'cache', replicas: 8, cpu: '1', memory: '8Gi', maxUnavailable: 1 },
  { name: 'search', replicas: 6, cpu: '3', memory: '12Gi' },
  { name: 'precious', replicas: 2, cpu: '1', memory: '2Gi', doNotDisrupt: true },
]

const usualPools: readonly PoolShape[] = [
  { name: 'general', budget: '20%' },
  { name: 'spot', capacityTypes: ['spot', 'on-demand'], budget: '2', weight: 10, cpu: '48' },
]

/** A canary, then half, then all; never more than three at a time; back to the last good image when it fails. */
export const usualPolicy: NonNullable<WorldOptions['policy']> = {
  steps: [
    { nodes: 1, soak: '3m' },
    { nodes: '50%', soak: '3m' },
  ],
  sharedBudget: '3',
  gates: { nodeReadyTimeout: '8m', maxFailedNodes: 0 },
  onFailure: 'Rollback',
}

const families = new Set(['c6i', 'm6i', 'r6i', 'c7i', 'm7i', 'r7i', 'm5', 'c5', 'r5'])

/**
 * A few families: enough to choose from, and small enough that a day is short. One machine of bare metal, which no pool allows, because
 * a price list without any counts as broken and is asked for again and again.
 */
function offers(facts: TypeFacts): boolean {
  if (facts.name === 'm5.metal') return true
  return families.has(facts.name.split('.')[0] ?? '') && facts.vcpu <= 16 && facts.bareMetal !== true
}

function poolsOf({ features, estate }: Pick<World, 'features' | 'estate'>): readonly PoolShape[] {
  const pools = features ? featurePools : usualPools
  return estate ? [...pools.map((pool) => ({ ...pool, budgets: estateBudgets })), ...estatePools] : pools
}

/** A cluster with its operator, pools and workloads; time has not passed yet beyond the operator's start. */
export async function createWorld(options: WorldOptions): Promise<World> {
  const {
    seed,
    settings = {},
    operatorFaults,
    onLogLine,
    features = false,
    estate = false,
    pools = poolsOf({ features, estate }),
    shapes = [...usualShapes, ...(features ? featureShapes : []), ...(estate ? estateShapes : [])],
    policy,
    database = 3,
    ...stackOptions
  } = options
  const admission = new AdmissionDoor()
  const stack = await startStack({
    offers: estate ? (facts) => offers(facts) || isOfArm(facts) : offers,
    ...(estate ? { taintAgents } : {}),
    webhooks: { transport: admission.transport },
    ...stackOptions,
    seed,
    // Gauges are somebody else's test, and half the work of a quiet hour.
    settings: {
      disableClusterStateObservability: true,
      ...(features ? { featureGates: everyGate } : {}),
      ...(estate ? settingsOfSeed(seed) : {}),
      ...settings,
    },
    ...(operatorFaults === undefined
      ? {}
      : {
          operatorFaults: (operator: number) => operatorFaults.of(operator),
          onPlacement: operatorFaults.onPlacement,
        }),
    // What is told at debug only may hold a secret, or tell of a mistake, too.
    logLevel: 'debug',
    onLogLine: (line) => {
      operatorFaults?.onLogLine(line)
      onLogLine?.(line)
    },
  })
  const { client } = stack.cluster
  await client.create(ec2NodeClasses, features ? aReservingClass() : aNodeClass())
  if (estate) await createEstate(stack)
  for (const pool of pools) await client.create(nodePools, aPool(pool))
  if (features) await createFeatures(stack)
  if (policy !== undefined) {
    const metadata = { name: 'everything' }
    const spec = { nodePoolSelector: {}, ...policy }
    await client.create(rolloutPolicies, { apiVersion: 'joinery.dev/v1alpha1', kind: 'RolloutPolicy', metadata, spec })
  }
  if (policy !== undefined && estate) tryAgainWhereHalted(stack)
  await client.create(daemonSets, aDaemonSet('agent'))
  for (const shape of shapes) {
    await client.create(deployments, aDeployment(shape))
    await client.create(podDisruptionBudgets, aBudget(shape))
  }
  if (database > 0) {
    const shape = { name: 'db', replicas: database, cpu: '1', memory: '4Gi', maxUnavailable: 1 }
    await client.create(statefulSets, aStatefulSet(shape))
    await client.create(podDisruptionBudgets, aBudget(shape))
  }
  return { seed, stack, random: new SeededRandom(`world/${seed}`), shapes, pools, policy, features, estate, admission }
}

/** Something that people, pipelines or AWS do in an ordinary day. */
export async function actOnce(world: World, step: number): Promise<string> {
  const { random, stack, shapes, policy, features, estate } = world
  const { client } = stack.cluster
  // Under a policy images are what a day is about.
  if (policy !== undefined && random.next() < 0.4) return chooseImage(world, step)
  if (features && random.next() < 0.3) return changeFeature(world)
  if (estate && random.next() < 0.4) return workOnEstate(world)
  const shape = shapes[random.below(shapes.length)]
  const draw = random.next()
  if (draw < 0.5 && shape !== undefined) {
    const replicas = Math.max(1, Math.round(shape.replicas * (0.4 + 1.2 * random.next())))
    await patchDeployment(world, shape.name, { spec: { replicas } })
    return `${shape.name} is scaled to ${replicas}`
  }
  if (draw < 0.7 && shape !== undefined) {
    const body = { spec: { template: { metadata: { annotations: { release: String(step) } } } } }
    await patchDeployment(world, shape.name, body)
    return `${shape.name} is released anew`
  }
  if (draw < 0.9) {
    const completions = 1 + random.below(4)
    await client.create(jobs, aJob(`job-${step}`, completions))
    return `a job of ${completions} pods`
  }
  if (draw < 0.94) return chooseImage(world, step)
  if (draw < 0.97) {
    const body = { spec: { template: { metadata: { labels: { revision: String(step) } } } } }
    await client.patch(nodePools, { name: 'general' }, { kind: 'merge', body }).catch(ignoreNotFound)
    return 'NodePool general is edited'
  }
  return 'a quiet hour'
}

async function patchDeployment({ stack }: World, name: string, body: object): Promise<void> {
  await stack.cluster.client
    .patch(deployments, { namespace: 'default', name }, { kind: 'merge', body })
    .catch(ignoreNotFound)
}
