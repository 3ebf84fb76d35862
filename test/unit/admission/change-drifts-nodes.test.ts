import { expect, test } from 'vitest'
import { ec2NodeClassHash, nodePoolHash } from '../../../src/api/hash/index.ts'
import type { NodeClaim } from '../../../src/api/karpenter.ts'
import type { KubeObject } from '../../../src/api/kubernetes.ts'
import { aClaim, aClass, aPool, findings, zone } from '../../support/judged-objects.ts'

test('a change of the template that drifts nodes says how many', () => {
  const { warned } = findings(
    aPool({ template: { expireAfter: '1h' } }),
    { nodeClaims: [aClaim(), aClaim(), aClaim({ 'karpenter.sh/nodepool': 'x' })] },
    aPool(),
  )
  expect(warned).toEqual([
    expect.objectContaining({
      rule: 'JN-213',
      path: 'spec.template',
      message: 'this change replaces 2 nodes of 2: spec.template.spec.expireAfter: 720h -> 1h',
    }),
  ])
})

test.each([{ expireAfter: '99999999999h' }, { terminationGracePeriod: '99999999999h' }])(
  'where the stored template could not be hashed, as with %j, every node of the pool is made anew',
  (template) => {
    const unreadable = aPool({ template })
    const nodeClaims = [aClaim(), aClaim({ 'karpenter.sh/nodepool': 'x' })]
    expect(findings(aPool(), { nodeClaims }, unreadable).warned.map(({ rule, message }) => [rule, message])).toEqual([
      ['JN-213', 'this change replaces 1 node of 1'],
    ])
    const { denied, warned } = findings(unreadable, { nodeClaims }, aPool())
    expect([denied.map(({ rule }) => rule), warned]).toEqual([['JN-108'], []])
  },
)

test('a grace period that can be read is none of these', () => {
  const template = { terminationGracePeriod: '1h' }
  const { warned } = findings(
    aPool({ template: { ...template, expireAfter: '1h' } }),
    { nodeClaims: [aClaim()] },
    aPool({ template }),
  )
  expect(warned.map(({ message }) => message)).toEqual([
    'this change replaces 1 node of 1: spec.template.spec.expireAfter: 720h -> 1h',
  ])
})

test('a change of requirements drifts the nodes that no longer meet them', () => {
  const narrowed = aPool({ template: { requirements: [{ key: zone, operator: 'In', values: ['a'] }] } })
  const { warned } = findings(narrowed, { nodeClaims: [aClaim({ [zone]: 'a' }), aClaim({ [zone]: 'b' })] }, aPool())
  expect(warned.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^this change replaces 1 node of 2: spec\.template\.spec\.requirements\[0\]: /),
  ])
})

test('a pool of one node is told of it, one without any of nothing', () => {
  const changed = aPool({ template: { expireAfter: '1h' } })
  const messages = (nodeClaims: readonly NodeClaim[]) =>
    findings(changed, { nodeClaims }, aPool()).warned.map(({ message }) => message)
  expect(messages([aClaim()])).toEqual([expect.stringMatching(/^this change replaces 1 node of 1: /)])
  expect(messages([])).toEqual([])
})

