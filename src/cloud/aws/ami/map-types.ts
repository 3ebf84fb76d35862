import { imageRequirements } from '../../../model/image-requirements.ts'
import type { InstanceType } from '../../../model/instance-type.ts'
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

/** Says of a type that the class has images, and none for it. A class that has found none at all says nothing of types. */
export function withImageLack<T extends Pick<InstanceType, 'requirements' | 'lacksImage'>>(
  type: T,
  amis: readonly StatusAMI[],
): T {
  return amis.length > 0 && amiFor(type, amis) === undefined ? { ...type, lacksImage: true } : type
}
