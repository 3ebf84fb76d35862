import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nodePoolHash } from '../../../../src/api/hash/index.ts'
import { hashOf, hashText, type HashValue } from '../../../../src/api/hash/structural-hash.ts'
import type { NodePoolTemplate, NodePoolTemplateMetadata, NodePoolTemplateSpec } from '../../../../src/api/karpenter.ts'
import type { Taint } from '../../../../src/api/kubernetes.ts'

function pool(
  spec: Partial<NodePoolTemplateSpec>,
  metadata?: NodePoolTemplateMetadata,
): { spec: { template: NodePoolTemplate } } {
  const complete: NodePoolTemplateSpec = {
    nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
    requirements: [],
    expireAfter: '720h',
    ...spec,
  }
  return { spec: { template: { ...(metadata === undefined ? {} : { metadata }), spec: complete } } }
}

const other: Taint = { key: 'example.com/another-taint', effect: 'NoSchedule' }
const ab: Taint = { key: 'a', value: 'b', effect: 'NoSchedule' }
const cd: Taint = { key: 'c', value: 'd', effect: 'NoExecute' }
const named = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default-ec2nodeclass' }

const vectors: Record<string, [ReturnType<typeof pool>, string]> = {
  'the default pool': [pool({}), '6821555240594823858'],
  'the same lifetime in minutes': [pool({ expireAfter: '43200m' }), '6821555240594823858'],
  'requirements do not count': [pool({ requirements: [{ key: 'a', operator: 'Exists' }] }), '6821555240594823858'],
  'empty metadata does not count': [pool({}, {}), '6821555240594823858'],
  'seen in the field, with empty lists of taints': [
    pool({ nodeClassRef: named, taints: [], startupTaints: [] }),
    '11142864721958693070',
  ],
  'the same without the empty lists': [pool({ nodeClassRef: named }), '45799952005767106'],
  'no expiry': [pool({ expireAfter: 'Never' }), '17369979337536258260'],
  'a lifetime of zero': [pool({ expireAfter: '0s' }), '15640125381500602090'],
  'a termination grace period': [pool({ terminationGracePeriod: '30s' }), '15207872929294825797'],
  'a termination grace period of zero': [pool({ terminationGracePeriod: '0s' }), '10356118934572431967'],
  'a label': [pool({}, { labels: { team: 'a' } }), '1617844334411263980'],
  'empty labels': [pool({}, { labels: {} }), '1287117484082965808'],
  'an annotation': [pool({}, { annotations: { 'example.com/owner': 'my-team' } }), '15190465971064321909'],
  'two taints': [pool({ taints: [ab, cd] }), '10670091354963757520'],
  'two taints the other way round': [pool({ taints: [cd, ab] }), '10670091354963757520'],
  'empty taints': [pool({ taints: [] }), '17700736223175069915'],
  'equal taints cancel out': [pool({ taints: [ab, ab] }), '17700736223175069915'],
  // These three come from hashstructure v2.0.2 with the metav1.Time of apimachinery v0.36.3.
  'a taint that tells when it was added, to the nanosecond': [
    pool({ taints: [{ key: 'a', effect: 'NoSchedule', timeAdded: '2026-06-01T12:30:45.123456789Z' }] }),
    '12547792632930189142',
  ],
  'a taint added in another zone': [
    pool({ taints: [{ key: 'a', effect: 'NoSchedule', timeAdded: '2026-01-01T05:30:00.5+05:30' }] }),
    '16832832988771267947',
  ],
  'a taint added in the year 1': [
    pool({ taints: [{ key: 'a', effect: 'NoSchedule', timeAdded: '0001-01-01T00:00:00Z' }] }),
    '4254651723625910362',
  ],
  'a startup taint': [pool({ startupTaints: [other] }), '6927640439501110394'],
  'everything at once': [
    pool(
      {
        taints: [{ key: 'example.com/special-taint', effect: 'NoSchedule' }],
        startupTaints: [other],
        terminationGracePeriod: '48h',
      },
      { labels: { 'billing-team': 'my-team' }, annotations: { 'example.com/owner': 'my-team' } },
    ),
    '7781955369820247601',
  ],
}

test.each(Object.entries(vectors))('%s', (_name, [object, want]) => {
  expect(nodePoolHash(object)).toBe(want)
})

const steps: Record<string, [HashValue, bigint]> = {
  'the name of the template': [{ kind: 'text', value: 'NodeClaimTemplate' }, 17307646073972311821n],
  'a field name': [{ kind: 'text', value: 'Kind' }, 13988309627388637335n],
  '720 hours': [{ kind: 'int64', value: 2592000000000000n }, 730680733141129777n],
  'a lifetime of 720 hours': [
    {
      kind: 'struct',
      name: 'NillableDuration',
      fields: [{ name: 'Duration', value: { kind: 'int64', value: 2592000000000000n } }],
    },
    9534595631707440821n,
  ],
  true: [{ kind: 'bool', value: true }, 12638153115695167454n],
  false: [{ kind: 'bool', value: false }, 12638153115695167455n],
  'a short integer': [{ kind: 'int32', value: 300n }, 18041328298023917096n],
  'a map': [{ kind: 'map', entries: [['team', { kind: 'text', value: 'a' }]] }, 5678614363990723190n],
  'an empty map': [{ kind: 'map', entries: [] }, 12161962213042174405n],
}

test.each(Object.entries(steps))('the hash of %s', (_name, [value, want]) => {
  expect(hashOf(value)).toBe(want)
})

test('the hash of texts', () => {
  expect([hashText('Custom'), hashText('null'), hashText('test-ca-bundle'), hashText('us-west-2default')]).toEqual([
    16843204617627660836n,
    13728408170730661446n,
    6953592710408757555n,
    4067990795380418201n,
  ])
})

test('neither the order of taints nor that of labels matters', () => {
  const taint = fc.record({
    key: fc.string(),
    value: fc.string(),
    effect: fc.constantFrom('NoSchedule' as const, 'NoExecute' as const),
  })
  const labels = fc.uniqueArray(fc.tuple(fc.string(), fc.string()), { selector: ([key]) => key })
  fc.assert(
    fc.property(fc.array(taint), labels, fc.nat(), (taints, entries, turn) => {
      const rotated = <T>(list: readonly T[]): T[] =>
        list.map((_, i) => list[(i + turn) % list.length]).filter((item) => item !== undefined)
      const one = pool({ taints }, { labels: Object.fromEntries(entries) })
      const two = pool({ taints: rotated(taints) }, { labels: Object.fromEntries(rotated(entries)) })
      expect(nodePoolHash(two)).toBe(nodePoolHash(one))
    }),
  )
})
