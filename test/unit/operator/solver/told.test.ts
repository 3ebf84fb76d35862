import { expect, test } from 'vitest'
import type { NodePool } from '../../../../src/api/karpenter.ts'
import type { Node, Pod, PodSpec, Unsaved } from '../../../../src/api/kubernetes.ts'
import { ClusterState } from '../../../../src/cluster/index.ts'
import type { BufferPlacement } from '../../../../src/controllers/capacitybuffer/buffer-book.ts'
import { BufferBook } from '../../../../src/controllers/capacitybuffer/index.ts'
import {
  PodBatcher,
  PreferenceWarnings,
  podTrigger,
  provisioner,
  type Solver,
} from '../../../../src/controllers/provisioning/index.ts'
import { nodeClaims, nodePools } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes, pods } from '../../../../src/kube/kinds.ts'
import type { InstanceType } from '../../../../src/model/instance-type.ts'
import { provisioningSolver } from '../../../../src/operator/solver/provisioning-solver.ts'
import { defaultSettings } from '../../../../src/scheduling/index.ts'
import { provisioningMemory } from '../../../support/provisioning-memory.ts'
import { aNode, aPendingPod, aPool, trueCondition } from '../../../support/controller-builders.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import {
  anOffering,
  aType,
  capacityTypeKey,
  catalogueF,
  testVocabulary,
  zoneKey,
} from '../../../support/scheduling-world.ts'
import { oneValue } from '../../../../src/model/requirement.ts'
import { requirementsOf } from '../../../../src/model/requirements.ts'

/** Whom one pass of the provisioner tells what, with the real solver behind it. */
interface Case {
  readonly types?: readonly InstanceType[]
  readonly pools?: readonly Unsaved<NodePool>[]
  readonly pods: readonly Unsaved<Pod>[]
  readonly nodes?: readonly Unsaved<Node>[]
  /** Texts of FailedScheduling, sorted; a text that ends in … need only begin so. */
  readonly failed: readonly string[]
  readonly ignored?: number
  readonly unschedulable?: number
  readonly onPool?: readonly string[]
  /** Texts of Nominated. */
  readonly nominated?: readonly string[]
  /** Messages that must be in the log. */
  readonly logged?: readonly string[]
  /** Pools whose circuit breaker is open, and why. */
  readonly held?: Readonly<Record<string, string>>
  /** What the two stand-ins of a buffer are like. */
  readonly standIns?: Partial<PodSpec>
  /** What the pass says of that buffer. */
  readonly buffer?: BufferPlacement
}

const term = (field: object) => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [field] } } },
})
const selecting = (nodeSelector: Record<string, string>) => aPendingPod('odd', { spec: { nodeSelector } })
const plain = aPendingPod('plain')
const required = (key: string, operator: 'In' | 'DoesNotExist', values?: string[]) => ({
  key,
  operator,
  ...(values === undefined ? {} : { values }),
})
const readyPool = (name?: string) => aPool(name, {}, { conditions: [trueCondition('Ready')] })
const poolWith = (requirements: NodePool['spec']['template']['spec']['requirements'], name = 'default') => {
  const pool = readyPool(name)
  return { ...pool, spec: { ...pool.spec, template: { spec: { ...pool.spec.template.spec, requirements } } } }
}
const reserved = (id: string) =>
  anOffering('z1', 'reserved', 0.01, {
    requirements: requirementsOf(
      oneValue(zoneKey, 'z1'),
      oneValue(capacityTypeKey, 'reserved'),
      oneValue('reservation-id', id),
    ),
    reservationCapacity: 1,
  })

const standInFailures = (text: string) => [1, 2].map(() => `Failed to schedule pod, ${text}`)

