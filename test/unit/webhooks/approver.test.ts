import { expect, test } from 'vitest'
import { approverOf } from '../../../src/api/joinery-annotations.ts'
import type { KubeObject } from '../../../src/api/kubernetes.ts'
import { mutateReview } from '../../../webhooks/judge-review.ts'
import { approverPatch } from '../../../webhooks/approver.ts'
import type { ReviewRequest } from '../../../webhooks/review.ts'

const path = '/metadata/annotations/joinery.dev~1approved-by'

function pool(annotations?: Record<string, string>): KubeObject {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: {
      name: 'web',
      uid: 'u',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...(annotations === undefined ? {} : { annotations }),
    },
  }
}

function request(object: KubeObject, oldObject: KubeObject | undefined, username = 'ann'): ReviewRequest {
  return {
    uid: 'r',
    kind: { group: 'karpenter.sh', version: 'v1', kind: object.kind },
    operation: oldObject === undefined ? 'CREATE' : 'UPDATE',
    subResource: '',
    name: 'web',
    namespace: '',
    username,
    dryRun: false,
    object,
    oldObject,
  }
}

const approve = (target: string, by?: string): Record<string, string> => ({
  'joinery.dev/approve': target,
  ...(by === undefined ? {} : { 'joinery.dev/approved-by': by }),
})

test.each([
  ['an approval of an update', approve('1-a'), {}, [{ op: 'add', path, value: '1-a ann' }]],
  ['an approval that comes with the object', approve('1-a'), undefined, [{ op: 'add', path, value: '1-a ann' }]],
  [
    'an approval of another target',
    approve('2-b', '1-a bob'),
    approve('1-a', '1-a bob'),
    [{ op: 'replace', path, value: '2-b ann' }],
  ],
  [
    'an approval that says who it was by itself',
    approve('1-a', '1-a root'),
    {},
    [{ op: 'replace', path, value: '1-a ann' }],
  ],
  [
    'the note edited',
    approve('1-a', '1-a root'),
    approve('1-a', '1-a bob'),
    [{ op: 'replace', path, value: '1-a bob' }],
  ],
  ['the note taken away', approve('1-a'), approve('1-a', '1-a bob'), [{ op: 'add', path, value: '1-a bob' }]],
  ['a note without an approval', { 'joinery.dev/approved-by': '1-a root' }, {}, [{ op: 'remove', path }]],
  [
    'the approval taken away, which takes the note with it',
    { 'joinery.dev/approved-by': '1-a bob' },
    approve('1-a', '1-a bob'),
    [{ op: 'remove', path }],
  ],
  [
    'a note that outlived its approval',
    { 'joinery.dev/approved-by': '1-a bob' },
    { 'joinery.dev/approved-by': '1-a bob' },
    [{ op: 'remove', path }],
  ],
  ['nothing new about the approval', approve('1-a', '1-a bob'), approve('1-a', '1-a bob'), []],
  ['an old approval that nobody saw', approve('1-a'), approve('1-a'), []],
  ['no approval at all', undefined, {}, []],
])('%s', (_name, now, before, patch) => {
  expect(approverPatch(request(pool(now), before === undefined ? undefined : pool(before)))).toEqual(patch)
})

test('a user who is not known is not noted', () => {
  expect(approverPatch(request(pool(approve('1-a')), pool(), ''))).toEqual([])
})

test('other kinds carry no approvals', () => {
  const overlay = { ...pool(approve('1-a')), apiVersion: 'karpenter.sh/v1alpha1', kind: 'NodeOverlay' }
  expect(approverPatch(request(overlay, undefined))).toEqual([])
})

test('the mutating webhook notes it', () => {
  expect(mutateReview(request(pool(approve('1-a')), pool())).patch).toContainEqual({
    op: 'add',
    path,
    value: '1-a ann',
  })
})

test('a note about another target names nobody', () => {
  const noted = pool({ 'joinery.dev/approved-by': '1-a system:serviceaccount:flux:kustomize controller' })
  expect(approverOf(noted, '1-a')).toBe('system:serviceaccount:flux:kustomize controller')
  expect(approverOf(noted, '1')).toBeUndefined()
  expect(approverOf(pool(), '1-a')).toBeUndefined()
})
