import { clearCondition, conditionOf, nodeClaimConditions, setCondition } from '../../api/conditions.ts'
import type { NodeClaim } from '../../api/karpenter.ts'
import type { KubeObject, Node, Taint } from '../../api/kubernetes.ts'
import { taintDisrupted } from '../../api/labels.ts'
import type { VoluntaryReason } from '../../disruption/budgets.ts'
import { isConflict, isNotFound, KubeError } from '../../kube/errors.ts'
import { nodeClaims } from '../../kube/karpenter-kinds.ts'
import { nodes } from '../../kube/kinds.ts'
import { mergePatchBetween } from '../../kube/merge-patch.ts'
import type { KubeClient } from '../../kube/port.ts'
import type { Clock } from '../../model/clock.ts'
import { matchesTaint } from '../../model/taints.ts'
import { retried } from '../retry.ts'

interface MarkingDeps {
  readonly kube: KubeClient
  readonly clock: Clock
}

/** Tries a write that reads its object afresh again after a conflict. A mark that was begun is set, also by an operator that stops. */
export function retryWrite<T>(clock: Clock, write: () => Promise<T>): Promise<T> {
  return retried(write, { clock, isWorthIt: isConflict })
}

/**
 * Nothing new is scheduled onto the node from here on, and the claim says why it will go.
 * @throws when the node or the claim is not to be found: what answers may be behind, and a node that could not be tainted must stay
 */
export async function markDisrupted(
  deps: MarkingDeps,
  node: Node,
  claim: NodeClaim,
  reason: VoluntaryReason,
): Promise<void> {
  await changeTaints(deps, node, (taints) => [
    ...taints.filter((taint) => taint.key !== taintDisrupted.key),
    { ...taintDisrupted },
  ])
  await changeConditions(deps, claim, (current, now) =>
    setCondition(
      current,
      nodeClaimConditions,
      { type: 'DisruptionReason', status: 'True', reason, message: reason },
      now,
    ),
  )
}

/** Puts the taint back where somebody has taken it off meanwhile, say by writing a whole list of taints; a node that is gone needs none. */
export async function keepTainted(deps: MarkingDeps, node: Node): Promise<void> {
  await ignoringGone(() =>
    changeTaints(deps, node, (taints) =>
      taints.some((taint) => matchesTaint(taint, taintDisrupted)) ? taints : [...taints, { ...taintDisrupted }],
    ),
  )
}

/**
 * Takes both marks off again. A node or claim that is gone needs nothing; one that only seemed gone is found by the next clean-up. A node
 * that somebody has begun to delete since it was seen keeps its taint: it is drained.
 */
export async function clearDisruption(deps: MarkingDeps, node: Node, claim: NodeClaim): Promise<void> {
  await ignoringGone(() =>
    changeTaints(deps, node, (taints, { metadata }) =>
      metadata.deletionTimestamp === undefined
        ? taints.filter((taint) => !matchesTaint(taint, taintDisrupted))
        : taints,
    ),
  )
  await ignoringGone(() =>
    changeConditions(deps, claim, (current, now) =>
      conditionOf(current, 'DisruptionReason') === undefined
        ? current
        : clearCondition(current, nodeClaimConditions, 'DisruptionReason', now),
    ),
  )
}

async function changeTaints(
  { kube, clock }: MarkingDeps,
  node: Node,
  change: (taints: readonly Taint[], current: Node) => readonly Taint[],
): Promise<void> {
  const { name } = node.metadata
  await retryWrite(clock, async () => {
    const current = await kube.get(nodes, { name })
    assertSame(current, node, 'node')
    const before = current.spec.taints ?? []
    const after = change(before, current)
    if (mergePatchBetween({ taints: before }, { taints: after }) === undefined) return
    const metadata = { resourceVersion: current.metadata.resourceVersion }
    await kube.patch(nodes, { name }, { kind: 'merge', body: { metadata, spec: { taints: after } } })
  })
}

async function changeConditions(
  { kube, clock }: MarkingDeps,
  claim: NodeClaim,
  change: (current: NodeClaim, now: number) => NodeClaim,
): Promise<void> {
  const { name } = claim.metadata
  await retryWrite(clock, async () => {
    const current = await kube.get(nodeClaims, { name })
    assertSame(current, claim, 'nodeclaim')
    const changed = change(current, clock.now())
    const conditions = changed.status?.conditions
    if (changed === current || conditions === undefined) return
    const metadata = { resourceVersion: current.metadata.resourceVersion }
    const body = { metadata, status: { conditions } }
    await kube.patch(nodeClaims, { name }, { kind: 'merge', body }, { subresource: 'status' })
  })
}

/** Another object of the same name is no answer. */
function assertSame(current: KubeObject, wanted: KubeObject, what: string): void {
  if (current.metadata.uid === wanted.metadata.uid) return
  throw new KubeError('NotFound', 404, `the ${what} ${wanted.metadata.name} is another one now`)
}

async function ignoringGone(write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
