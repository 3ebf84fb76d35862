import type { RolloutPolicy, RolloutPolicySpec, RolloutPolicyStatus } from '../../src/api/karpenter.ts'
import { advance } from '../../src/rollout/engine/index.ts'
import type { ClassFacts } from '../../src/rollout/engine/input.ts'
import type {
  AskedMetric,
  MetricAnswer,
  NodeFacts,
  PoolFacts,
  RolloutInput,
  RolloutStepResult,
} from '../../src/rollout/engine/index.ts'

export const start = Date.parse('2026-05-04T12:00:00Z')

export function aNode(name: string, facts: Partial<NodeFacts> = {}): NodeFacts {
  return {
    name,
    createdAt: start - 86_400_000,
    zone: 'us-west-2a',
    labels: {},
    drift: undefined,
    driftedAt: undefined,
    image: 'ami-old',
    launched: true,
    initialized: true,
    hostsPods: false,
    isKept: false,
    ready: true,
    unreadyFrom: undefined,
    going: false,
    goingForDrift: false,
    goingUntold: false,
    interrupted: false,
    brokeDown: false,
    blocked: undefined,
    unreadyPods: 0,
    unreadySince: undefined,
    unreadyMadeAt: undefined,
    ...facts,
  }
}

export function aClassOf(facts: Partial<ClassFacts> = {}): ClassFacts {
  return {
    name: 'default',
    target: 'class-1',
    images: [{ id: 'ami-old', name: 'old' }],
    youngestImageAt: undefined,
    isGood: true,
    lastGood: undefined,
    badImages: new Set(),
    pinnedInsteadOf: undefined,
    ...facts,
  }
}

export function aPoolOf(facts: Partial<PoolFacts> = {}): PoolFacts {
  const target = facts.target ?? 'pool-1'
  return {
    name: 'default',
    target,
    wanted: target,
    nodeClass: aClassOf(),
    isStatic: false,
    retiring: false,
    restartAt: undefined,
    approval: undefined,
    pause: undefined,
    nodes: [],
    ...facts,
  }
}

/** A fleet whose image has changed: `count` old nodes, and nothing new yet. */
export function oldNodes(count: number): readonly NodeFacts[] {
  return Array.from({ length: count }, (_, index) => aNode(`old-${index}`, { drift: 'AMIDrift' }))
}

export function newImageClass(facts: Partial<ClassFacts> = {}): ClassFacts {
  return aClassOf({
    target: 'class-2',
    images: [{ id: 'ami-new', name: 'new' }],
    isGood: false,
    lastGood: [{ id: 'ami-old', name: 'old' }],
    ...facts,
  })
}

/** A policy under the engine, with a world of plain data around it that a test changes between looks. */
export class EngineWorld {
  now = start
  pools: PoolFacts[] = []
  metric: MetricAnswer | undefined = undefined
  waitingSince: readonly number[] = []
  yielded: RolloutInput['yielded'] = []
  policy: RolloutPolicy
  last: RolloutStepResult | undefined

  constructor(spec: Omit<RolloutPolicySpec, 'nodePoolSelector'> = {}, pools: readonly PoolFacts[] = []) {
    this.policy = {
      apiVersion: 'joinery.dev/v1alpha1',
      kind: 'RolloutPolicy',
      metadata: {
        name: 'careful',
        uid: 'uid',
        resourceVersion: '1',
        creationTimestamp: '2026-01-01T00:00:00Z',
        generation: 1,
      },
      spec: { nodePoolSelector: {}, ...spec },
    }
    this.pools = [...pools]
  }

  /** As the policy's gate is asked before a look: by the terms in force, where there is a rollout. */
  #asked(): AskedMetric | undefined {
    const { spec, status } = this.policy
    const { prometheus: gate } = (status?.startTime === undefined ? spec.gates : status.inForce?.gates) ?? {}
    return this.metric === undefined || gate === undefined ? undefined : { gate, answer: this.metric }
  }

  /** One look; what it says is remembered as the API server would: as JSON. */
  look(afterMs = 0): RolloutStepResult {
    this.now += afterMs
    const result = advance({
      policy: this.policy,
      pools: this.pools,
      yielded: this.yielded,
      pods: { waitingSince: this.waitingSince },
      metric: this.#asked(),
      now: this.now,
    })
    const status = JSON.parse(JSON.stringify(result.status)) as RolloutPolicyStatus
    this.policy = { ...this.policy, status }
    this.last = result
    return result
  }

  change(spec: Partial<RolloutPolicySpec>): void {
    const generation = (this.policy.metadata.generation ?? 0) + 1
    const metadata = { ...this.policy.metadata, generation }
    this.policy = { ...this.policy, metadata, spec: { ...this.policy.spec, ...spec } }
  }

  setPool(change: (pool: PoolFacts) => PoolFacts, name = 'default'): void {
    this.pools = this.pools.map((pool) => (pool.name === name ? change(pool) : pool))
  }

  /** Marks a node as going, with its replacement on the way. */
  begin(name: string, replacement: Partial<NodeFacts> = {}, ofPool = 'default'): void {
    this.setPool(
      (pool) => ({
        ...pool,
        nodes: [
          ...pool.nodes.map((node) => (node.name === name ? { ...node, going: true, goingForDrift: true } : node)),
          aNode(`new-of-${name}`, {
            createdAt: this.now + 1_000,
            image: 'ami-new',
            initialized: false,
            ready: false,
            ...replacement,
          }),
        ],
      }),
      ofPool,
    )
  }

  /** The old node is gone and its replacement in service. */
  finish(name: string, ofPool = 'default'): void {
    this.setPool(
      (pool) => ({
        ...pool,
        nodes: pool.nodes.flatMap((node) => {
          if (node.name === name) return []
          return node.name === `new-of-${name}` ? [{ ...node, initialized: true, ready: true }] : [node]
        }),
      }),
      ofPool,
    )
  }

  replace(name: string, ofPool = 'default'): void {
    this.begin(name, {}, ofPool)
    this.finish(name, ofPool)
  }

  /** Names of the nodes that the gate lets begin now. */
  free(): readonly string[] {
    const { gate } = this.last ?? {}
    return [...(gate?.nodes ?? [])].flatMap(([name, { hold }]) => (hold === undefined ? [name] : []))
  }

  /** Why a node may not begin. */
  holdOf(name: string): string | undefined {
    return this.last?.gate.nodes.get(name)?.hold?.message
  }

  transitions(): readonly string[] {
    return (this.last?.transitions ?? []).map(({ kind }) => kind)
  }
}
