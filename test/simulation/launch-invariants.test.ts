import { expect, test } from 'vitest'
import { nodeClaimConditions, setConditionTrue } from '../../src/api/conditions.ts'
import type { Pod } from '../../src/api/kubernetes.ts'
import { labelInstanceType } from '../../src/api/labels.ts'
import { nodeClaims } from '../../src/kube/karpenter-kinds.ts'
import { events, pods } from '../../src/kube/kinds.ts'
import { aClaim, at, matching, nominated, sabotage } from './invariants/sabotage.ts'

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
