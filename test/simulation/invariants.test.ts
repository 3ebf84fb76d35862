import { expect, test } from 'vitest'
import { nodeClaimConditions, setCondition, setConditionTrue } from '../../src/api/conditions.ts'
import type { NodeClaim } from '../../src/api/karpenter.ts'
import type { Node, Pod } from '../../src/api/kubernetes.ts'
import { annotationDoNotDisrupt, labelInstanceType, labelZone, taintDisrupted } from '../../src/api/labels.ts'
import { runAsController } from '../../src/kube/current-controller.ts'
import { nodeClaims, nodePools, rolloutPolicies } from '../../src/kube/karpenter-kinds.ts'
import { events, nodes, podDisruptionBudgets, pods, volumeAttachments } from '../../src/kube/kinds.ts'
import type { KubeClient } from '../../src/kube/port.ts'
import { type Scenario, startScenario } from './incidents/scenario.ts'
import { loopWatcher, memoryWatcher } from './invariants/loop.ts'
import { Look } from './invariants/look.ts'
import { secretMarker } from './objects.ts'
import { hour, minute, type WorldOptions } from './world.ts'

/**
 * Each invariant is shown to catch what it forbids: the operator is gone, and somebody with its credentials does the wrong thing. Every
 * sabotage takes other objects, so that one world serves a few of them.
 */
interface Sabotage {
  readonly scenario: Scenario
  /** Calls of the saboteur are taken for the operator's. */
  readonly client: KubeClient
  readonly claims: readonly NodeClaim[]
  nodeOf(claim: NodeClaim): Promise<Node>
  podOn(node: Node): Promise<Pod>
  taint(claim: NodeClaim, reason?: string): Promise<void>
  /** What was found since the last call, as `I7 …`. */
  found(): readonly string[]
}

async function sabotage(options: Partial<WorldOptions> = {}): Promise<Sabotage> {
  const shapes = [{ name: 'web', replicas: 12, cpu: '3', memory: '4Gi' }]
  const scenario = await startScenario({ shapes, pools: [{ name: 'general', budget: '1' }], ...options })
  const { cluster } = scenario.world.stack
  expect(scenario.invariants.violations).toEqual([])
  scenario.world.stack.crashOperator()
  const client = cluster.clientFor('karpenter', scenario.hooks.of(0))
  const nodeOf = async (claim: NodeClaim): Promise<Node> => client.get(nodes, { name: claim.status?.nodeName ?? '' })
  let seen = 0
  return {
    scenario,
    client,
    claims: await scenario.claims(),
    nodeOf,
    async podOn(node) {
      const { items } = await client.list(pods, { namespace: 'default' })
      const pod = items.find(({ spec }) => spec.nodeName === node.metadata.name)
      if (pod === undefined) throw new Error(`no pod on ${node.metadata.name}`)
      return pod
    },
    async taint(claim, reason = 'Drifted') {
      const node = await nodeOf(claim)
      const taints = [...(node.spec.taints ?? []), { ...taintDisrupted }]
      await client.patch(nodes, { name: node.metadata.name }, { kind: 'merge', body: { spec: { taints } } })
      const change = { type: 'DisruptionReason', status: 'True' as const, reason, message: reason }
      const { status } = setCondition(claim, nodeClaimConditions, change, cluster.clock.now())
      const body = { status: { conditions: status?.conditions } }
      await client.patch(nodeClaims, { name: claim.metadata.name }, { kind: 'merge', body }, { subresource: 'status' })
    },
    found() {
      const all = scenario.invariants.violations.map(({ invariant, message }) => `${invariant} ${message}`)
      const fresh = all.slice(seen)
      seen = all.length
      return fresh
    },
  }
}

function at<T>(list: readonly T[], index: number): T {
  const value = list[index]
  if (value === undefined) throw new Error(`only ${list.length}`)
  return value
}

function matching(...patterns: readonly RegExp[]) {
  return patterns.map((pattern) => expect.stringMatching(pattern))
}

