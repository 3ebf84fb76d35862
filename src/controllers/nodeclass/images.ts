import type { EC2NodeClass, EC2NodeClassStatus, NamedImage } from '../../api/karpenter.ts'
import { type AMI, toStatusAMI } from '../../cloud/aws/ami/choose.ts'
import { compareText } from '../../model/order.ts'
import { readRolloutAnnotations } from '../../rollout/annotations.ts'
import { familyOf, isOfFamily, pinOf, recordImages } from '../../rollout/images.ts'
import { classTarget } from '../../rollout/target.ts'
import type { NodeClassDeps } from './deps.ts'

export interface ImageDeps {
  readonly cloud: Pick<NodeClassDeps['cloud'], 'amis' | 'hash'>
  readonly now: number
}

type ImageFields = { readonly [K in 'amis' | 'imageHistory' | 'pinnedImages']: EC2NodeClassStatus[K] | undefined }

/** The images to launch with: those that the selector found, unless a rollback or an undo has put others in their place. */
export async function chooseImages(
  found: readonly AMI[],
  nodeClass: EC2NodeClass,
  { cloud, now }: ImageDeps,
): Promise<ImageFields> {
  const selected = found.map(toStatusAMI)
  const madeAt = Math.max(...found.map(({ createdAt }) => createdAt))
  const images = selected.map(
    ({ id, name, requirements }): NamedImage => ({
      id,
      ...(name === undefined ? {} : { name }),
      requirements,
    }),
  )
  const { undoTo } = readRolloutAnnotations(nodeClass, now)
  const family = familyOf(nodeClass)
  const history = recordImages(
    nodeClass.status?.imageHistory ?? [],
    { images, family, madeAt: Number.isFinite(madeAt) ? madeAt : undefined, undoTo },
    now,
  )
  const ids = selected.map(({ id }) => id).toSorted(compareText)
  const pin = pinOf(
    { ...nodeClass.status, imageHistory: history.filter((revision) => isOfFamily(revision, family)) },
    undoTo,
    classTarget(cloud.hash.of(nodeClass), nodeClass, ids),
  )
  const imageHistory = [...history]
  if (pin === undefined) return { amis: selected, imageHistory, pinnedImages: undefined }
  const described = await cloud.amis.describe([...new Set(pin.images.map(({ id }) => id))])
  const present = new Map(described.map((ami) => [ami.id, ami]))
  const gone = [...new Set(pin.images.flatMap(({ id }) => (present.has(id) ? [] : [id])))]
  const { gone: _before, ...pinnedImages } = pin
  if (gone.length > 0) {
    // Nothing to return to: what is in use stays in use, and the class says so.
    return { amis: nodeClass.status?.amis ?? selected, imageHistory, pinnedImages: { ...pinnedImages, gone } }
  }
  const amis = pin.images.flatMap((image) => {
    const ami = present.get(image.id)
    if (ami === undefined) return []
    const status = toStatusAMI(ami)
    return [image.requirements === undefined ? status : { ...status, requirements: image.requirements }]
  })
  return { amis, imageHistory, pinnedImages }
}
