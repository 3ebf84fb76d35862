import { describe, expect, test } from 'vitest'
import type { EC2NodeClass, NodePool } from '../../../../src/api/karpenter.ts'
import type { KubeObject, Node, Pod, PodDisruptionBudget } from '../../../../src/api/kubernetes.ts'
import { ec2NodeClassHash, nodePoolHash } from '../../../../src/api/hash/index.ts'
import { operatorPacking } from '../../../../src/cli/scheduling-options.ts'
import {
  aFleetClass,
  aFleetPool,
  aMachine,
  annotated,
  aPodOn,
  type FleetPodOptions,
  type FleetPoolOptions,
  type MachineOptions,
} from '../../../support/fleet-objects.ts'
import { planOf } from '../../../support/plan-of.ts'

interface FleetOptions {
  readonly pool?: NodePool
  readonly nodeClass?: EC2NodeClass
  /** By node: what is special about it. */
  readonly machines?: Readonly<Record<string, MachineOptions & { readonly pods?: readonly FleetPodOptions[] }>>
  readonly others?: readonly KubeObject[]
}

/** Three full nodes, unless told otherwise: no pod of one fits on another. */
function aFleet({ pool = aFleetPool(), nodeClass = aFleetClass(), machines, others = [] }: FleetOptions = {}) {
  const full = { cpu: '1500m' }
  const nodes = Object.entries(machines ?? { n1: {}, n2: {}, n3: {} }).flatMap(
    ([name, { pods = [full], ...options }]) => [
      ...aMachine(name, pool, nodeClass, options),
      ...pods.map((pod, index) => aPodOn(name, `pod-${name}-${index}`, pod)),
    ],
  )
  return [pool, nodeClass, ...nodes, ...others]
}

const doNotDisrupt = { 'karpenter.sh/do-not-disrupt': 'true' }

const labelled: FleetPoolOptions = { labels: { team: 'a' } }

function actions(plan: ReturnType<typeof planOf>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    plan.nodes.map(({ node, action, reason }) => [node, reason === null ? action : `${action} ${reason}`]),
  )
}

function waves(plan: ReturnType<typeof planOf>): readonly string[] {
  return plan.waves.map(({ wave, notBefore, nodes }) => `${wave} ${notBefore.slice(11, 19)} ${nodes.join(' ')}`)
}

