import type { EC2NodeClass, NodeClaim } from '../../api/karpenter.ts'
import { instanceProfileAnnotation } from '../../cloud/aws/keys.ts'
import { specOf } from '../../cloud/aws/wire.ts'

/**
 * Names of the instance profiles that these classes launch with, or will once they are looked at, and that instances of these claims run
 * with. A class may name the profile of another one.
 */
export function profilesInUse(classes: readonly EC2NodeClass[], claims: readonly NodeClaim[]): ReadonlySet<string> {
  const names = [
    ...classes.flatMap((nodeClass) => [nodeClass.status?.instanceProfile, specOf(nodeClass).instanceProfile]),
    ...claims.map((claim) => claim.metadata.annotations?.[instanceProfileAnnotation]),
  ]
  return new Set(names.flatMap((name) => name ?? []))
}
