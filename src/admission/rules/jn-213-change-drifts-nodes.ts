import { parseDuration, parseNillableDuration } from '../../api/duration.ts'
import { fieldValueText } from '../../api/field-diff.ts'
import { memberOf } from '../../api/json.ts'
import type { EC2NodeClass, NodeClaim, NodePool } from '../../api/karpenter.ts'
import { awsVocabulary } from '../../api/label-rules.ts'
import { labelNodePool } from '../../api/labels.ts'
import { type ChangeSummary, classChangeSummary, poolChangeSummary } from '../../rollout/plan/change-summary.ts'
import type { Rule, Subject } from '../rule.ts'

export const changeDriftsNodes: Rule = {
  id: 'JN-213',
  title: 'The change replaces nodes',
  severity: 'warn',
  looksAt: 'world',
  fix: 'See joinery plan for which nodes and in which order; a RolloutPolicy sets steps, windows and approval.',
  check(subject, { facts }) {
    if (facts.nodeClaims === undefined || subject.old === undefined) return []
    // Without readable durations there is no hash; that is refused, or was wrong before.
    if (subject.kind === 'NodePool' && !hasReadableDurations(subject.object)) return []
    const summary = summaryOf(subject, facts.nodeClaims.filter(isStaying), facts.nodeClasses ?? [])
    if (summary === undefined || summary.drifting === 0) return []
    const path = subject.kind === 'NodePool' ? 'spec.template' : 'spec'
    return [{ path, message: messageOf(summary) }]
  },
}

/** What matters most comes first: warnings are cut. */
function messageOf({ drifting, of, fields, isCertain }: ChangeSummary): string {
  const nodes = `${drifting} ${drifting === 1 ? 'node' : 'nodes'} of ${of}`
  const what = isCertain ? `this change replaces ${nodes}` : `this change may replace ${nodes}`
  const changes = fields.map((field) => `${field.path}: ${fieldValueText(field.old)} -> ${fieldValueText(field.new)}`)
  return changes.length === 0 ? what : `${what}: ${changes.join(', ')}`
}

function summaryOf(
  subject: Subject,
  claims: readonly NodeClaim[],
  nodeClasses: readonly EC2NodeClass[],
): ChangeSummary | undefined {
  if (subject.kind === 'NodePool' && subject.old !== undefined && hasReadableDurations(subject.old)) {
    const { object, old } = subject
    const mine = claims.filter((claim) => claim.metadata.labels?.[labelNodePool] === object.metadata.name)
    return mine.length === 0 ? undefined : poolChangeSummary(old, object, mine, awsVocabulary.aliases)
  }
  if (subject.kind === 'NodePool' && subject.old !== undefined) {
    // What was there could not be hashed, so every node is made anew.
    const { name } = subject.object.metadata
    const { length } = claims.filter((claim) => claim.metadata.labels?.[labelNodePool] === name)
    return { drifting: length, of: length, fields: [], isCertain: true }
  }
  if (subject.kind === 'EC2NodeClass' && subject.object.spec !== undefined && subject.old?.spec !== undefined) {
    const { metadata, spec } = subject.old
    const { name } = subject.object.metadata
    const mine = claims.filter((claim) => {
      // Nobody has vouched for the shape of what is stored.
      const ref = memberOf(memberOf(claim, 'spec'), 'nodeClassRef')
      return memberOf(ref, 'kind') === 'EC2NodeClass' && memberOf(ref, 'name') === name
    })
    // A review has no status: what the class has found is known from the cluster.
    const status = nodeClasses.find((nodeClass) => nodeClass.metadata.name === name)?.status ?? {}
    return mine.length === 0 ? undefined : classChangeSummary({ metadata, spec, status }, subject.object.spec, mine)
  }
  return undefined
}

/** A node that goes in any case is none that the change replaces. */
function isStaying(claim: NodeClaim): boolean {
  return memberOf(memberOf(claim, 'metadata'), 'deletionTimestamp') === undefined
}

function hasReadableDurations({ spec }: NodePool): boolean {
  const { expireAfter, terminationGracePeriod } = spec.template.spec
  return (
    parseNillableDuration(expireAfter).kind !== 'invalid' &&
    // There is no Never here, though text that the schema refuses may still get as far as this.
    (terminationGracePeriod === undefined || parseDuration(terminationGracePeriod).kind === 'ok')
  )
}