describe('what a node does', () => {
  test('manifests that say what the cluster has leave every node alone', () => {
    const plan = planOf(aFleet(), [aFleetPool(), aFleetClass()])
    expect(plan.objects).toEqual([
      { kind: 'EC2NodeClass', name: 'default', change: 'unchanged' },
      { kind: 'NodePool', name: 'default', change: 'unchanged' },
    ])
    expect(actions(plan)).toEqual({ n1: 'stay', n2: 'stay', n3: 'stay' })
    expect({ waves: plan.waves, seconds: plan.durationSeconds }).toEqual({ waves: [], seconds: 0 })
  })

  test('a label of the template replaces every node, and the plan names it', () => {
    const plan = planOf(aFleet({ pool: aFleetPool({ labels: { team: 'a' } }) }), [
      aFleetPool({ labels: { team: 'b' } }),
    ])
    expect(actions(plan)).toEqual({
      n1: 'replace NodePoolDrifted',
      n2: 'replace NodePoolDrifted',
      n3: 'replace NodePoolDrifted',
    })
    expect(plan.nodes[0]?.fields).toEqual([{ path: 'spec.template.metadata.labels.team', old: 'a', new: 'b' }])
  })

  test('what is no part of the hash changes in place', () => {
    const plan = planOf(aFleet(), [aFleetPool({ weight: 7 })])
    expect(actions(plan)).toEqual({ n1: 'inPlace', n2: 'inPlace', n3: 'inPlace' })
    expect(plan.nodes[0]?.fields).toEqual([{ path: 'spec.weight', old: null, new: 7 }])
    expect(plan.objects).toEqual([{ kind: 'NodePool', name: 'default', change: 'changed' }])
  })

  test('a narrower requirement replaces only the nodes outside of it', () => {
    const cluster = aFleet({ machines: { n1: { type: 'm5.large' }, n2: { type: 'm5.xlarge', pods: [] } } })
    const requirements = aFleetPool().spec.template.spec.requirements.map((entry) =>
      entry.key === 'node.kubernetes.io/instance-type' ? { ...entry, values: ['m5.large'] } : entry,
    )
    const plan = planOf(cluster, [aFleetPool({ template: { requirements } })])
    expect(actions(plan)).toEqual({ n1: 'inPlace', n2: 'replace RequirementsDrifted' })
    expect(plan.nodes[1]?.fields).toEqual([
      {
        path: 'spec.template.spec.requirements[2]',
        old: 'node.kubernetes.io/instance-type=m5.xlarge',
        new: 'node.kubernetes.io/instance-type In [m5.large]',
      },
    ])
  })

  test('a tag of the class replaces its nodes, whatever CA bundle their stamps were made with', () => {
    const plan = planOf(aFleet(), [aFleetClass({ tags: { cost: 'a' } })])
    expect(actions(plan)).toEqual({
      n1: 'replace NodeClassDrift',
      n2: 'replace NodeClassDrift',
      n3: 'replace NodeClassDrift',
    })
    expect(plan.nodes[0]?.fields).toEqual([{ path: 'spec.tags.cost', old: null, new: 'a' }])
  })

  test('a class that is being deleted makes no node drift', () => {
    const nodeClass = aFleetClass()
    const deleted = { ...nodeClass, metadata: { ...nodeClass.metadata, deletionTimestamp: '2026-06-14T11:59:00Z' } }
    const [, , ...others] = aFleet({ machines: { n1: {} } })
    const plan = planOf([aFleetPool(), deleted, ...others], [aFleetClass({ tags: { cost: 'a' } })])
    expect(actions(plan)).toEqual({ n1: 'inPlace' })
  })

  test('going back to what nodes were made of heals those that had drifted', () => {
    const before = aFleetPool()
    const now = aFleetPool(labelled)
    const [claim, node] = aMachine('n1', before, aFleetClass(), { driftedSince: '2026-06-14T10:00:00Z' })
    const cluster = [now, aFleetClass(), claim, node]
    expect(actions(planOf(cluster, []))).toEqual({ n1: 'replace NodePoolDrifted' })
    expect(actions(planOf(cluster, [before]))).toEqual({ n1: 'inPlace' })
  })

  test('a class that was hashed in another way is carried over and replaces nothing', () => {
    const nodeClass = aFleetClass()
    const { spec } = nodeClass
    if (spec === undefined) throw new Error('the class has a spec')
    const old = annotated(nodeClass, {
      'karpenter.k8s.aws/ec2nodeclass-hash': ec2NodeClassHash({ spec }, '', 'v5'),
      'karpenter.k8s.aws/ec2nodeclass-hash-version': 'v5',
    })
    const cluster = aFleet({ nodeClass: old })
    expect(actions(planOf(cluster, []))).toEqual({ n1: 'stay', n2: 'stay', n3: 'stay' })
    expect(actions(planOf(cluster, [aFleetClass({ detailedMonitoring: true })]))['n1']).toBe('replace NodeClassDrift')
  })

  test('a pool that was hashed in another way is carried over and replaces nothing', () => {
    const old = annotated(aFleetPool(), {
      'karpenter.sh/nodepool-hash': '1',
      'karpenter.sh/nodepool-hash-version': 'v2',
    })
    const cluster = aFleet({ pool: old, machines: { n1: {} } })
    expect(actions(planOf(cluster, []))).toEqual({ n1: 'stay' })
    expect(actions(planOf(cluster, [aFleetPool(labelled)]))).toEqual({ n1: 'replace NodePoolDrifted' })
  })

  test('what a claim was made of is told from its own record', () => {
    const first = aFleetPool({ labels: { team: 'first' } })
    const hash = nodePoolHash(first)
    const record = {
      generation: 1,
      hash,
      input: {
        spec: {
          template: {
            metadata: { labels: { team: 'first' } },
            spec: {
              nodeClassRef: { kind: 'EC2NodeClass', name: 'default', group: 'karpenter.k8s.aws' },
              expireAfter: '720h',
            },
          },
        },
      },
    }
    const [claim, node] = aMachine('n1', first, aFleetClass(), {
      annotations: { 'joinery.dev/nodepool-hash-input': JSON.stringify(record) },
    })
    const plan = planOf(
      [aFleetPool({ labels: { team: 'second' } }), aFleetClass(), claim, node],
      [aFleetPool({ labels: { team: 'third' } })],
    )
    expect(plan.nodes[0]?.fields).toEqual([{ path: 'spec.template.metadata.labels.team', old: 'first', new: 'third' }])
  })

  test('user data that a snapshot has as a digest is the same text when the digest is', () => {
    const nodeClass = aFleetClass({ userData: 'echo hello' })
    const recorded = (text: string): EC2NodeClass => ({
      ...nodeClass,
      ...(nodeClass.spec === undefined ? {} : { spec: { ...nodeClass.spec, userData: text } }),
    })
    const cluster = aFleet({ nodeClass }).map((object) =>
      object.kind === 'EC2NodeClass' ? recorded(digestOfHello) : object,
    )
    expect(actions(planOf(cluster, [nodeClass]))['n1']).toBe('stay')
    expect(actions(planOf(cluster, [aFleetClass({ userData: 'echo bye' })]))['n1']).toBe('replace NodeClassDrift')
  })

  test('pods of a pool that goes share new nodes as the operator is told to pack them', () => {
    const cpus = ['1500m', '1500m', '1500m', '400m', '400m', '400m']
    const cluster = aFleet({ machines: { n1: { type: 'm5.xlarge', pods: cpus.map((cpu) => ({ cpu })) } } })
    const afterwards = (packing?: 'greedy' | 'improved'): number | undefined =>
      planOf(cluster, [aFleetClass(), aFleetPool({ name: 'other' })], {
        prune: true,
        ...(packing === undefined ? {} : { packing }),
      }).cost?.after
    // Large first, emptiest node first: 1.5 + 1.5 + 0.4 and 1.5 + 0.4 + 0.4 cores need two nodes of four. Better: 3.8 and 1.9.
    expect({ greedy: afterwards('greedy'), improved: afterwards('improved') }).toEqual({
      greedy: 0.384,
      improved: 0.288,
    })
    expect(afterwards()).toBe(afterwards(operatorPacking))
  })

  test('pods of DaemonSets take no room of other nodes when theirs is replaced', () => {
    const pods = [{ cpu: '800m' }, { cpu: '1' }]
    const cluster = aFleet({ machines: { n1: { pods }, n2: { pods } } })
    const agents = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'ds', controller: true }
    const withAgents = cluster.map((object) =>
      object.metadata.name.endsWith('-1')
        ? { ...object, metadata: { ...object.metadata, ownerReferences: [agents] } }
        : object,
    )
    const afterwards = (objects: readonly KubeObject[]): number | undefined =>
      planOf(objects, [aFleetPool(labelled)]).cost?.after
    // What is left of both nodes fits on one.
    expect({ without: afterwards(cluster), with: afterwards(withAgents) }).toEqual({ without: 0.192, with: 0.096 })
  })

  test('nodes of a pool that no manifest names stay, and go when pruned', () => {
    const cluster = aFleet({ others: [aFleetPool({ name: 'other' })] })
    expect(actions(planOf(cluster, [aFleetClass(), aFleetPool({ name: 'other' })]))['n1']).toBe('stay')
    const plan = planOf(cluster, [aFleetClass(), aFleetPool({ name: 'other' })], { prune: true })
    expect(actions(plan)).toEqual({
      n1: 'remove NodePoolRemoved',
      n2: 'remove NodePoolRemoved',
      n3: 'remove NodePoolRemoved',
    })
    expect(plan.objects).toContainEqual({ kind: 'NodePool', name: 'default', change: 'removed' })
    expect(waves(plan)).toEqual(['1 12:00:00 n1 n2 n3'])
    expect(plan.unplaceablePods).toEqual([])
  })

  test('nodes go with a pool that is being deleted, and those of one that is gone are none of its business', () => {
    const pool = aFleetPool()
    const deleted = { ...pool, metadata: { ...pool.metadata, deletionTimestamp: '2026-06-14T11:59:00Z' } }
    const nodes = [
      ...aMachine('n1', pool, aFleetClass()),
      ...aMachine('n2', aFleetPool({ name: 'gone' }), aFleetClass()),
    ]
    expect(actions(planOf([deleted, aFleetClass(), ...nodes], [aFleetPool(labelled)]))).toEqual({
      n1: 'remove Deleting',
      n2: 'stay',
    })
  })

  test('consolidateAfter that is no longer Never takes empty nodes when it has passed, within budgets, and opens the others', () => {
    const disruption = (consolidateAfter: string, nodes = '1'): FleetPoolOptions => ({
      disruption: { consolidateAfter, consolidationPolicy: 'WhenEmptyOrUnderutilized', budgets: [{ nodes }] },
    })
    const cluster = aFleet({
      pool: aFleetPool(disruption('Never')),
      machines: { n1: { pods: [] }, n2: {}, n3: { pods: [] }, n4: { pods: [], annotations: doNotDisrupt } },
    })
    const plan = planOf(cluster, [aFleetPool(disruption('1m'))])
    expect(actions(plan)).toEqual({
      n1: 'remove Empty',
      n2: 'inPlace Consolidatable',
      n3: 'remove Empty',
      n4: 'inPlace',
    })
    expect(plan.nodes[0]?.fields).toEqual([{ path: 'spec.disruption.consolidateAfter', old: 'Never', new: '1m' }])
    // One minute to drain each.
    expect(waves(plan)).toEqual(['1 12:00:00 n1', '2 12:01:00 n3'])
    expect(plan.cost).toEqual({ before: 0.384, during: 0.384, after: 0.192 })
    expect(plan.notices.join()).toContain('1 node(s)')
    const closed = planOf(cluster, [aFleetPool(disruption('1m', '0'))])
    expect(closed.blockedBy.map(({ node, message }) => `${node}: ${message}`)).toEqual([
      'n1: No allowed disruptions for disruption reason Empty due to blocking budget',
      'n3: No allowed disruptions for disruption reason Empty due to blocking budget',
    ])
  })

  test('a policy that comes to include used nodes opens them to consolidation, empty ones were open before', () => {
    const disruption = (consolidationPolicy: 'WhenEmpty' | 'WhenEmptyOrUnderutilized'): FleetPoolOptions => ({
      disruption: { consolidateAfter: '1m', consolidationPolicy, budgets: [{ nodes: '1' }] },
    })
    const pool = aFleetPool(disruption('WhenEmpty'))
    const cluster = aFleet({ pool, machines: { n1: { pods: [] }, n2: {} } })
    const plan = planOf(cluster, [aFleetPool(disruption('WhenEmptyOrUnderutilized'))])
    expect(actions(plan)).toEqual({ n1: 'inPlace', n2: 'inPlace Consolidatable' })
    expect(actions(planOf(cluster, [pool]))).toEqual({ n1: 'stay', n2: 'stay' })
  })

  test('a static pool that wants fewer nodes gives up as many', () => {
    const pool = aFleetPool({ replicas: 3 })
    const machines = { n1: {}, n2: { pods: [] }, n3: {} }
    const plan = planOf(aFleet({ pool, machines }), [aFleetPool({ replicas: 2 })])
    expect(actions(plan)).toEqual({ n1: 'inPlace', n2: 'remove ScaledDown', n3: 'inPlace' })
  })
})

