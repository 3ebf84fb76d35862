import { describe, expect, test } from 'vitest'
import type { MakePlanOptions } from '../../../../src/cli/plan/make-plan.ts'
import type { EC2NodeClass, NodePool, RolloutPolicy } from '../../../../src/api/karpenter.ts'
import type { KubeObject } from '../../../../src/api/kubernetes.ts'
import { coreGates } from '../../../../src/operator/option-table.ts'
import { aFleetClass, aFleetPool, annotated } from '../../../support/fleet-objects.ts'
import { aFleet, labelled, waves } from '../../../support/plan-fleet.ts'
import { planOf } from '../../../support/plan-of.ts'

function anOverlay(spec: object): KubeObject {
  const metadata = { name: 'prices', uid: 'prices', resourceVersion: '1', creationTimestamp: '2026-06-14T09:00:00Z' }
  return { apiVersion: 'karpenter.sh/v1alpha1', kind: 'NodeOverlay', metadata, ...{ spec } }
}

function inClass(name: string): NodePool {
  return aFleetPool({ template: { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name } } })
}

function notReady<T extends NodePool | EC2NodeClass>(object: T): T {
  const ready = { type: 'Ready', status: 'False' as const, reason: 'NotReady', message: 'NodeClassReady=False' }
  const conditions = [{ ...ready, lastTransitionTime: '2026-06-14T09:00:00Z' }]
  return { ...object, status: { ...object.status, conditions } }
}

describe('a pool that can launch no nodes', () => {
  const notice = 'NodePool default can launch no nodes, as it is not ready: NodeClassReady=False.'

  test('is told where its class is not ready', () => {
    const plan = planOf([...aFleet(), notReady(aFleetClass({}, 'broken'))], [inClass('broken')])
    expect(plan.notices).toEqual([notice])
    expect({ waves: plan.waves, held: plan.blockedBy.length }).toEqual({ waves: [], held: 3 })
  })

  test('is told where it is not ready itself and its nodes are to be replaced', () => {
    expect(planOf(aFleet({ pool: notReady(aFleetPool()) }), [aFleetPool(labelled)]).notices).toEqual([notice])
  })

  const unmet = (key: string, values: readonly string[], name = 'default'): NodePool =>
    aFleetPool({ name, template: { requirements: [{ key, operator: 'In', values: [...values] }] } })

  test('is told where no instance type meets its requirements, a new one, too', () => {
    const plan = planOf(aFleet(), [unmet('node.kubernetes.io/instance-type', ['m55.large'], 'new')])
    expect(plan.notices).toEqual([
      'NodePool new can launch no instance type that is known: NodePool requirements filtered out all compatible available instance types.',
    ])
    expect(planOf(aFleet(), [unmet('node.kubernetes.io/instance-type', ['m5.large'], 'new')]).notices).toEqual([])
  })

  test('is not told where reserved capacity alone is meant, which no table knows', () => {
    expect(planOf(aFleet(), [unmet('karpenter.sh/capacity-type', ['reserved'], 'new')]).notices).toEqual([])
    expect(planOf(aFleet(), [unmet('karpenter.sh/capacity-type', ['reserved', 'spot'], 'new')]).notices).toHaveLength(1)
  })

  test('is not told to those who change something else', () => {
    const others = [notReady(aFleetPool({ name: 'other' }))]
    expect(planOf(aFleet({ others }), [aFleetPool(labelled), aFleetPool({ name: 'other' })]).notices).toEqual([])
  })

  const mended: Record<string, { readonly manifests: readonly (NodePool | EC2NodeClass)[] }> = {
    'launches again with a class that is ready': { manifests: [aFleetClass({}, 'good'), inClass('good')] },
    'launches again once one field of its class is mended': {
      manifests: [aFleetClass({ role: 'another' }), aFleetPool(labelled)],
    },
    'launches again once its class is mended': {
      manifests: [aFleetClass({ subnetSelectorTerms: [{ id: 'subnet-a' }] }), aFleetPool(labelled)],
    },
  }
  test.each(Object.entries(mended))('%s', (_name, { manifests }) => {
    const cluster = aFleet({ pool: notReady(aFleetPool()), nodeClass: notReady(aFleetClass()) })
    const plan = planOf(cluster, manifests)
    expect(plan.notices).toEqual([])
    expect(waves(plan)).toEqual(['1 12:00:00 n1 n2', '2 12:03:00 n3'])
  })

  test('waits all the same for a class that changes and was ready before', () => {
    const cluster = aFleet({ pool: notReady(aFleetPool()) })
    expect(planOf(cluster, [aFleetClass({ tags: { cost: 'a' } })]).notices).toEqual([notice])
  })
})

