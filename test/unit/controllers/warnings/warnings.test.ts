import { expect, test } from 'vitest'
import type { Severity } from '../../../../src/admission/index.ts'
import type { EC2NodeClass, NodePool } from '../../../../src/api/karpenter.ts'
import { eventTable } from '../../../../src/controllers/event-table.ts'
import { warningControllers } from '../../../../src/controllers/warnings/index.ts'
import { VirtualClock } from '../../../../src/embedded/clock.ts'
import { createCaches } from '../../../../src/kube/caches.ts'
import { ec2NodeClasses, nodePools, rolloutPolicies } from '../../../../src/kube/karpenter-kinds.ts'
import type { EventToPublish } from '../../../../src/kube/recorder.ts'
import { startControllers } from '../../../../src/kube/runtime.ts'
import type { InstanceType } from '../../../../src/model/instance-type.ts'
import { validateReview } from '../../../../webhooks/judge-review.ts'
import { aPool } from '../../../support/controller-builders.ts'
import { aType } from '../../../support/disruption-builders.ts'
import { FakeKubeClient } from '../../../support/fake-kube-client.ts'
import { fixedRandom } from '../../../support/fixed-random.ts'
import { recordingLogger } from '../../../support/recording-logger.ts'

const when = '2026-01-01T00:00:00Z'

function world(severities: Readonly<Record<string, Severity>> = {}) {
  const clock = new VirtualClock()
  const client = new FakeKubeClient(() => new Date(clock.now()).toISOString())
  const log = recordingLogger()
  const random = fixedRandom()
  const caches = createCaches({ client, clock, random, log })
  const published: EventToPublish[] = []
  const offered = { types: [aType('m5.large', { price: 1 })] as readonly InstanceType[], asked: 0 }
  const controllers = warningControllers({
    kube: client,
    caches,
    clock,
    recorder: { publish: (...events) => published.push(...events) },
    severities,
    instanceTypes: async () => {
      offered.asked += 1
      return { kind: 'resolved', types: offered.types }
    },
    fixed: {},
    reservedCapacity: true,
    withOverlays: true,
  })
  startControllers({ caches, clock, random, log }, controllers)
  caches.start(new AbortController().signal)
  const conditionOf = (object: {
    status?: { conditions?: readonly { type: string; status: string; message?: string }[] }
  }) => {
    const found = object.status?.conditions?.find(({ type }) => type === 'AdmissionWarnings')
    return found === undefined ? undefined : `${found.status}: ${found.message ?? ''}`
  }
  return {
    clock,
    client,
    offered,
    published,
    pass: (ms = 10_000) => clock.run({ forMs: ms }),
    poolCondition: async (name = 'default') => conditionOf(await client.get(nodePools, { name })),
    classCondition: async () => conditionOf(await client.get(ec2NodeClasses, { name: 'default' })),
    policyCondition: async () => conditionOf(await client.get(rolloutPolicies, { name: 'weekly' })),
    events: () => published.map(({ reason, message, object }) => `${object.metadata.name} ${reason} ${message}`),
    withClass: (more: Partial<EC2NodeClass> = {}) =>
      client.create(ec2NodeClasses, {
        apiVersion: 'karpenter.k8s.aws/v1',
        kind: 'EC2NodeClass',
        metadata: { name: 'default' },
        spec: {
          role: 'nodes',
          amiSelectorTerms: [{ id: 'ami-123' }],
          subnetSelectorTerms: [{ id: 'subnet-1' }],
          securityGroupSelectorTerms: [{ id: 'sg-1' }],
        },
        ...more,
      } as EC2NodeClass),
  }
}

const noBudgets: Partial<NodePool['spec']> = { disruption: { consolidateAfter: '0s', budgets: [] } }

test('a sound pool is left alone: no condition, no event, no write', async () => {
  const { client, withClass, pass, poolCondition, published } = world()
  await withClass()
  const { metadata } = await client.create(nodePools, aPool())
  await pass(7_200_000)
  expect([await poolCondition(), published]).toEqual([undefined, []])
  expect((await client.get(nodePools, { name: 'default' })).metadata.resourceVersion).toBe(metadata.resourceVersion)
})