/** By sha256sum. */
const digestOfHello = 'sha256:584a331fd6b02dcb1ecbe2eba731f609a2e1e3dac0bb73ae998dfad14c309a77'

describe('images, subnets and security groups', () => {
  const alias = aFleetClass({ amiSelectorTerms: [{ alias: 'al2023@v20260701' }] })
  const field = { path: 'spec.amiSelectorTerms[0].alias', old: 'al2023@v20260601', new: 'al2023@v20260701' }
  const amis = (id: string) => [{ id, name: `image-${id}`, requirements: [] }]

  test('an alias whose image nobody knows yet replaces the nodes', () => {
    const plan = planOf(aFleet(), [alias])
    expect(plan.nodes.map(({ reason, fields }) => ({ reason, fields }))).toEqual([
      { reason: 'AMIDrift', fields: [field] },
      { reason: 'AMIDrift', fields: [field] },
      { reason: 'AMIDrift', fields: [field] },
    ])
  })

  test('an alias that finds the same image changes nodes in place', () => {
    const plan = planOf(aFleet(), [alias], { resolved: new Map([['default', { amis: amis('ami-1') }]]) })
    expect(actions(plan)).toEqual({ n1: 'inPlace', n2: 'inPlace', n3: 'inPlace' })
  })

  test('an alias that finds another image names both', () => {
    const plan = planOf(aFleet(), [alias], { resolved: new Map([['default', { amis: amis('ami-2') }]]) })
    expect(plan.nodes[0]).toMatchObject({
      reason: 'AMIDrift',
      fields: [field, { path: 'status.amis', old: 'ami-1', new: 'ami-2 (image-ami-2)' }],
    })
  })

  test('an undo replaces nodes of other images than those of its revision, whatever the selector finds', () => {
    const requirements = [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }]
    const images = [{ id: 'ami-0', name: 'al2023-v20260501', requirements }]
    const known = aFleetClass()
    const nodeClass: EC2NodeClass = {
      ...known,
      status: {
        ...known.status,
        imageHistory: [{ revision: 1, images, firstSeen: '2026-05-01T00:00:00Z', outcome: 'good' }],
      },
    }
    const cluster = aFleet({ nodeClass, machines: { n1: {}, n2: { imageID: 'ami-0' } } })
    const undone = annotated(aFleetClass({ amiSelectorTerms: [{ alias: 'al2023@v20260701' }] }), {
      'joinery.dev/undo-to': '1',
    })
    const plan = planOf(cluster, [undone])
    expect(actions(plan)).toEqual({ n1: 'replace AMIDrift', n2: 'inPlace' })
    expect(plan.nodes[0]?.fields.at(-1)).toEqual({
      path: 'status.amis',
      old: 'ami-1',
      new: 'ami-0 (al2023-v20260501)',
    })
    const unknown = annotated(aFleetClass(), { 'joinery.dev/undo-to': '2' })
    expect(actions(planOf(cluster, [unknown]))).toMatchObject({ n1: 'stay' })
  })

  test('the end of an undo replaces its nodes by what the selector has found meanwhile', () => {
    const requirements = [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }]
    const known = aFleetClass()
    const undone: EC2NodeClass = {
      ...annotated(known, {
        'joinery.dev/undo-to': '1',
        'kubectl.kubernetes.io/last-applied-configuration':
          '{"metadata":{"annotations":{"joinery.dev/undo-to":"1"},"name":"default"}}',
      }),
      status: {
        ...known.status,
        pinnedImages: { images: [{ id: 'ami-1', requirements }], insteadOf: '1-00000000', reason: 'undo', undoTo: 1 },
        imageHistory: [
          { revision: 2, images: [{ id: 'ami-2', requirements }], firstSeen: '2026-06-01T00:00:00Z', outcome: 'bad' },
          { revision: 1, images: [{ id: 'ami-1', requirements }], firstSeen: '2026-05-01T00:00:00Z', outcome: 'good' },
        ],
      },
    }
    const cluster = aFleet({ nodeClass: undone, machines: { n1: {}, n2: { imageID: 'ami-2' } } })
    expect(actions(planOf(cluster, [undone]))).toEqual({ n1: 'stay', n2: 'replace AMIDrift' })
    const plan = planOf(cluster, [aFleetClass()])
    expect(plan.objects).toContainEqual({ kind: 'EC2NodeClass', name: 'default', change: 'changed' })
    expect(actions(plan)).toEqual({ n1: 'replace AMIDrift', n2: 'stay' })
    expect(plan.nodes[0]?.fields).toEqual([{ path: 'status.amis', old: 'ami-1', new: 'ami-2' }])
    const resolved = new Map([['default', { amis: [{ id: 'ami-1', requirements }] }]])
    expect(actions(planOf(cluster, [aFleetClass()], { resolved }))).toEqual({ n1: 'stay', n2: 'replace AMIDrift' })
  })

  test('an image that the class has moved on to replaces nodes without any change', () => {
    const cluster = aFleet({ machines: { n1: { imageID: 'ami-0' }, n2: {} } })
    expect(actions(planOf(cluster, []))).toEqual({ n1: 'replace AMIDrift', n2: 'stay' })
  })

  const cases: Record<string, { readonly spec: Parameters<typeof aFleetClass>[0]; readonly want: string }> = {
    'the same security group by id': { spec: { securityGroupSelectorTerms: [{ id: 'sg-1' }] }, want: 'inPlace' },
    'another security group by id': {
      spec: { securityGroupSelectorTerms: [{ id: 'sg-2' }] },
      want: 'replace SecurityGroupDrift',
    },
    'security groups by other tags': {
      spec: { securityGroupSelectorTerms: [{ tags: { a: 'b' } }] },
      want: 'replace SecurityGroupDrift',
    },
    'subnets by id, that of the zone among them': {
      spec: { subnetSelectorTerms: [{ id: 'subnet-a' }] },
      want: 'inPlace',
    },
    'subnets by id, none of them in the zone': {
      spec: { subnetSelectorTerms: [{ id: 'subnet-b' }] },
      want: 'replace SubnetDrift',
    },
  }
  test.each(Object.entries(cases))('%s', (_name, { spec, want }) => {
    expect(actions(planOf(aFleet({ machines: { n1: {} } }), [aFleetClass(spec)]))).toEqual({ n1: want })
  })
})

