import { labelNodePool } from '../../api/labels.ts'
import { diffFields } from '../../api/field-diff.ts'
import type { EC2NodeClass, NodePool } from '../../api/karpenter.ts'
import type { KubeObject } from '../../api/kubernetes.ts'
import { chooseScaleDown } from '../../disruption/static-capacity.ts'
import { isClaimDeleting } from '../../model/deleting-claim.ts'
import type { DriftFinding, FieldChange } from '../../model/drift-finding.ts'
import type { StateNode } from '../../model/snapshot.ts'
import { govern } from '../engine/index.ts'
import { driftVerdict } from './drift-verdict.ts'
import { type Stamped, stampHashes } from './hash-stamps.ts'
import type { PlanInput } from './input.ts'

export type NodeVerdict = Readonly<
  | { kind: 'stay' }
  /** `Consolidatable`: the change lets consolidation take the node, whose pods it did not move before. */
  | { kind: 'inPlace'; fields: readonly FieldChange[]; reason?: 'Consolidatable' }
  | { kind: 'replace'; finding: DriftFinding }
  | { kind: 'remove'; reason: RemoveReason; fields: readonly FieldChange[] }
>

/** `InQueue`: the disruption queue deletes it once what replaces it is ready. */
type RemoveReason = 'Deleting' | 'InQueue' | 'NodePoolRemoved' | 'ScaledDown' | 'Empty'

export interface JudgedNode {
  readonly stateNode: StateNode
  readonly verdict: NodeVerdict
}

export interface JudgedFleet {
  /** Managed nodes, in snapshot order, with the claims as their hash controllers would have left them. */
  readonly nodes: readonly JudgedNode[]
  readonly stamped: Stamped
}

/** What becomes of every managed node, by itself: whether and when its turn comes is another question. */
export function judgeNodes(
  input: Pick<
    PlanInput,
    'present' | 'proposal' | 'snapshot' | 'starting' | 'settings' | 'providerDrift' | 'keepsReplicas'
  >,
): JudgedFleet {
  const { present, proposal, snapshot } = input
  const { proposed } = proposal
  const claims = snapshot.nodes.flatMap(({ nodeClaim }) => nodeClaim ?? [])
  const stamped = stampHashes(present, proposed, [...claims, ...input.starting])
  const presentPools = byName(present.nodePools)
  const presentClasses = byName(present.nodeClasses)
  const changedPools = fieldsByName(presentPools, byName(proposed.nodePools))
  const changedClasses = fieldsByName(presentClasses, byName(proposed.nodeClasses))
  const scaledDown: ReadonlySet<string> = input.keepsReplicas ? scaledDownNodes(input) : new Set()
  const told = new Map<string, readonly FieldChange[]>()
  const { governing } = govern(proposed.rolloutPolicies, proposed.nodePools)

  const verdictOf = (stateNode: StateNode): NodeVerdict => {
    const { nodeClaim, nodePool, markedForDeletion } = stateNode
    if (nodeClaim === undefined) return { kind: 'stay' }
    // Where the claim does not go yet, the node is in the disruption queue.
    if (markedForDeletion)
      return { kind: 'remove', reason: isClaimDeleting(nodeClaim) ? 'Deleting' : 'InQueue', fields: [] }
    const name = nodePool === '' ? (nodeClaim.metadata.labels?.[labelNodePool] ?? '') : nodePool
    const pool = stamped.nodePools.get(name)
    if (pool === undefined) {
      return presentPools.has(name) ? { kind: 'remove', reason: 'NodePoolRemoved', fields: [] } : { kind: 'stay' }
    }
    if (pool.metadata.deletionTimestamp !== undefined) return { kind: 'remove', reason: 'Deleting', fields: [] }
    if (scaledDown.has(stateNode.key)) {
      return { kind: 'remove', reason: 'ScaledDown', fields: changedPools.get(name) ?? [] }
    }
    const className = nodeClaim.spec.nodeClassRef.name
    const finding = driftVerdict(
      {
        claim: stamped.claims.get(nodeClaim.metadata.name) ?? nodeClaim,
        presentPool: presentPools.get(name),
        presentClass: presentClasses.get(className),
        pool,
        nodeClass: living(stamped.nodeClasses.get(className)),
        types: snapshot.instanceTypes.get(name),
        policy: governing.get(name),
      },
      { vocabulary: input.settings.vocabulary, providerDrift: input.providerDrift, now: snapshot.now, told },
    )
    if (finding !== undefined) return { kind: 'replace', finding }
    const fields = [...(changedPools.get(name) ?? []), ...(changedClasses.get(className) ?? [])]
    return fields.length > 0 ? { kind: 'inPlace', fields } : { kind: 'stay' }
  }
  return {
    stamped,
    nodes: snapshot.nodes
      .filter(({ nodeClaim }) => nodeClaim !== undefined)
      .map((stateNode) => ({ stateNode, verdict: verdictOf(stateNode) })),
  }
}

function living(nodeClass: EC2NodeClass | undefined): EC2NodeClass | undefined {
  return nodeClass?.metadata.deletionTimestamp === undefined ? nodeClass : undefined
}

/** Static pools that want fewer nodes than they have. */
function scaledDownNodes({ snapshot, proposal }: Pick<PlanInput, 'snapshot' | 'proposal'>): ReadonlySet<string> {
  const keys = new Set<string>()
  for (const pool of proposal.proposed.nodePools) {
    const { replicas } = pool.spec
    if (replicas === undefined) continue
    const nodes = snapshot.nodes.filter(
      ({ nodePool, nodeClaim, markedForDeletion }) =>
        nodePool === pool.metadata.name && nodeClaim !== undefined && !markedForDeletion,
    )
    const claims = nodes.flatMap(({ nodeClaim }) => nodeClaim ?? [])
    const excess = claims.length - replicas
    for (const { key } of chooseScaleDown({ excess, claims, nodes, now: snapshot.now })) {
      if (key !== undefined) keys.add(key)
    }
  }
  return keys
}

function fieldsByName<T extends NodePool | EC2NodeClass>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
): ReadonlyMap<string, readonly FieldChange[]> {
  return new Map(
    [...after].map(([name, object]) => {
      const known = before.get(name)
      return [name, known === undefined ? [] : diffFields(known.spec, object.spec, 'spec')]
    }),
  )
}

function byName<T extends KubeObject>(objects: readonly T[]): ReadonlyMap<string, T> {
  return new Map(objects.map((object) => [object.metadata.name, object]))
}
