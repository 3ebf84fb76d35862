import { jsonEqual } from '../../../api/json.ts'
import { compareText } from '../../../model/order.ts'
import { isArray, isObject, type JsonObject } from '../json.ts'
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

/** All fields of a new value, as the writer of it owns them. */
export function fieldsOfNew(value: unknown, type: TypeNode): FieldSet {
  return node(false, childrenOf(value, type, 'update'))
}

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

/** How two values differ: not at all, only in new values of fields that somebody owns already, or otherwise. */
export type ChangeKind = 'none' | 'owned' | 'other'

/** A look that builds nothing, for the writes that come most often: heartbeats of whoever owns all that they change. */
export function changeKind(before: unknown, after: unknown, type: TypeNode, owned: FieldSet | undefined): ChangeKind {
  if (before === after) return 'none'
  if (before === undefined || after === undefined) return 'other'
  const isWhole = (type.kind === 'struct' || type.kind === 'map') && type.atomic
  if (isObject(before) && isObject(after) && !isWhole) {
    let kind: ChangeKind = 'none'
    for (const key in before) {
      if (before[key] === after[key]) continue
      const member = changeKind(before[key], after[key], memberType(type, key), childAt(owned, `f:${key}`))
      if (member === 'other') return member
      if (member === 'owned') kind = member
    }
    for (const key in after) if (!Object.hasOwn(before, key)) return 'other'
    return kind
  }
  if (jsonEqual(before, after)) return 'none'
  const isList = isArray(before) && isArray(after) && type.kind === 'list' && type.merge !== 'atomic'
  return !isList && owned !== undefined && isMember(owned) ? 'owned' : 'other'
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
    const compare = (key: string): void => {
      if (before[key] === after[key]) return
      const member = { step: `f:${key}`, before: before[key], after: after[key], type: memberType(type, key) }
      compareMember(member, changed, removed)
    }
    for (const key of Object.keys(before)) compare(key)
    for (const key of Object.keys(after)) if (!Object.hasOwn(before, key)) compare(key)
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
  if (!jsonEqual(before, after)) changed.member = true
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
  for (const step in set) if (step !== '.') return false
  return true
}

/** Set algebra over whole trees. The root itself is no path. Parts that stay as they are are shared. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  return unionChildren(a, b)
}

export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return withoutChildren(a, b)
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  const result: Record<string, FieldSet> = {}
  for (const [step, child] of stepsOf(a)) {
    const other = childAt(b, step)
    if (other === undefined) continue
    const both = intersection(child, other)
    const member = isMember(child) && isMember(other)
    if (isLeaf(both)) {
      if (member) result[step] = {}
    } else result[step] = member ? { '.': {}, ...both } : both
  }
  return result
}

function unionChildren(a: FieldSet, b: FieldSet): FieldSet {
  let result: Record<string, unknown> | undefined
  for (const step in b) {
    if (step === '.') continue
    const mine = childAt(a, step)
    const other = childAt(b, step)
    if (other === undefined) continue
    const next = mine === undefined ? other : unionNode(mine, other)
    if (next !== mine) {
      result ??= { ...a }
      result[step] = next
    }
  }
  return result ?? a
}

function unionNode(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a
  const joined = unionChildren(a, b)
  const member = isMember(a) || isMember(b)
  return member && !isLeaf(joined) && !Object.hasOwn(joined, '.') ? { '.': {}, ...joined } : joined
}

function withoutChildren(a: FieldSet, b: FieldSet): FieldSet {
  let result: Record<string, unknown> | undefined
  for (const step in b) {
    if (step === '.') continue
    const mine = childAt(a, step)
    const other = childAt(b, step)
    if (mine === undefined || other === undefined) continue
    const next = withoutNode(mine, other)
    if (next === mine) continue
    result ??= { ...a }
    if (next === undefined) delete result[step]
    else result[step] = next
  }
  return result ?? a
}

/** What is left of a path and those below it; undefined when nothing is. */
function withoutNode(a: FieldSet, b: FieldSet): FieldSet | undefined {
  const member = isMember(a)
  const left = withoutChildren(a, b)
  const keeps = member && !isMember(b)
  if (isEmptySet(left)) return keeps ? (isLeaf(left) ? left : {}) : undefined
  if (keeps || !member) return left
  const { '.': _self, ...rest } = left
  return rest
}

export function childAt(set: FieldSet | undefined, step: string): FieldSet | undefined {
  const child = set?.[step]
  return isObject(child) ? child : undefined
}

function node(member: boolean, children: readonly (readonly [string, FieldSet])[]): FieldSet {
  if (children.length === 0) return {}
  const set: Record<string, FieldSet> = member ? { '.': {} } : {}
  for (const [step, child] of children) set[step] = child
  return set
}

/** Every path of the set as an API server prints it: `.spec.containers[name="app"].image`. */
export function pathTexts(set: FieldSet, prefix = ''): readonly string[] {
  return stepsOf(set)
    .sort(([a], [b]) => compareText(a, b))
    .flatMap(([step, child]) => {
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
