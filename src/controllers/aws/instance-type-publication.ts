import type { EC2NodeClass } from '../../api/karpenter.ts'
import {
  type ConfigMap,
  configMaps,
  packInstanceTypes,
  publishedBytesMax,
  publishedInstanceTypes,
} from '../../cluster/index.ts'
import { backOff, requeueAfter, type SingletonController } from '../../kube/controller.ts'
import { isConflict, isNotFound, KubeError } from '../../kube/errors.ts'
import { ec2NodeClasses } from '../../kube/karpenter-kinds.ts'
import { mergePatchBetween } from '../../kube/merge-patch.ts'
import type { KubeClient } from '../../kube/port.ts'
import type { InstanceType } from '../../model/instance-type.ts'
import { compareText } from '../../model/order.ts'
import type { AWSControllerDeps } from './deps.ts'

/** New types come every few weeks and prices twice a day; what waits for it are warnings. */
const intervalMs = 10 * 60_000

interface Packed {
  readonly types: readonly InstanceType[]
  readonly bytes: Buffer
}

/**
 * Keeps in a ConfigMap what each class can launch, for the webhook, which has no access to AWS. Written when it has changed; where the
 * chart has not created the ConfigMap, nobody wants it.
 */
export function instanceTypePublication({
  kube,
  caches,
  cloud,
  namespace,
}: Pick<AWSControllerDeps, 'kube' | 'caches' | 'cloud' | 'namespace'>): SingletonController {
  const classes = caches.of(ec2NodeClasses)
  const key = { namespace, name: publishedInstanceTypes }
  let packed = new Map<string, Packed>()

  /** As it is told now; while that is not known, as it was last. */
  const pack = (nodeClass: EC2NodeClass): Packed | undefined => {
    const last = packed.get(nodeClass.metadata.name)
    const types = typesOf(nodeClass)
    // A list is the same object until something in it has changed.
    if (types === undefined || types === last?.types) return last
    return { types, bytes: packInstanceTypes(types) }
  }
  const typesOf = (nodeClass: EC2NodeClass): readonly InstanceType[] | undefined => {
    try {
      return cloud.instanceTypes.list(nodeClass)
    } catch {
      // Before subnets have been found. Whoever needs the types to launch says so.
      return undefined
    }
  }

  return {
    name: 'instancetype.publication',
    async reconcile({ log }) {
      const current = await currentOf(kube, key)
      if (current === undefined) return requeueAfter(intervalMs)
      const next = new Map<string, Packed>()
      for (const nodeClass of classes.list().toSorted((a, b) => compareText(a.metadata.name, b.metadata.name))) {
        const one = pack(nodeClass)
        if (one !== undefined) next.set(nodeClass.metadata.name, one)
      }
      packed = next
      const { kept, leftOut, bytes } = withinBound(next)
      if (leftOut.length > 0)
        log.warn({ leftOut, bytes }, 'instance types of some node classes are not published: too many')
      const known = new Set(classes.list().map(({ metadata }) => metadata.name))
      // What stands there of a class whose types are not known yet was true before this process began.
      const standing = Object.entries(current.binaryData ?? {}).filter(([name]) => known.has(name) && !next.has(name))
      const binaryData = { ...Object.fromEntries(standing), ...kept }
      const patch = mergePatchBetween(current.binaryData ?? {}, binaryData)
      if (patch === undefined) return requeueAfter(intervalMs)
      const { resourceVersion } = current.metadata
      try {
        await kube.patch(configMaps, key, { kind: 'merge', body: { metadata: { resourceVersion }, binaryData: patch } })
      } catch (error) {
        if (isConflict(error)) return backOff
        if (!isNotFound(error)) throw error
      }
      log.debug({ count: Object.keys(kept).length, bytes }, 'published instance types')
      return requeueAfter(intervalMs)
    },
  }
}

async function currentOf(kube: KubeClient, key: { namespace: string; name: string }): Promise<ConfigMap | undefined> {
  try {
    return await kube.get(configMaps, key)
  } catch (error) {
    // Rights of an earlier release do not speak of it; there, too, nobody waits for it.
    if (isNotFound(error) || (error instanceof KubeError && error.code === 'Forbidden')) return undefined
    throw error
  }
}

/** In the order of their names, as many classes as there is room for. */
function withinBound(packed: ReadonlyMap<string, Packed>): {
  readonly kept: Record<string, string>
  readonly leftOut: readonly string[]
  readonly bytes: number
} {
  const kept: Record<string, string> = {}
  const leftOut: string[] = []
  let bytes = 0
  for (const [name, { bytes: one }] of packed) {
    if (bytes + one.length > publishedBytesMax) leftOut.push(name)
    else {
      bytes += one.length
      kept[name] = one.toString('base64')
    }
  }
  return { kept, leftOut, bytes }
}