test('nodes of a type without a known price are told, since the cost is too low by theirs', () => {
  const plan = planOf(aFleet({ machines: { n1: {}, n2: { type: 'q1.large' } } }), [aFleetPool(labelled)])
  // What comes for it has a price.
  expect(plan.cost).toEqual({ before: 0.096, during: 0.288, after: 0.192 })
  expect(plan.notices).toEqual(['The price of 1 node(s) is not known: they count as nothing in the cost.'])
})

describe('a change of a NodeOverlay', () => {
  const featureGates = { ...coreGates, NodeOverlay: true }
  const disruption = { consolidateAfter: '1m', consolidationPolicy: 'WhenEmptyOrUnderutilized' as const }
  const onPool = (pool: NodePool, overlay: object, gates: Partial<MakePlanOptions> = { featureGates }) =>
    planOf(aFleet({ pool }), [anOverlay(overlay)], gates).notices
  const dear = { requirements: [], price: '9' }
  const told =
    'NodeOverlays give instance types of NodePool default other prices: consolidation may from now on replace its 3 node(s) by what is cheaper then, a plan does not say which.'

  test('that changes prices is told to open nodes to consolidation', () => {
    expect(onPool(aFleetPool({ disruption }), dear)).toEqual([told])
  })

  test('is told of when it goes, too', () => {
    const cluster = [...aFleet({ pool: aFleetPool({ disruption }) }), anOverlay(dear)]
    const manifests = aFleet({ pool: aFleetPool({ disruption }) })
    expect(planOf(cluster, manifests, { featureGates, prune: true }).notices).toEqual([told])
  })

  test.each<[string, NodePool, object, Partial<MakePlanOptions>?]>([
    ['where consolidation leaves nodes with pods alone', aFleetPool(), dear],
    ['where the nodes are those of a static pool', aFleetPool({ disruption, replicas: 3 }), dear],
    ['where it changes no price', aFleetPool({ disruption }), { requirements: [], capacity: { 'example.com/x': '1' } }],
    ['where its feature gate is off', aFleetPool({ disruption }), dear, {}],
  ])('is no matter %s', (_name, pool, overlay, gates) => {
    expect(onPool(pool, overlay, gates)).toEqual([])
  })
})

describe('a restart that is asked for later', () => {
  const at = (time: string): Record<string, string> => ({ 'joinery.dev/restart-at': time })

  test('replaces nothing yet, and is told', () => {
    const plan = planOf(aFleet(), [annotated(aFleetPool(), at('2026-06-14T15:00:00Z'))])
    expect(plan.waves).toEqual([])
    expect(plan.notices).toEqual([
      'From 2026-06-14T15:00:00Z on NodePool default has its nodes replaced (joinery.dev/restart-at): that is not in the plan.',
    ])
  })

  test('is told of a class, too', () => {
    const { notices } = planOf(aFleet(), [annotated(aFleetClass(), at('2026-06-14T15:00:00Z'))])
    expect(notices.join()).toContain('EC2NodeClass default has its nodes replaced')
  })

  test('is planned, and not told, once its time has come', () => {
    const plan = planOf(aFleet(), [annotated(aFleetPool(), at('2026-06-14T12:00:00Z'))])
    expect(waves(plan)).toEqual(['1 12:00:00 n1 n2', '2 12:03:00 n3'])
    expect(plan.notices).toEqual([])
  })
})

