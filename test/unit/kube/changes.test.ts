import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/api/kubernetes.ts'
import { isChangeOf, isSpecChange } from '../../../src/kube/changes.ts'

const anObject = (uid: string, generation: number, labels: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name: 'thing', uid, generation, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z', labels },
})
const before = anObject('a', 1)

test.each([
  ['a status or a label', { kind: 'updated', before, after: anObject('a', 1, { team: 'a' }) }, false],
  ['a spec', { kind: 'updated', before, after: anObject('a', 2) }, true],
  ['another object of the same name and generation', { kind: 'updated', before, after: anObject('b', 1) }, true],
  ['an object that came', { kind: 'added', after: before }, true],
  ['an object that went', { kind: 'deleted', before }, true],
] as const)('a change of the spec: %s', (_what, change, expected) => {
  expect(isSpecChange(change)).toBe(expected)
})

test.each([
  ['other facts', { kind: 'updated', before, after: anObject('a', 1, { team: 'a' }) }, true],
  ['the same facts', { kind: 'updated', before, after: anObject('b', 2) }, false],
  ['an object that came', { kind: 'added', after: before }, true],
  ['an object that went', { kind: 'deleted', before }, true],
] as const)('a change of what somebody asks about: %s', (_what, change, expected) => {
  expect(isChangeOf(change, ({ metadata }) => [metadata.labels?.['team'], undefined])).toBe(expected)
})
