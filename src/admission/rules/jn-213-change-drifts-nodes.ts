import { parseNillableDuration } from '../../api/duration.ts'
import { ec2NodeClassHash, nodePoolHash } from '../../api/hash/index.ts'
import type { NodeClaim, NodePool } from '../../api/karpenter.ts'
import { awsVocabulary } from '../../api/label-rules.ts'
import { labelNodePool } from '../../api/labels.ts'
import { isCompatible, labelRequirements, toRequirements } from '../../model/requirements.ts'
import type { Rule, Subject } from '../rule.ts'
import { durationRange } from './jn-108-duration-range.ts'

export const changeDriftsNodes: Rule = {
  id: 'JN-213',
  title: 'The change replaces nodes',
  severity: 'warn',
  fix: 'See joinery plan for which nodes and in which order; a RolloutPolicy sets steps, windows and approval.',
  check(subject, context) {
    const { facts } = context
    // Without readable durations there is no hash; that is refused, or was wrong before.
    if (facts.nodeClaims === undefined || durationRange.check(subject, context).length > 0) return []
    const drifting = driftedBy(subject, facts.nodeClaims)
    if (drifting === 0) return []
    const noun = drifting === 1 ? 'node' : 'nodes'
    return [
      {
        path: subject.kind === 'NodePool' ? 'spec.template' : 'spec',
        message: `this change drifts ${drifting} ${noun}, which will be replaced`,
      },
    ]
  },
}

function driftedBy(subject: Subject, claims: readonly NodeClaim[]): number {
  if (subject.kind === 'NodePool' && subject.old !== undefined) {
    const { object, old } = subject
    const mine = claims.filter((claim) => claim.metadata.labels?.[labelNodePool] === object.metadata.name)
    if (!hasReadableDurations(old) || nodePoolHash(object) !== nodePoolHash(old)) return mine.length
    const { aliases } = awsVocabulary
    const before = toRequirements(old.spec.template.spec.requirements, aliases)
    const after = toRequirements(object.spec.template.spec.requirements, aliases)
    return mine.filter((claim) => {
      const labels = labelRequirements(claim.metadata.labels ?? {}, aliases)
      return isCompatible(labels, before) && !isCompatible(labels, after)
    }).length
  }
  if (subject.kind === 'EC2NodeClass' && subject.object.spec !== undefined && subject.old?.spec !== undefined) {
    const { name } = subject.object.metadata
    // The CA bundle is the same on both sides, so any will do to compare.
    const changes =
      ec2NodeClassHash({ spec: subject.object.spec }, '') !== ec2NodeClassHash({ spec: subject.old.spec }, '')
    return changes
      ? claims.filter(({ spec }) => spec.nodeClassRef.kind === 'EC2NodeClass' && spec.nodeClassRef.name === name).length
      : 0
  }
  return 0
}

function hasReadableDurations({ spec }: NodePool): boolean {
  const { expireAfter, terminationGracePeriod } = spec.template.spec
  return (
    parseNillableDuration(expireAfter).kind !== 'invalid' &&
    parseNillableDuration(terminationGracePeriod).kind !== 'invalid'
  )
}
