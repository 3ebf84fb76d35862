import { BoundedMemo } from '../api/bounded-memo.ts'
import type { EC2NodeClass, NodePool } from '../api/karpenter.ts'
import { sha256Hex } from '../api/sha256.ts'
import { compareText } from '../model/order.ts'

/*
 * The tokens that stand for "what nodes would be made of now". They are printed by status and plan, and approvals name them, so their
 * form is part of the interface.
 */

/** Ids of the images that a class resolves to, in order. */
export function imageIds(nodeClass: Pick<EC2NodeClass, 'status'>): readonly string[] {
  return (nodeClass.status?.amis ?? []).map(({ id }) => id).toSorted(compareText)
}

/**
 * `<hash of the class>-<digest of its images and selectors>`; `hash` as the ec2nodeclass-hash annotation has it. The hash leaves out where
 * nodes are and who reaches them: what was approved would cover any later edit of that.
 */
export function classTarget(hash: string, { spec }: Pick<EC2NodeClass, 'spec'>, images: readonly string[]): string {
  const selectors = [
    spec?.subnetSelectorTerms,
    spec?.securityGroupSelectorTerms,
    spec?.capacityReservationSelectorTerms,
  ].map((terms) => (terms ?? []).map(inOneOrder).toSorted(compareText))
  return `${hash}-${shortDigest(JSON.stringify([images.toSorted(compareText), ...selectors]))}`
}

/**
 * `<hash of the pool>-<digest of the target of its class and of its requirements>`, which the hash leaves out; a class that is not there
 * counts as an empty target.
 */
export function poolTarget(hash: string, { spec }: Pick<NodePool, 'spec'>, targetOfClass: string | undefined): string {
  const requirements = spec.template.spec.requirements
    .map(({ key, operator, values = [] }) => JSON.stringify([key, operator, values.toSorted(compareText)]))
    .toSorted(compareText)
  return `${hash}-${shortDigest(JSON.stringify([targetOfClass ?? '', requirements]))}`
}

/** Manifests and API servers write the same keys in different orders. */
function inOneOrder(term: object): string {
  return JSON.stringify(term, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => compareText(a, b)))
      : value,
  )
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

/** The texts are those of a few pools and classes, asked for again and again. */
const digests = new BoundedMemo<string, string>(1_000)

/** Eight hexadecimal digits that tell one text from another. */
export function shortDigest(text: string): string {
  return digests.of(text, (key) => sha256Hex(key).slice(0, 8))
}