describe('what only the cloud shows', () => {
  const [claim, node] = aMachine('n1', aFleetPool(), aFleetClass(), { driftedSince: '2026-06-14T10:00:00Z' })
  const found = (reason: string, message: string) => {
    const conditions = claim.status?.conditions?.map((entry) =>
      entry.type === 'Drifted' ? { ...entry, reason, message } : entry,
    )
    return [aFleetPool(), aFleetClass(), { ...claim, status: { ...claim.status, conditions } }, node]
  }

  test.each(['SecurityGroupDrift', 'SubnetDrift', 'CapacityReservationDrift', 'PlacementGroupDrift'])(
    '%s that was found stays, also when the class changes otherwise',
    (reason) => {
      const cluster = found(reason, `${reason}: somewhere else`)
      expect(actions(planOf(cluster, []))).toEqual({ n1: `replace ${reason}` })
      const sameImages = new Map([['default', { amis: aFleetClass().status?.amis ?? [] }]])
      const alias = aFleetClass({ amiSelectorTerms: [{ alias: 'al2023@v20260701' }] })
      expect(actions(planOf(cluster, [alias], { resolved: sameImages }))).toEqual({ n1: `replace ${reason}` })
    },
  )

  test('is no longer true of what has been put right', () => {
    expect(actions(planOf(found('AMIDrift', 'AMIDrift'), []))).toEqual({ n1: 'stay' })
  })
})

