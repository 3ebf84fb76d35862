import { ec2NodeClassHashAnnotations, nodePoolHash } from '../../src/api/hash/index.ts'
import { annotationApprove } from '../../src/api/joinery-annotations.ts'
import type { EC2NodeClass, NodePool, RolloutPolicy } from '../../src/api/karpenter.ts'
import { countPoolNodes } from '../../src/disruption/budgets.ts'
import type { Candidate } from '../../src/disruption/candidates.ts'
import type { DisruptionGate } from '../../src/disruption/gate.ts'
import type { Snapshot, StateNode } from '../../src/model/snapshot.ts'
import { readRolloutAnnotations } from '../../src/rollout/annotations.ts'
import {
  advance,
  type ApprovalFacts,
  classFacts,
  gateOfPolicies,
  govern,
  type NodeFacts,
  type PolicyView,
  policyView,
  type PoolFacts,
  type RolloutStepResult,
} from '../../src/rollout/engine/index.ts'
import { poolPause } from '../../src/rollout/pause.ts'
import { classTarget, imageIds, poolTarget } from '../../src/rollout/target.ts'
import { aNode } from './rollout-facts.ts'

interface Targets {
  readonly pool: string
  readonly nodeClass: string
}

/** What nodes of a pool would be made of, and what of that its class says. */
export function targetsOf(pool: NodePool, nodeClass: EC2NodeClass): Targets {
  const hash = nodeClass.metadata.annotations?.[ec2NodeClassHashAnnotations.hash] ?? ''
  const ofClass = classTarget(hash, nodeClass, imageIds(nodeClass))
  return { pool: poolTarget(nodePoolHash(pool), pool, ofClass), nodeClass: ofClass }
}

/** The rollout controller: asks the engine with the fleet of the moment until it has nothing more to say. */
export class EngineModel {
  #policies: readonly RolloutPolicy[]
  readonly #pools: readonly NodePool[]
  readonly #nodeClass: EC2NodeClass
  readonly #targets: ReadonlyMap<string, Targets>
  readonly #results = new Map<string, RolloutStepResult>()
  readonly #forDrift = new Set<string>()

  constructor(policies: readonly RolloutPolicy[], pools: readonly NodePool[], nodeClass: EC2NodeClass) {
    this.#policies = policies
    this.#pools = pools
    this.#nodeClass = nodeClass
    this.#targets = new Map(pools.map((pool) => [pool.metadata.name, targetsOf(pool, nodeClass)]))
  }

  went({ nodeClaim }: Candidate): void {
    this.#forDrift.add(nodeClaim.metadata.name)
  }

  /** `counted`: the nodes that budgets count. */
  look(snapshot: Snapshot, counted: readonly StateNode[]): DisruptionGate {
    const { now } = snapshot
    const { governing, selecting } = govern(this.#policies, this.#pools)
    const poolsOf = (policy: string): readonly NodePool[] =>
      this.#pools.filter(({ metadata }) => governing.get(metadata.name)?.metadata.name === policy)
    const pauses = new Map(
      this.#pools.map((pool) => {
        const policies = selecting.get(pool.metadata.name) ?? []
        return [pool.metadata.name, poolPause({ pool, nodeClass: this.#nodeClass, policies }, now)]
      }),
    )
    this.#policies = this.#policies.map((policy) => {
      let current = policy
      for (let looks = 0; looks < 20; looks += 1) {
        const result = advance({
          policy: current,
          pools: poolsOf(policy.metadata.name).map((pool) => ({
            ...this.#factsOfPool(pool, snapshot),
            pause: pauses.get(pool.metadata.name),
          })),
          yielded: [],
          pods: { waitingSince: [] },
          metric: undefined,
          now,
        })
        this.#results.set(policy.metadata.name, result)
        if (JSON.stringify(result.status) === JSON.stringify(current.status)) break
        current = { ...current, status: result.status }
      }
      return current
    })
    const counts = countPoolNodes(counted)
    const marked = new Map(snapshot.nodes.map((node) => [node.nodeClaim?.metadata.name ?? '', node.markedForDeletion]))
    const views = new Map<string, PolicyView>()
    for (const policy of this.#policies) {
      const names = poolsOf(policy.metadata.name).map(({ metadata }) => metadata.name)
      const view = policyView(policy, this.#results.get(policy.metadata.name)?.gate, {
        isGoing: (claim) => marked.get(claim) ?? true,
        total: names.reduce((sum, name) => sum + (counts.get(name)?.total ?? 0), 0),
        unavailable: names.reduce((sum, name) => sum + (counts.get(name)?.disrupting ?? 0), 0),
      })
      for (const name of names) views.set(name, view)
    }
    return gateOfPolicies({ pauses, views, targetOf: (pool) => this.#targetsOf(pool).pool, now })
  }

  #targetsOf({ metadata: { name } }: NodePool): Targets {
    return this.#targets.get(name) ?? { pool: '', nodeClass: '' }
  }

  #factsOfPool(pool: NodePool, { nodes, now }: Snapshot): Omit<PoolFacts, 'pause'> {
    const { name } = pool.metadata
    const targets = this.#targetsOf(pool)
    const own = nodes.filter(({ nodePool }) => nodePool === name).flatMap((node) => this.#factsOf(node))
    const { retire, restartAt } = readRolloutAnnotations(pool, now)
    const restarts = [restartAt, readRolloutAnnotations(this.#nodeClass, now).restartAt].filter(
      (at) => at !== undefined,
    )
    return {
      name,
      target: targets.pool,
      wanted: targets.pool,
      nodeClass: classFacts(this.#nodeClass, targets.nodeClass),
      isStatic: pool.spec.replicas !== undefined,
      retiring: retire,
      restartAt: restarts.length === 0 ? undefined : Math.max(...restarts),
      approval: this.#approvalOf(pool, own),
      nodes: own,
    }
  }

  /** The pool's own word counts for all, that of its class as long as nothing but the class has changed. */
  #approvalOf(pool: NodePool, nodes: readonly NodeFacts[]): ApprovalFacts | undefined {
    const targets = this.#targetsOf(pool)
    const unknown = { time: undefined, fieldManager: undefined }
    const byPool = pool.metadata.annotations?.[annotationApprove] === targets.pool
    if (byPool) return { kind: 'NodePool', name: pool.metadata.name, target: targets.pool, ...unknown }
    const ofPool = new Set(['NodePoolDrifted', 'RequirementsDrifted'])
    const byClass = this.#nodeClass.metadata.annotations?.[annotationApprove] === targets.nodeClass
    if (!byClass || nodes.some(({ drift }) => ofPool.has(drift ?? ''))) return undefined
    return { kind: 'EC2NodeClass', name: this.#nodeClass.metadata.name, target: targets.nodeClass, ...unknown }
  }

  #factsOf({ nodeClaim, labels, initialized, markedForDeletion }: StateNode): readonly NodeFacts[] {
    if (nodeClaim === undefined) return []
    const { name, creationTimestamp } = nodeClaim.metadata
    const drifted = nodeClaim.status?.conditions?.find(({ type, status }) => type === 'Drifted' && status === 'True')
    return [
      aNode(name, {
        createdAt: Date.parse(creationTimestamp ?? ''),
        zone: labels['topology.kubernetes.io/zone'] ?? '',
        labels,
        drift: drifted?.reason,
        image: nodeClaim.status?.imageID,
        launched: initialized,
        initialized,
        ready: initialized,
        going: markedForDeletion,
        goingForDrift: this.#forDrift.has(name),
      }),
    ]
  }
}