const cases: Record<string, Case> = {
  'case 17: a hostname selector is an error of the pod, which is left alone': {
    pods: [selecting({ 'kubernetes.io/hostname': 'n1' }), plain],
    failed: ['Failed to schedule pod, using label kubernetes.io/hostname is not allowed…'],
    ignored: 1,
  },
  'case 18: so is a label of a restricted domain': {
    pods: [selecting({ 'karpenter.sh/custom': 'x' })],
    failed: ['Failed to schedule pod, using label karpenter.sh/custom is not allowed…'],
    ignored: 1,
  },
  'case 18: a pool that is not there is a matter of the solve': {
    pods: [selecting({ 'karpenter.sh/nodepool': 'other' })],
    failed: ['Failed to schedule pod, incompatible requirements, key karpenter.sh/nodepool, …'],
    ignored: 0,
    unschedulable: 1,
    logged: ['could not schedule pod'],
  },
  'case 19: fields in a node selector term': {
    pods: [aPendingPod('odd', { spec: term({ matchFields: [required('metadata.name', 'In', ['n1'])] }) })],
    failed: ['Failed to schedule pod, node selector term with matchFields is not supported'],
    ignored: 1,
  },
  'case 20: a pod that keeps away on purpose hears nothing': {
    pods: [
      aPendingPod('odd', { spec: term({ matchExpressions: [required('karpenter.sh/nodepool', 'DoesNotExist')] }) }),
    ],
    failed: [],
    ignored: 1,
  },
  'case 21: a capacity type that does not exist': {
    pods: [selecting({ [capacityTypeKey]: 'ondemand' })],
    failed: ['Failed to schedule pod, no valid values found in [ondemand] for karpenter.sh/capacity-type…'],
    ignored: 1,
  },
  'case 24: a claim that is missing; the other pod has its place': {
    pods: [
      aPendingPod('odd', { spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'gone' } }] } }),
      plain,
    ],
    failed: ['Failed to schedule pod, persistentvolumeclaims "gone" not found'],
    ignored: 1,
    logged: ['computed new nodeclaim(s) to fit pod(s)'],
  },
  'what a pod gives up is in the log': {
    pods: [
      aPendingPod('choosy', {
        spec: {
          affinity: {
            nodeAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [
                { weight: 1, preference: { matchExpressions: [required(zoneKey, 'In', ['z9'])] } },
              ],
            },
          },
        },
      }),
    ],
    failed: [],
    logged: ['relaxing soft constraints for pod since it previously failed to schedule'],
  },
  'case 26: without a pool nobody hears anything': {
    pools: [],
    pods: [plain],
    failed: [],
    logged: ['no dynamic nodepools found'],
  },
  'case 26: static, deleting and unready pools are none, and then not even a node with room is looked at': {
    pools: [
      aPool('static', { replicas: 1 }, { conditions: [trueCondition('Ready')] }),
      { ...readyPool(), metadata: { name: 'going', deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['x'] } },
      aPool('unready'),
    ],
    nodes: [aNode('roomy')],
    pods: [plain],
    failed: [],
    nominated: [],
    logged: ['no dynamic nodepools found'],
  },
  'with a pool the node with room is': {
    nodes: [aNode('roomy')],
    pods: [plain],
    failed: [],
    nominated: ['Pod should schedule on: node/roomy'],
  },
  'case 54: more memory than there is': {
    pods: [
      aPendingPod('odd', { spec: { containers: [{ name: 'main', resources: { requests: { memory: '2Ti' } } }] } }),
    ],
    failed: ['Failed to schedule pod, no instance type has enough resources, requirements=…'],
    unschedulable: 1,
  },
  'case 68: a pool whose requirements leave no type hears of it, and the pod, too': {
    pools: [poolWith([required('kubernetes.io/arch', 'In', ['mips'])])],
    pods: [plain],
    failed: ['Failed to schedule pod, nodepool requirements filtered out all available instance types'],
    onPool: ['NodePool requirements filtered out all compatible available instance types'],
    unschedulable: 1,
    logged: ['skipping, nodepool requirements filtered out all instance types'],
  },
  'case 85: and for minValues that cannot be reached': {
    pools: [poolWith([{ key: 'node.kubernetes.io/instance-type', operator: 'Exists', minValues: 50 }])],
    pods: [plain],
    failed: ['Failed to schedule pod, nodepool requirements filtered out all available instance types'],
    onPool: [
      'NodePool requirements filtered out all compatible available instance types due to minValues incompatibility',
    ],
  },
  'case 86: pods that wait for reserved capacity hear nothing': {
    types: [aType({ name: 'small', cpu: '2', memory: '4Gi', offerings: [reserved('r1')] })],
    pods: ['a', 'b'].map((name) =>
      aPendingPod(name, { spec: { containers: [{ name: 'main', resources: { requests: { cpu: '1500m' } } }] } }),
    ),
    failed: [],
    unschedulable: 0,
    logged: [
      'deferring scheduling decision for provisionable pod(s) to future simulation due to limited reserved offering capacity',
    ],
  },
  'a pool whose circuit breaker is open is not told that its requirements are at fault': {
    pods: [plain],
    held: { default: 'nodes keep failing' },
    failed: ['Failed to schedule pod, circuit breaker is open for nodepool (NodePool=default): nodes keep failing'],
    logged: ['skipping, circuit breaker is open'],
  },
  'stand-ins of a buffer that only one node would suit fail where it is not there': {
    pods: [],
    standIns: { nodeSelector: { 'kubernetes.io/hostname': 'n1' } },
    failed: standInFailures('incompatible requirements, key kubernetes.io/hostname, …'),
    ignored: 0,
    unschedulable: 2,
    buffer: { onExisting: 0, onNew: 0, failed: 2 },
  },
  'and fit where it is': {
    nodes: [aNode('n1', { metadata: { labels: { 'kubernetes.io/hostname': 'n1' } } })],
    pods: [],
    standIns: { nodeSelector: { 'kubernetes.io/hostname': 'n1' } },
    failed: [],
    buffer: { onExisting: 2, onNew: 0, failed: 0 },
  },
  'stand-ins with fields in a node selector term fail: the solve, which overlooks them, would launch nodes in vain': {
    pods: [],
    standIns: term({ matchFields: [required('metadata.name', 'In', ['n1'])] }),
    failed: standInFailures('node selector term with matchFields is not supported'),
    ignored: 0,
    unschedulable: 2,
    buffer: { onExisting: 0, onNew: 0, failed: 2 },
  },
  'stand-ins that keep away on purpose fail': {
    pods: [],
    standIns: term({ matchExpressions: [required('karpenter.sh/nodepool', 'DoesNotExist')] }),
    failed: standInFailures('incompatible requirements, key karpenter.sh/nodepool, …'),
    ignored: 0,
    buffer: { onExisting: 0, onNew: 0, failed: 2 },
  },
  'case 158: a pod with resource claims': {
    pods: [aPendingPod('odd', { spec: { resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }] } })],
    failed: [
      'Failed to schedule pod, pod has Dynamic Resource Allocation requirements that are not yet supported by Karpenter',
    ],
    unschedulable: 1,
    logged: ['skipping pod with Dynamic Resource Allocation requirements, not yet supported by Karpenter'],
  },
}

