import { describe, expect, test } from 'vitest'
import { convertAll, planConversion } from '../../../../src/api/conversion/index.ts'
import { customResourceDefinitions } from '../../../../src/api/karpenter.ts'
import { admit, compileVersion } from '../../../../src/api/validation/index.ts'

const metadata = { name: 'default' }
const requirements = [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot'] }]
const selectors = { subnetSelectorTerms: [{ id: 'subnet-1' }], securityGroupSelectorTerms: [{ id: 'sg-1' }] }

function oldPool(template: object = {}, spec: object = {}): object {
  return {
    apiVersion: 'karpenter.sh/v1beta1',
    kind: 'NodePool',
    metadata,
    spec: {
      template: {
        spec: {
          nodeClassRef: { apiVersion: 'karpenter.k8s.aws/v1beta1', kind: 'EC2NodeClass', name: 'default' },
          requirements,
          ...template,
        },
      },
      ...spec,
    },
  }
}

function oldClass(spec: object): object {
  return {
    apiVersion: 'karpenter.k8s.aws/v1beta1',
    kind: 'EC2NodeClass',
    metadata,
    spec: { role: 'nodes', ...selectors, ...spec },
  }
}

const provisioner = (spec: object): object => ({
  apiVersion: 'karpenter.sh/v1alpha5',
  kind: 'Provisioner',
  metadata,
  spec,
})
const template = (spec: object): object => ({
  apiVersion: 'karpenter.k8s.aws/v1alpha1',
  kind: 'AWSNodeTemplate',
  metadata,
  spec,
})

/** The converted document, which must be admitted as it is. */
function converted(document: object): Record<string, unknown> {
  const [result] = convertAll([document]).documents
  const { apiVersion, kind } = result as { apiVersion: string; kind: string }
  const definition = customResourceDefinitions.find(({ spec }) => spec.names.kind === kind)
  const resource = definition === undefined ? undefined : compileVersion(definition, apiVersion.split('/')[1] ?? '')
  if (resource === undefined) throw new Error(`${apiVersion} ${kind} is not served`)
  const admitted = admit(resource, result)
  expect(admitted.errors).toEqual([])
  expect(admitted.unknownFields).toEqual([])
  return result as Record<string, unknown>
}

const remarksOf = (document: object): string[] =>
  (planConversion(document)?.remarks ?? []).map(({ kind, message }) => `${kind}: ${message}`)

describe('a v1beta1 NodePool', () => {
  test('names the group of its class, expires by its template, and has the new policy', () => {
    const old = oldPool({}, { disruption: { consolidationPolicy: 'WhenUnderutilized', expireAfter: '24h' }, weight: 5 })
    expect(converted(old)).toEqual({
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata,
      spec: {
        template: {
          spec: {
            nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
            requirements,
            expireAfter: '24h',
          },
        },
        disruption: { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '0s' },
        weight: 5,
      },
    })
  })

  test('that says twice when it expires keeps what v1 reads', () => {
    const old = oldPool({ expireAfter: '24h' }, { disruption: { expireAfter: '720h' } })
    expect(converted(old)['spec']).toMatchObject({ template: { spec: { expireAfter: '24h' } } })
    expect(converted(old)).not.toHaveProperty('spec.disruption.expireAfter')
    expect(remarksOf(old)).toContain('lost: spec.template.spec.expireAfter is kept, which v1 reads')
  })

  test('keeps its delay', () => {
    const old = oldPool({}, { disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: '5m' } })
    expect(converted(old)['spec']).toMatchObject({
      disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: '5m' },
    })
  })
})