test('nodes that are going in any case are not counted', () => {
  const going = aClaim()
  const nodeClaims = [
    aClaim(),
    { ...going, metadata: { ...going.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
  ]
  const messages = (object: Parameters<typeof findings>[0], old: Parameters<typeof findings>[2]) =>
    findings(object, { nodeClaims }, old).warned.map(({ message }) => message)
  expect(messages(aPool({ template: { expireAfter: '1h' } }), aPool())).toEqual([
    expect.stringMatching(/^this change replaces 1 node of 1: /),
  ])
  expect(messages(aPool(), aPool({ template: { expireAfter: '99999999999h' } }))).toEqual([
    'this change replaces 1 node of 1',
  ])
  expect(messages(aClass({ userData: 'x' }), aClass())).toEqual([
    expect.stringMatching(/^this change replaces 1 node of 1: /),
  ])
})

test('a change of the node class drifts its nodes', () => {
  const { warned } = findings(aClass({ userData: 'x' }), { nodeClaims: [aClaim()] }, aClass())
  expect(warned.map(({ rule, path }) => [rule, path])).toEqual([['JN-213', 'spec']])
  // User data is never shown.
  expect(warned[0]?.message).toMatch(/spec\.userData: \(absent\) -> "?sha256:/)
})

test('a change of the node class drifts no nodes of another one, or of another kind', () => {
  const ref = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' }
  const nodeClaims = [{ name: 'other' }, { group: 'eks.amazonaws.com', kind: 'NodeClass' }].map((more) => ({
    ...aClaim(),
    spec: { ...aClaim().spec, nodeClassRef: { ...ref, ...more } },
  }))
  expect(findings(aClass({ role: 'other' }), { nodeClaims }, aClass()).warned).toEqual([])
})

test('claims that were stored without a class, or without a spec, do not count', () => {
  const misshapen = [{ spec: undefined }, { spec: {} }].map((rest) => ({ ...aClaim(), ...rest }) as NodeClaim)
  const { warned } = findings(aClass({ role: 'other' }), { nodeClaims: [...misshapen, aClaim()] }, aClass())
  expect(warned.map(({ message }) => message)).toEqual([expect.stringMatching(/^this change replaces 1 node of 1: /)])
})

test('another image alias may replace nodes, and the warning names it', () => {
  const { warned } = findings(
    aClass({ amiSelectorTerms: [{ alias: 'al2023@v20260701' }] }),
    { nodeClaims: [aClaim(), aClaim()] },
    aClass({ amiSelectorTerms: [{ alias: 'al2023@v20260601' }] }),
  )
  expect(warned.map(({ message }) => message)).toEqual([
    'this change may replace 2 nodes of 2: spec.amiSelectorTerms[0].alias: al2023@v20260601 -> al2023@v20260701',
  ])
})

test('an alias that goes back to a version which the class has had replaces the nodes that have other images', () => {
  const revision = (number: number, version: string) => ({
    revision: number,
    images: [{ id: `ami-${version}`, name: `al2023-amd64-${version}` }],
    firstSeen: '2026-06-01T00:00:00Z',
    outcome: 'good' as const,
  })
  const old = {
    ...aClass({ amiSelectorTerms: [{ alias: 'al2023@v2' }] }),
    status: { imageHistory: [revision(2, 'v2'), revision(1, 'v1')] },
  }
  const onImage = (imageID: string): NodeClaim => ({ ...aClaim(), status: { imageID } })
  const messages = (nodeClaims: readonly NodeClaim[], spec: Parameters<typeof aClass>[0]) =>
    findings(aClass(spec), { nodeClaims, nodeClasses: [old] }, old).warned.map(({ message }) => message)
  const back = { amiSelectorTerms: [{ alias: 'al2023@v1' }] }
  // Nobody knows yet what the one without an image will be made of: it is given what the class has by then.
  expect(messages([onImage('ami-v1'), onImage('ami-v2'), onImage('')], back)).toEqual([
    'this change replaces 1 node of 3: spec.amiSelectorTerms[0].alias: al2023@v2 -> al2023@v1',
  ])
  expect(messages([onImage('ami-v1'), onImage('ami-v1')], back)).toEqual([])
  expect(messages([onImage('ami-v1')], { amiSelectorTerms: [{ alias: 'al2023@v0' }] })).toEqual([
    expect.stringMatching(/^this change may replace 1 node of 1: /),
  ])
  expect(messages([onImage('ami-v1')], { ...back, subnetSelectorTerms: [{ id: 'subnet-2' }] })).toEqual([
    expect.stringMatching(/^this change may replace 1 node of 1: /),
  ])
})

test('other capacity reservations may replace the nodes that are in one', () => {
  const reserved = aClaim({ 'karpenter.k8s.aws/capacity-reservation-id': 'cr-1' })
  const warnings = (nodeClaims: readonly NodeClaim[], ...ids: readonly string[]) =>
    findings(
      aClass({ capacityReservationSelectorTerms: ids.map((id) => ({ id })) }),
      { nodeClaims },
      aClass({ capacityReservationSelectorTerms: [{ id: 'cr-1' }] }),
    ).warned.map(({ message }) => message)
  expect(warnings([reserved, aClaim()], 'cr-2')).toEqual([
    'this change may replace 1 node of 2: spec.capacityReservationSelectorTerms[0].id: cr-1 -> cr-2',
  ])
  expect(warnings([aClaim()], 'cr-2')).toEqual([])
  expect(warnings([reserved], 'cr-1', 'cr-2')).toEqual([])
})

test('a change that is taken back replaces the nodes that came of it, and no others', () => {
  const [good, bad] = [aPool(), aPool({ template: { expireAfter: '1h' } })]
  const madeOf = (pool: typeof good, labels?: Record<string, string>): NodeClaim =>
    stamped(aClaim(labels), 'karpenter.sh/nodepool-hash', nodePoolHash(pool), 'v3')
  const messages = (nodeClaims: readonly NodeClaim[]) =>
    findings(good, { nodeClaims }, bad).warned.map(({ message }) => message)
  expect(messages([madeOf(good), madeOf(good)])).toEqual([])
  expect(messages([madeOf(good), madeOf(bad), madeOf(bad)])).toEqual([
    'this change replaces 2 nodes of 3: spec.template.spec.expireAfter: 1h -> 720h',
  ])
  const inZone = (pool: typeof good) => ({
    ...pool,
    spec: {
      template: {
        spec: { ...pool.spec.template.spec, requirements: [{ key: zone, operator: 'In' as const, values: ['a'] }] },
      },
    },
  })
  // Others come of the same change for another reason, or go in any case.
  const nodeClaims = [madeOf(good, { [zone]: 'b' }), madeOf(bad, { [zone]: 'b' }), madeOf(bad, { [zone]: 'a' })]
  expect(findings(inZone(good), { nodeClaims }, inZone(bad)).warned.map(({ message }) => message)).toEqual([
    'this change replaces 1 node of 3: spec.template.spec.expireAfter: 1h -> 720h',
  ])
})

test('so does one of a class, whatever its CA bundle is', () => {
  // As an API server stores it, defaults included.
  const metadataOptions = {
    httpEndpoint: 'enabled',
    httpProtocolIPv6: 'disabled',
    httpPutResponseHopLimit: 1,
    httpTokens: 'required',
  } as const
  const [good, bad] = [aClass({ metadataOptions }), aClass({ metadataOptions, userData: 'x' })]
  const hash = ({ spec }: typeof good): string => (spec === undefined ? '' : ec2NodeClassHash({ spec }, 'a CA bundle'))
  const key = 'karpenter.k8s.aws/ec2nodeclass-hash'
  const madeOf = (nodeClass: typeof good): NodeClaim => stamped(aClaim(), key, hash(nodeClass), 'v6')
  const messages = (nodeClaims: readonly NodeClaim[]) =>
    findings(good, { nodeClaims }, stamped(bad, key, hash(bad), 'v6')).warned.map(({ message }) => message)
  expect(messages([madeOf(good), madeOf(good)])).toEqual([])
  expect(messages([madeOf(good), madeOf(bad)])).toEqual([expect.stringMatching(/^this change replaces 1 node of 2: /)])
})

function stamped<T extends KubeObject>(object: T, key: string, hash: string, version: string): T {
  const annotations = { [key]: hash, [`${key}-version`]: version }
  return { ...object, metadata: { ...object.metadata, annotations } }
}
