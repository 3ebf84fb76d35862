import { hasUnreadableDeletionCost } from '../../disruption/disruption-cost.ts'
import type { Logger } from '../../kube/logger.ts'
import type { PodInfo } from '../../model/pod.ts'
import type { Snapshot } from '../../model/snapshot.ts'

/** Logs what decisions have to do without: lists of instance types in each pass, annotations when the pods of a node change. */
export class UnreadableInput {
  readonly #looked = new WeakSet<readonly PodInfo[]>()
  /** Of the last pass: most passes find the nodes as the one before left them. */
  #nodes: Snapshot['nodes'] | undefined

  log({ instanceTypes, nodes }: Pick<Snapshot, 'instanceTypes' | 'nodes'>, log: Logger): void {
    // Without nodes there is nothing to decide, and of a class that is new nothing is known yet.
    for (const [name, list] of instanceTypes) {
      if (list.kind === 'unresolved' && nodes.some(({ nodePool }) => nodePool === name)) {
        log.error({ NodePool: { name }, err: { message: list.error } }, 'failed listing instance types')
      }
    }
    if (nodes === this.#nodes) return
    this.#nodes = nodes
    for (const { pods } of nodes) {
      if (this.#looked.has(pods)) continue
      this.#looked.add(pods)
      for (const pod of pods) {
        if (!hasUnreadableDeletionCost(pod)) continue
        log.error({ Pod: { name: pod.name, namespace: pod.namespace } }, 'failed parsing pod deletion cost')
      }
    }
  }
}