describe('a v1beta1 EC2NodeClass', () => {
  test('says which images it uses, and keeps the hop limit', () => {
    expect(converted(oldClass({ amiFamily: 'AL2023' }))['spec']).toMatchObject({
      amiFamily: 'AL2023',
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      metadataOptions: { httpPutResponseHopLimit: 2 },
    })
  })

  test('keeps its own terms and hop limit', () => {
    const old = oldClass({
      amiFamily: 'AL2',
      amiSelectorTerms: [{ id: 'ami-1' }],
      metadataOptions: { httpPutResponseHopLimit: 3 },
    })
    expect(converted(old)['spec']).toMatchObject({
      amiSelectorTerms: [{ id: 'ami-1' }],
      metadataOptions: { httpPutResponseHopLimit: 3 },
    })
  })

  test.each([
    ['a v1beta1 EC2NodeClass', oldClass({ amiFamily: 'Ubuntu' })],
    ['an AWSNodeTemplate', template({ amiFamily: 'Ubuntu', instanceProfile: 'p' })],
  ])('with Ubuntu becomes AL2, and says that images must be selected: %s', (_kind, old) => {
    const [changed] = convertAll([old]).documents
    expect(changed).toMatchObject({
      spec: {
        amiFamily: 'AL2',
        amiSelectorTerms: [],
        blockDeviceMappings: [{ deviceName: '/dev/sda1', rootVolume: true }],
      },
    })
    expect(remarksOf(old)).toContainEqual(expect.stringContaining('lost: Ubuntu images are no longer found by family'))
    // Amazon Linux is not what is missing, however often it is asked.
    expect(convertAll([changed]).documents).toEqual([changed])
  })
})

describe('kubelet settings', () => {
  const kubelet = { maxPods: 42 }

  test('move to the class beside the pool', () => {
    const { documents, plans } = convertAll([oldPool({ kubelet }), oldClass({ amiFamily: 'AL2023' })])
    expect(documents[0]).not.toHaveProperty('spec.template.spec.kubelet')
    expect(documents[1]).toMatchObject({ spec: { kubelet } })
    expect(plans[0]?.remarks.map(({ kind }) => kind)).toEqual(['check'])
  })

  test('are reported as lost without a class, and where two pools disagree', () => {
    expect(convertAll([oldPool({ kubelet })]).plans[0]?.remarks.at(-1)).toMatchObject({
      kind: 'lost',
      message: expect.stringContaining('not among the documents'),
    })
    const { plans, documents } = convertAll([
      oldPool({ kubelet }),
      oldPool({ kubelet: { maxPods: 7 } }),
      oldClass({ amiFamily: 'AL2' }),
    ])
    expect(plans[1]?.remarks.at(-1)).toMatchObject({
      kind: 'lost',
      message: expect.stringContaining('a class of its own'),
    })
    expect(documents[2]).toMatchObject({ spec: { kubelet } })
  })
})

test('a v1beta1 NodeClaim, which did not expire by itself, still does not', () => {
  const claim = (spec: object): object => ({
    apiVersion: 'karpenter.sh/v1beta1',
    kind: 'NodeClaim',
    metadata,
    spec: { nodeClassRef: { name: 'default' }, requirements, ...spec },
  })
  expect(converted(claim({}))).toMatchObject({ spec: { expireAfter: 'Never' } })
  expect(remarksOf(claim({}))).toContainEqual(expect.stringContaining('check: a NodeClaim expires by itself now'))
  // Half converted by hand.
  expect(converted(claim({ expireAfter: '48h' }))).toMatchObject({ spec: { expireAfter: '48h' } })
})

