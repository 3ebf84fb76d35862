import { builtinTypes } from './builtin-types.gen.ts'
import { atomicMaps, atomicStructs, conditionsMerge, listMaps, listSets, retainKeysStructs } from './list-keys.ts'
import { anyType, type FieldType, type ScalarType, type StructType, type TypeNode } from './type-node.ts'

const scalars: Readonly<Record<string, ScalarType>> = {
  string: 'string',
  boolean: 'boolean',
  int32: 'int32',
  int64: 'int64',
  double: 'number',
  time: 'time',
  microTime: 'microTime',
  byte: 'byte',
  quantity: 'quantity',
  intOrString: 'intOrString',
}

const structs = new Map<string, StructType>()

/** The type of a built-in model, such as `V1Pod`. Each is built once, its fields when first looked at. */
export function builtinType(name: string): StructType {
  let struct = structs.get(name)
  if (struct === undefined) {
    struct = makeStruct(name)
    structs.set(name, struct)
  }
  return struct
}

function makeStruct(name: string): StructType {
  const text = builtinTypes[name]
  if (text === undefined) throw new Error(`no built-in type ${name}`)
  let fields: ReadonlyMap<string, FieldType> | undefined
  return {
    kind: 'struct',
    name,
    atomic: atomicStructs.has(name),
    open: false,
    retainKeys: retainKeysStructs.has(name),
    get fields() {
      fields ??= parseFields(name, text)
      return fields
    },
  }
}

function parseFields(owner: string, text: string): ReadonlyMap<string, FieldType> {
  const fields = new Map<string, FieldType>()
  for (const entry of text.split(' ')) {
    const colon = entry.indexOf(':')
    const name = entry.slice(0, colon)
    const required = name.endsWith('!')
    const plain = required ? name.slice(0, -1) : name
    fields.set(plain, { required, type: parseCode(owner, plain, entry.slice(colon + 1)) })
  }
  return fields
}

function parseCode(owner: string, field: string, code: string): TypeNode {
  if (code.startsWith('{}')) {
    const atomic = atomicMaps[owner]?.includes(field) === true
    return { kind: 'map', atomic, values: parseCode(owner, '', code.slice(2)) }
  }
  if (code.startsWith('[]')) return listType(owner, field, parseCode(owner, '', code.slice(2)))
  const scalar = scalars[code]
  if (scalar !== undefined) return { kind: 'scalar', scalar }
  return code === 'any' ? anyType : builtinType(code)
}

function listType(owner: string, field: string, items: TypeNode): TypeNode {
  if (listSets[owner]?.includes(field) === true) {
    return { kind: 'list', merge: 'set', keys: [], patchKey: '', items }
  }
  const merge =
    listMaps[owner]?.[field] ?? (field === 'conditions' && hasTypeField(items) ? conditionsMerge : undefined)
  if (merge === undefined) return { kind: 'list', merge: 'atomic', keys: [], patchKey: undefined, items }
  return { kind: 'list', merge: 'map', keys: merge.keys, patchKey: merge.patchKey ?? merge.keys[0], items }
}

function hasTypeField(items: TypeNode): boolean {
  return items.kind === 'struct' && /(^| )type!?:/.test(builtinTypes[items.name] ?? '')
}