test('a condition has no more warnings than one can take, and counts the others', async () => {
  const { client, withClass, pass, poolCondition, published } = world()
  await withClass()
  const pool = aPool()
  pool.spec.template.spec.startupTaints = Array.from({ length: 400 }, (_, index) => ({
    key: `karpenter.sh/t${index}`,
    effect: 'NoSchedule',
  }))
  await client.create(nodePools, pool)
  await pass()
  const condition = (await poolCondition()) ?? ''
  expect(condition).toMatch(/^True: JN-216: .*; and \d+ more warnings$/)
  // As the schema of conditions has it.
  expect(condition.length).toBeLessThan(32_768)
  expect(published.length).toBeLessThan(100)
})

test("another controller's pool is left to it", async () => {
  const { client, pass, poolCondition, published, offered } = world()
  const pool = aPool('auto', noBudgets)
  pool.spec.template.spec.nodeClassRef = { group: 'eks.amazonaws.com', kind: 'NodeClass', name: 'default' }
  await client.create(nodePools, pool)
  await pass()
  expect([await poolCondition('auto'), published, offered.asked]).toEqual([undefined, [], 0])
})

test('what the webhook warns about stands in a condition and in one event, in the same words, and both end with the cause', async () => {
  const { client, withClass, pass, poolCondition, events, clock } = world()
  await withClass()
  const pool = await client.create(nodePools, aPool('default', noBudgets))
  await pass()
  const { warnings = [] } = await validateReview({ clock })({
    uid: 'u',
    kind: { group: 'karpenter.sh', version: 'v1', kind: 'NodePool' },
    operation: 'CREATE',
    subResource: '',
    name: 'default',
    namespace: '',
    username: '',
    dryRun: false,
    object: pool,
    oldObject: undefined,
  })
  expect(warnings).toHaveLength(1)
  expect(await poolCondition()).toBe(`True: ${warnings.join()}`)
  expect(await poolCondition()).toMatch(/^True: JN-208: /)
  expect(events()).toEqual([`default AdmissionWarning ${warnings.join()}`])
  // Nothing is repeated while nothing changes.
  await pass(7_200_000)
  expect(events()).toHaveLength(1)
  const stored = await client.get(nodePools, { name: 'default' })
  await client.update(nodePools, {
    ...stored,
    metadata: { ...stored.metadata, generation: 2 },
    spec: aPool().spec,
  })
  await pass()
  expect([await poolCondition(), events().length]).toEqual([undefined, 1])
})

test('a policy that came past the webhook says why it cannot work, until it is mended', async () => {
  const { client, pass, policyCondition, events } = world()
  const opening = (schedule: string) => ({ nodePoolSelector: {}, windows: [{ schedule, duration: '1h' }] })
  await client.create(rolloutPolicies, {
    apiVersion: 'joinery.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name: 'weekly' },
    spec: opening('0 0 31 2 *'),
  })
  await pass()
  expect(await policyCondition()).toMatch(/^True: JN-112: spec\.windows\[0\]\.schedule: the window never opens/)
  expect(events().map((text) => text.slice(0, 31))).toEqual(['weekly AdmissionWarning JN-112:'])
  const stored = await client.get(rolloutPolicies, { name: 'weekly' })
  const metadata = { ...stored.metadata, generation: 2 }
  await client.update(rolloutPolicies, { ...stored, metadata, spec: opening('0 0 1 2 *') })
  await pass()
  expect([await policyCondition(), events().length]).toEqual([undefined, 1])
})

test('events are those of the table', async () => {
  const { client, pass, published } = world()
  await client.create(nodePools, aPool('default', noBudgets))
  await pass()
  const row = eventTable.find(({ reason }) => reason === 'AdmissionWarning')
  expect(published.map(({ message }) => row?.pattern.test(message))).toEqual(published.map(() => true))
  expect([published.length, row?.objects]).toEqual([2, ['NodePool', 'EC2NodeClass', 'NodeOverlay', 'RolloutPolicy']])
})

