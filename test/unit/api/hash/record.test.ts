import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  changedFields,
  ec2NodeClassHash,
  ec2NodeClassHashInput,
  nodePoolHash,
  nodePoolHashAnnotations,
  nodePoolHashInput,
  recordOf,
  recordText,
} from '../../../../src/api/hash/index.ts'
import type { EC2NodeClassSpec, NodePoolTemplate } from '../../../../src/api/karpenter.ts'

const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' }
type Spec = NodePoolTemplate['spec']
const pool = (spec: Partial<Spec> = {}, metadata?: NodePoolTemplate['metadata']) => ({
  spec: {
    template: {
      ...(metadata === undefined ? {} : { metadata }),
      spec: { nodeClassRef, requirements: [], expireAfter: '720h', ...spec },
    },
  },
})
const poolChanges = (before: ReturnType<typeof pool>, after: ReturnType<typeof pool>) =>
  changedFields({ input: nodePoolHashInput(before) }, nodePoolHashInput(after))
const taint = (key: string, effect: 'NoSchedule' | 'NoExecute' = 'NoSchedule') => ({ key, effect })

describe('the fields of a NodePool whose change replaces nodes', () => {
  test.each<[string, ReturnType<typeof pool>, ReturnType<typeof pool>, readonly unknown[]]>([
    [
      'an effect',
      pool({ taints: [taint('a')] }),
      pool({ taints: [taint('a', 'NoExecute')] }),
      [{ path: 'spec.template.spec.taints[0].effect', old: 'NoSchedule', new: 'NoExecute' }],
    ],
    [
      'a taint added in front of others',
      pool({ taints: [taint('b'), taint('c')] }),
      pool({ taints: [taint('a'), taint('b'), taint('c')] }),
      [{ path: 'spec.template.spec.taints[0]', old: undefined, new: taint('a') }],
    ],
    [
      'a taint taken from the front',
      pool({ taints: [taint('a'), taint('b')] }),
      pool({ taints: [taint('b')] }),
      [{ path: 'spec.template.spec.taints[1]', old: taint('a'), new: undefined }],
    ],
    [
      'taints in another order',
      pool({ taints: [taint('a'), taint('b')] }),
      pool({ taints: [taint('b'), taint('a')] }),
      [],
    ],
    ['a duration in another spelling', pool({ expireAfter: '720h' }), pool({ expireAfter: '43200m0s' }), []],
    [
      'Never',
      pool({ expireAfter: '720h' }),
      pool({ expireAfter: 'Never' }),
      [{ path: 'spec.template.spec.expireAfter', old: '720h', new: undefined }],
    ],
    [
      'a label',
      pool({}, { labels: { 'example.com/team': 'a' } }),
      pool({}, { labels: { 'example.com/team': 'b' } }),
      [{ path: 'spec.template.metadata.labels["example.com/team"]', old: 'a', new: 'b' }],
    ],
    [
      'requirements do not count',
      pool(),
      pool({ requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] }] }),
      [],
    ],
  ])('%s', (_name, before, after, want) => {
    expect(poolChanges(before, after)).toEqual(want)
  })

  test('differ if and only if the hashes do', () => {
    const words = fc.constantFrom('a', 'b')
    const taints = fc.uniqueArray(
      fc.record({ key: words, effect: fc.constantFrom('NoSchedule' as const, 'NoExecute' as const) }),
      {
        selector: ({ key, effect }) => key + effect,
      },
    )
    const labels = fc.dictionary(words, words, { noNullPrototype: true })
    const arbitrary = fc
      .record(
        {
          taints,
          startupTaints: taints,
          expireAfter: fc.constantFrom('Never', '0s', '1h', '60m'),
          terminationGracePeriod: fc.constantFrom('0s', '30s', '0.5m'),
          labels,
          annotations: labels,
        },
        { requiredKeys: [] },
      )
      .map(({ labels, annotations, ...spec }) =>
        pool(spec, { ...(labels && { labels }), ...(annotations && { annotations }) }),
      )
    fc.assert(
      fc.property(arbitrary, arbitrary, (before, after) => {
        expect(poolChanges(before, after).length === 0).toBe(nodePoolHash(before) === nodePoolHash(after))
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('the fields of a node class whose change replaces nodes', () => {
  const spec: EC2NodeClassSpec = {
    subnetSelectorTerms: [],
    securityGroupSelectorTerms: [],
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    role: 'nodes',
    userData: 'token=secret-1',
    kubelet: { maxPods: 110, clusterDNS: ['10.0.0.10'] },
    blockDeviceMappings: [
      { deviceName: '/dev/xvda', ebs: { volumeSize: '20Gi' } },
      { deviceName: '/dev/xvdb', ebs: { volumeSize: '1024Gi' } },
    ],
  }
  const changes = (change: Partial<EC2NodeClassSpec>, bundles: readonly [string, string] = ['', '']) =>
    changedFields(
      { input: ec2NodeClassHashInput({ spec }, bundles[0]) },
      ec2NodeClassHashInput({ spec: { ...spec, ...change } }, bundles[1]),
    )

  test.each<[string, Partial<EC2NodeClassSpec>, readonly unknown[]]>([
    ['the role', { role: 'other' }, [{ path: 'spec.role', old: 'nodes', new: 'other' }]],
    [
      'a disk',
      {
        blockDeviceMappings: [
          { deviceName: '/dev/xvdb', ebs: { volumeSize: '1Ti' } },
          { deviceName: '/dev/xvda', ebs: { volumeSize: '30Gi' } },
        ],
      },
      [{ path: 'spec.blockDeviceMappings[1].ebs.volumeSize', old: '20Gi', new: '30Gi' }],
    ],
    [
      'a kubelet setting',
      { kubelet: { maxPods: 58, clusterDNS: ['10.0.0.10'] } },
      [{ path: 'spec.kubelet.maxPods', old: 110, new: 58 }],
    ],
    [
      'the family an alias stands for',
      { amiSelectorTerms: [{ alias: 'bottlerocket@latest' }] },
      [{ path: 'spec.amiFamily', old: 'AL2023', new: 'Bottlerocket' }],
    ],
    ['selectors do not count', { subnetSelectorTerms: [{ id: 'subnet-1' }] }, []],
  ])('%s', (_name, change, want) => {
    expect(changes(change)).toEqual(want)
    expect(want.length > 0).toBe(
      ec2NodeClassHash({ spec: { ...spec, ...change } }, '') !== ec2NodeClassHash({ spec }, ''),
    )
  })

  test('user data and CA bundles are told apart without being shown', () => {
    const found = changes({ userData: 'token=secret-2' }, ['ca-one', 'ca-two'])
    expect(found.map(({ path }) => path)).toEqual(['clusterCABundle', 'spec.userData'])
    expect(
      found.every(({ old, new: now }) => /^sha256:[0-9a-f]{16} \(\d+ bytes\)$/.test(String(old)) && old !== now),
    ).toBe(true)
    expect(JSON.stringify(ec2NodeClassHashInput({ spec }, 'ca-one'))).not.toMatch(/secret|ca-one/)
  })

  test('long values take a bounded place and still show that they changed', () => {
    const tags = (value: string) =>
      Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`tag-${n}`, value.repeat(200)]))
    const input = ec2NodeClassHashInput({ spec: { ...spec, tags: tags('x'), context: 'c'.repeat(100_000) } }, '')
    expect(JSON.stringify(input).length).toBeLessThan(2_000)
    expect(
      changedFields({ input }, ec2NodeClassHashInput({ spec: { ...spec, tags: tags('y') } }, '')).map(
        ({ path }) => path,
      ),
    ).toEqual(['spec.context', 'spec.tags'])
  })
})

describe('the record on a claim', () => {
  const claim = (record: string, hash = '7') => ({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: {
      name: 'c',
      uid: 'u',
      creationTimestamp: '2025-01-01T00:00:00Z',
      resourceVersion: '1',
      annotations: { 'joinery.dev/nodepool-hash-input': record, 'karpenter.sh/nodepool-hash': hash },
    },
  })
  const read = (record: string, hash?: string) => recordOf(claim(record, hash), nodePoolHashAnnotations)
  const text = recordText({ generation: 3, hash: '7', input: nodePoolHashInput(pool()) })

  test('is read back', () => {
    expect(read(text)).toEqual({ generation: 3, hash: '7', input: nodePoolHashInput(pool()) })
  })
  test('counts only for the hash that the claim carries', () => {
    expect(read(text, '8')).toBeUndefined()
  })
  test.each(['', 'x', 'null', '[]', '{"generation":3,"hash":"7"}', '{"generation":"3","hash":"7","input":{}}'])(
    'is nothing when it reads %j',
    (broken) => {
      expect(read(broken)).toBeUndefined()
    },
  )
})