describe('an age that nodes may reach', () => {
  const policy = (spec: Partial<RolloutPolicy['spec']>): RolloutPolicy => ({
    apiVersion: 'joinery.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: {
      name: 'aged',
      uid: 'p',
      resourceVersion: '1',
      creationTimestamp: '2026-06-01T00:00:00Z',
      generation: 1,
    },
    spec: { nodePoolSelector: {}, softExpireJitter: '0%', ...spec },
  })
  // Two are three hours old, one is half as old.
  const cluster = aFleet({ machines: { n1: {}, n2: { createdAt: '2026-06-14T10:30:00Z' }, n3: {} } })
  const told =
    'RolloutPolicy aged has nodes replaced once they are 3h30m old (softExpireAfter): 3 node(s) will be so from 2026-06-14T12:30:00Z on, which is not in the plan.'

  test('is told where nodes reach it later', () => {
    const plan = planOf(cluster, [policy({ softExpireAfter: '3h30m' })])
    expect(plan.waves).toEqual([])
    expect(plan.notices).toEqual([told])
  })

  test('is told of those alone that have not reached it', () => {
    const plan = planOf(cluster, [policy({ softExpireAfter: '2h' })])
    expect(waves(plan)).toEqual(['1 12:00:00 n1 n3'])
    expect(plan.notices).toEqual([expect.stringContaining('1 node(s) will be so from 2026-06-14T12:30:00Z on')])
  })

  test('is told once the policy only reports no more', () => {
    const observing = policy({ softExpireAfter: '3h30m', mode: 'Observe' })
    expect(planOf(cluster, [observing]).notices).toEqual([])
    expect(planOf([...cluster, observing], [policy({ softExpireAfter: '3h30m' })]).notices).toEqual([told])
  })

  test('is not told where it is as before', () => {
    const before = policy({ softExpireAfter: '3h30m' })
    expect(planOf([...cluster, before], [policy({ softExpireAfter: '3h30m', mode: 'Approve' })]).notices).toEqual([])
  })
})

describe('an open circuit breaker', () => {
  const withBreaker = (pool: NodePool): NodePool => {
    const open = { type: 'CircuitOpen', status: 'True' as const, reason: 'RegistrationFailed', message: '3 in a row' }
    const conditions = [...(pool.status?.conditions ?? []), { ...open, lastTransitionTime: '2026-06-14T11:59:00Z' }]
    return { ...pool, status: { ...pool.status, conditions } }
  }
  const drifted = { n1: { driftedSince: '2026-06-14T10:00:00Z' } }
  const cluster = [
    withBreaker(aFleetPool(labelled)),
    ...aFleet({ machines: drifted }).filter(({ kind }) => kind !== 'NodePool'),
  ]

  test('is told where nodes are to be replaced', () => {
    expect(planOf(cluster, []).notices).toEqual([
      'The circuit breaker of NodePool default is open (3 in a row): the plan takes it to be closed.',
    ])
  })

  test('is closed by a change of the pool or its class', () => {
    expect(planOf(cluster, [aFleetPool({ ...labelled, weight: 7 })]).notices).toEqual([])
    expect(planOf(cluster, [aFleetClass({ tags: { cost: 'a' } })]).notices).toEqual([])
  })

  test('is no matter where no node has to go', () => {
    expect(planOf(aFleet({ pool: withBreaker(aFleetPool()) }), []).notices).toEqual([])
  })
})

