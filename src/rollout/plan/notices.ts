import { conditionOf } from '../../api/conditions.ts'
import type { KubeObject } from '../../api/kubernetes.ts'
import { nodeClassNameOf } from '../../api/node-class-ref.ts'
import { capitalized } from '../../disruption/drift.ts'
import { toTimestamp } from '../../model/clock.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import { readRolloutAnnotations } from '../annotations.ts'
import { classFacts, govern } from '../engine/index.ts'
import type { MissingReplicas } from './missing-replicas.ts'
import type { JudgedNode } from './node-verdicts.ts'
import { consolidatesUsed } from './opened-consolidation.ts'
import type { FleetObjects, Proposal } from './proposal.ts'
import { softExpiryToCome } from './soft-expiry-to-come.ts'
import { horizonDays } from './timeline.ts'

export interface NoticeFacts {
  /** The cluster as it will be. */
  readonly after: Pick<Snapshot, 'now' | 'nodePools' | 'instanceTypes'>
  readonly present: FleetObjects
  readonly proposal: Proposal
  readonly nodes: readonly JudgedNode[]
  /** Names of classes whose images nobody knows yet. */
  readonly unresolvedClasses: ReadonlySet<string>
  /** Pools whose requirements no known instance type meets, and what the scheduler says of it. */
  readonly untyped: ReadonlyMap<string, string>
  /** Why nobody knows the types of a pool; undefined when all are known. */
  readonly typesUnknown: string | undefined
  /** How many nodes have no known price. */
  readonly unpriced: number
  /** Pools whose instance types cost other than before, by a change of NodeOverlays. */
  readonly repriced: ReadonlySet<string>
  readonly missing: readonly MissingReplicas[]
  /** By pool: how many nodes that have no machine yet are made otherwise than it asks for. */
  readonly outdatedAtStart: ReadonlyMap<string, number>
  readonly keepsReplicas: boolean
  /** How many nodes were judged in groups, not each by itself. */
  readonly grouped: number
  /** Kinds of the cluster that could not be read, by their plural names. */
  readonly unread: readonly string[]
  /** Whether nodes that wait for their turn would have it later than anybody looks ahead. */
  readonly isCutOff: boolean
}

/** What a plan leaves open, a sentence or two each. */
export function noticesOf(facts: NoticeFacts): readonly string[] {
  const { nodes, typesUnknown, unpriced, missing, grouped, unread, isCutOff } = facts
  const open = nodes.filter(({ verdict }) => verdict.kind === 'inPlace' && verdict.reason !== undefined).length
  return [
    ...(unread.length === 0
      ? []
      : [
          `Not all of the cluster could be read: ${unread.join(', ')} may not be listed. The plan is made as if there were none: what they would change, hold or refuse is not in it.`,
        ]),
    ...(typesUnknown === undefined
      ? []
      : [
          `${capitalized(typesUnknown)}. The plan takes it that new nodes can be launched where they are needed, and tells no cost.`,
        ]),
    ...(typesUnknown !== undefined || unpriced === 0
      ? []
      : [`The price of ${unpriced} node(s) is not known: they count as nothing in the cost.`]),
    ...launchingNothing(facts),
    ...missing.flatMap(({ pool, nodes: made }) =>
      made === 0 ? [] : [`NodePool ${pool.metadata.name} launches ${made} node(s) for its replicas.`],
    ),
    ...[...facts.outdatedAtStart].map(
      ([pool, count]) =>
        `NodePool ${pool} has ${count} node(s) without a machine yet, made otherwise than it asks for: the plan leaves them out, and they are replaced once they are up.`,
    ),
    ...replicasNotKept(facts),
    ...openBreakers(facts),
    ...unknownImageAges(facts),
    ...restartsToCome(facts),
    ...softExpiryToCome({
      after: facts.after,
      present: facts.present,
      proposed: facts.proposal.proposed,
      nodes: nodes.filter(({ verdict }) => isStaying(verdict)),
    }),
    ...(isCutOff ? [`The plan looks ${horizonDays} days ahead: nodes that are held back by then may go later.`] : []),
    ...(grouped === 0
      ? []
      : [
          `${grouped} nodes to replace are too many to judge each by itself: they are judged in groups, so single nodes may go sooner or later than told. --exact judges each, which takes far longer.`,
        ]),
    ...repricedNodes(facts),
    ...(open === 0
      ? []
      : [
          `Consolidation may from now on move the pods of ${open} node(s) together and remove or replace them: a plan does not say which.`,
        ]),
  ]
}

/** Said to those who change such a pool: its nodes would stay as many as they are. */
function replicasNotKept({ proposal, keepsReplicas }: NoticeFacts): readonly string[] {
  const changed = changedObjects(proposal)
  const isAny = proposal.proposed.nodePools.some(
    ({ metadata, spec }) => spec.replicas !== undefined && changed.has(`NodePool/${metadata.name}`),
  )
  return keepsReplicas || !isAny
    ? []
    : ['The feature gate StaticCapacity is off: no nodes are launched or removed for the replicas of a NodePool.']
}

function changedObjects({ objects }: Proposal): ReadonlySet<string> {
  return new Set(objects.flatMap(({ kind, name, change }) => (change === 'unchanged' ? [] : [`${kind}/${name}`])))
}