describe('a node in a capacity reservation', () => {
  const old = aFleetClass({ capacityReservationSelectorTerms: [{ tags: { for: 'web' } }] })
  const label = 'karpenter.k8s.aws/capacity-reservation-id'
  const cluster = aFleet({ nodeClass: old, machines: { n1: {}, n2: {} } }).map((object) =>
    object.metadata.name === 'claim-n1'
      ? { ...object, metadata: { ...object.metadata, labels: { ...object.metadata.labels, [label]: 'cr-1' } } }
      : object,
  )
  const cases: Record<string, { readonly terms: readonly object[]; readonly want: string }> = {
    'that its class no longer selects': { terms: [], want: 'replace CapacityReservationDrift' },
    'that nobody can say is still selected': {
      terms: [{ tags: { for: 'db' } }],
      want: 'replace CapacityReservationDrift',
    },
    'beside which its class selects others': { terms: [{ id: 'cr-2' }, { tags: { for: 'web' } }], want: 'inPlace' },
    'that its class now names': { terms: [{ id: 'cr-1' }], want: 'inPlace' },
  }
  test.each(Object.entries(cases))('%s', (_name, { terms, want }) => {
    const plan = planOf(cluster, [aFleetClass({ capacityReservationSelectorTerms: [...terms] })])
    expect(actions(plan)).toEqual({ n1: want, n2: 'inPlace' })
  })
})