describe('an age that images have to reach', () => {
  const policy = (spec: Partial<RolloutPolicy['spec']>): RolloutPolicy => ({
    apiVersion: 'joinery.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name: 'aged', uid: 'aged', resourceVersion: '1', creationTimestamp: '2026-06-01T00:00:00Z' },
    spec: { nodePoolSelector: { names: ['default'] }, ...spec },
  })
  const newer = aFleetClass({ amiSelectorTerms: [{ alias: 'al2023@v20260701' }] })
  const notice =
    'RolloutPolicy aged holds nodes back until images are 72h old: the plan takes those of EC2NodeClass default to be, as their age is not known.'

  test('is told where nobody knows how old they are', () => {
    expect(planOf(aFleet(), [newer, policy({ minImageAge: '72h' })]).notices).toEqual([notice])
    // What replaces the nodes here is the pool; the images come with them.
    expect(planOf(aFleet(), [newer, aFleetPool(labelled), policy({ minImageAge: '72h' })]).notices).toEqual([notice])
    const amis = [{ id: 'ami-2', requirements: [] }]
    const resolved = new Map([['default', { amis }]])
    expect(planOf(aFleet(), [newer, policy({ minImageAge: '72h' })], { resolved }).notices).toEqual([notice])
    const images = [{ id: 'ami-1' }]
    const imageHistory = [{ revision: 1, images, firstSeen: '2026-06-01T00:00:00Z', outcome: 'good' as const }]
    const nodeClass = { ...aFleetClass(), status: { ...aFleetClass().status, imageHistory } }
    const manifests = [newer, aFleetPool(labelled), policy({ minImageAge: '72h' })]
    expect(planOf(aFleet({ nodeClass }), manifests, { resolved }).notices).toEqual([notice])
    expect(planOf(aFleet({ nodeClass }), manifests.slice(1)).notices).toEqual([])
  })

  test('is no matter without that age, and where no images change', () => {
    expect(planOf(aFleet(), [newer, policy({})]).notices).toEqual([])
    expect(planOf(aFleet(), [aFleetPool(labelled), policy({ minImageAge: '72h' })]).notices).toEqual([])
  })

  test('is waited for where it is known', () => {
    const images = [{ id: 'ami-2', name: 'al2023-v20260701' }]
    const status = {
      ...newer.status,
      imageHistory: [{ revision: 2, images, firstSeen: '2026-06-14T10:00:00Z', outcome: 'unknown' as const }],
    }
    const resolved = new Map([['default', { amis: images.map((image) => ({ ...image, requirements: [] })) }]])
    const plan = planOf(aFleet({ nodeClass: { ...aFleetClass(), status } }), [newer, policy({ minImageAge: '72h' })], {
      resolved,
    })
    expect(plan.waves[0]?.notBefore).toBe('2026-06-17T10:00:00Z')
    expect(plan.notices).toEqual([])
  })
})

describe('how far a plan looks ahead', () => {
  const rated = (per: string): RolloutPolicy => ({
    apiVersion: 'joinery.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name: 'slow', uid: 'slow', resourceVersion: '1', creationTimestamp: '2026-06-01T00:00:00Z' },
    spec: { nodePoolSelector: { names: ['default'] }, rate: { nodes: 1, per } },
  })

  test('is told where nodes would have their turn later', () => {
    const plan = planOf(aFleet(), [aFleetPool(labelled), rated('4800h')])
    expect(plan.blockedBy.map(({ node }) => node)).toEqual(['n3'])
    expect(plan.notices).toEqual(['The plan looks 366 days ahead: nodes that are held back by then may go later.'])
  })

  test('is no matter where all have had theirs', () => {
    expect(planOf(aFleet(), [aFleetPool(labelled), rated('480h')]).notices).toEqual([])
  })

  test('is no matter where no time lets them go', () => {
    const disruption = { consolidateAfter: 'Never', consolidationPolicy: 'WhenEmpty' as const }
    const budgets = [{ nodes: '0' }, { nodes: '1', schedule: '@daily', duration: '1h' }]
    const plan = planOf(aFleet(), [aFleetPool({ ...labelled, disruption: { ...disruption, budgets } })])
    expect({ held: plan.blockedBy.length, notices: plan.notices }).toEqual({ held: 3, notices: [] })
  })
})