/** Pools that the change is about, or whose nodes it replaces, and that can make no nodes. */
function launchingNothing({ after, proposal, nodes, untyped }: NoticeFacts): readonly string[] {
  const changed = changedObjects(proposal)
  const replaced = replacedPools(nodes)
  return after.nodePools.flatMap((pool) => {
    const { name } = pool.metadata
    const isMeant =
      replaced.has(name) ||
      changed.has(`NodePool/${name}`) ||
      changed.has(`EC2NodeClass/${nodeClassNameOf(pool) ?? ''}`)
    if (!isMeant) return []
    const types = after.instanceTypes.get(name)
    if (types?.kind === 'unresolved') return [`NodePool ${name} can launch no nodes: ${types.error}.`]
    const ready = conditionOf(pool, 'Ready')
    const refused = untyped.get(name)
    if (ready?.status === 'True') {
      return refused === undefined ? [] : [`NodePool ${name} can launch no instance type that is known: ${refused}.`]
    }
    return [`NodePool ${name} can launch no nodes, as it is not ready: ${ready?.message ?? 'nothing is known of it'}.`]
  })
}

/** Consolidation never takes nodes of a static pool. */
function repricedNodes({ after, nodes, repriced }: NoticeFacts): readonly string[] {
  return after.nodePools.flatMap((pool) => {
    const { name } = pool.metadata
    if (!repriced.has(name) || pool.spec.replicas !== undefined || !consolidatesUsed(pool)) return []
    const stay = nodes.filter(({ stateNode, verdict }) => stateNode.nodePool === name && isStaying(verdict)).length
    if (stay === 0) return []
    return [
      `NodeOverlays give instance types of NodePool ${name} other prices: consolidation may from now on replace its ${stay} node(s) by what is cheaper then, a plan does not say which.`,
    ]
  })
}

function isStaying({ kind }: JudgedNode['verdict']): boolean {
  return kind === 'stay' || kind === 'inPlace'
}

/** A breaker closes when its pool or class is edited. */
function openBreakers({ after, proposal, nodes }: NoticeFacts): readonly string[] {
  const changed = changedObjects(proposal)
  const replaced = replacedPools(nodes)
  return after.nodePools.flatMap((pool) => {
    const { name } = pool.metadata
    const open = conditionOf(pool, 'CircuitOpen')
    const isEdited = changed.has(`NodePool/${name}`) || changed.has(`EC2NodeClass/${nodeClassNameOf(pool) ?? ''}`)
    if (open?.status !== 'True' || isEdited || !replaced.has(name)) return []
    return [`The circuit breaker of NodePool ${name} is open (${open.message}): the plan takes it to be closed.`]
  })
}

/** `minImageAge` counts from when an image was made, which a manifest does not tell. */
function unknownImageAges({ after, proposal, nodes, unresolvedClasses }: NoticeFacts): readonly string[] {
  const { rolloutPolicies, nodeClasses } = proposal.proposed
  const { governing } = govern(rolloutPolicies, after.nodePools)
  // Where images are others, whatever else replaces a node brings them, too.
  const [replaced, byImage] = [replacedPools(nodes), replacedPools(nodes, 'AMIDrift')]
  const told = after.nodePools.flatMap((pool) => {
    const policy = governing.get(pool.metadata.name)
    const nodeClass = nodeClasses.find(({ metadata }) => metadata.name === nodeClassNameOf(pool))
    if (policy?.spec.minImageAge === undefined || nodeClass === undefined) return []
    const { name } = nodeClass.metadata
    // A class whose history nobody keeps says nothing of its images, be they the same or others.
    const hasHistory = nodeClass.status?.imageHistory !== undefined
    const concerned = unresolvedClasses.has(name) || hasHistory ? replaced : byImage
    const isKnown =
      !concerned.has(pool.metadata.name) ||
      (!unresolvedClasses.has(name) && classFacts(nodeClass, '').youngestImageAt !== undefined)
    const holds = `RolloutPolicy ${policy.metadata.name} holds nodes back until images are ${policy.spec.minImageAge} old`
    return isKnown ? [] : [`${holds}: the plan takes those of EC2NodeClass ${name} to be, as their age is not known.`]
  })
  return [...new Set(told)]
}

function replacedPools(nodes: readonly JudgedNode[], reason?: string): ReadonlySet<string> {
  return new Set(
    nodes.flatMap(({ stateNode: { nodePool }, verdict }) =>
      verdict.kind === 'replace' && (reason === undefined || verdict.finding.reason === reason) ? [nodePool] : [],
    ),
  )
}

/** Until then no node is older than it may be. */
function restartsToCome({ after, proposal }: NoticeFacts): readonly string[] {
  const { nodePools, nodeClasses } = proposal.proposed
  return [...nodePools, ...nodeClasses].flatMap((object: KubeObject) => {
    const { restartAt } = readRolloutAnnotations(object, Number.POSITIVE_INFINITY)
    if (restartAt === undefined || restartAt <= after.now) return []
    const of = `${object.kind} ${object.metadata.name}`
    return [
      `From ${toTimestamp(restartAt)} on ${of} has its nodes replaced (joinery.dev/restart-at): that is not in the plan.`,
    ]
  })
}
