import type { PersistentVolume, Pod, Unsaved, VolumeAttachment } from '../../api/kubernetes.ts'
import { type Controller, done, requeueAfter, source } from '../../kube/controller.ts'
import { hasCode, isNotFound } from '../../kube/errors.ts'
import { nodes, persistentVolumeClaims, persistentVolumes, pods, volumeAttachments } from '../../kube/kinds.ts'
import type { EmbeddedDeps } from '../deps.ts'
import { holdsResources } from '../scheduler/node-state.ts'
import { claimNames } from '../scheduler/volumes.ts'
import { podCache } from '../workloads/pods.ts'
import { templateHash } from '../workloads/template-hash.ts'

export interface AttachmentOptions {
  /** From the binding of a pod with a volume until the volume is attached. */
  readonly attachMs?: number
  /** From the end of the last pod that uses a volume on a node until it is detached; Infinity for never. */
  readonly detachMs?: number
}

/** Keeps a VolumeAttachment for each volume of the driver that a node's pods use, and takes it away some time after the last. */
export function createAttachmentController(deps: EmbeddedDeps, options: AttachmentOptions): Controller {
  const { caches, client, clock } = deps
  const attachMs = options.attachMs ?? 2_000
  const detachMs = options.detachMs ?? 5_000
  const cache = podCache(caches)
  caches.of(persistentVolumeClaims)
  caches.of(persistentVolumes)
  const attachments = caches.of(volumeAttachments)
  attachments.addIndex('node', nodeNames)
  /** Since when an attachment, by name, has been unused, or has been asked for. */
  const unusedSince = new Map<string, number>()
  const askedAt = new Map<string, number>()
  const nodeOf = (pod: Pod | undefined) => (pod?.spec.nodeName === undefined ? [] : [{ name: pod.spec.nodeName }])
  return {
    name: 'embedded.attachments',
    sources: [
      source(pods, ({ before, after }) => {
        if (after === undefined) return nodeOf(before)
        const bound = before?.spec.nodeName !== after.spec.nodeName
        const ended = before !== undefined && holdsResources(before) && !holdsResources(after)
        return (bound || ended) && claimNames(after).length > 0 ? nodeOf(after) : []
      }),
      source(nodes, ({ before, after }) => (after === undefined ? [{ name: before.metadata.name }] : [])),
      source(volumeAttachments, ({ before, after }) => [{ name: (after ?? before).spec.nodeName }]),
    ],
    concurrency: 5,
    async reconcile({ name: nodeName }) {
      const now = clock.now()
      const used = usedOn(nodeName)
      const waits: number[] = []
      const existing = attachments.by('node', nodeName)
      for (const attachment of existing) {
        const { name } = attachment.metadata
        if (used.has(name)) {
          unusedSince.delete(name)
          const wait = (askedAt.get(name) ?? now) + attachMs - now
          if (attachment.status?.attached === true) continue
          if (wait > 0) waits.push(wait)
          else await markAttached(name)
          continue
        }
        const since = unusedSince.get(name) ?? now
        unusedSince.set(name, since)
        const wait = since + detachMs - now
        if (wait > 0) {
          if (Number.isFinite(wait)) waits.push(wait)
          continue
        }
        unusedSince.delete(name)
        await ignoreMissing(client.delete(volumeAttachments, { name }))
      }
      for (const [name, volume] of used) {
        if (existing.some(({ metadata }) => metadata.name === name)) continue
        askedAt.set(name, now)
        await attach(name, volume, nodeName)
        waits.push(attachMs)
      }
      return waits.length === 0 ? done : requeueAfter(Math.max(1, Math.min(...waits)))
    },
  }

  /** Volumes of pods on the node that have not ended, by the name of their attachment. */
  function usedOn(nodeName: string): ReadonlyMap<string, PersistentVolume> {
    const used = new Map<string, PersistentVolume>()
    for (const pod of cache.by('nodeName', nodeName)) {
      if (!holdsResources(pod)) continue
      for (const name of claimNames(pod)) {
        const claim = caches.of(persistentVolumeClaims).get({ namespace: pod.metadata.namespace, name })
        const volume = caches.of(persistentVolumes).get({ name: claim?.spec.volumeName ?? '' })
        if (volume?.spec.csi !== undefined) used.set(attachmentName(volume, nodeName), volume)
      }
    }
    return used
  }

  async function attach(name: string, volume: PersistentVolume, nodeName: string): Promise<void> {
    const attachment: Unsaved<VolumeAttachment> = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttachment',
      metadata: { name },
      spec: {
        attacher: volume.spec.csi?.driver ?? '',
        nodeName,
        source: { persistentVolumeName: volume.metadata.name },
      },
    }
    try {
      await client.create(volumeAttachments, attachment)
    } catch (error) {
      if (!hasCode(error, 'AlreadyExists')) throw error
    }
  }

  async function markAttached(name: string): Promise<void> {
    const body = { status: { attached: true } }
    await ignoreMissing(client.patch(volumeAttachments, { name }, { kind: 'merge', body }, { subresource: 'status' }))
  }
}

function attachmentName(volume: PersistentVolume, nodeName: string): string {
  return `csi-${templateHash({ volume: volume.metadata.name, nodeName })}`
}

async function ignoreMissing(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

function nodeNames({ spec }: VolumeAttachment): readonly string[] {
  return [spec.nodeName]
}