const nominated = (pod: Pod, claim: string) => ({
  apiVersion: 'v1' as const,
  kind: 'Event' as const,
  metadata: { name: `${pod.metadata.name}.${claim}`, namespace: 'default' },
  involvedObject: { kind: 'Pod', namespace: 'default', name: pod.metadata.name, uid: pod.metadata.uid },
  reason: 'Nominated',
  message: `Pod should schedule on: nodeclaim/${claim}`,
  type: 'Normal' as const,
  source: { component: 'karpenter' },
})

const aClaim = (name: string, spec: Partial<NodeClaim['spec']> = {}) => ({
  apiVersion: 'karpenter.sh/v1' as const,
  kind: 'NodeClaim' as const,
  metadata: { name, labels: { 'karpenter.sh/nodepool': 'general' } },
  spec: {
    nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
    requirements: [{ key: labelZone, operator: 'In' as const, values: ['us-west-2a'] }],
    ...spec,
  },
})

test('I7, I14, I24, I34: more nodes than the budget, without taint, without line, before the replacement', async () => {
  const { claims, taint, client, found, scenario, nodeOf } = await sabotage()
  expect(claims.length).toBeGreaterThanOrEqual(5)
  await taint(at(claims, 0))
  expect(found()).toEqual([])
  await taint(at(claims, 1))
  expect(found()).toEqual(
    matching(/^I7 general\/.*: 2 out of service when it was disrupted, budget 1: \S+ is tainted, \S+ is tainted$/),
  )

  await client.delete(nodeClaims, { name: at(claims, 0).metadata.name })
  expect(found()).toEqual(matching(/^I34 .* is disrupted without a line/))

  const disrupted = (index: number, count: number) =>
    JSON.stringify({
      message: 'disrupting node(s)',
      'disrupted-nodes': [{ NodeClaim: { name: at(claims, index).metadata.name } }],
      'replacement-node-count': count,
    })
  scenario.hooks.onLogLine(disrupted(1, 1))
  await client.create(nodeClaims, aClaim('replacement'))
  scenario.hooks.onLogLine(
    JSON.stringify({ message: 'created nodeclaim', controller: 'disruption', NodeClaim: { name: 'replacement' } }),
  )
  const replaced = { name: at(claims, 1).metadata.name }
  await runAsController('interruption', () => client.delete(nodeClaims, replaced, { dryRun: true }))
  expect(found()).toEqual([])
  await client.delete(nodeClaims, replaced)
  expect(found()).toEqual(matching(/^I24 .* goes before its replacements replacement \(1 wanted\) are initialized$/))

  scenario.hooks.onLogLine(disrupted(2, 0))
  await taint(at(claims, 2))
  await client.patch(
    nodes,
    { name: (await nodeOf(at(claims, 2))).metadata.name },
    { kind: 'merge', body: { spec: { taints: [] } } },
  )
  await client.delete(nodeClaims, { name: at(claims, 2).metadata.name })
  expect(found()).toContainEqual(
    expect.stringMatching(/^I14 .* is deleted for disruption while its node is not tainted$/),
  )
})

test('I7: a percentage is of the nodes that are initialized, whatever their claims have been told', async () => {
  const { claims, taint, client, found, scenario } = await sabotage()
  const [last] = claims.slice(-1)
  // Two of all of them, one of all but one.
  const percent = Math.floor(100 / (claims.length - 1))
  const body = { spec: { disruption: { budgets: [{ nodes: `${percent}%` }] } } }
  await scenario.world.stack.cluster.client.patch(nodePools, { name: 'general' }, { kind: 'merge', body })
  const conditions = (last?.status?.conditions ?? []).filter(({ type }) => type !== 'Initialized')
  const name = last?.metadata.name ?? ''
  const status = { status: { conditions } }
  await client.patch(nodeClaims, { name }, { kind: 'merge', body: status }, { subresource: 'status' })
  await taint(at(claims, 0))
  await taint(at(claims, 1))
  expect(found()).toEqual([])
  await taint(at(claims, 2))
  expect(found()).toEqual(matching(/^I7 general\/.*: 3 out of service when it was disrupted, budget 2: /))
})