describe('a Provisioner', () => {
  test('becomes a NodePool that behaves the same', () => {
    const old = provisioner({
      providerRef: { name: 'mine' },
      labels: { team: 'a' },
      taints: [{ key: 'a', effect: 'NoSchedule' }],
      requirements,
      limits: { resources: { cpu: '100' } },
      ttlSecondsUntilExpired: 3600,
      consolidation: { enabled: true },
      weight: 3,
    })
    expect(converted(old)).toMatchObject({
      kind: 'NodePool',
      spec: {
        template: {
          metadata: { labels: { team: 'a' } },
          spec: { nodeClassRef: { name: 'mine' }, taints: [{ key: 'a', effect: 'NoSchedule' }], expireAfter: '3600s' },
        },
        disruption: { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '0s' },
        limits: { cpu: '100' },
        weight: 3,
      },
    })
  })

  test('that never expired or consolidated still does not, and its assumed requirements are written out', () => {
    const { spec } = converted(provisioner({ providerRef: { name: 'x' }, requirements })) as {
      spec: { template: { spec: { requirements: { key: string }[]; expireAfter: string } }; disruption: object }
    }
    expect([spec.template.spec.expireAfter, spec.disruption]).toEqual([
      'Never',
      { consolidationPolicy: 'WhenEmpty', consolidateAfter: 'Never' },
    ])
    expect(spec.template.spec.requirements.map(({ key }) => key)).toEqual([
      'karpenter.sh/capacity-type',
      'kubernetes.io/os',
      'kubernetes.io/arch',
      'karpenter.k8s.aws/instance-category',
      'karpenter.k8s.aws/instance-generation',
    ])
  })

  test('that names a label by an older name is not given the former default of it', () => {
    const old = provisioner({
      providerRef: { name: 'x' },
      labels: { 'beta.kubernetes.io/os': 'linux' },
      requirements: [
        { key: 'beta.kubernetes.io/arch', operator: 'In', values: ['arm64'] },
        { key: 'beta.kubernetes.io/instance-type', operator: 'In', values: ['m7g.large'] },
      ],
    })
    const { spec } = converted(old) as { spec: { template: { spec: { requirements: { key: string }[] } } } }
    expect(spec.template.spec.requirements.map(({ key }) => key)).toEqual([
      'beta.kubernetes.io/arch',
      'beta.kubernetes.io/instance-type',
      'karpenter.sh/capacity-type',
    ])
  })

  test('that kept its nodes from consolidation still does', () => {
    const old = provisioner({
      providerRef: { name: 'x' },
      requirements,
      annotations: { 'karpenter.sh/do-not-consolidate': 'true', note: 'a' },
    })
    expect(converted(old)).toMatchObject({
      spec: { template: { metadata: { annotations: { note: 'a', 'karpenter.sh/do-not-disrupt': 'true' } } } },
    })
    expect(JSON.stringify(converted(old))).not.toContain('do-not-consolidate')
    expect(remarksOf(old)).toContainEqual(expect.stringContaining('check: do-not-consolidate is do-not-disrupt now'))
  })

  test('loses an inline provider, and says so', () => {
    expect(remarksOf(provisioner({ provider: { instanceProfile: 'x' } }))).toContainEqual(
      expect.stringContaining('lost: an inline provider'),
    )
  })
})

