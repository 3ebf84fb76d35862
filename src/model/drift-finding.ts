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

/** As long as the message of the Drifted condition gets. */
const messageMax = 1_024
/** A single value longer than this is cut: the object itself has it whole. */
const valueMax = 160

/**
 * The message of the Drifted condition: `NodePoolDrifted: spec.template.spec.expireAfter: 720h -> 48h (generation 7)`. What `before`
 * says of the same fields stands, so that a later generation which changed other things is not blamed, and nothing is written anew.
 */
export function driftMessage(finding: DriftFinding, before = ''): string {
  const parts = partsOf(finding)
  const { reason, generation } = finding
  if (parts.length === 0) return reason
  const room = messageMax - ' (generation 9007199254740991)'.length
  const text = `${reason}: ${withinRoom(parts, room - reason.length - 2)}`
  if (before.startsWith(`${text} (generation `) && /^\d+\)$/.test(before.slice(`${text} (generation `.length)))
    return before
  return generation === undefined ? text : `${text} (generation ${generation})`
}

/** What a finding says beside its reason, one part for each field. */
function partsOf({ fields, detail }: Pick<DriftFinding, 'fields' | 'detail'>): readonly string[] {
  const texts = fields.map((field) => `${field.path}: ${shortValue(field.old)} -> ${shortValue(field.new)}`)
  return detail === undefined ? texts : [...texts, detail]
}

function shortValue(value: unknown): string {
  const text = fieldValueText(value)
  return text.length <= valueMax ? text : `${text.slice(0, valueMax - 3)}...`
}

/** As many parts as there is room for, then how many more there are. */
function withinRoom(parts: readonly string[], room: number): string {
  const whole = parts.join(', ')
  if (whole.length <= room) return whole
  const shown = [...parts]
  let text = whole
  while (text.length > room && shown.length > 1) {
    shown.pop()
    text = `${shown.join(', ')}, and ${parts.length - shown.length} more`
  }
  return text.length <= room ? text : `${text.slice(0, room - 3)}...`
}