test('I14: a node with pods goes as empty', async () => {
  const { claims, taint, client, found, scenario } = await sabotage()
  const name = at(claims, 0).metadata.name
  scenario.hooks.onLogLine(
    JSON.stringify({
      message: 'disrupting node(s)',
      'disrupted-nodes': [{ NodeClaim: { name } }],
      'replacement-node-count': 0,
    }),
  )
  await taint(at(claims, 0), 'Empty')
  await client.delete(nodeClaims, { name })
  expect(found()).toEqual(matching(/^I14 .* goes as empty although web-/))
})

test('I3, I5, I6, I21, I31: the wrong machine', async () => {
  const { claims, client, found, scenario, nodeOf } = await sabotage()
  const { aws } = scenario.world.stack.cluster
  const healthy = await nodeOf(at(claims, 0))
  await client.delete(nodes, { name: healthy.metadata.name })
  expect(found()).toEqual(matching(/^I3 .* is deleted although claim .* and its machine live$/))

  const id = at(claims, 1).status?.providerID?.split('/').at(-1) ?? ''
  await aws.clients.ec2.terminateInstances({ InstanceIds: [id] })
  expect(found()).toEqual(matching(/^I5 i-.* is terminated while claim .* wants it and its node is Ready$/))

  const third = at(claims, 2)
  await client.patch(
    nodeClaims,
    { name: third.metadata.name },
    { kind: 'merge', body: { metadata: { finalizers: null } } },
  )
  await client.delete(nodeClaims, { name: third.metadata.name })
  expect(found()).toContainEqual(expect.stringMatching(/^I6 .* is gone while i-.* is running$/))

  const fourth = await nodeOf(at(claims, 3))
  const { labels = {} } = fourth.metadata
  await client.create(nodes, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'twin', labels },
    spec: { providerID: fourth.spec.providerID ?? '' },
  })
  expect(found()).toContainEqual(expect.stringMatching(/^I3 twin: shares its provider ID/))

  const stranger = at(aws.state.instances, 4)
  stranger.tags = {}
  await aws.clients.ec2.terminateInstances({ InstanceIds: [stranger.id] })
  expect(found()).toContainEqual(expect.stringMatching(/^I21 i-.* is terminated though it is not ours$/))

  const young = await client.create(nodeClaims, aClaim('young'))
  const { status } = setCondition(
    young,
    nodeClaimConditions,
    { type: 'Launched', status: 'True' },
    scenario.world.stack.cluster.clock.now(),
  )
  const running = aws.state.instances.find(({ state }) => state === 'running')
  const body = { status: { ...status, providerID: `aws:///us-west-2a/${running?.id ?? ''}` } }
  await client.patch(nodeClaims, { name: 'young' }, { kind: 'merge', body }, { subresource: 'status' })
  found()
  await runAsController('interruption', () => client.delete(nodeClaims, { name: 'young' }, { dryRun: true }))
  expect(found()).toEqual([])
  await client.delete(nodeClaims, { name: 'young' })
  expect(found()).toContainEqual(expect.stringMatching(/^I31 young: is given up 0 s after its creation/))
})