const spare = { namespace: 'shop', name: 'spare' }

async function afterOnePass(given: Omit<Case, 'failed'> & { readonly jumpMs?: number }) {
  const { types = catalogueF, held = {}, standIns } = given
  const world = aControllerWorld()
  const cluster = new ClusterState({
    ...world,
    instanceTypes: () => Promise.resolve({ kind: 'resolved', types }),
    nominationMs: 20_000,
    evictionCost: () => 1,
  })
  const real = provisioningSolver({
    clock: world.clock,
    settings: { ...defaultSettings, vocabulary: testVocabulary, reservationLabel: 'reservation-id' },
    packing: { kind: 'greedy' },
    metrics: world.metrics,
  })
  const solver: Solver = {
    ...real,
    solve: (request, signal) => {
      world.clock.jump(given.jumpMs ?? 0)
      return real.solve(request, signal)
    },
  }
  for (const pool of given.pools ?? [readyPool()]) await world.kube.create(nodePools, pool)
  for (const node of given.nodes ?? []) await world.kube.create(nodes, node)
  for (const pod of given.pods) await world.kube.create(pods, pod)
  const batcher = new PodBatcher(world.clock, { idleMs: 1_000, maxMs: 10_000 })
  const guard = world.launches
  const launches = {
    heldPools: () => new Map(Object.entries(held)),
    refused: guard.refused,
    admit: guard.admit.bind(guard),
    written: guard.written.bind(guard),
    notWritten: guard.notWritten.bind(guard),
  }
  const buffers = new BufferBook()
  if (standIns !== undefined) {
    const template = { spec: { containers: [{ name: 'main' }], ...standIns } }
    buffers.resolve({ ...spare, uid: 'u', template, replicas: 2 })
  }
  const deps = { ...world, cluster, batcher, ...provisioningMemory(world.clock) }
  const warnings = new PreferenceWarnings(world.clock)
  await world.start(podTrigger(deps), provisioner({ ...deps, launches, buffers, solver, warnings }))
  if (standIns !== undefined) batcher.trigger('u')
  await world.run(2_500)
  return { ...world, placement: buffers.placementOf(spare) }
}

