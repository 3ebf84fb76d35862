import { describe, expect, test } from 'vitest'
import { readReview, toReviewBody } from '../../../webhooks/review.ts'

const request = {
  uid: 'u1',
  kind: { group: 'karpenter.sh', version: 'v1', kind: 'NodePool' },
  operation: 'CREATE',
  object: { metadata: { name: 'a' } },
}
const review = (changes: object = {}) => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: { ...request, ...changes },
})

function nested(levels: number): object {
  let value: object = {}
  for (let level = 0; level < levels; level += 1) value = { inner: value }
  return value
}

test('a review is read', () => {
  expect(readReview(review({ subResource: 'status', dryRun: true, userInfo: { username: 'ci' } }))).toMatchObject({
    kind: 'request',
    request: { uid: 'u1', operation: 'CREATE', subResource: 'status', dryRun: true, username: 'ci' },
  })
})

describe('what is no review is named', () => {
  const cases: Record<string, [unknown, string]> = {
    'a list': [[], 'the body must be an AdmissionReview object'],
    'another kind': [{ ...review(), kind: 'Pod' }, 'kind must be AdmissionReview'],
    'an old version': [
      { ...review(), apiVersion: 'admission.k8s.io/v1beta1' },
      'apiVersion must be admission.k8s.io/v1',
    ],
    'no request': [{ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' }, 'request is required'],
    'no uid': [review({ uid: '' }), 'request.uid is required'],
    'no kind': [review({ kind: 'NodePool' }), 'request.kind must name group, version and kind'],
    'an unknown operation': [
      review({ operation: 'TOUCH' }),
      'request.operation must be CREATE, UPDATE, DELETE or CONNECT',
    ],
    'a creation of nothing': [review({ object: null }), 'request.object is required'],
    'an object without metadata': [review({ object: { spec: {} } }), 'request.object must be an object with metadata'],
    'an old object that is text': [review({ oldObject: 'x' }), 'request.oldObject must be an object with metadata'],
    'nesting beyond reason': [
      review({ object: { metadata: nested(200) } }),
      'request is nested deeper than 100 levels',
    ],
  }
  test.each(Object.entries(cases))('%s', (_name, [body, message]) => {
    expect(readReview(body)).toEqual({ kind: 'malformed', message })
  })
})

describe('the answer', () => {
  test('repeats the uid and says no with a reason', () => {
    expect(toReviewBody('u1', { allowed: false, message: 'because' })).toEqual({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: 'u1', allowed: false, status: { code: 422, reason: 'Invalid', message: 'because' } },
    })
  })
  test('has no patch where there is nothing to change', () => {
    expect(toReviewBody('u1', { allowed: true, patch: [] })).toMatchObject({ response: { uid: 'u1', allowed: true } })
    expect(JSON.stringify(toReviewBody('u1', { allowed: true, patch: [] }))).not.toContain('patch')
  })
  test('carries its patch as base64', () => {
    const body = toReviewBody('u1', { allowed: true, patch: [{ op: 'add', path: '/a', value: 1 }] }) as {
      response: { patchType: string; patch: string }
    }
    expect(body.response.patchType).toBe('JSONPatch')
    expect(JSON.parse(Buffer.from(body.response.patch, 'base64').toString())).toEqual([
      { op: 'add', path: '/a', value: 1 },
    ])
  })
})