test('I10, I11, I19: promises to pods', async () => {
  const { claims, taint, client, found, scenario, nodeOf, podOn } = await sabotage({
    pools: [{ name: 'general', budget: '100%' }],
  })
  const [protectedClaim, guardedClaim] = [at(claims, 0), at(claims, 1)]
  const precious = await podOn(await nodeOf(protectedClaim))
  const key = { namespace: 'default', name: precious.metadata.name }
  await client.patch(pods, key, {
    kind: 'merge',
    body: { metadata: { annotations: { [annotationDoNotDisrupt]: 'true' } } },
  })
  await scenario.run(3 * minute)
  await taint(protectedClaim)
  expect(found()).toEqual(matching(/^I11 .* is disrupted although web-.* says do-not-disrupt$/))
  await client.create(events, nominated(precious, 'elsewhere'))
  expect(found()).toEqual(matching(/^I19 web-.* says do-not-disrupt, and a place was made for it elsewhere$/))
  await client.evict(key).catch(() => undefined)
  expect(found()).toEqual(matching(/^I11 default\/web-.* is evicted although it said do-not-disrupt$/))

  await client.patch(
    podDisruptionBudgets,
    { namespace: 'default', name: 'web' },
    { kind: 'merge', body: { spec: { maxUnavailable: 0 } } },
  )
  await scenario.run(4 * minute)
  await taint(guardedClaim)
  expect(found()).toEqual(matching(/^I10 .* is disrupted although PDB web never lets web-.* go$/))
  const guarded = await podOn(await nodeOf(guardedClaim))
  await client.delete(pods, { namespace: 'default', name: guarded.metadata.name })
  expect(found()).toEqual(matching(/^I10 default\/web-.* is deleted, not evicted, before any deadline$/))
})

test('I8, I9: drift without an edit, and without a reason that names it', async () => {
  const { claims, client, found, scenario } = await sabotage()
  const drift = async (claim: NodeClaim, message: string): Promise<void> => {
    const change = { type: 'Drifted', status: 'True' as const, reason: 'NodePoolDrifted', message }
    const { status } = setCondition(claim, nodeClaimConditions, change, scenario.world.stack.cluster.clock.now())
    const body = { status: { conditions: status?.conditions } }
    await client.patch(nodeClaims, { name: claim.metadata.name }, { kind: 'merge', body }, { subresource: 'status' })
  }
  await drift(at(claims, 0), 'NodePoolDrifted: spec.template.metadata.labels.a: 1 -> 2 (generation 2)')
  expect(found()).toEqual(matching(/^I8 .* NodePoolDrifted although nobody changed NodePool general$/))
  const labels = { revision: '2' }
  await client.patch(
    nodePools,
    { name: 'general' },
    { kind: 'merge', body: { metadata: { annotations: { by: 'people' } } } },
  )
  const people = scenario.world.stack.cluster.client
  await people.patch(
    nodePools,
    { name: 'general' },
    { kind: 'merge', body: { spec: { template: { metadata: { labels } } } } },
  )
  await drift(at(claims, 1), 'NodePoolDrifted: spec.template.metadata.labels.revision: (absent) -> 2 (generation 2)')
  expect(found()).toEqual([])
  await drift(at(claims, 2), 'NodePoolDrifted')
  expect(found()).toEqual(matching(/^I9 .* NodePoolDrifted does not say what changed, but "NodePoolDrifted"$/))
})

test('I16, I17, I20: too many launches', async () => {
  const shapes = [{ name: 'web', replicas: 6, cpu: '1', memory: '2Gi' }]
  const { client, found, scenario } = await sabotage({ shapes, pools: [{ name: 'general', cpu: '40' }] })
  const { cluster } = scenario.world.stack
  const waiting = async (name: string): Promise<Pod> =>
    cluster.client.create(pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default', labels: { app: 'web' } },
      spec: { containers: [{ name: 'app', image: 'pause', resources: { requests: { cpu: '60' } } }] },
    })
  const pod = await waiting('bare-0')
  await client.create(nodeClaims, aClaim('first'))
  await client.create(nodeClaims, aClaim('second'))
  await client.create(events, nominated(pod, 'first'))
  expect(found()).toEqual([])
  await client.create(events, nominated(pod, 'second'))
  expect(found()).toEqual(matching(/^I16 bare-0: is promised to second while first, made for it, is on its way$/))

  await client.create(nodeClaims, aClaim('large', { resources: { requests: { cpu: '39' } } }))
  expect(found()).toEqual(matching(/^I17 general: \d+(\.\d+)? cpu, limit 40$/))

  for (let index = 1; index <= 61; index += 1) {
    expect(found()).toEqual([])
    await client.create(nodeClaims, aClaim(`vain-${index}`, { resources: {} }))
    await client.delete(nodeClaims, { name: `vain-${index}` })
  }
  expect(found()).toEqual(matching(/^I20 launches: 61 claims ended unlaunched within an hour$/))
})

