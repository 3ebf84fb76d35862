import { toTimestamp } from '../../../model/clock.ts'
import type { Caller } from '../api/context.ts'
import { isObject, type JsonObject } from '../json.ts'

const authentication = { group: 'authentication.k8s.io', version: 'v1' } as const
const authorization = { group: 'authorization.k8s.io', version: 'v1' } as const

/** Kinds that are answered and never stored. Whoever is authenticated may do everything, so all access reviews allow. */
export const reviewKinds = [
  { ...authentication, kind: 'SelfSubjectReview', plural: 'selfsubjectreviews' },
  { ...authorization, kind: 'SelfSubjectAccessReview', plural: 'selfsubjectaccessreviews' },
  { ...authorization, kind: 'SubjectAccessReview', plural: 'subjectaccessreviews' },
  { ...authorization, kind: 'SelfSubjectRulesReview', plural: 'selfsubjectrulesreviews' },
] as const

/** The answer to a review; undefined when the resource is no review. */
export function answerReview(
  group: string,
  plural: string,
  body: unknown,
  caller: Caller,
  now: number,
): JsonObject | undefined {
  const review = reviewKinds.find((each) => each.group === group && each.plural === plural)
  if (review === undefined) return undefined
  const sent = isObject(body) ? body : {}
  return {
    ...sent,
    kind: review.kind,
    apiVersion: `${review.group}/${review.version}`,
    metadata: { creationTimestamp: toTimestamp(now) },
    status: statusOf(review.plural, caller),
  }
}

function statusOf(plural: (typeof reviewKinds)[number]['plural'], caller: Caller): object {
  switch (plural) {
    case 'selfsubjectreviews':
      return { userInfo: { username: caller.user, groups: caller.groups } }
    case 'selfsubjectaccessreviews':
    case 'subjectaccessreviews':
      return { allowed: true, reason: 'every authenticated user may do everything here' }
    case 'selfsubjectrulesreviews':
      return {
        incomplete: false,
        resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
        nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      }
  }
}
