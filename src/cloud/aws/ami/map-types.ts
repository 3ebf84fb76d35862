import { imageRequirements } from '../../../model/image-requirements.ts'
import { isCompatible, type Requirements } from '../../../model/requirements.ts'
import { wellKnownLabels } from '../keys.ts'
import type { StatusAMI } from '../wire.ts'

/** The first AMI, in status order, that a machine with these labels can boot. */
export function amiFor(
  type: { readonly requirements: Requirements },
  amis: readonly StatusAMI[],
): StatusAMI | undefined {
  return amis.find((ami) => isCompatible(type.requirements, imageRequirements(ami), wellKnownLabels))
}
