import { expect, test } from 'vitest'
import type { NodePool, RolloutPolicy, RolloutPolicySpec } from '../../../../src/api/karpenter.ts'
import { govern } from '../../../../src/rollout/engine/index.ts'
import { aPool as aNodePool } from '../../../support/controller-builders.ts'

function aPolicy(
  name: string,
  selector: RolloutPolicySpec['nodePoolSelector'],
  created = '2026-01-01T00:00:00Z',
  more: object = {},
): RolloutPolicy {
  return {
    apiVersion: 'joinery.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name, uid: name, resourceVersion: '1', creationTimestamp: created, ...more },
    spec: { nodePoolSelector: selector },
  }
}

function aPool(name: string, labels: Record<string, string> = {}): NodePool {
  const pool = aNodePool(name)
  return {
    ...pool,
    metadata: {
      ...pool.metadata,
      name,
      uid: name,
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels,
    },
  }
}

const pools = [aPool('a', { team: 'web' }), aPool('b')]

const cases: Record<string, { policies: RolloutPolicy[]; want: Record<string, string> }> = {
  'none selects nothing': { policies: [], want: {} },
  'by name': { policies: [aPolicy('p', { names: ['b', 'gone'] })], want: { b: 'p' } },
  'by label': { policies: [aPolicy('p', { matchLabels: { team: 'web' } })], want: { a: 'p' } },
  'by expression': {
    policies: [aPolicy('p', { matchExpressions: [{ key: 'team', operator: 'DoesNotExist' }] })],
    want: { b: 'p' },
  },
  'an empty selector selects all': { policies: [aPolicy('p', {})], want: { a: 'p', b: 'p' } },
  'the older wins': {
    policies: [aPolicy('young', {}, '2026-02-01T00:00:00Z'), aPolicy('old', { names: ['a'] })],
    want: { a: 'old', b: 'young' },
  },
  'of one age the first by name wins': {
    policies: [aPolicy('q', {}), aPolicy('p', { names: ['a'] })],
    want: { a: 'p', b: 'q' },
  },
  'one that is not there yet is younger than all': {
    policies: [aPolicy('p', {}, ''), aPolicy('o', { names: ['b'] }, ''), aPolicy('q', { names: ['a'] })],
    want: { a: 'q', b: 'o' },
  },
  'one that is being deleted governs nothing': {
    policies: [
      aPolicy('p', {}, '2025-01-01T00:00:00Z', { deletionTimestamp: '2026-03-01T00:00:00Z' }),
      aPolicy('q', {}),
    ],
    want: { a: 'q', b: 'q' },
  },
}

test.each(Object.entries(cases))('%s', (_name, { policies, want }) => {
  const { governing } = govern(policies, pools)
  expect(Object.fromEntries([...governing].map(([pool, policy]) => [pool, policy.metadata.name]))).toEqual(want)
})