test('I17: a node that stays in the very moment in which another takes its room, and afterwards', async () => {
  const shapes = [{ name: 'web', replicas: 6, cpu: '1', memory: '2Gi' }]
  const { claims, client, found } = await sabotage({ shapes, pools: [{ name: 'general', cpu: '40' }] })
  const { name } = at(claims, 0).metadata
  const others = claims.slice(1).reduce((sum, { status }) => sum + Number(status?.capacity?.['cpu']), 0)
  const room = String(40 - others)
  const writeStatus = (claim: string, status: object) =>
    client.patch(nodeClaims, { name: claim }, { kind: 'merge', body: { status } }, { subresource: 'status' })
  const before = at(claims, 0).status?.conditions ?? []
  const leaving = { type: 'DisruptionReason', status: 'True', reason: 'Drifted', message: 'Drifted' }
  await writeStatus(name, { conditions: [...before, { ...leaving, lastTransitionTime: '2026-01-01T00:00:00Z' }] })
  await client.create(nodeClaims, aClaim('instead', { resources: { requests: { cpu: room } } }))
  await writeStatus(name, { conditions: before })
  await writeStatus('instead', { capacity: { cpu: room } })
  expect(found()).toEqual([])
  await client.create(nodeClaims, aClaim('beside', { resources: { requests: { cpu: '1' } } }))
  expect(found()).toEqual(matching(/^I17 general: \d+ cpu, limit 40$/))
})

test('I16: machine after machine for one pod, of one type or of many', async () => {
  const { client, found, scenario } = await sabotage()
  const waiting = async (name: string): Promise<Pod> =>
    scenario.world.stack.cluster.client.create(pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: { containers: [{ name: 'app', image: 'pause', resources: { requests: { cpu: '60' } } }] },
    })
  const launchFor = async (pod: Pod, name: string, type: string, imageID = 'ami-1'): Promise<void> => {
    const claim = aClaim(name)
    const labels = { ...claim.metadata.labels, [labelInstanceType]: type }
    const created = await client.create(nodeClaims, { ...claim, metadata: { ...claim.metadata, labels } })
    const now = scenario.world.stack.cluster.clock.now()
    const { status } = setConditionTrue(created, nodeClaimConditions, 'Launched', now)
    await client.patch(
      nodeClaims,
      { name },
      { kind: 'merge', body: { status: { ...status, imageID } } },
      { subresource: 'status' },
    )
    const metadata = { name: `${pod.metadata.name}.${name}`, namespace: 'default' }
    await client.create(events, { ...nominated(pod, name), metadata })
  }
  const alike = await waiting('alike')
  for (const index of [1, 2, 3]) await launchFor(alike, `alike-${index}`, 'c5.large')
  await launchFor(alike, 'alike-other', 'c5.large', 'ami-2')
  const mixed = await waiting('mixed')
  for (const index of [1, 2, 3, 4, 5, 6]) await launchFor(mixed, `mixed-${index}`, `m${index}.large`)
  expect(found()).toEqual([])
  await launchFor(alike, 'alike-4', 'c5.large')
  expect(found()).toEqual(matching(/^I16 alike: 4 machines of general c5.large were launched for it in an hour$/))
  await launchFor(mixed, 'mixed-7', 'm7.large')
  expect(found()).toEqual(matching(/^I16 mixed: 7 machines were launched for it in an hour$/))
})

