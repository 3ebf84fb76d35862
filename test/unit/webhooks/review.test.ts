import { describe, expect, test } from 'vitest'
import { type ReviewAnswer, readReview, reviewText } from '../../../webhooks/review.ts'

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

test('what comes with a CONNECT is no object of an API, and is not read', () => {
  const object = { apiVersion: 'v1', kind: 'PodExecOptions', stdin: true, command: ['sh'] }
  const read = readReview(review({ operation: 'CONNECT', subResource: 'exec', object }))
  expect(read).toMatchObject({ kind: 'request', request: { uid: 'u1', operation: 'CONNECT', object: undefined } })
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
    'a uid that is a number': [review({ uid: 1 }), 'request.uid is required'],
    'no kind': [review({ kind: 'NodePool' }), 'request.kind must name group, version and kind'],
    'an unknown operation': [
      review({ operation: 'TOUCH' }),
      'request.operation must be CREATE, UPDATE, DELETE or CONNECT',
    ],
    'a creation of nothing': [review({ object: null }), 'request.object is required'],
    'an update to nothing': [review({ operation: 'UPDATE', object: null }), 'request.object is required'],
    'an object without metadata': [review({ object: { spec: {} } }), 'request.object must be an object with metadata'],
    'an old object that is text': [review({ oldObject: 'x' }), 'request.oldObject must be an object with metadata'],
    'nesting beyond reason': [
      review({ object: { metadata: nested(200) } }),
      'the body is nested deeper than 100 levels',
    ],
    'lists beyond reason': [
      review({ object: { metadata: {}, spec: JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`) } }),
      'the body is nested deeper than 100 levels',
    ],
    'nesting beside the request': [{ ...review(), more: nested(200) }, 'the body is nested deeper than 100 levels'],
    'the name of the prototype, however deep': [
      review({ object: { metadata: {}, spec: [JSON.parse('{"__proto__":{"a":1}}')] } }),
      'the body has a field __proto__',
    ],
    'the name of the prototype behind what is sound': [
      review({ object: { metadata: {}, spec: [{}, JSON.parse('{"__proto__":{"a":1}}')] } }),
      'the body has a field __proto__',
    ],
    'the constructor of a prototype': [
      review({ object: { metadata: { constructor: { prototype: {} } } } }),
      'the body has a field constructor',
    ],
  }
  test.each(Object.entries(cases))('%s', (_name, [body, message]) => {
    expect(readReview(body)).toEqual({ kind: 'malformed', message })
  })
})

test.each<unknown>([null, { group: 'g', version: 'v1' }, { group: 'g', kind: 'K' }, { version: 'v1', kind: 'K' }])(
  'the kind %j is none',
  (kind) => {
    const message = 'request.kind must name group, version and kind'
    expect(readReview(review({ kind }))).toEqual({ kind: 'malformed', message })
  },
)

test('a deletion has no object', () => {
  const read = readReview(review({ operation: 'DELETE', object: null, oldObject: { metadata: { name: 'a' } } }))
  expect(read).toMatchObject({ kind: 'request', request: { operation: 'DELETE', object: undefined } })
})

test('a label may be called constructor', () => {
  expect(readReview(review({ object: { metadata: { labels: { constructor: 'x' } } } })).kind).toBe('request')
})

describe('the answer', () => {
  const read = (text: string): unknown => JSON.parse(text)

  test('repeats the uid, whatever is in it, and says no with a reason', () => {
    expect(read(reviewText('u"1', { allowed: false, message: 'because' }))).toEqual({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: 'u"1', allowed: false, status: { code: 422, reason: 'Invalid', message: 'because' } },
    })
  })
  test('says no more than yes where there is nothing to add', () => {
    expect(read(reviewText('u1', { allowed: true, patch: [], warnings: [] }))).toEqual({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: 'u1', allowed: true },
    })
  })
  test.each<[ReviewAnswer, object]>([
    [{ allowed: true, warnings: ['JN-1: x'] }, { warnings: ['JN-1: x'] }],
    [
      { allowed: true, patch: [{ op: 'add', path: '/a', value: 1 }] },
      { patchType: 'JSONPatch', patch: Buffer.from('[{"op":"add","path":"/a","value":1}]').toString('base64') },
    ],
  ])('carries what there is alone: %j', (answer, more) => {
    expect(read(reviewText('u1', answer))).toMatchObject({ response: { uid: 'u1', ...more } })
    expect(read(reviewText('u1', answer))).not.toHaveProperty('response.status')
  })
  test('carries warnings, and its patch as base64', () => {
    const answer = { allowed: true, warnings: ['JN-1: "x"'], patch: [{ op: 'add', path: '/a', value: 1 }] }
    expect(read(reviewText('u1', answer))).toMatchObject({
      response: {
        allowed: true,
        warnings: ['JN-1: "x"'],
        patchType: 'JSONPatch',
        patch: Buffer.from('[{"op":"add","path":"/a","value":1}]').toString('base64'),
      },
    })
  })
})
