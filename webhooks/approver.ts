import { annotationApprove, annotationApprovedBy, approvedByText } from '../src/api/joinery-annotations.ts'
import type { ReviewRequest } from './review.ts'

const kinds: ReadonlySet<string> = new Set(['NodePool', 'EC2NodeClass'])
const path = `/metadata/annotations/${annotationApprovedBy.replaceAll('/', '~1')}`

/**
 * JSON Patch that notes who wrote the approval, for only admission sees it. The note belongs to this webhook: whoever edits it gets
 * the old one back, and one who takes the approval away takes the note with it. Objects without approvals are left as they are.
 */
export function approverPatch({ object, oldObject, username }: ReviewRequest): readonly object[] {
  if (object === undefined || !kinds.has(object.kind)) return []
  const now = object.metadata.annotations ?? {}
  const before = oldObject?.metadata.annotations ?? {}
  const target = now[annotationApprove]
  const wanted =
    target === undefined
      ? undefined
      : target === before[annotationApprove]
        ? before[annotationApprovedBy]
        : approvedByText(target, username)
  const given = now[annotationApprovedBy]
  if (given === wanted) return []
  if (wanted === undefined) return [{ op: 'remove', path }]
  return [{ op: given === undefined ? 'add' : 'replace', path, value: wanted }]
}
