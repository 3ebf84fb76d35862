import type { OwnerReference } from './kubernetes.ts'

/** The owner that manages an object, of which there is one at most: `metav1.GetControllerOf`. */
export function controllerOf({
  ownerReferences,
}: {
  readonly ownerReferences?: readonly OwnerReference[]
}): OwnerReference | undefined {
  return ownerReferences?.find(({ controller }) => controller === true)
}
