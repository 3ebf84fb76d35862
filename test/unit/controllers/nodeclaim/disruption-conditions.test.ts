import { describe, expect, test } from 'vitest'
import type { NodeClaim, NodePool } from '../../../../src/api/karpenter.ts'
import { disruptionConditions } from '../../../../src/controllers/nodeclaim/index.ts'
import { nodeClaims, nodePools } from '../../../../src/kube/karpenter-kinds.ts'
import { nodePoolHashInput, recordText } from '../../../../src/api/hash/index.ts'
import { toTimestamp } from '../../../../src/model/clock.ts'
import type { InstanceType } from '../../../../src/model/instance-type.ts'
import { absent } from '../../../../src/model/requirement.ts'
import { labelRequirements, mergeRequirements, requirementsOf } from '../../../../src/model/requirements.ts'
import { noResources } from '../../../../src/model/resources.ts'
import { aClaim, aPool, conditionOf, trueCondition } from '../../../support/controller-builders.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'

const key = { name: 'c1' }
const wellKnownLabels = new Set([
  'topology.kubernetes.io/zone',
  'karpenter.sh/capacity-type',
  'karpenter.k8s.aws/capacity-reservation-id',
])
const labels = {
  'karpenter.sh/nodepool': 'default',
  'node.kubernetes.io/instance-type': 'm5.large',
  'topology.kubernetes.io/zone': 'z1',
  'karpenter.sh/capacity-type': 'on-demand',
}
const offering = (capacityType: string, zone = 'z1', more: Record<string, string> = {}) => ({
  requirements: labelRequirements(
    { 'karpenter.sh/capacity-type': capacityType, 'topology.kubernetes.io/zone': zone, ...more },
    new Map(),
  ),
  price: 1,
  available: false,
})
const anInstanceType = (name: string, ...offerings: InstanceType['offerings']): InstanceType => ({
  name,
  requirements: new Map(),
  capacity: noResources,
  overhead: { kubeReserved: noResources, systemReserved: noResources, evictionThreshold: noResources },
  offerings,
})

interface Setup {
  readonly claim?: Parameters<typeof aClaim>[1]
  readonly pool?: Partial<NodePool['spec']>
  readonly poolAnnotations?: Record<string, string>
  readonly types?: readonly InstanceType[]
  readonly ageMs?: number
  readonly drift?: (claim: NodeClaim) => string | undefined
  /** Why the catalogue cannot be read. */
  readonly unresolved?: () => string | undefined
}

async function judged({ claim = {}, pool = {}, poolAnnotations = {}, ageMs = 0, ...more }: Setup) {
  const world = aControllerWorld()
  const types = more.types ?? [anInstanceType('m5.large', offering('on-demand'))]
  if (more.drift !== undefined) world.cloud.drift = more.drift
  const created = aPool('default', { disruption: { consolidateAfter: '30s' }, ...pool })
  await world.kube.create(nodePools, { ...created, metadata: { ...created.metadata, annotations: poolAnnotations } })
  const creationTimestamp = toTimestamp(world.clock.now() - ageMs)
  await world.kube.create(
    nodeClaims,
    aClaim('c1', {
      status: { conditions: ['Launched', 'Registered', 'Initialized'].map((type) => trueCondition(type)) },
      ...claim,
      metadata: { labels, creationTimestamp, ...claim.metadata },
    }),
  )
  let listings = 0
  const instanceTypes = async () => {
    listings++
    const error = more.unresolved?.()
    return error === undefined ? { kind: 'resolved' as const, types } : { kind: 'unresolved' as const, error }
  }
  const deps = { ...world, instanceTypes, labelAliases: new Map(), wellKnownLabels }
  await world.start(disruptionConditions(deps))
  await world.run(1_000)
  const read = async (type: string) => conditionOf(await world.read(nodeClaims, key), type)
  return { world, read, listings: () => listings }
}

