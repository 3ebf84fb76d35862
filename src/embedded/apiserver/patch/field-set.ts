import { equalJson, isArray, isObject, type JsonObject } from '../json.ts'
import { itemType, type ListType, memberType, type TypeNode } from '../types/type-node.ts'

/**
 * A set of field paths in the tree form that `managedFields` has (FieldsV1): `{}` is a path that belongs to the set, `.` says so for a
 * path that also has others below it. Steps are `f:name`, `k:{"key":"value"}` for an item of a keyed list, `v:"value"` for one of a set.
 */
export type FieldSet = JsonObject

export const emptySet: FieldSet = {}

export interface FieldChanges {
  /** Added or modified. */
  readonly changed: FieldSet
  readonly removed: FieldSet
}

/** All fields of a value, as an applier owns them. */
export function fieldsOf(value: unknown, type: TypeNode): FieldSet {
  return node(false, childrenOf(value, type, 'apply'))
}

/** Who updates owns a map that was not there as such; who applies owns only what is in it. */
type Writer = 'apply' | 'update'

/** The node for a value: a leaf when it is owned as one. */
function ownedNode(value: unknown, type: TypeNode, withSelf: boolean, writer: Writer): FieldSet {
  const children = childrenOf(value, type, writer)
  if (children.length === 0) return {}
  return node(withSelf, children)
}

function childrenOf(value: unknown, type: TypeNode, writer: Writer): [string, FieldSet][] {
  if (isObject(value)) {
    if ((type.kind === 'struct' || type.kind === 'map') && type.atomic) return []
    return Object.entries(value).map(([key, item]) => {
      const member = memberType(type, key)
      const withSelf = writer === 'update' && (member.kind === 'map' || member.kind === 'list')
      return [`f:${key}`, ownedNode(item, member, withSelf, writer)]
    })
  }
  if (isArray(value) && type.kind === 'list' && type.merge !== 'atomic') {
    return value.map((item) =>
      type.merge === 'set'
        ? [`v:${JSON.stringify(item)}`, {}]
        : [itemStep(type, item), ownedNode(item, type.items, true, writer)],
    )
  }
  return []
}

/** The step that identifies an item of a keyed list. A port without a protocol is a TCP port. */
export function itemStep(type: ListType, item: unknown): string {
  const key: Record<string, unknown> = {}
  for (const name of type.keys.toSorted()) {
    const value = isObject(item) ? item[name] : undefined
    if (value !== undefined) key[name] = value
    else if (name === 'protocol') key[name] = 'TCP'
  }
  return `k:${JSON.stringify(key)}`
}

/** What differs between two values, both ways. */
export function compareFields(before: unknown, after: unknown, type: TypeNode): FieldChanges {
  const changed = new Tree()
  const removed = new Tree()
  compareInto(before, after, type, changed, removed)
  return { changed: changed.toSet(), removed: removed.toSet() }
}

class Tree {
  member = false
  readonly children = new Map<string, Tree>()

  at(step: string): Tree {
    let child = this.children.get(step)
    if (child === undefined) {
      child = new Tree()
      this.children.set(step, child)
    }
    return child
  }

  add(set: FieldSet): void {
    if (isMember(set)) this.member = true
    for (const [step, child] of stepsOf(set)) this.at(step).add(child)
  }

  toSet(): FieldSet {
    const children: [string, FieldSet][] = []
    for (const [step, child] of this.children) {
      if (child.member || child.children.size > 0) {
        const set = child.toSet()
        if (child.member || stepsOf(set).length > 0) children.push([step, set])
      }
    }
    return node(this.member, children)
  }
}

function compareInto(before: unknown, after: unknown, type: TypeNode, changed: Tree, removed: Tree): void {
  if (before === after) return
  if (isObject(before) && isObject(after) && !((type.kind === 'struct' || type.kind === 'map') && type.atomic)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      compareMember(
        { step: `f:${key}`, before: before[key], after: after[key], type: memberType(type, key) },
        changed,
        removed,
      )
    }
    return
  }
  if (isArray(before) && isArray(after) && type.kind === 'list' && type.merge !== 'atomic') {
    const old = new Map(before.map((item) => [stepOf(type, item), item]))
    const now = new Map(after.map((item) => [stepOf(type, item), item]))
    for (const step of new Set([...old.keys(), ...now.keys()])) {
      compareMember({ step, before: old.get(step), after: now.get(step), type: itemType(type) }, changed, removed)
    }
    return
  }
  if (!equalJson(before, after)) changed.member = true
}