describe('waves', () => {
  const machines = { n1: {}, n2: {}, n3: {}, n4: {}, n5: {} }

  test('as many at once as the budget allows, the next when those are gone', () => {
    const plan = planOf(aFleet({ machines }), [aFleetPool(labelled)])
    expect(waves(plan)).toEqual(['1 12:00:00 n1 n2', '2 12:03:00 n3 n4', '3 12:06:00 n5'])
    expect(plan.durationSeconds).toBe(9 * 60)
    expect(plan.nodes.map(({ wave }) => wave)).toEqual([1, 1, 2, 2, 3])
  })

  test('a percentage counts new nodes as soon as they are ready', () => {
    const budgets = [{ nodes: '40%' }]
    const disruption = { consolidateAfter: 'Never', consolidationPolicy: 'WhenEmpty' as const, budgets }
    const plan = planOf(aFleet({ pool: aFleetPool({ disruption }), machines }), [
      aFleetPool({ ...labelled, disruption }),
    ])
    // 40 % of 5 are 2; with both replacements ready, 40 % of 7 are 3.
    expect(waves(plan)).toEqual(['1 12:00:00 n1 n2', '2 12:02:00 n3', '3 12:03:00 n4', '4 12:04:00 n5'])
  })

  test('nodes without pods go first, then those that drifted first', () => {
    const now = aFleetPool(labelled)
    const special = {
      n3: { pods: [] },
      n4: { driftedSince: '2026-06-14T11:00:00Z' },
      n5: { driftedSince: '2026-06-14T10:00:00Z' },
    }
    const cluster = aFleet({ machines: { ...machines, ...special } }).filter(({ kind }) => kind !== 'NodePool')
    // n3 has nothing to wait for. n4's pod would take the node that comes for n5, and may not before that is ready; then n1's that of n4.
    expect(waves(planOf([...cluster, now], []))).toEqual([
      '1 12:00:00 n3 n5',
      '2 12:02:00 n4',
      '3 12:04:00 n1',
      '4 12:05:00 n2',
    ])
  })

  const frozen = (budgets: NonNullable<NodePool['spec']['disruption']>['budgets']): FleetPoolOptions => ({
    ...labelled,
    disruption: {
      consolidateAfter: 'Never',
      consolidationPolicy: 'WhenEmpty',
      ...(budgets === undefined ? {} : { budgets }),
    },
  })

  test('a window of a budget is waited for', () => {
    const pool = aFleetPool(frozen([{ nodes: '10' }, { nodes: '0', schedule: '0 9 * * *', duration: '8h' }]))
    const plan = planOf(aFleet({ machines: { n1: {}, n2: {} } }), [pool])
    expect(plan.waves).toEqual([{ wave: 1, notBefore: '2026-06-14T17:00:00Z', nodes: ['n1', 'n2'] }])
    expect(plan.durationSeconds).toBe(5 * 3600 + 180)
  })

  test('a budget that never lets anything go holds every node back', () => {
    const plan = planOf(aFleet({ machines: { n1: {} } }), [aFleetPool(frozen([{ nodes: '0' }]))])
    expect(actions(plan)).toEqual({ n1: 'replace NodePoolDrifted' })
    expect(plan.nodes[0]?.wave).toBeNull()
    expect(plan.blockedBy).toEqual([
      { node: 'n1', message: 'No allowed disruptions for disruption reason Drifted due to blocking budget' },
    ])
    expect(plan.durationSeconds).toBe(0)
  })

  test('a static pool replaces what its budget allows, and begins again when all of it is gone', () => {
    const replicas = { replicas: 5, limits: { nodes: '7' } }
    const plan = planOf(aFleet({ pool: aFleetPool(replicas), machines }), [aFleetPool({ ...replicas, ...labelled })])
    expect(waves(plan)).toEqual(['1 12:00:00 n1 n2', '2 12:03:00 n3 n4', '3 12:06:00 n5'])
  })

  test.each([
    ['without room beside its replicas', '1'],
    ['whose limit cannot be read', '1e1.5'],
  ])('a static pool %s replaces nothing', (_name, nodes) => {
    const replicas = { replicas: 1, limits: { nodes } }
    const plan = planOf(aFleet({ pool: aFleetPool(replicas), machines: { n1: {} } }), [
      aFleetPool({ ...replicas, ...labelled }),
    ])
    expect(plan.blockedBy).toEqual([
      {
        node: 'n1',
        message: 'limits.nodes of NodePool default leaves no room for a replacement beside its 1 replicas',
      },
    ])
  })

  test('a static pool waits for its window, whatever becomes of nodes that nothing can replace', () => {
    const budgets = [{ nodes: '0', schedule: '0 9 * * *', duration: '8h' }]
    const disruption = { consolidateAfter: 'Never', consolidationPolicy: 'WhenEmpty' as const, budgets }
    const fixed = { name: 'fixed', replicas: 1, disruption }
    const cluster = [
      ...aFleet({ machines: { n1: {} } }),
      aFleetPool(fixed),
      ...aMachine('s1', aFleetPool(fixed), aFleetClass()),
      aPodOn('s1', 'pod-s1', { cpu: '1500m' }),
    ]
    const taints = [{ key: 'dedicated', value: 'a', effect: 'NoSchedule' as const }]
    const plan = planOf(cluster, [aFleetPool({ template: { taints } }), aFleetPool({ ...fixed, ...labelled })])
    expect(waves(plan)).toEqual(['1 17:00:00 s1'])
    expect(plan.blockedBy.map(({ node }) => node)).toEqual(['n1'])
  })

  test.each([
    ['alone', false, []],
    ['beside nodes that nothing can replace', true, ['n1']],
  ])('an empty node waits for the window of its budget, %s', (_name, isTainted, blocked) => {
    const taints = [{ key: 'dedicated', value: 'a', effect: 'NoSchedule' as const }]
    const budgets = [{ nodes: '0', schedule: '0 9 * * *', duration: '8h' }]
    const idle = (consolidateAfter: string) =>
      aFleetPool({
        name: 'idle',
        template: { taints },
        disruption: { consolidateAfter, consolidationPolicy: 'WhenEmpty', budgets },
      })
    const machine = aMachine('e1', idle('Never'), aFleetClass(), { taints })
    const cluster = [...aFleet({ machines: { n1: {} } }), idle('Never'), ...machine]
    const plan = planOf(cluster, [aFleetPool(isTainted ? { template: { taints } } : {}), idle('1m')])
    expect(waves(plan)).toEqual(['1 17:00:00 e1'])
    expect(plan.blockedBy.map(({ node }) => node)).toEqual(blocked)
  })

  test('nodes without pods go before one whose pods they could have taken', () => {
    const cluster = aFleet({ machines: { n1: { pods: [{ cpu: '500m' }] }, n2: { pods: [] }, n3: { pods: [] } } })
    expect(waves(planOf(cluster, [aFleetPool(labelled)]))).toEqual(['1 12:00:00 n2 n3', '2 12:01:00 n1'])
  })
})