test('I12, I15, I35: what nobody brings to an end', async () => {
  const { claims, client, found, scenario, taint } = await sabotage()
  await taint(at(claims, 0))
  const drifted = at(claims, 1)
  const message = 'RequirementsDrifted: a: 1 -> 2'
  const { status } = setCondition(
    drifted,
    nodeClaimConditions,
    { type: 'Drifted', status: 'True', reason: 'RequirementsDrifted', message },
    scenario.world.stack.cluster.clock.now(),
  )
  await client.patch(
    nodeClaims,
    { name: drifted.metadata.name },
    { kind: 'merge', body: { status: { conditions: status?.conditions } } },
    { subresource: 'status' },
  )
  const lost = at(claims, 2)
  await client.delete(nodeClaims, { name: lost.metadata.name })
  scenario.world.stack.cluster.aws.terminateOutOfBand(lost.status?.providerID?.split('/').at(-1) ?? '')
  const node = await client.get(nodes, { name: lost.status?.nodeName ?? '' })
  await client.patch(nodes, { name: node.metadata.name }, { kind: 'merge', body: { metadata: { finalizers: null } } })
  await client.delete(nodes, { name: node.metadata.name }).catch(() => undefined)
  found()
  await scenario.run(20 * minute)
  expect(found()).toEqual(matching(/^I12 .* keeps its finalizer$/))
  // The tainted one keeps its pool busy; once that is over, the drifted one is waited for.
  await scenario.run(60 * minute)
  expect(found()).toEqual(matching(/^I15 .* is tainted and nothing happens$/))
  await client.patch(
    nodeClaims,
    { name: lost.metadata.name },
    { kind: 'merge', body: { metadata: { finalizers: null } } },
  )
  await client.patch(
    nodes,
    { name: at(claims, 0).status?.nodeName ?? '' },
    { kind: 'merge', body: { spec: { taints: [] } } },
  )
  await scenario.run(20 * minute)
  expect(found()).toEqual(matching(/^I35 .* has drifted, and nobody looks at it$/))
})

test('I29, I32, I33, I40, I41: calls, writes, memory, messages, images, secrets', async () => {
  const { claims, client, found, scenario } = await sabotage()
  const { aws } = scenario.world.stack.cluster
  await client.patch(nodePools, { name: 'general' }, { kind: 'merge', body: { spec: { weight: 3 } } })
  expect(found()).toEqual(matching(/^I29 nodepools\/general: the operator writes a spec$/))

  const look = new Look(scenario.world)
  const heap = { collected: 0, used: () => 4 * 2 ** 30, collect: () => (heap.collected += 1) }
  memoryWatcher(look, { ...heap, used: () => (heap.collected === 0 ? 4 * 2 ** 30 : 2 ** 20) }).tick?.()
  expect(look.violations).toEqual([])
  memoryWatcher(look, heap).tick?.()
  expect(look.violations.map(({ invariant }) => invariant)).toEqual(['I32'])

  const told = (claim: NodeClaim) => ({
    ...nominated({ metadata: claim.metadata } as unknown as Pod, 'x'),
    metadata: { name: `told.${claim.metadata.name}`, namespace: 'default' },
    involvedObject: { kind: 'NodeClaim', name: claim.metadata.name, uid: claim.metadata.uid },
    reason: 'SpotInterrupted',
    message: 'Spot interruption warning was triggered',
  })
  await client.create(events, told(at(claims, 0)))
  expect(found()).toEqual(matching(/^I33 .* SpotInterrupted, but no message named i-/))
  aws.interrupt(at(claims, 1).status?.providerID?.split('/').at(-1) ?? '', 'rebalance')
  await aws.clients.ec2.describeSubnets({})
  await client.create(events, told(at(claims, 1)))
  expect(found()).toEqual([])

  await aws.clients.ec2.describeImages({ Filters: [{ Name: 'name', Values: ['*'] }] })
  expect(found()).toEqual(matching(/^I40 DescribeImages: asks for names of any owner$/))
  const foreign = aws.addImage({ name: 'amazon-eks-node', ownerID: '666666666666', public: true })
  await client.patch(
    nodeClaims,
    { name: at(claims, 0).metadata.name },
    { kind: 'merge', body: { status: { imageID: foreign.id } } },
    { subresource: 'status' },
  )
  expect(found()).toEqual(matching(/^I40 .* runs image ami-.* of 666666666666$/))

  scenario.hooks.onLogLine(JSON.stringify({ message: 'launching', userData: secretMarker }))
  expect(found()).toEqual(matching(/^I41 log: a line holds user data$/))
  await client.create(events, {
    ...told(at(claims, 2)),
    reason: 'Other',
    message: Buffer.from(`echo ${secretMarker}`).toString('base64'),
  })
  expect(found().filter((text) => text.startsWith('I41'))).toEqual([])
  await client.create(events, { ...told(at(claims, 3)), reason: 'Other', message: secretMarker })
  expect(found()).toEqual(matching(/^I41 told\..* an event holds user data$/))
})