describe('an AWSNodeTemplate', () => {
  test('becomes an EC2NodeClass with terms', () => {
    const old = template({
      instanceProfile: 'p',
      subnetSelector: { env: 'a,b' },
      securityGroupSelector: { 'aws-ids': 'sg-1, sg-2' },
      amiFamily: 'Bottlerocket',
    })
    expect(converted(old)).toMatchObject({
      kind: 'EC2NodeClass',
      spec: {
        subnetSelectorTerms: [{ tags: { env: 'a' } }, { tags: { env: 'b' } }],
        securityGroupSelectorTerms: [{ id: 'sg-1' }, { id: 'sg-2' }],
        amiFamily: 'Bottlerocket',
        amiSelectorTerms: [{ alias: 'bottlerocket@latest' }],
      },
    })
  })

  test('whose selectors have numbers without quotes selects no more for it, and says so', () => {
    const old = template({
      instanceProfile: 'p',
      subnetSelector: { team: 'a', account: 123, private: true },
      securityGroupSelector: { a: 'b' },
    })
    expect(converted(old)['spec']).toMatchObject({
      subnetSelectorTerms: [{ tags: { team: 'a', account: '123', private: 'true' } }],
    })
    expect(remarksOf(old)).toContain('check: it has to be text: "123" is taken to be meant')
  })

  test('keeps owners and names of images', () => {
    const old = template({
      instanceProfile: 'p',
      subnetSelector: { a: 'b' },
      securityGroupSelector: { a: 'b' },
      amiSelector: { 'aws::name': 'mine', 'aws::owners': 'self,amazon' },
    })
    expect(converted(old)['spec']).toMatchObject({
      amiFamily: 'AL2',
      amiSelectorTerms: [
        { name: 'mine', owner: 'self' },
        { name: 'mine', owner: 'amazon' },
      ],
    })
  })

  test('takes commas in what selects images for "or", as in the other selectors', () => {
    const old = template({
      instanceProfile: 'p',
      subnetSelector: { a: 'b' },
      securityGroupSelector: { a: 'b' },
      amiSelector: { 'aws::name': 'x-*, y-*', env: 'prod,dev', 'aws::owners': 'self' },
    })
    expect(converted(old)['spec']).toMatchObject({
      amiSelectorTerms: [
        { name: 'x-*', tags: { env: 'prod' }, owner: 'self' },
        { name: 'x-*', tags: { env: 'dev' }, owner: 'self' },
        { name: 'y-*', tags: { env: 'prod' }, owner: 'self' },
        { name: 'y-*', tags: { env: 'dev' }, owner: 'self' },
      ],
    })
  })

  test('whose ids and tags had to match together selects by the ids, never by the tags alone', () => {
    const old = template({
      instanceProfile: 'p',
      subnetSelector: { 'aws-ids': 'subnet-1', a: 'b' },
      securityGroupSelector: { 'aws::ids': 'sg-1', a: 'b' },
      amiSelector: { 'aws-ids': 'ami-1,ami-2', 'aws::owners': 'self', a: 'b' },
    })
    expect(converted(old)['spec']).toMatchObject({
      subnetSelectorTerms: [{ id: 'subnet-1' }],
      securityGroupSelectorTerms: [{ id: 'sg-1' }],
      amiSelectorTerms: [{ id: 'ami-1' }, { id: 'ami-2' }],
    })
    const said = 'check: ids and tags had to match together; now the ids alone select'
    expect(remarksOf(old).filter((remark) => remark === said)).toHaveLength(3)
  })

  test('with Ubuntu and images keeps them, and the disk that Ubuntu had', () => {
    const old = template({
      instanceProfile: 'p',
      subnetSelector: { a: 'b' },
      securityGroupSelector: { a: 'b' },
      amiFamily: 'Ubuntu',
      amiSelector: { 'aws-ids': 'ami-1' },
    })
    expect(converted(old)['spec']).toMatchObject({
      amiFamily: 'AL2',
      amiSelectorTerms: [{ id: 'ami-1' }],
      blockDeviceMappings: [{ deviceName: '/dev/sda1', rootVolume: true }],
    })
  })

  test('whose selector of images is empty uses the newest image of its family, as before', () => {
    const old = template({
      instanceProfile: 'p',
      subnetSelector: { a: 'b' },
      securityGroupSelector: { a: 'b' },
      amiSelector: {},
    })
    expect(converted(old)['spec']).toMatchObject({ amiSelectorTerms: [{ alias: 'al2@latest' }] })
  })

  test('without a profile, or with a launch template, says what is missing', () => {
    const remarks = remarksOf(
      template({ launchTemplate: 'lt', subnetSelector: { a: 'b' }, securityGroupSelector: { a: 'b' } }),
    )
    expect(remarks).toContainEqual(expect.stringContaining('lost: launch templates'))
    expect(remarks).toContainEqual(expect.stringContaining('add role'))
  })
})

test('what is v1 already, or none of ours, is left alone', () => {
  const documents = [{ apiVersion: 'karpenter.sh/v1', kind: 'NodePool' }, { apiVersion: 'v1', kind: 'Pod' }, null]
  const { plans, documents: after } = convertAll(documents)
  expect(plans).toEqual([undefined, undefined, undefined])
  expect(after).toEqual(documents)
})