describe('what stands in the way', () => {
  const pdb = (allowed: number): PodDisruptionBudget => ({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: {
      name: 'web',
      namespace: 'default',
      uid: 'pdb',
      resourceVersion: '1',
      creationTimestamp: '2026-06-01T00:00:00Z',
    },
    spec: { selector: { matchLabels: { app: 'web' } } },
    status: { disruptionsAllowed: allowed },
  })
  const web = { pods: [{ cpu: '1500m', labels: { app: 'web' } }] }

  test('a PDB that allows nothing holds its nodes back', () => {
    const plan = planOf(aFleet({ machines: { n1: web, n2: {} }, others: [pdb(0)] }), [aFleetPool(labelled)])
    expect(plan.blockedBy).toEqual([
      { node: 'n1', message: 'Pdb prevents pod evictions (PodDisruptionBudget=[default/web])' },
    ])
    expect(waves(plan)).toEqual(['1 12:00:00 n2'])
  })

  test('a PDB with room does not', () => {
    expect(planOf(aFleet({ machines: { n1: web }, others: [pdb(1)] }), [aFleetPool(labelled)]).blockedBy).toEqual([])
  })

  test('do-not-disrupt holds a node back', () => {
    const machines = { n1: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } }
    const plan = planOf(aFleet({ machines }), [aFleetPool(labelled)])
    expect(plan.blockedBy).toEqual([
      { node: 'n1', message: 'Disruption is blocked through the "karpenter.sh/do-not-disrupt" annotation' },
    ])
  })

  test('a taint that pods do not tolerate leaves them without a place, and their nodes where they are', () => {
    const taints = [{ key: 'team', value: 'a', effect: 'NoSchedule' as const }]
    const machines = { n1: {}, n2: { pods: [] } }
    const plan = planOf(aFleet({ machines }), [aFleetPool({ template: { taints } })])
    expect(plan.unplaceablePods).toEqual([
      { pod: 'default/pod-n1-0', node: 'n1', message: 'did not tolerate taint (taint=team=a:NoSchedule)' },
    ])
    expect(plan.blockedBy.map(({ node }) => node)).toEqual(['n1'])
    expect(waves(plan)).toEqual(['1 12:00:00 n2'])
  })

  test('pods that do not tolerate the taint of a new node are not counted on it', () => {
    // The nodes of the others are new by the time that this pool begins.
    const later = {
      disruption: {
        consolidateAfter: 'Never',
        consolidationPolicy: 'WhenEmpty' as const,
        budgets: [{ nodes: '0', schedule: '0 12 * * *', duration: '1h' }, { nodes: '2' }],
      },
    }
    const costAfter = (taints: NonNullable<MachineOptions['taints']>) => {
      const others = { name: 'others', template: { taints: [...taints] } }
      const pod = aPodOn('o1', 'pod-o1', { nodeSelector: { 'karpenter.sh/nodepool': 'others' } })
      const tolerating = { ...pod, spec: { ...pod.spec, tolerations: [{ operator: 'Exists' as const }] } }
      const cluster = [
        ...aFleet({ pool: aFleetPool(later), machines: { n1: { pods: [{ cpu: '500m' }] } } }),
        ...[aFleetPool(others), ...aMachine('o1', aFleetPool(others), aFleetClass()), tolerating],
      ]
      const manifests = [aFleetPool({ ...labelled, ...others }), aFleetPool({ ...labelled, ...later })]
      return planOf(cluster, manifests).cost?.after
    }
    expect(costAfter([])).toBe(0.096)
    expect(costAfter([{ key: 'team', value: 'a', effect: 'NoSchedule' }])).toBe(0.192)
  })

  test('a limit that leaves no room for a replacement is told', () => {
    const limits = { cpu: '6' }
    const plan = planOf(aFleet({ pool: aFleetPool({ limits }) }), [aFleetPool({ ...labelled, limits })])
    // A simulation leaves out the node that goes, so its share of the limit is free for what comes instead.
    expect(plan.limits).toEqual([])
    const tight = planOf(aFleet({ pool: aFleetPool({ limits }) }), [aFleetPool({ ...labelled, limits: { cpu: '4' } })])
    expect(tight.limits.map(({ nodePool }) => nodePool)).toContain('default')
    expect(tight.limits).toContainEqual({ nodePool: 'default', message: 'limit of cpu is 4, nodes hold 6' })
  })

  test('pods of a pool that goes, which no other pool takes, fit nowhere', () => {
    const plan = planOf(aFleet({ machines: { n1: {} } }), [aFleetClass()], { prune: true })
    expect(plan.unplaceablePods.map(({ pod, node }) => ({ pod, node }))).toEqual([
      { pod: 'default/pod-n1-0', node: 'n1' },
    ])
  })
})