const hash = (value: string, version = 'v3') => ({
  'karpenter.sh/nodepool-hash': value,
  'karpenter.sh/nodepool-hash-version': version,
})
const requiring = (
  ...requirements: NodePool['spec']['template']['spec']['requirements']
): Partial<NodePool['spec']> => ({
  template: { spec: { ...aPool().spec.template.spec, requirements } },
})
const withLabel = (value: string): Parameters<typeof aClaim>[1] => ({
  metadata: { labels: { ...labels, size: value } },
})
const reserved: Parameters<typeof aClaim>[1] = {
  metadata: {
    labels: {
      ...labels,
      'karpenter.sh/capacity-type': 'reserved',
      'karpenter.k8s.aws/capacity-reservation-id': 'cr-1',
    },
  },
}
/** After its reservation has ended and the label of its capacity type has followed. */
const demoted: Parameters<typeof aClaim>[1] = {
  metadata: {
    labels: {
      ...labels,
      'karpenter.sh/capacity-type': 'on-demand',
      'karpenter.k8s.aws/capacity-reservation-interruptible': 'false',
    },
  },
}
const reservationKeys = ['id', 'type', 'interruptible'].map((name) => `karpenter.k8s.aws/capacity-reservation-${name}`)
const plainOffering = {
  ...offering('on-demand'),
  requirements: mergeRequirements(offering('on-demand').requirements, requirementsOf(...reservationKeys.map(absent))),
}
const anHourAgo = 61 * 60_000

