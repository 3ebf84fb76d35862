import { diffFields } from '../../api/field-diff.ts'
import type { EC2NodeClassSpec, NodeClaim } from '../../api/karpenter.ts'
import { labelCapacityReservationID } from '../../api/labels.ts'
import type { FieldChange } from '../../model/drift-finding.ts'

type Selector = Pick<EC2NodeClassSpec, 'capacityReservationSelectorTerms'>

const field = 'capacityReservationSelectorTerms'

/**
 * The changes by which the class may no longer select the capacity reservation that the claim is in; none for a claim in none, while its
 * id is named, and where terms are merely added, which still select what the others did.
 */
export function reservationChanges(claim: NodeClaim, before: Selector, after: Selector): readonly FieldChange[] {
  const id = claim.metadata.labels?.[labelCapacityReservationID]
  if (id === undefined) return []
  const terms = after[field] ?? []
  const known = before[field] ?? []
  const areKept = known.every((term) => terms.some((other) => diffFields(term, other, '').length === 0))
  if (areKept || terms.some((term) => term.id === id)) return []
  return diffFields(before[field], after[field], `spec.${field}`)
}
