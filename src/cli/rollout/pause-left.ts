import { annotationPauseUntil } from '../../api/joinery-annotations.ts'
import { nodeClassNameOf } from '../../api/node-class-ref.ts'
import { ec2NodeClasses, nodePools, rolloutPolicies } from '../../kube/karpenter-kinds.ts'
import type { KubeClient } from '../../kube/port.ts'
import { govern } from '../../rollout/engine/govern.ts'
import { type PoolPause, poolPause } from '../../rollout/pause.ts'
import { listReadable } from '../list-readable.ts'
import type { Steered } from './reference.ts'

/**
 * What else pauses the NodePool, or one of the class, once the object itself does not: of several pauses the one that ends last. Undefined
 * also where it may not be read.
 */
export async function pauseLeft(
  client: KubeClient,
  steered: Steered,
  now: number,
  signal: AbortSignal,
): Promise<PoolPause | undefined> {
  if (steered.kind === 'rolloutpolicy') return undefined
  const [pools = [], classes = [], policies = []] = await Promise.all([
    steered.kind === 'nodepool' ? [steered.object] : listReadable(client, nodePools, signal),
    steered.kind === 'ec2nodeclass' ? [steered.object] : listReadable(client, ec2NodeClasses, signal),
    listReadable(client, rolloutPolicies, signal),
  ])
  const resumed = <T extends Steered['object']>(object: T): T =>
    object === steered.object ? withoutPause(object) : object
  const { selecting } = govern(policies, pools)
  const left = pools
    .filter((pool) => steered.kind === 'nodepool' || nodeClassNameOf(pool) === steered.name)
    .flatMap((pool) => {
      const nodeClass = classes.find(({ metadata }) => metadata.name === nodeClassNameOf(pool))
      const sources = {
        pool: resumed(pool),
        nodeClass: nodeClass === undefined ? undefined : resumed(nodeClass),
        policies: selecting.get(pool.metadata.name) ?? [],
      }
      return poolPause(sources, now) ?? []
    })
  return left.toSorted((a, b) => b.until - a.until)[0]
}

function withoutPause<T extends Steered['object']>(object: T): T {
  const { [annotationPauseUntil]: _pause, ...annotations } = object.metadata.annotations ?? {}
  return { ...object, metadata: { ...object.metadata, annotations } }
}
