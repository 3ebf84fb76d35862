import { type FieldChange, fieldValueText } from '../api/field-diff.ts'

export type { FieldChange } from '../api/field-diff.ts'

/** Why a node is no longer what its pool and class ask for. */
export interface DriftFinding {
  /** Reason of the Drifted condition. */
  readonly reason: string
  /** What differs, old against new; empty when that is not known. */
  readonly fields: readonly FieldChange[]
  /** Said in place of fields, or after them. */
  readonly detail?: string
  /** The metadata.generation of the object that asks for the change, when it was found. */
  readonly generation?: number
}

/** The fields of a finding for a reader, without its reason and generation. */
export function fieldsText(finding: Pick<DriftFinding, 'fields' | 'detail'>): string {
  const fields = finding.fields.map(
    (field) => `${field.path}: ${fieldValueText(field.old)} -> ${fieldValueText(field.new)}`,
  )
  return [...fields, ...(finding.detail === undefined ? [] : [finding.detail])].join(', ')
}
