import type { RolloutFailure, RolloutPendingNode } from '../../api/karpenter.ts'
import { listText } from '../../model/list-text.ts'
import { compareText } from '../../model/order.ts'
import type { ClassFacts, ImageFacts, NodeFacts, PoolFacts } from './input.ts'
import { type Run, wasThere } from './run.ts'

/** Classes that the rollout takes to other images, each once; without those that are back on earlier ones, and those that have not failed. */
export function changedClasses(run: Run, pools: readonly PoolFacts[]): readonly ClassFacts[] {
  const classes = new Map(
    pools.flatMap(({ nodeClass }) => (nodeClass === undefined ? [] : [[nodeClass.name, nodeClass] as const])),
  )
  return [...classes.values()].filter(
    ({ name, pinnedInsteadOf }) => pinnedInsteadOf === undefined && isChanged(run, name),
  )
}

/** Whether the rollout takes the class to other images and, once it has failed, may have failed by these. */
export function isChanged({ imageChanges, failure }: Run, nodeClass: string): boolean {
  return imageChanges.has(nodeClass) && failure?.nodeClasses?.includes(nodeClass) !== false
}

/**
 * The classes of nodes that failed, and those that share an image with one of them; undefined where that of any node is not known.
 * `pending`: nodes that are remembered, with their classes.
 */
export function blamedClasses(
  nodes: readonly string[],
  pending: readonly RolloutPendingNode[],
  pools: readonly PoolFacts[],
): RolloutFailure['nodeClasses'] {
  const byName = new Map(pools.map(({ nodeClass }) => [nodeClass?.name, nodeClass]))
  const classOf = new Map(pending.map(({ name, nodeClass }) => [name, byName.get(nodeClass)]))
  const failed = nodes.map((name) => classOf.get(name))
  if (failed.includes(undefined)) return undefined
  const names = new Set(failed.map((nodeClass) => nodeClass?.name))
  const images = new Set(failed.flatMap((nodeClass) => nodeClass?.images.map(({ id }) => id) ?? []))
  const blamed = pools.flatMap(({ nodeClass }) =>
    nodeClass !== undefined && (names.has(nodeClass.name) || nodeClass.images.some(({ id }) => images.has(id)))
      ? [nodeClass.name]
      : [],
  )
  return [...new Set(blamed)].toSorted(compareText).slice(0, classesMax)
}

export function rollbackTargets(
  run: Run,
  pools: readonly PoolFacts[],
): readonly { readonly nodeClass: ClassFacts; readonly images: readonly ImageFacts[] }[] {
  return changedClasses(run, pools).flatMap((nodeClass) =>
    nodeClass.lastGood === undefined ? [] : [{ nodeClass, images: nodeClass.lastGood }],
  )
}

export function isRolledBack({ nodeClass }: PoolFacts): boolean {
  return nodeClass?.pinnedInsteadOf !== undefined
}

/**
 * A rollback takes back what the rollout brought, and nothing else: other nodes were not touched and are not now. What has been made since
 * of the images returned to is not of the rollout either, whatever else makes it drift, nor is any node of a class that keeps its images:
 * there is nothing to return it to, and new ones would be made of the same again.
 */
export function isOfFailedRollout(
  run: Run,
  { nodeClass }: PoolFacts,
  node: NodeFacts,
  badImages: ReadonlySet<string>,
): boolean {
  if (nodeClass === undefined || !isChanged(run, nodeClass.name)) return false
  const isReturned = nodeClass.pinnedInsteadOf !== undefined && nodeClass.images.some(({ id }) => id === node.image)
  if (isReturned) return false
  return !wasThere(run, node.createdAt) || (node.image !== undefined && badImages.has(node.image))
}

export function leftToReturn(run: Run, pools: readonly PoolFacts[], badImages: ReadonlySet<string>): boolean {
  return pools.some((pool) =>
    pool.nodes.some((node) => node.drift !== undefined && isOfFailedRollout(run, pool, node, badImages)),
  )
}

/** Nodes of the failed rollout that never were in service: no drain, no budget and no disruption ever reaches those. */
export function neverCameUp(run: Run, pools: readonly PoolFacts[], badImages: ReadonlySet<string>): readonly string[] {
  return pools.flatMap((pool) =>
    pool.nodes
      .filter(
        (node) =>
          node.drift !== undefined &&
          !node.initialized &&
          !node.going &&
          !node.isKept &&
          isOfFailedRollout(run, pool, node, badImages),
      )
      .map(({ name }) => name),
  )
}

/**
 * Nodes of the failed rollout that came up and are not ready any more, with no pods left that would have to run elsewhere. They count for
 * budgets as nodes that go, so that where they use those up nothing else would ever take them.
 */
export function brokenDown(
  run: Run,
  pools: readonly PoolFacts[],
  badImages: ReadonlySet<string>,
): readonly NodeFacts[] {
  return pools.flatMap((pool) =>
    pool.pause !== undefined
      ? []
      : pool.nodes.filter(
          (node) =>
            node.drift !== undefined &&
            node.unreadyFrom !== undefined &&
            !node.going &&
            !node.hostsPods &&
            !node.isKept &&
            isOfFailedRollout(run, pool, node, badImages),
        ),
  )
}

/** Whose nodes a rollback has taken back, where the rollout has other images for other classes, too: these stay as they are. */
export function ofReturned(run: Run): string {
  const returned = [...run.imageChanges].filter((name) => isChanged(run, name))
  return returned.length === run.imageChanges.size ? '' : ` of EC2NodeClass ${listText(returned.toSorted(compareText))}`
}

/** As many as the status may hold. */
const classesMax = 1_000

export function imagesText(images: readonly ImageFacts[]): string {
  return images.map(({ id, name }) => (name === '' ? id : `${name} (${id})`)).join(', ')
}