describe('the plan as a whole', () => {
  test('costs what runs at the dearest moment, and what is left', () => {
    // m5.large costs 0.096 in us-east-1.
    const plan = planOf(aFleet(), [aFleetPool(labelled)])
    expect(plan.cost).toEqual({ before: 0.288, during: 0.48, after: 0.288 })
  })

  test('a node without pods is not made again', () => {
    const plan = planOf(aFleet({ machines: { n1: {}, n2: { pods: [] } } }), [aFleetPool(labelled)])
    expect(plan.cost).toEqual({ before: 0.192, during: 0.288, after: 0.096 })
  })

  test('is the same whatever the order of its input', () => {
    const cluster = aFleet()
    const manifests = [aFleetPool(labelled), aFleetClass({ tags: { a: 'b' } })]
    expect(JSON.stringify(planOf(cluster.toReversed(), manifests.toReversed()))).toBe(
      JSON.stringify(planOf(cluster, manifests)),
    )
  })

  test('new objects are added and touch nobody', () => {
    const plan = planOf(aFleet(), [aFleetPool({ name: 'extra' })])
    expect(plan.objects).toEqual([{ kind: 'NodePool', name: 'extra', change: 'added' }])
    expect(actions(plan)).toEqual({ n1: 'stay', n2: 'stay', n3: 'stay' })
  })

  test("nodes that are nobody's are not in it", () => {
    const [, node]: [KubeObject, Node] = aMachine('lone', aFleetPool(), aFleetClass())
    const pod: Pod = aPodOn('lone', 'pod')
    expect(planOf([aFleetPool(), aFleetClass(), node, pod], [aFleetPool(labelled)]).nodes).toEqual([])
  })
})
