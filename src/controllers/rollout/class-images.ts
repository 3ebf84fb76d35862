import type { EC2NodeClass } from '../../api/karpenter.ts'
import type { Cache, Caches } from '../../kube/controller.ts'
import { isConflict, isNotFound } from '../../kube/errors.ts'
import { ec2NodeClasses } from '../../kube/karpenter-kinds.ts'
import { mergePatchBetween } from '../../kube/merge-patch.ts'
import { NewestKnown } from '../../kube/newest-known.ts'
import type { KubeClient } from '../../kube/port.ts'
import { compareText } from '../../model/order.ts'
import { sameImageSet } from '../../rollout/images.ts'
import type { RolloutStepResult } from '../../rollout/engine/index.ts'
import { oneByOne } from '../one-by-one.ts'

/** Tells the classes what a rollout found out of their images, and which ones to return to. The class's own controller acts on it. */
export class ClassImages {
  readonly #kube: KubeClient
  readonly #classes: Cache<EC2NodeClass>
  readonly #newest: NewestKnown<EC2NodeClass>

  constructor({ kube, caches }: { readonly kube: KubeClient; readonly caches: Caches }) {
    this.#kube = kube
    this.#classes = caches.of(ec2NodeClasses)
    this.#newest = new NewestKnown(kube, ec2NodeClasses)
  }

  /** False when a class changed meanwhile: the next look says the same again. @throws what was refused, once all classes had their turn */
  async write(result: Pick<RolloutStepResult, 'rollbacks' | 'verdicts'>): Promise<boolean> {
    const names = new Set([...result.rollbacks, ...result.verdicts].map(({ nodeClass }) => nodeClass))
    const changed: string[] = []
    await oneByOne([...names].toSorted(compareText), async (name) => {
      if (!(await this.#writeClass(name, result))) changed.push(name)
    })
    return changed.length === 0
  }

  async #writeClass(name: string, result: Pick<RolloutStepResult, 'rollbacks' | 'verdicts'>): Promise<boolean> {
    const cached = this.#classes.get({ name })
    const before = cached && (await this.#newest.of(cached))
    if (before === undefined) return true
    const after = withImages(before, result)
    const status = mergePatchBetween(before.status ?? {}, after.status ?? {})
    if (status === undefined) return true
    const body = { metadata: { resourceVersion: before.metadata.resourceVersion }, status }
    try {
      const patch = { kind: 'merge', body } as const
      const { metadata } = await this.#kube.patch(ec2NodeClasses, { name }, patch, { subresource: 'status' })
      if (metadata.resourceVersion !== before.metadata.resourceVersion) this.#newest.noteReplaced(before)
    } catch (error) {
      if (isNotFound(error)) return true
      if (!isConflict(error)) throw error
      this.#newest.noteReplaced(before)
      return false
    }
    return true
  }
}

function withImages(
  nodeClass: EC2NodeClass,
  { rollbacks, verdicts }: Pick<RolloutStepResult, 'rollbacks' | 'verdicts'>,
): EC2NodeClass {
  const { name } = nodeClass.metadata
  const rollback = rollbacks.find((each) => each.nodeClass === name)
  const verdict = verdicts.find((each) => each.nodeClass === name)
  const { imageHistory = [], ...status } = nodeClass.status ?? {}
  const judged = verdict?.images.map((id) => ({ id }))
  const pinned =
    rollback === undefined ? undefined : imageHistory.find(({ images }) => sameImageSet(images, rollback.images))
  return {
    ...nodeClass,
    status: {
      ...status,
      ...(imageHistory.length === 0
        ? {}
        : {
            imageHistory: imageHistory.map((entry) =>
              verdict !== undefined && judged !== undefined && sameImageSet(entry.images, judged)
                ? { ...entry, outcome: verdict.outcome }
                : entry,
            ),
          }),
      ...(rollback === undefined || pinned === undefined || status.pinnedImages?.insteadOf === rollback.insteadOf
        ? {}
        : { pinnedImages: { images: pinned.images, insteadOf: rollback.insteadOf, reason: rollback.reason } }),
    },
  }
}
