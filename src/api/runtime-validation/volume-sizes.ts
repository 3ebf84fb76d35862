import { parseExactQuantity } from '../exact-quantity.ts'
import type { EC2NodeClassSpec } from '../karpenter.ts'

export interface VolumeSizeProblem {
  readonly path: string
  readonly message: string
}

/** The schema's pattern takes a unit alone, such as `Ti`. */
export function volumeSizeProblems({
  blockDeviceMappings = [],
}: Pick<EC2NodeClassSpec, 'blockDeviceMappings'>): VolumeSizeProblem[] {
  return blockDeviceMappings.flatMap(({ ebs }, index) =>
    ebs?.volumeSize === undefined || parseExactQuantity(ebs.volumeSize) !== undefined
      ? []
      : [
          {
            path: `spec.blockDeviceMappings[${index}].ebs.volumeSize`,
            message: `"${ebs.volumeSize}" is a unit without a number`,
          },
        ],
  )
}