test('rollouts: beyond the shared budget, beyond the step, while halted', async () => {
  const { claims, client, taint, found, scenario } = await sabotage({
    pools: [{ name: 'general', budget: '100%' }],
    policy: { steps: [{ nodes: 1 }], sharedBudget: '2' },
  })
  const name = 'everything'
  const set = (status: object) =>
    client.patch(rolloutPolicies, { name }, { kind: 'merge', body: { status } }, { subresource: 'status' })
  await set({ revision: 'r1', startTime: '2026-01-01T00:00:00Z', step: 0, totalNodes: 5, phase: 'Progressing' })
  await taint(at(claims, 0))
  await taint(at(claims, 1))
  expect(found()).toEqual([])
  await taint(at(claims, 2))
  expect(found()).toEqual(matching(/^rollout .*: 3 nodes in replacement, shared budget 2$/))
  for (const index of [0, 1]) await client.delete(nodeClaims, { name: at(claims, index).metadata.name })
  expect(found()).toContainEqual(
    expect.stringMatching(/^rollout everything\/r1@.*Z: 2 nodes were replaced in step 0, which has 1$/),
  )
  await set({ phase: 'Halted' })
  await scenario.run(4 * minute)
  await taint(at(claims, 3))
  expect(found()).toContainEqual(
    expect.stringMatching(/^rollout everything.* is replaced while the rollout is Halted$/),
  )
})

test('rollouts: beyond the rate', async () => {
  const { claims, taint, found, scenario } = await sabotage({
    pools: [{ name: 'general', budget: '100%' }],
    policy: { rate: { nodes: 1, per: '10m' } },
  })
  await taint(at(claims, 0))
  await scenario.run(11 * minute)
  await taint(at(claims, 1))
  expect(found()).toEqual([])
  await taint(at(claims, 2))
  expect(found()).toEqual(matching(/^rollout .* begins beyond 1 nodes per 10m$/))
})

test('rollouts: a clock that is set forward fills the rate, by no more than that', async () => {
  const { claims, taint, found, scenario } = await sabotage({
    pools: [{ name: 'general', budget: '100%' }],
    policy: { rate: { nodes: 1, per: '10m' } },
  })
  const { clock } = scenario.world.stack.cluster
  await taint(at(claims, 0))
  clock.jump(-10 * minute)
  await scenario.run(minute)
  clock.jump(10 * minute)
  await taint(at(claims, 1))
  expect(found()).toEqual([])
  await taint(at(claims, 2))
  expect(found()).toEqual(matching(/^rollout .* begins beyond 1 nodes per 10m$/))
})