describe('Drifted', () => {
  const noRecord = 'no record of what the node was made of (launched by another controller)'
  const noSuchType = 'm5.large could not be chosen for the NodePool any more, whatever is available'
  const ofRequirement = (text: string): string => `spec.template.spec.requirements[0]: ${text} (generation 1)`
  const cases: Record<string, Setup & { want: string | undefined; says?: string }> = {
    'nothing differs': { want: undefined },
    'the pool template has another hash': {
      claim: { metadata: { annotations: hash('1') } },
      poolAnnotations: hash('2'),
      want: 'NodePoolDrifted',
      says: `${noRecord} (generation 1)`,
    },
    'case 69: hashes of different versions are not compared': {
      claim: { metadata: { annotations: hash('1', 'v2') } },
      poolAnnotations: hash('2'),
      want: undefined,
    },
    'case 70: the claim has no hash': { poolAnnotations: hash('2'), want: undefined },
    'case 70: the pool has no hash': { claim: { metadata: { annotations: hash('1') } }, want: undefined },
    'case 68: Gt was raised above the label': {
      claim: withLabel('5'),
      pool: requiring({ key: 'size', operator: 'Gt', values: ['10'] }),
      want: 'RequirementsDrifted',
      says: ofRequirement('size=5 -> size Gt [10]'),
    },
    'case 68: an In list was widened': {
      claim: withLabel('5'),
      pool: requiring({ key: 'size', operator: 'In', values: ['5', '6'] }),
      want: undefined,
    },
    'case 68: Exists': { claim: withLabel('5'), pool: requiring({ key: 'size', operator: 'Exists' }), want: undefined },
    'case 68: DoesNotExist on a label that is there': {
      claim: withLabel('5'),
      pool: requiring({ key: 'size', operator: 'DoesNotExist' }),
      want: 'RequirementsDrifted',
      says: ofRequirement('size=5 -> size DoesNotExist'),
    },
    'case 68: a new requirement on a label the claim lacks': {
      pool: requiring({ key: 'size', operator: 'In', values: ['5'] }),
      want: 'RequirementsDrifted',
      says: ofRequirement('(absent) -> size In [5]'),
    },
    'a new NotIn on a label the claim lacks': {
      pool: requiring({ key: 'size', operator: 'NotIn', values: ['5'] }),
      want: undefined,
    },
    'case 71: the type is gone, the claim is half an hour old': { types: [], ageMs: 1_800_000, want: undefined },
    'case 71: the type is gone, the claim is an hour and a minute old': {
      types: [anInstanceType('m6i.large', offering('on-demand'))],
      ageMs: anHourAgo,
      want: 'InstanceTypeNotFound',
      says: noSuchType,
    },
    'all types are gone, with the node class': {
      types: [],
      ageMs: anHourAgo,
      want: 'InstanceTypeNotFound',
      says: 'the NodePool has no instance types: its NodeClass is missing or being deleted',
    },
    'the type is there, but not in the zone': {
      types: [anInstanceType('m5.large', offering('on-demand', 'z2'))],
      ageMs: anHourAgo,
      want: 'InstanceTypeNotFound',
      says: noSuchType,
    },
    'the type is there, in the zone and in another one, beside other types': {
      types: [
        anInstanceType('c5.large', offering('spot')),
        anInstanceType('m5.large', offering('on-demand', 'z2'), offering('spot'), offering('on-demand')),
      ],
      ageMs: anHourAgo,
      want: undefined,
    },
    'the type is there, though not available': { ageMs: anHourAgo, want: undefined },
    'spot, and the zone offers it as spot': {
      claim: { metadata: { labels: { ...labels, 'karpenter.sh/capacity-type': 'spot' } } },
      types: [anInstanceType('m5.large', offering('spot'))],
      ageMs: anHourAgo,
      want: undefined,
    },
    'on demand, and the zone offers it only reserved': {
      types: [anInstanceType('m5.large', offering('reserved'))],
      ageMs: anHourAgo,
      want: 'InstanceTypeNotFound',
      says: noSuchType,
    },
    'case 72: reserved, and the zone offers it on demand': { claim: reserved, ageMs: anHourAgo, want: undefined },
    'case 72: reserved, and the zone offers only spot': {
      claim: reserved,
      types: [anInstanceType('m5.large', offering('spot'))],
      ageMs: anHourAgo,
      want: 'InstanceTypeNotFound',
      says: noSuchType,
    },
    'it was reserved, runs on demand by now, and says so': {
      claim: demoted,
      types: [anInstanceType('m5.large', plainOffering)],
      ageMs: anHourAgo,
      want: undefined,
    },
    'reserved, and another reservation offers it': {
      claim: reserved,
      types: [
        anInstanceType('m5.large', offering('reserved', 'z1', { 'karpenter.k8s.aws/capacity-reservation-id': 'cr-2' })),
      ],
      ageMs: anHourAgo,
      want: undefined,
    },
    'the provider says so': { drift: () => 'AMIDrift', want: 'AMIDrift' },
    'a claim that is not launched is not judged': {
      claim: { status: { conditions: [] } },
      drift: () => 'AMIDrift',
      want: undefined,
    },
  }
  test.each(Object.entries(cases))('%s', async (_name, { want, says, ...setup }) => {
    const { read } = await judged(setup)
    const message = says === undefined ? want : `${want}: ${says}`
    expect(await read('Drifted')).toBe(want === undefined ? undefined : `True/${want}/${message}`)
  })

  describe('of a claim that knows what it was made of', () => {
    const template = { ...aPool().spec.template.spec, taints: [{ key: 'a', effect: 'NoSchedule' as const }] }
    const made = {
      ...hash('1'),
      'joinery.dev/nodepool-hash-input': recordText({
        generation: 3,
        hash: '1',
        input: nodePoolHashInput({ spec: { template: { spec: template } } }),
      }),
    }
    const edited = { template: { spec: { ...template, taints: [{ key: 'a', effect: 'NoExecute' as const }] } } }
    const want =
      'True/NodePoolDrifted/NodePoolDrifted: spec.template.spec.taints[0].effect: NoSchedule -> NoExecute (generation 1)'

    test('names the field, both values and the generation', async () => {
      const { read } = await judged({
        claim: { metadata: { annotations: made } },
        poolAnnotations: hash('2'),
        pool: edited,
      })
      expect(await read('Drifted')).toBe(want)
    })

    test('a later generation that changes something else is not blamed, and nothing is written', async () => {
      const { world, read } = await judged({
        claim: { metadata: { annotations: made } },
        poolAnnotations: hash('2'),
        pool: { ...edited, disruption: { consolidateAfter: 'Never' } },
      })
      const version = (await world.read(nodeClaims, key)).metadata.resourceVersion
      await world.kube.patch(
        nodePools,
        { name: 'default' },
        { kind: 'merge', body: { metadata: { generation: 2 }, spec: { weight: 7 } } },
      )
      await world.run(3_600_000)
      expect(await read('Drifted')).toBe(want)
      expect((await world.read(nodeClaims, key)).metadata.resourceVersion).toBe(version)
    })

    test('another change is named, with its generation', async () => {
      const { world, read } = await judged({
        claim: { metadata: { annotations: made } },
        poolAnnotations: hash('2'),
        pool: edited,
      })
      const spec = { template: { spec: { expireAfter: '48h' } } }
      await world.kube.patch(
        nodePools,
        { name: 'default' },
        { kind: 'merge', body: { metadata: { generation: 2 }, spec } },
      )
      await world.run(1_000)
      expect(await read('Drifted')).toContain('spec.template.spec.expireAfter: ')
      expect(await read('Drifted')).toMatch(/taints\[0\]\.effect: NoSchedule -> NoExecute \(generation 2\)$/)
    })
  })

  test.each([
    ['the template', 'NodePoolDrifted', {}],
    ['requirements', 'RequirementsDrifted', { poolAnnotations: hash('1') }],
    ['the instance type', 'InstanceTypeNotFound', { poolAnnotations: hash('1'), pool: requiring() }],
    ['the provider', 'AMIDrift', { poolAnnotations: hash('1'), pool: requiring(), ageMs: 0 }],
  ])('of all that differs %s counts first, then what is left', async (_what, reason, less) => {
    const { read } = await judged({
      claim: { metadata: { annotations: hash('1') } },
      poolAnnotations: hash('2'),
      pool: requiring({ key: 'size', operator: 'Exists' }),
      types: [],
      ageMs: anHourAgo,
      drift: () => 'AMIDrift',
      ...less,
    })
    expect((await read('Drifted'))?.split('/')[1]).toBe(reason)
  })

  test('a claim that is an hour old to the second is not looked for in the catalogue yet', async () => {
    const { read, listings } = await judged({ types: [], ageMs: 3_599_000 })
    expect([await read('Drifted'), listings()]).toEqual([undefined, 0])
  })

  test('a claim that is not launched any more is not drifted any more', async () => {
    const { world, read } = await judged({ drift: () => 'AMIDrift' })
    const drifted = (await world.read(nodeClaims, key)).status?.conditions ?? []
    const conditions = drifted.map((each) => (each.type === 'Launched' ? { ...each, status: 'Unknown' } : each))
    await world.kube.patch(nodeClaims, key, { kind: 'merge', body: { status: { conditions } } })
    await world.run(1_000)
    expect(await read('Drifted')).toBeUndefined()
    expect(world.logged("removing drift status condition, isn't launched")).toHaveLength(1)
  })

  test('it comes when the requirements of the pool change, though the claim stays what it was', async () => {
    const { world, read } = await judged({ claim: withLabel('5') })
    expect(await read('Drifted')).toBeUndefined()
    const { spec } = aPool('default', requiring({ key: 'size', operator: 'In', values: ['6'] }))
    const body = { metadata: { generation: 2 }, spec: { template: spec.template } }
    await world.kube.patch(nodePools, { name: 'default' }, { kind: 'merge', body })
    await world.run(1_000)
    expect((await read('Drifted'))?.split('/')[1]).toBe('RequirementsDrifted')
  })

  test('it is taken back when the difference is gone', async () => {
    let reason: string | undefined = 'AMIDrift'
    const { world, read } = await judged({ drift: () => reason })
    reason = undefined
    await world.run(300_000)
    expect(await read('Drifted')).toBeUndefined()
    expect(world.logged('marking drifted')).toMatchObject([{ reason: 'AMIDrift' }])
    expect(world.logged('removing drifted status condition, not drifted')).toHaveLength(1)
  })

  test('the catalogue is asked once in half an hour', async () => {
    const { world, listings } = await judged({ ageMs: anHourAgo })
    await world.run(29 * 60_000)
    expect(listings()).toBe(1)
    await world.run(10 * 60_000)
    expect(listings()).toBe(2)
  })

  test('when the provider cannot be asked, Consolidatable is still written, and it is asked again soon', async () => {
    let isThrottled = true
    const { world, read } = await judged({
      drift: () => {
        if (isThrottled) throw new Error('throttled')
        return 'AMIDrift'
      },
      pool: { disruption: { consolidateAfter: '0s' } },
    })
    expect(await read('Consolidatable')).toBe('True/Consolidatable/')
    isThrottled = false
    await world.run(60_000)
    expect((await read('Drifted'))?.split('/')[1]).toBe('AMIDrift')
  })

  test('while the catalogue cannot be read, a claim whose type was not in it stays drifted', async () => {
    let isThrottled = false
    const unresolved = () => (isThrottled ? 'throttled' : undefined)
    const { world, read } = await judged({ types: [], ageMs: anHourAgo, unresolved })
    isThrottled = true
    await world.run(600_000)
    expect((await read('Drifted'))?.split('/')[1]).toBe('InstanceTypeNotFound')
    expect(world.logged('Reconciler error').at(-1)).toMatchObject({
      err: { message: 'resolving instance types, throttled' },
    })
  })

  test('it is looked for every five minutes, however long consolidation waits', async () => {
    let isNew = true
    const drift = () => (isNew ? undefined : 'AMIDrift')
    const { world, read } = await judged({ drift, pool: { disruption: { consolidateAfter: '12h' } } })
    isNew = false
    await world.run(300_000)
    expect((await read('Drifted'))?.split('/')[1]).toBe('AMIDrift')
  })

  test('it is looked for about as often after it could not be told for hours', async () => {
    let isOut = true
    let asked = 0
    const drift = () => {
      asked += 1
      if (isOut) throw new Error('RequestLimitExceeded')
      return 'AMIDrift'
    }
    const { world, read } = await judged({ drift })
    await world.run(2 * 3_600_000)
    for (const before = asked; asked === before; ) await world.run(1_000)
    isOut = false
    await world.run(450_000)
    expect((await read('Drifted'))?.split('/')[1]).toBe('AMIDrift')
  })

  test('a condition that somebody else sets meanwhile stays', async () => {
    const { world, read } = await judged({})
    let isMeanwhile = true
    world.cloud.isDrifted = async ({ status }) => {
      if (isMeanwhile) {
        isMeanwhile = false
        const conditions = [...(status?.conditions ?? []), trueCondition('DisruptionReason')]
        await world.kube.patch(nodeClaims, key, { kind: 'merge', body: { status: { conditions } } })
      }
      return { reason: 'AMIDrift', fields: [] }
    }
    await world.run(310_000)
    expect(await read('DisruptionReason')).toBe('True/DisruptionReason/')
    expect((await read('Drifted'))?.split('/')[1]).toBe('AMIDrift')
  })
})

