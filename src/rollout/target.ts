import type { EC2NodeClass, NodePool } from '../api/karpenter.ts'
import { sha256Hex } from '../api/sha256.ts'
import { compareText } from '../model/order.ts'

/*
 * The tokens that stand for "what nodes would be made of now". They are printed by status and plan, and approvals name them, so their
 * form is part of the interface.
 */

/** First eight hexadecimal digits of a stable hash of the images, whatever order they come in. */
export function imagesDigest(ids: readonly string[]): string {
  return shortDigest(ids.toSorted(compareText).join(','))
}

/** Ids of the images that a class resolves to, in order. */
export function imageIds(nodeClass: Pick<EC2NodeClass, 'status'>): readonly string[] {
  return (nodeClass.status?.amis ?? []).map(({ id }) => id).toSorted(compareText)
}

/** `<hash of the class>-<digest of its images>`; `hash` as the ec2nodeclass-hash annotation has it. */
export function classTarget(hash: string, images: readonly string[]): string {
  return `${hash}-${imagesDigest(images)}`
}

/** `<hash of the pool>-<digest of the target of its class>`; a class that is not there counts as an empty target. */
export function poolTarget(hash: string, targetOfClass: string | undefined): string {
  return `${hash}-${shortDigest(targetOfClass ?? '')}`
}

export interface Approvals {
  /** Value of the annotation on the pool. */
  readonly pool: string | undefined
  /** Value of the annotation on its class. */
  readonly nodeClass: string | undefined
}

export interface Targets {
  readonly pool: string
  readonly nodeClass: string | undefined
  /** Whether some node of the pool drifts because of the pool itself, not only of its class. */
  readonly poolChanged: boolean
}

/** Which annotation approves the target; undefined when none does. An approval of the class does not cover a change of the pool. */
export function approvedBy(approvals: Approvals, targets: Targets): 'NodePool' | 'EC2NodeClass' | undefined {
  if (approvals.pool === targets.pool) return 'NodePool'
  const byClass = targets.nodeClass !== undefined && approvals.nodeClass === targets.nodeClass
  return byClass && !targets.poolChanged ? 'EC2NodeClass' : undefined
}

/** Whether a reason to replace a node lies in its pool: an approval of the class does not speak of it. */
export function isPoolReason(reason: string): boolean {
  return reason === 'NodePoolDrifted' || reason === 'RequirementsDrifted'
}

/** The class that a pool's nodes are made from, if it is one of ours. */
export function nodeClassNameOf(pool: NodePool): string | undefined {
  const { group, kind, name } = pool.spec.template.spec.nodeClassRef
  return group === 'karpenter.k8s.aws' && kind === 'EC2NodeClass' ? name : undefined
}

/** The texts are those of a few pools and classes, asked for again and again. */
const digestsMax = 1_000
const digests = new Map<string, string>()

/** Eight hexadecimal digits that tell one text from another. */
export function shortDigest(text: string): string {
  let digest = digests.get(text)
  if (digest === undefined) {
    digest = sha256Hex(text).slice(0, 8)
    if (digests.size >= digestsMax) digests.clear()
    digests.set(text, digest)
  }
  return digest
}