test('rollouts: without approval, outside windows, and a rollback without end', async () => {
  const { claims, client, taint, found, scenario } = await sabotage({
    pools: [{ name: 'general', budget: '100%' }],
    policy: { mode: 'Approve', windows: [{ schedule: '0 * * * *', duration: '30m' }] },
  })
  const { clock } = scenario.world.stack.cluster
  const set = (status: object) =>
    client.patch(
      rolloutPolicies,
      { name: 'everything' },
      { kind: 'merge', body: { status } },
      { subresource: 'status' },
    )
  const approve = (target: string) => {
    const body = { metadata: { annotations: { 'joinery.dev/approve': target } } }
    return client.patch(nodePools, { name: 'general' }, { kind: 'merge', body })
  }
  await scenario.run(hour - (clock.now() % hour))
  await approve('t1')
  await set({ phase: 'Progressing', nodePools: [{ name: 'general', targetHash: 't1' }] })
  await scenario.run(4 * minute)
  await taint(at(claims, 0))
  expect(found()).toEqual([])
  await set({ nodePools: [{ name: 'general', targetHash: 't2' }] })
  await scenario.run(4 * minute)
  await taint(at(claims, 1))
  expect(found()).toEqual(matching(/^rollout .* begins towards t2, which nobody has approved$/))
  await approve('t2')
  await scenario.run(30 * minute)
  await taint(at(claims, 2))
  expect(found()).toEqual(matching(/^rollout .* begins outside all windows$/))
  await set({ phase: 'RollingBack', revision: 'r1', totalNodes: 5, updatedNodes: 4, blockedNodes: 1 })
  await scenario.run(70 * minute)
  expect(found().filter((text) => text.startsWith('rollout'))).toEqual([])
  await set({ phase: 'RollingBack', revision: 'r1', blockedNodes: 0 })
  await scenario.run(70 * minute)
  expect(found()).toContainEqual(expect.stringMatching(/^rollout everything\/r1: is still being rolled back$/))
})

test('I1, I2, I4, I13, I25, I26: what is left behind, and what comes back', async () => {
  const { claims, client, found, scenario, nodeOf } = await sabotage()
  const { aws } = scenario.world.stack.cluster
  const machineOf = (claim: NodeClaim) => aws.account.instance(claim.status?.providerID?.split('/').at(-1) ?? '')
  const [orphan, twin, lost, volume] = [at(claims, 0), at(claims, 1), at(claims, 2), at(claims, 3)]

  const startup = { key: 'startup.example.com/network', effect: 'NoSchedule' as const }
  const { name } = (await nodeOf(twin)).metadata
  for (const taints of [[startup], [], [startup]]) {
    await client.patch(nodes, { name }, { kind: 'merge', body: { spec: { taints } } })
  }
  expect(found()).toEqual(matching(/^I25 .* startup.example.com\/network is back$/))

  const attachedTo = await nodeOf(volume)
  await client.create(volumeAttachments, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name: 'held' },
    spec: { attacher: 'ebs.csi.aws.com', nodeName: attachedTo.metadata.name, source: { persistentVolumeName: 'pv' } },
  })
  await client.delete(nodeClaims, { name: volume.metadata.name })
  await aws.clients.ec2.terminateInstances({ InstanceIds: [machineOf(volume)?.id ?? ''] })
  expect(found()).toEqual(matching(/^I26 i-.* is terminated with 1 volumes attached$/))

  const tags = machineOf(twin)?.tags ?? {}
  tags['karpenter.sh/nodeclaim'] = at(claims, 4).metadata.name
  await client.patch(
    nodeClaims,
    { name: orphan.metadata.name },
    { kind: 'merge', body: { metadata: { finalizers: null } } },
  )
  await client.delete(nodeClaims, { name: orphan.metadata.name })
  aws.terminateOutOfBand(machineOf(lost)?.id ?? '')
  await scenario.run(minute)
  expect(found()).toContainEqual(expect.stringMatching(/^I2 .* owns 2 running instances$/))
  await scenario.run(20 * minute)
  const late = found()
  expect(late).toContainEqual(expect.stringMatching(/^I1 i-.* runs without a NodeClaim$/))
  expect(late).toContainEqual(expect.stringMatching(/^I4 .* is there although its machine is gone$/))

  const operator = { state: { synced: () => false }, lifecycle: { state: 'running' } }
  const stack = { cluster: scenario.world.stack.cluster, operator } as unknown as Scenario['world']['stack']
  const look = new Look({ ...scenario.world, stack })
  const watcher = loopWatcher(look)
  for (let left = 10; left > 0; left -= 1) {
    watcher.tick?.()
    await scenario.run(minute)
  }
  expect(look.violations.map(({ invariant }) => invariant)).toEqual(['I13'])
})