interface Member {
  readonly step: string
  readonly before: unknown
  readonly after: unknown
  readonly type: TypeNode
}

function compareMember({ step, before, after, type }: Member, changed: Tree, removed: Tree): void {
  if (before === after) return
  const isItem = !step.startsWith('f:')
  // An added map is owned itself as well, so that emptying it does not take it away.
  if (before === undefined)
    changed.at(step).add(ownedNode(after, type, isItem || type.kind === 'map' || type.kind === 'list', 'update'))
  else if (after === undefined) removed.at(step).add(ownedNode(before, type, true, 'update'))
  else compareInto(before, after, type, changed.at(step), removed.at(step))
}

function stepOf(type: ListType, item: unknown): string {
  return type.merge === 'set' ? `v:${JSON.stringify(item)}` : itemStep(type, item)
}

export function isMember(set: FieldSet): boolean {
  return Object.hasOwn(set, '.') || isLeaf(set)
}

function isLeaf(set: FieldSet): boolean {
  for (const _key in set) return false
  return true
}

export function stepsOf(set: FieldSet): [string, FieldSet][] {
  return Object.entries(set).filter((entry): entry is [string, FieldSet] => entry[0] !== '.' && isObject(entry[1]))
}

export function isEmptySet(set: FieldSet): boolean {
  return stepsOf(set).length === 0
}

/** Set algebra over whole trees. The root itself is no path. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  return combine(a, b, (inA, inB) => inA || inB, true) ?? {}
}

export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return combine(a, b, (inA, inB) => inA && !inB, true) ?? {}
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return combine(a, b, (inA, inB) => inA && inB, true) ?? {}
}

type Keep = (inA: boolean, inB: boolean) => boolean

function combine(a: FieldSet | undefined, b: FieldSet | undefined, keep: Keep, root: boolean): FieldSet | undefined {
  const steps = new Set([...keysOf(a), ...keysOf(b)])
  const children: [string, FieldSet][] = []
  for (const step of steps) {
    const child = combine(childAt(a, step), childAt(b, step), keep, false)
    if (child !== undefined) children.push([step, child])
  }
  const member = !root && keep(a !== undefined && isMember(a), b !== undefined && isMember(b))
  return children.length === 0 && !member && !root ? undefined : node(member, children)
}

function keysOf(set: FieldSet | undefined): readonly string[] {
  return set === undefined ? [] : Object.keys(set).filter((key) => key !== '.')
}

export function childAt(set: FieldSet | undefined, step: string): FieldSet | undefined {
  const child = set?.[step]
  return isObject(child) ? child : undefined
}

function node(member: boolean, children: readonly [string, FieldSet][]): FieldSet {
  if (children.length === 0) return {}
  const sorted = children.toSorted(([a], [b]) => (a < b ? -1 : 1))
  return member ? { '.': {}, ...Object.fromEntries(sorted) } : Object.fromEntries(sorted)
}

/** Every path of the set as an API server prints it: `.spec.containers[name="app"].image`. */
export function pathTexts(set: FieldSet, prefix = ''): readonly string[] {
  return stepsOf(set).flatMap(([step, child]) => {
    const path = prefix + stepText(step)
    return [...(isMember(child) ? [path] : []), ...pathTexts(child, path)]
  })
}

function stepText(step: string): string {
  const rest = step.slice(2)
  if (step.startsWith('f:')) return `.${rest}`
  if (step.startsWith('v:')) return `[=${rest}]`
  const key: unknown = JSON.parse(rest)
  const pairs = isObject(key) ? Object.entries(key).map(([name, value]) => `${name}=${JSON.stringify(value)}`) : []
  return `[${pairs.join(',')}]`
}
