import { expect, test } from 'vitest'
import { ec2NodeClassHashAnnotations as keys, hashesDiffer, planHashStamps } from '../../../../src/api/hash/index.ts'
import type { Condition, KubeObject } from '../../../../src/api/kubernetes.ts'

function stamped(
  hash?: string,
  version?: string,
  drifted = false,
): KubeObject & { status?: { conditions: Condition[] } } {
  const annotations = {
    ...(hash === undefined ? {} : { [keys.hash]: hash }),
    ...(version === undefined ? {} : { [keys.version]: version }),
  }
  const condition: Condition = { type: 'Drifted', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name: 'x', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z', annotations },
    ...(drifted ? { status: { conditions: [condition] } } : {}),
  }
}

const both = (hash: string, version: string): Record<string, string> => ({ [keys.hash]: hash, [keys.version]: version })

test.each([
  ['forward', 'v5', 'v6'],
  ['backward', 'v6', 'v5'],
])('a %s change of version restamps the claims, then the class', (_name, from, to) => {
  const plan = planHashStamps(
    stamped('1', from),
    [stamped('1', from), stamped('2', from, true), stamped('9', to), stamped()],
    { hash: '7', version: to },
    keys,
  )
  expect(plan.claims).toEqual([
    { index: 0, annotations: both('7', to) },
    { index: 1, annotations: { [keys.version]: to } },
    { index: 3, annotations: both('7', to) },
  ])
  expect(plan.parent).toEqual(both('7', to))
})

test('a changed hash of the same version leaves the claims, so that they drift', () => {
  expect(planHashStamps(stamped('1', 'v6'), [stamped('1', 'v6')], { hash: '7', version: 'v6' }, keys)).toEqual({
    claims: [],
    parent: both('7', 'v6'),
    records: [],
  })
})

test('nothing is written when all is as it should be', () => {
  expect(planHashStamps(stamped('7', 'v6'), [], { hash: '7', version: 'v6' }, keys)).toEqual({
    claims: [],
    parent: undefined,
    records: [],
  })
})

test('hashes differ only between complete stamps of one version', () => {
  expect(hashesDiffer(stamped('1', 'v6'), stamped('2', 'v6'), keys)).toBe(true)
  expect(hashesDiffer(stamped('1', 'v6'), stamped('1', 'v6'), keys)).toBe(false)
  expect(hashesDiffer(stamped('1', 'v6'), stamped('2', 'v5'), keys)).toBe(false)
  expect(hashesDiffer(stamped('1', 'v6'), stamped('2'), keys)).toBe(false)
})

const input = { spec: { role: 'nodes' } }
const made = (hash: string, image?: string): string =>
  `{"generation":4,"hash":"${hash}",${image === undefined ? '' : `"image":{"id":"${image}"},`}"input":{"spec":{"role":"nodes"}}}`
const withRecord = (claim: KubeObject, record: string): KubeObject => ({
  ...claim,
  metadata: { ...claim.metadata, annotations: { ...claim.metadata.annotations, [keys.input]: record } },
})
const parentOf = (hash: string, version: string): KubeObject => {
  const parent = stamped(hash, version)
  return { ...parent, metadata: { ...parent.metadata, generation: 4 } }
}

test('a change of version carries the record over with the hash, and keeps the image', () => {
  const before = '{"generation":2,"hash":"1","image":{"id":"ami-1"},"input":{"spec":{}}}'
  const claims = [withRecord(stamped('1', 'v5'), before), withRecord(stamped('1', 'v5', true), before)]
  expect(planHashStamps(parentOf('1', 'v5'), claims, { hash: '7', version: 'v6', input }, keys)).toEqual({
    claims: [
      { index: 0, annotations: { ...both('7', 'v6'), [keys.input]: made('7', 'ami-1') } },
      { index: 1, annotations: { [keys.version]: 'v6' } },
    ],
    parent: both('7', 'v6'),
    records: [],
  })
})

test('claims of the present hash get the record they lack; others, and those that are going, do not', () => {
  const going = stamped('7', 'v6')
  const claims = [
    stamped('7', 'v6'),
    withRecord(stamped('7', 'v6'), made('7')),
    withRecord(stamped('7', 'v6'), made('6')),
    stamped('6', 'v6'),
    stamped('7', 'v5'),
    { ...going, metadata: { ...going.metadata, deletionTimestamp: '2026-01-02T00:00:00Z' } },
  ]
  expect(planHashStamps(parentOf('7', 'v6'), claims, { hash: '7', version: 'v6', input }, keys)).toEqual({
    claims: [],
    parent: undefined,
    records: [
      { index: 0, annotations: { [keys.input]: made('7') } },
      { index: 2, annotations: { [keys.input]: made('7') } },
    ],
  })
})
