import { expect, test } from 'vitest'
import { nodeClaimConditions, setCondition } from '../../src/api/conditions.ts'
import type { NodeClaim } from '../../src/api/karpenter.ts'
import type { Pod } from '../../src/api/kubernetes.ts'
import { annotationDoNotDisrupt, annotationTerminationTimestamp } from '../../src/api/labels.ts'
import { runAsController } from '../../src/kube/current-controller.ts'
import { nodeClaims, nodePools } from '../../src/kube/karpenter-kinds.ts'
import { events, nodes, podDisruptionBudgets, pods, volumeAttachments } from '../../src/kube/kinds.ts'
import { toTimestamp } from '../../src/model/clock.ts'
import { type Scenario } from './incidents/scenario.ts'
import { loopWatcher, memoryWatcher } from './invariants/loop.ts'
import { Look } from './invariants/look.ts'
import { secretMarker } from './objects.ts'
import { minute } from './world.ts'
import { secretWatcher } from './invariants/secrets.ts'
import { aClaim, at, matching, nominated, sabotage } from './invariants/sabotage.ts'

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

test('I7: each reason has its own budget, and the claim tells which it was', async () => {
  const { claims, taint, found } = await sabotage({
    pools: [{ name: 'general', budget: '100%', budgets: [{ nodes: '1', reasons: ['Drifted'] }] }],
  })
  await taint(at(claims, 0), 'Underutilized')
  await taint(at(claims, 1), 'Underutilized')
  expect(found()).toEqual([])
  await taint(at(claims, 2), 'Drifted')
  expect(found()).toEqual(matching(/^I7 general\/.*: 3 out of service when it was disrupted as Drifted, budget 1: /))
})

test.each([
  ['within its hours', '0 0 * * *', matching(/^I7 general\/.*: 1 out of service when it was disrupted, budget 0: /)],
  ['not outside of them', '0 9 * * *', []],
])('I7: a budget with a schedule holds %s', async (_when, schedule, expected) => {
  const { claims, taint, found, scenario } = await sabotage({
    pools: [{ name: 'general', budget: '100%', budgets: [{ nodes: '0', schedule, duration: '2h' }] }],
  })
  // The day begins at midnight.
  expect(new Date(scenario.world.stack.cluster.clock.now()).getUTCHours()).toBeLessThan(2)
  await taint(at(claims, 0))
  expect(found()).toEqual(expected)
})

test('I11: what a pod says in the very moment of its eviction counts from the next on', async () => {
  const { claims, client, found, scenario, nodeOf, podOn } = await sabotage()
  const pod = await podOn(await nodeOf(at(claims, 0)))
  const key = { namespace: 'default', name: pod.metadata.name }
  const body = { metadata: { annotations: { [annotationDoNotDisrupt]: 'true' } } }
  await client.patch(pods, key, { kind: 'merge', body })
  await client.evict(key, { dryRun: true }).catch(() => undefined)
  expect(found()).toEqual([])
  await scenario.run(1_000)
  await client.evict(key, { dryRun: true }).catch(() => undefined)
  expect(found()).toEqual(matching(/^I11 default\/web-.* is evicted although it said do-not-disrupt$/))
})

test('I10: a deadline is what it meant when it was written, whatever the wall clock says by now', async () => {
  const { claims, client, found, scenario, nodeOf, podOn } = await sabotage()
  const { clock } = scenario.world.stack.cluster
  const [early, due] = [at(claims, 0), at(claims, 1)]
  const annotations = { [annotationTerminationTimestamp]: toTimestamp(clock.now() + 15 * minute) }
  for (const { metadata } of [early, due]) {
    await client.patch(nodeClaims, { name: metadata.name }, { kind: 'merge', body: { metadata: { annotations } } })
  }
  const removePodOf = async (claim: NodeClaim): Promise<void> => {
    const { metadata } = await podOn(await nodeOf(claim))
    await client.delete(pods, { namespace: 'default', name: metadata.name }, { dryRun: true })
  }
  await scenario.run(5 * minute)
  await removePodOf(early)
  expect(found()).toContainEqual(expect.stringMatching(/^I10 default\/web-.* is deleted, not evicted, before any/))
  clock.jump(-30 * minute)
  await scenario.run(10 * minute)
  await removePodOf(due)
  expect(found()).toEqual([])
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

  const named = { status: { nodeName: 'impostor' } }
  await client.patch(
    nodeClaims,
    { name: at(claims, 3).metadata.name },
    { kind: 'merge', body: named },
    { subresource: 'status' },
  )
  await client.create(nodes, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'impostor', labels },
    spec: { providerID: 'aws:///us-west-2a/i-of-nobody' },
  })
  expect(found()).toContainEqual(expect.stringMatching(/^I3 impostor: was registered for a claim of machine aws:/))

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
  await client.create(events, nominated(guarded, 'elsewhere'))
  expect(found()).toEqual(matching(/^I19 web-.* is held by PDB web, and a place was made for it elsewhere$/))
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
  const people = scenario.world.stack.cluster.client
  await people.patch(
    nodePools,
    { name: 'general' },
    { kind: 'merge', body: { metadata: { annotations: { by: 'people' } } } },
  )
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

test('I13, I29, I32, I33, I40, I41: mistakes, calls, writes, memory, messages, images, secrets', async () => {
  const { claims, client, found, scenario } = await sabotage()
  const { aws } = scenario.world.stack.cluster
  await client.patch(nodePools, { name: 'general' }, { kind: 'merge', body: { spec: { weight: 3 } } })
  expect(found()).toEqual(matching(/^I29 nodepools\/general spec: is not for the operator to write$/))
  const annotate = (key: string) =>
    client.patch(nodePools, { name: 'general' }, { kind: 'merge', body: { metadata: { annotations: { [key]: 'y' } } } })
  await annotate('joinery.dev/x')
  expect(found()).toEqual([])
  await annotate('example.com/x')
  expect(found()).toEqual(matching(/^I29 nodepools\/general metadata.annotations\[example.com\/x\]: is not/))
  const weight = [{ op: 'replace', path: '/spec/weight', value: 4 }]
  await client.patch(nodePools, { name: 'general' }, { kind: 'json', body: weight })
  expect(found()).toEqual(matching(/^I29 nodepools\/general spec.weight: is not/))
  await client.delete(nodePools, { name: 'absent' }).catch(() => undefined)
  expect(found()).toEqual(matching(/^I29 nodepools\/absent: is not for the operator to delete$/))

  scenario.hooks.onLogLine(
    JSON.stringify({ level: 'error', error: "Cannot read properties of undefined (reading 'x')" }),
  )
  expect(found()).toEqual(matching(/^I13 log: a line tells of a mistake in the program: /))

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
  await client.create(events, { ...told(at(claims, 3)), reason: 'Other', message: secretMarker })
  expect(found()).toEqual(matching(/^I41 events\/told\..*: the operator writes user data into it$/))
  const copied = { metadata: { annotations: { 'karpenter.sh/copy': secretMarker } } }
  await client.patch(nodeClaims, { name: at(claims, 3).metadata.name }, { kind: 'merge', body: copied })
  expect(found()).toEqual(matching(/^I41 nodeclaims\/.*: the operator writes user data into it$/))
  for (const before of ['', 'e', 'ec', 'ech']) {
    const other = new Look(scenario.world)
    const userData = Buffer.from(`${before}${secretMarker} > /etc/token`).toString('base64')
    secretWatcher(other).onLog?.({}, JSON.stringify({ message: 'launching', userData }))
    expect(other.violations.map(({ invariant }) => invariant)).toEqual(['I41'])
  }
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
