export type CaseKind = 'NodePool' | 'NodeClaim' | 'NodeOverlay' | 'EC2NodeClass'

/**
 * Values to set on the base object of the kind, by dotted path. Paths are below `spec`, except those that begin with `metadata.`;
 * `undefined` removes.
 */
export type Change = Readonly<Record<string, unknown>>

export interface ApiCase {
  /** The case's number in the specification of the APIs. */
  readonly number: number
  readonly name: string
  readonly kind: CaseKind
  /** What the stored object looked like; absent when the object is created. */
  readonly old?: Change
  readonly change: Change
  /** `accepted`, or a text that the refusal contains. */
  readonly want: 'accepted' | { readonly refusal: string }
}

/** One row of a table: number, name, change, and a text of the refusal when there is one. */
export type Row = readonly [number: number, name: string, change: Change, refusal?: string]

export function casesOf(kind: CaseKind, rows: readonly Row[]): ApiCase[] {
  return rows.map(([number, name, change, refusal]) => ({
    number,
    name,
    kind,
    change,
    want: refusal === undefined ? 'accepted' : { refusal },
  }))
}

/** A row about replacing an object: number, name, what the stored object had set, what the new one has set. */
export type UpdateRow = readonly [number: number, name: string, old: Change, change: Change, refusal?: string]

export function updatesOf(kind: CaseKind, rows: readonly UpdateRow[]): ApiCase[] {
  return rows.map(([number, name, old, change, refusal]) => ({
    number,
    name,
    kind,
    old,
    change,
    want: refusal === undefined ? 'accepted' : { refusal },
  }))
}
