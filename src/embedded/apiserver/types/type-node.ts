/** Scalar types of the wire. Times are checked for shape, quantities accept numbers and become text. */
export type ScalarType =
  | 'string'
  | 'int32'
  | 'int64'
  /** Of a CRD, which leaves open how many bits it has. */
  | 'integer'
  | 'number'
  | 'boolean'
  | 'time'
  | 'microTime'
  | 'byte'
  | 'quantity'
  | 'intOrString'

/**
 * How a value is put together, as patches, apply, pruning and explain need it. Built-in kinds and installed CRDs become the same thing.
 * References are resolved when asked for, so types may be recursive.
 */
export type TypeNode =
  | { readonly kind: 'scalar'; readonly scalar: ScalarType }
  | ListType
  | MapType
  | StructType
  /** Nothing is known: objects merge key by key, lists are replaced whole. */
  | { readonly kind: 'any' }

export interface ListType {
  readonly kind: 'list'
  /** `map` identifies items by `keys`, `set` by their value, `atomic` lists are replaced whole. */
  readonly merge: 'atomic' | 'set' | 'map'
  readonly keys: readonly string[]
  /** Strategic merge patch identifies items by this one field; undefined replaces the list. For sets it is ''. */
  readonly patchKey: string | undefined
  readonly items: TypeNode
}

interface MapType {
  readonly kind: 'map'
  readonly atomic: boolean
  readonly values: TypeNode
}

export interface StructType {
  readonly kind: 'struct'
  /** The model's name for built-in types, '' for those of CRDs. */
  readonly name: string
  readonly atomic: boolean
  /** Unknown fields are kept. */
  readonly open: boolean
  /** A strategic merge patch may say `$retainKeys`. */
  readonly retainKeys: boolean
  readonly fields: ReadonlyMap<string, FieldType>
}

export interface FieldType {
  readonly required: boolean
  readonly type: TypeNode
}

export const anyType: TypeNode = { kind: 'any' }

/** The type of `value[name]`. */
export function memberType(type: TypeNode, name: string): TypeNode {
  if (type.kind === 'struct') return type.fields.get(name)?.type ?? anyType
  if (type.kind === 'map') return type.values
  return anyType
}

export function itemType(type: TypeNode): TypeNode {
  return type.kind === 'list' ? type.items : anyType
}
