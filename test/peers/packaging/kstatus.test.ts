import { expect, test } from 'vitest'
import { isConditionTrue } from '../../../src/api/conditions.ts'
import type { KubeObject } from '../../../src/api/kubernetes.ts'
import { ec2NodeClasses, nodeClaims, nodePools, rolloutPolicies } from '../../../src/kube/karpenter-kinds.ts'
import { createRolloutWorld, hour, minute, newVersion, type RolloutWorld } from '../../scenarios/rollout/world.ts'
import { kstatusOf } from '../support/kstatus.ts'
import { describeWithPeers } from '../support/peers.ts'

type Judged = KubeObject & { readonly status?: { readonly conditions?: readonly object[] } }

/** Every version of what people wait on, as somebody who watches gets it. */
function record({ stack }: RolloutWorld) {
  const seen: Judged[] = []
  const { caches } = stack.operator
  const add = (object: KubeObject | undefined): unknown => object !== undefined && seen.push(object as Judged)
  const stops = [
    caches.of(nodePools).subscribe(({ after }) => add(after)),
    caches.of(ec2NodeClasses).subscribe(({ after }) => add(after)),
    caches.of(rolloutPolicies).subscribe(({ after }) => add(after)),
  ]
  return { seen, stop: () => stops.forEach((stop) => stop()) }
}

async function everything({ stack }: RolloutWorld): Promise<readonly KubeObject[]> {
  const { client } = stack.cluster
  const lists = await Promise.all([
    client.list(nodePools),
    client.list(ec2NodeClasses),
    client.list(rolloutPolicies),
    client.list(nodeClaims),
  ])
  return lists.flatMap(({ items }): readonly KubeObject[] => items)
}

/** What docs/rollout-status.md promises to whoever waits by kstatus, as Flux and Helm do of themselves. */
await describeWithPeers('what kstatus says of a rollout', ['kstatus'], () => {
  test('InProgress while nodes are replaced, Current before and after', async () => {
    const world = await createRolloutWorld({ policy: { steps: [{ nodes: 1, soak: '5m' }] }, nodes: 3 })
    expect(new Set((await kstatusOf(await everything(world))).map(({ status }) => status))).toEqual(
      new Set(['Current']),
    )
    const { seen, stop } = record(world)
    await world.editAlias(newVersion)
    const [edited] = await kstatusOf([world.nodeClass()])
    expect(edited?.status).toBe('InProgress')
    expect(await world.until(() => world.onNewImage().length === 3 && world.allRun(), 4 * hour)).toBe(true)
    await world.run(10 * minute)
    stop()
    const verdicts = await kstatusOf(seen)
    const rolling = seen.flatMap((object, index) =>
      isConditionTrue(object, 'Reconciling') ? [verdicts[index]?.status] : [],
    )
    expect(rolling.length).toBeGreaterThan(10)
    expect(new Set(rolling)).toEqual(new Set(['InProgress']))
    expect(verdicts.map(({ status }) => status)).not.toContain('Failed')
    expect(new Set((await kstatusOf(await everything(world))).map(({ status }) => status))).toEqual(
      new Set(['Current']),
    )
    await world.stack.stop()
  })

  test('Failed, with the cause, once a bad image has been taken back', async () => {
    const world = await createRolloutWorld({
      policy: { steps: [{ nodes: 1, soak: '20m' }], gates: { nodeReadyTimeout: '5m' }, onFailure: 'Rollback' },
      nodes: 3,
    })
    for (const id of world.images.new) world.stack.cluster.behaviours.setImage(id, { becomesReady: false })
    await world.editAlias(newVersion)
    expect(await world.until(() => world.status().failure?.state === 'RolledBack', 3 * hour)).toBe(true)
    await world.run(30 * minute)
    const [pool] = await kstatusOf([world.pool()])
    expect(pool).toMatchObject({ status: 'Failed', message: expect.stringContaining('failed to come up') as string })
    await world.stack.stop()
  })
})