describe('Consolidatable', () => {
  test('comes when the node has been quiet for consolidateAfter, to the second', async () => {
    const { world, read } = await judged({})
    await world.run(28_500)
    expect(await read('Consolidatable')).toBeUndefined()
    await world.run(1_000)
    expect(await read('Consolidatable')).toBe('True/Consolidatable/')
    expect(world.logged('marking consolidatable')).toHaveLength(1)
  })

  test('a pod event takes it back until the node is quiet again', async () => {
    const { world, read } = await judged({})
    await world.run(40_000)
    await world.kube.patch(nodeClaims, key, {
      kind: 'merge',
      body: { status: { lastPodEventTime: toTimestamp(world.clock.now()) } },
    })
    await world.run(1_000)
    expect(await read('Consolidatable')).toBeUndefined()
    expect(world.logged('removing consolidatable status condition')).toMatchObject([
      { reason: 'consolidateAfter window not yet elapsed', consolidateAfter: '30s', timeSincePodEvent: '0s' },
    ])
    await world.run(30_000)
    expect(await read('Consolidatable')).toBe('True/Consolidatable/')
  })

  test('a pod event that comes in an hour, as a clock that was ahead wrote it, counts from when it is seen', async () => {
    const { world, read } = await judged({})
    const lastPodEventTime = toTimestamp(world.clock.now() + 3_600_000)
    await world.kube.patch(nodeClaims, key, { kind: 'merge', body: { status: { lastPodEventTime } } })
    await world.run(29_000)
    expect(await read('Consolidatable')).toBeUndefined()
    await world.run(2_000)
    expect(await read('Consolidatable')).toBe('True/Consolidatable/')
  })

  test('counts from the last pod event, and only without one from the initialization', async () => {
    const at = (secondsAgo: number) => toTimestamp(Date.parse('2026-01-01T00:00:00Z') - secondsAgo * 1_000)
    const initialized = (secondsAgo: number) => [
      trueCondition('Launched'),
      trueCondition('Registered'),
      trueCondition('Initialized', at(secondsAgo)),
    ]
    const consolidatable = async (status: NodeClaim['status']) =>
      (await (await judged({ claim: { status } })).read('Consolidatable'))?.split('/')[0]
    expect(await consolidatable({ conditions: initialized(60) })).toBe('True')
    expect(await consolidatable({ conditions: initialized(10) })).toBeUndefined()
    expect(await consolidatable({ conditions: initialized(60), lastPodEventTime: at(10) })).toBeUndefined()
    expect(await consolidatable({ conditions: initialized(10), lastPodEventTime: at(60) })).toBe('True')
  })

  const takenBack: Record<string, [patchOf: 'claim' | 'pool', body: object, reason: string]> = {
    'its pool consolidates no more': [
      'pool',
      { metadata: { generation: 2 }, spec: { disruption: { consolidateAfter: 'Never' } } },
      'consolidation is disabled',
    ],
    'it is not initialized any more': [
      'claim',
      { status: { conditions: [trueCondition('Launched'), trueCondition('Consolidatable')] } },
      "nodeclaim isn't initialized",
    ],
  }
  test.each(Object.entries(takenBack))('is taken back when %s', async (_when, [patchOf, body, reason]) => {
    const { world, read } = await judged({ pool: { disruption: { consolidateAfter: '0s' } } })
    expect(await read('Consolidatable')).toBe('True/Consolidatable/')
    if (patchOf === 'pool') await world.kube.patch(nodePools, { name: 'default' }, { kind: 'merge', body })
    else await world.kube.patch(nodeClaims, key, { kind: 'merge', body })
    await world.run(1_000)
    expect(await read('Consolidatable')).toBeUndefined()
    expect(world.logged('removing consolidatable status condition')).toMatchObject([{ reason }])
  })

  const cases: Record<string, Setup & { want: string | undefined }> = {
    '0s means as soon as initialized': {
      pool: { disruption: { consolidateAfter: '0s' } },
      want: 'True/Consolidatable/',
    },
    Never: { pool: { disruption: { consolidateAfter: 'Never' } }, want: undefined },
    'not initialized': {
      pool: { disruption: { consolidateAfter: '0s' } },
      claim: { status: { conditions: [trueCondition('Launched')] } },
      want: undefined,
    },
    'static pools have no such thing': {
      pool: { replicas: 1, disruption: { consolidateAfter: '0s' } },
      want: undefined,
    },
  }
  test.each(Object.entries(cases))('%s', async (_name, { want, ...setup }) => {
    const { read } = await judged(setup)
    expect(await read('Consolidatable')).toBe(want)
  })
})

test('claims whose pool is gone, or that are going, are left as they are', async () => {
  const { world, read } = await judged({
    claim: { metadata: { labels: { ...labels, 'karpenter.sh/nodepool': 'gone' } } },
  })
  await world.run(60_000)
  expect(await read('Consolidatable')).toBeUndefined()
  const going = await judged({ claim: { metadata: { labels, finalizers: ['hold'] } } })
  await going.world.kube.delete(nodeClaims, key)
  await going.world.run(60_000)
  expect(await going.read('Consolidatable')).toBeUndefined()
})
