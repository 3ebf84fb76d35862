import { describe, expect, test } from 'vitest'
import type { EC2NodeClass } from '../../../../src/api/karpenter.ts'
import type { KubeObject } from '../../../../src/api/kubernetes.ts'
import { ec2NodeClassHash, nodePoolHash } from '../../../../src/api/hash/index.ts'
import { operatorPacking } from '../../../../src/cli/scheduling-options.ts'
import { aFleetClass, aFleetPool, aMachine, annotated, type FleetPoolOptions } from '../../../support/fleet-objects.ts'
import { actions, aFleet, doNotDisrupt, labelled, waves } from '../../../support/plan-fleet.ts'
import { planOf } from '../../../support/plan-of.ts'

/** By sha256sum. */
const digestOfHello = 'sha256:584a331fd6b02dcb1ecbe2eba731f609a2e1e3dac0bb73ae998dfad14c309a77'

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

  test('an empty node waits for its own consolidateAfter, whatever others have waited', () => {
    const disruption = (consolidateAfter: string): FleetPoolOptions => ({
      disruption: { consolidateAfter, consolidationPolicy: 'WhenEmpty', budgets: [{ nodes: '2' }] },
    })
    const machines = { n1: { pods: [] }, n2: { pods: [], createdAt: '2026-06-14T11:00:00Z' } }
    const plan = planOf(aFleet({ pool: aFleetPool(disruption('Never')), machines }), [aFleetPool(disruption('2h'))])
    expect(waves(plan)).toEqual(['1 12:00:00 n1', '2 13:00:00 n2'])
  })

  test('an empty node that is replaced before its consolidateAfter has passed goes once', () => {
    const disruption = (consolidateAfter: string): FleetPoolOptions => ({
      disruption: { consolidateAfter, consolidationPolicy: 'WhenEmpty', budgets: [{ nodes: '2' }] },
    })
    const machines = { n1: { pods: [], createdAt: '2026-06-14T11:00:00Z' } }
    const after = aFleetPool({ ...labelled, ...disruption('2h') })
    const plan = planOf(aFleet({ pool: aFleetPool(disruption('Never')), machines }), [after])
    expect(waves(plan)).toEqual(['1 12:00:00 n1'])
    expect(plan).toMatchObject({ durationSeconds: 60, blockedBy: [], cost: { before: 0.096, after: 0 } })
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
