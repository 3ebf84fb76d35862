import type { KubeObject } from './kubernetes.ts'

/** Annotations of this project's own group: how a person, a commit or a button steers a rollout. Spelled once, here. */

const group = 'joinery.dev'

/** On a NodePool or EC2NodeClass: the target that may be rolled out, as status and plan print it. Void once the target moves on. */
export const annotationApprove = `${group}/approve`
/** On a NodePool or EC2NodeClass: `<target> <user>`, who wrote the approval. Written by the admission webhook alone. */
export const annotationApprovedBy = `${group}/approved-by`
/** On a NodePool, EC2NodeClass or RolloutPolicy: no voluntary disruption before this RFC 3339 time. */
export const annotationPauseUntil = `${group}/pause-until`
/** On a NodePool or EC2NodeClass: nodes made before this RFC 3339 time count as drifted. */
export const annotationRestartAt = `${group}/restart-at`
/** On an EC2NodeClass: the revision of its image history to return to. */
export const annotationUndoTo = `${group}/undo-to`
/** On a NodePool, with its own name as the value: no new nodes, and those that are there are drained. */
export const annotationRetire = `${group}/retire`
/** On a NodeClaim: what the hash of its NodePool was made of. */
export const annotationNodePoolHashInput = `${group}/nodepool-hash-input`
/** On a NodeClaim: what the hash of its node class was made of. */
export const annotationNodeClassHashInput = `${group}/nodeclass-hash-input`
/** On a NodeClaim that was taken before its node was up, by the cloud or as a static pool got smaller: in which way. Written as it is deleted. */
export const annotationInterrupted = `${group}/interrupted`

/** On a NodeClaim that is made for a disruption: its reason, and the names of the NodeClaims that go for it, with blanks between. */
export const annotationReplaces = `${group}/replaces`

/** The value of `approved-by`; undefined where the user is not known. */
export function approvedByText(target: string, user: string): string | undefined {
  return user === '' ? undefined : `${target} ${user}`
}

/** Who approved the target; undefined when nobody saw it, or when what was noted is about another target. */
export function approverOf({ metadata }: Pick<KubeObject, 'metadata'>, target: string): string | undefined {
  const text = metadata.annotations?.[annotationApprovedBy]
  return text?.startsWith(`${target} `) === true ? text.slice(target.length + 1) : undefined
}

/** Whether a NodePool takes its nodes out of service. Another value than its name is a slip, and does nothing. */
export function isRetired({ metadata }: Pick<KubeObject, 'metadata'>): boolean {
  return metadata.annotations?.[annotationRetire] === metadata.name
}