test('a wall clock that is set while a pass is under way does not end it', async () => {
  const { kube } = await afterOnePass({ pods: [plain], jumpMs: 3_600_000 })
  expect((await kube.list(nodeClaims)).items).toHaveLength(1)
})

test.each(Object.entries(cases))('%s', async (_name, given) => {
  const { failed, ignored, unschedulable, onPool = [], nominated, logged = [] } = given
  const world = await afterOnePass(given)
  const told = world.events('FailedScheduling').toSorted()
  expect(told).toHaveLength(failed.length)
  for (const [index, text] of failed.entries()) {
    if (text.endsWith('…')) expect(told[index]?.slice(0, text.length - 1)).toBe(text.slice(0, -1))
    else expect(told[index]).toBe(text)
  }
  expect(world.events('NoCompatibleInstanceTypes')).toEqual(onPool)
  if (nominated !== undefined) expect(world.events('Nominated')).toEqual(nominated)
  if (ignored !== undefined) expect(world.counts.sum('karpenter_scheduler_ignored_pods_count')).toBe(ignored)
  if (unschedulable !== undefined) {
    expect(world.counts.sum('karpenter_scheduler_unschedulable_pods_count')).toBe(unschedulable)
  }
  for (const message of logged) expect(world.logged(message).length, message).toBeGreaterThan(0)
  if (given.buffer !== undefined) expect(world.placement).toEqual(given.buffer)
})

test('a pass is timed twice, as a solve and as a whole, and not at all where it has nothing to solve', async () => {
  const timed = async (waiting: readonly Unsaved<Pod>[]) =>
    (await afterOnePass({ pods: waiting })).counts.observed('karpenter_scheduler_scheduling_duration_seconds', {
      controller: 'provisioner',
    })
  expect(await timed([plain])).toHaveLength(2)
  expect(await timed([selecting({ 'karpenter.sh/custom': 'x' })])).toEqual([])
})

test('the queue of the last solve can be read until the next one, the time of a running solve only while it runs', async () => {
  const { kube, counts, run } = await afterOnePass({ pods: [plain, selecting({ 'karpenter.sh/nodepool': 'other' })] })
  const depths = (id: string) => counts.observed('karpenter_scheduler_queue_depth', { scheduling_id: id })
  expect(depths('1')).toEqual([1])
  expect(counts.observed('karpenter_scheduler_unfinished_work_seconds')).toEqual([])
  for (const { metadata } of (await kube.list(nodeClaims)).items) await kube.delete(nodeClaims, { name: metadata.name })
  await run(12_000)
  expect(depths('1')).toEqual([])
  expect(depths('2')).toEqual([1])
  expect(counts.observed('karpenter_scheduler_unfinished_work_seconds')).toEqual([])
})
