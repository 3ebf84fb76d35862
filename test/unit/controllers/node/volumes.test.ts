import { describe, expect, test } from 'vitest'
import { awaitVolumeDetachment } from '../../../../src/controllers/node/await-volumes.ts'
import type { Termination } from '../../../../src/controllers/node/termination-state.ts'
import { nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes, persistentVolumeClaims, volumeAttachments } from '../../../../src/kube/kinds.ts'
import { aNode, aPod, conditionOf, ownedBy } from '../../../support/controller-builders.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import { claimKey, deletedNode, nodeKey, untilDisrupted } from '../../../support/deleted-node.ts'

describe('volumes', () => {
  const attachment = (name: string, volume: string) => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name, finalizers: ['external-attacher'] },
    spec: { attacher: 'ebs.csi.aws.com', nodeName: 'n1', source: { persistentVolumeName: volume } },
  })
  const volumeClaim = (name: string, volume: string) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'default' },
    spec: { volumeName: volume },
  })

  test('case 131: the volume of an evicted pod is waited for, that of a pod which stays is not', async () => {
    const { world } = await deletedNode({
      terminationMs: 60_000,
      pods: [
        aPod('stays', {
          spec: {
            tolerations: [...untilDisrupted],
            volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'kept' } }],
          },
        }),
        aPod('goes', { spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'moved' } }] } }),
      ],
    })
    await world.kube.create(persistentVolumeClaims, volumeClaim('kept', 'pv-kept'))
    await world.kube.create(persistentVolumeClaims, volumeClaim('moved', 'pv-moved'))
    await world.kube.create(volumeAttachments, attachment('a-kept', 'pv-kept'))
    await world.kube.create(volumeAttachments, attachment('a-moved', 'pv-moved'))
    await world.run(60_000)
    expect(conditionOf(await world.read(nodeClaims, claimKey), 'VolumesDetached')).toBe(
      'Unknown/AwaitingVolumeDetachment/AwaitingVolumeDetachment',
    )
    expect(world.events('AwaitingVolumeDetachment')[0]).toBe('Awaiting deletion of bound volumeattachments (a-moved)')
    expect(world.cloud.deleted).toEqual([])
    await world.kube.patch(
      volumeAttachments,
      { name: 'a-moved' },
      { kind: 'merge', body: { metadata: { finalizers: [] } } },
    )
    await world.kube.delete(volumeAttachments, { name: 'a-moved' })
    await world.run(10_000)
    expect(conditionOf(await world.read(nodeClaims, claimKey), 'VolumesDetached')).toBe('True/VolumesDetached/')
    await world.run(60_000)
    expect(await world.exists(nodes, nodeKey)).toBe(false)
  })

  test('case 131: the termination time ends the waiting', async () => {
    const { world } = await deletedNode({ terminationInSeconds: 30, terminationMs: 3_600_000 })
    await world.kube.create(volumeAttachments, attachment('a1', 'pv-1'))
    await world.run(30_000)
    expect(world.cloud.deleted).toEqual([])
    expect(conditionOf(await world.read(nodeClaims, claimKey), 'VolumesDetached')).toMatch(/^Unknown/)
    await world.run(2_000)
    expect(conditionOf(await world.read(nodeClaims, claimKey), 'VolumesDetached')).toBe(
      'False/TerminationGracePeriodElapsed/TerminationGracePeriodElapsed',
    )
    expect(world.cloud.deleted).not.toEqual([])
  })

  test('case 131: a clock that is set does not end it', async () => {
    const { world } = await deletedNode({ terminationInSeconds: 3_600, terminationMs: 3_600_000 })
    await world.kube.create(volumeAttachments, attachment('a1', 'pv-1'))
    await world.run(10_000)
    world.clock.jump(7_200_000)
    await world.run(3_500_000)
    expect(world.cloud.deleted).toEqual([])
    await world.run(120_000)
    expect(world.cloud.deleted).not.toEqual([])
  })

  test.each([
    ['at that very time it still goes on', 0, true],
    ['a moment later it does not', 1, false],
  ])('case 131: %s', (_name, lateMs, waits) => {
    const terminationTime = Date.parse('2026-01-01T00:05:00Z')
    const { clock, recorder } = aControllerWorld()
    clock.jump(terminationTime + lateMs - clock.now())
    const waiting = awaitVolumeDetachment({ clock, recorder }, {
      node: aNode(),
      terminationTime,
      draft: undefined,
      lookup: { podsOn: () => [] },
      volumes: { attachmentsOf: () => [attachment('a1', 'pv-1')], claims: { get: () => undefined } },
    } as unknown as Termination)
    expect(waiting !== undefined).toBe(waits)
  })

  test('of many attachments five are named', async () => {
    const { world } = await deletedNode()
    for (const name of ['g', 'f', 'e', 'd', 'c', 'b', 'a']) {
      await world.kube.create(volumeAttachments, attachment(name, `pv-${name}`))
    }
    await world.run(10_000)
    expect(world.events('AwaitingVolumeDetachment')[0]).toBe(
      'Awaiting deletion of bound volumeattachments (a, b, c, d, e and 2 other(s))',
    )
  })

  test('that of a pod which has run to its end is waited for', async () => {
    const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'used' } }]
    const { world } = await deletedNode({ pods: [aPod('done', { spec: { volumes }, status: { phase: 'Succeeded' } })] })
    await world.kube.create(persistentVolumeClaims, volumeClaim('used', 'pv-used'))
    await world.kube.create(volumeAttachments, attachment('a-used', 'pv-used'))
    await world.run(60_000)
    expect(world.cloud.deleted).toEqual([])
  })

  const staying: Record<string, Parameters<typeof aPod>[1]> = {
    'a static pod': {
      metadata: ownedBy('Node', 'v1'),
      spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'kept' } }] },
    },
    'a pod stuck in termination': {
      metadata: { finalizers: ['hold'], deletionTimestamp: '2025-12-31T23:58:59Z' },
      spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'kept' } }] },
    },
    'a pod with an ephemeral volume that tolerates the taint': {
      spec: { tolerations: [...untilDisrupted], volumes: [{ name: 'kept', ephemeral: {} }] },
    },
  }
  test.each(Object.entries(staying))('that of %s is not waited for, nor one without a volume', async (_name, pod) => {
    const { world } = await deletedNode({ pods: [aPod('p', pod)] })
    for (const name of ['kept', 'p-kept']) {
      await world.kube.create(persistentVolumeClaims, volumeClaim(name, `pv-${name}`))
      await world.kube.create(volumeAttachments, attachment(`a-${name}`, `pv-${name}`))
    }
    const inline = attachment('inline', '')
    await world.kube.create(volumeAttachments, { ...inline, spec: { ...inline.spec, source: {} } })
    await world.run(10_000)
    // The claim of an ephemeral volume is named after its pod as well.
    const other = pod?.spec?.tolerations === undefined ? 'a-p-kept' : 'a-kept'
    expect(world.events('AwaitingVolumeDetachment')[0]).toBe(`Awaiting deletion of bound volumeattachments (${other})`)
  })
})
