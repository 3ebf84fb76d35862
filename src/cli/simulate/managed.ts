import { nodeClassNameOf, nodeClassRefOf, type RefersToClass } from '../../api/node-class-ref.ts'

/** Whether the operator looks at a pool or claim: those of other controllers, such as EKS Auto Mode, it leaves alone. */
export function isManaged(object: RefersToClass): boolean {
  return nodeClassNameOf(object) !== undefined
}

/** Whose an object is that is not managed: `NodeClass default of eks.amazonaws.com`. */
export function foreignClassText(object: RefersToClass): string {
  const { group, kind, name } = nodeClassRefOf(object)
  return `${kind} ${name} of ${group}`
}