test('the first of two overlapping pools is told when the second comes, and hears no more when it goes', async () => {
  const { client, withClass, pass, poolCondition } = world()
  await withClass()
  await client.create(nodePools, aPool('a'))
  await pass()
  expect(await poolCondition('a')).toBeUndefined()
  await client.create(nodePools, aPool('b'))
  await pass()
  expect(await poolCondition('a')).toMatch(/^True: JN-211: .* b /)
  expect(await poolCondition('b')).toMatch(/^True: JN-211: .* a /)
  await client.delete(nodePools, { name: 'b' })
  await pass()
  expect(await poolCondition('a')).toBeUndefined()
})

test('types that the cloud no longer offers are noticed within the hour', async () => {
  const { client, withClass, pass, poolCondition, offered } = world()
  await withClass()
  await client.create(nodePools, aPool())
  await pass()
  expect(await poolCondition()).toBeUndefined()
  offered.types = [aType('m5.large')]
  await pass(3_700_000)
  expect(await poolCondition()).toMatch(/^True: JN-202: /)
})

test('a pool is judged again when its class resolves to something else, not whenever its nodes are counted', async () => {
  const { client, withClass, pass, offered } = world()
  const status = { subnets: [{ id: 'subnet-1', zone: 'us-west-2a' }], nodes: 3, upToDateNodes: 3 }
  const stored = await withClass({ status })
  await client.create(nodePools, aPool())
  await pass()
  const before = offered.asked
  const counted = { ...status, nodes: 4, upToDateNodes: 4 }
  const other = await client.update(ec2NodeClasses, { ...stored, status: counted })
  await pass()
  expect(offered.asked).toBe(before)
  const subnets = [{ id: 'subnet-2', zone: 'us-west-2b' }]
  await client.update(ec2NodeClasses, { ...other, status: { ...counted, subnets } })
  await pass()
  expect(offered.asked).toBe(before + 1)
})

test('a selector that finds nothing is told of only after it has been looked up', async () => {
  const { client, withClass, pass, classCondition } = world()
  const condition = (type: string, status: 'True' | 'False', observedGeneration: number) => ({
    type,
    status,
    reason: type,
    message: '',
    lastTransitionTime: when,
    observedGeneration,
  })
  await withClass()
  await pass()
  expect(await classCondition()).toBeUndefined()
  const resolved = async (generation: number) => {
    const stored = await client.get(ec2NodeClasses, { name: 'default' })
    const types = ['AMIsReady', 'SubnetsReady', 'SecurityGroupsReady']
    const conditions = types.map((type) =>
      condition(type, type === 'SubnetsReady' ? 'False' : 'True', (stored.metadata.generation ?? 0) + generation),
    )
    const status = { amis: [{ id: 'ami-123', requirements: [] }], securityGroups: [{ id: 'sg-1' }], conditions }
    await client.update(ec2NodeClasses, { ...stored, status } as EC2NodeClass)
    await pass()
  }
  await resolved(-1)
  expect(await classCondition()).toBeUndefined()
  await resolved(0)
  expect(await classCondition()).toMatch(/^True: JN-201: spec\.subnetSelectorTerms: /)
})

test('a rule that is off is off here, too; one that was raised to deny is still told of', async () => {
  const off = world({ 'JN-208': 'off' })
  await off.withClass()
  await off.client.create(nodePools, aPool('default', noBudgets))
  await off.pass()
  expect(await off.poolCondition()).toBeUndefined()
  const denied = world({ 'JN-208': 'deny' })
  await denied.withClass()
  await denied.client.create(nodePools, aPool('default', noBudgets))
  await denied.pass()
  expect(await denied.poolCondition()).toMatch(/^True: JN-208: /)
})
