import { type ASTNode, EvaluationError } from '@marcbachmann/cel-js'
import type { StructuralSchema, ValidationRule } from '../custom-resource-definition.ts'
import { firstLineOf, messageOf } from '../error-text.ts'
import { childPath, isRecord, memberOf } from '../json.ts'
import { kubernetesCelEnvironment } from './cel-library.ts'
import { escapeFieldName, toCelValue } from './cel-values.ts'
import { type FieldError, type FieldErrorType, ruleBroken, ruleFailed } from './field-error.ts'
import type { KnownParts } from './known-parts.ts'
import { correlatedItem, isUnchanged } from './ratcheting.ts'

/** The rules of a schema, compiled, and those of the schemas below it. Parts without any rule are left out. */
export interface RuleTree {
  readonly schema: StructuralSchema
  readonly rules: readonly CompiledRule[]
  /** Those that compare with nothing stored. */
  readonly creationRules: readonly CompiledRule[]
  /** The others. */
  readonly transitionRules: readonly CompiledRule[]
  /** The fields of `self` that the rules name; undefined when they look at it as a whole. */
  readonly namedFields: ReadonlySet<string> | undefined
  /** What the creation rules look at one by one; undefined where one of them looks at more at once. */
  readonly parts: 'items' | 'keys' | undefined
  readonly properties: ReadonlyMap<string, RuleTree>
  readonly additional: RuleTree | undefined
  readonly items: RuleTree | undefined
}

interface CompiledRule {
  readonly rule: ValidationRule
  /** Compares with the stored value, so it runs on updates only, and even for what is unchanged. */
  readonly isTransition: boolean
  /** It is `self.all(x, …)` and names `self` nowhere else: it holds where it holds for each part. */
  readonly asksEach: boolean
  evaluate(variables: Record<string, unknown>): unknown
  /** What the rule's `messageExpression` says; undefined without one, and where it does not say one line of text. */
  message(variables: Record<string, unknown>): string | undefined
  /** A rule that does not compile refuses everything, as its author must notice. */
  readonly broken: string | undefined
}

const environment = kubernetesCelEnvironment()

export function compileRules(schema: StructuralSchema): RuleTree | undefined {
  const properties = new Map<string, RuleTree>()
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    const tree = compileRules(child)
    if (tree !== undefined) properties.set(name, tree)
  }
  const additional =
    typeof schema.additionalProperties === 'object' ? compileRules(schema.additionalProperties) : undefined
  const items = schema.items === undefined ? undefined : compileRules(schema.items)
  const rules = (schema['x-kubernetes-validations'] ?? []).map(compileRule)
  if (rules.length === 0 && properties.size === 0 && additional === undefined && items === undefined) return undefined
  const creationRules = rules.filter(({ isTransition }) => !isTransition)
  const transitionRules = rules.filter(({ isTransition }) => isTransition)
  const below = { properties, additional, items }
  const parts =
    creationRules.length > 0 && creationRules.every(({ asksEach }) => asksEach) ? partsOf(schema) : undefined
  return { schema, rules, creationRules, transitionRules, namedFields: namedFields(schema), parts, ...below }
}

/** What `self.all` goes through. */
function partsOf({ type, properties, additionalProperties }: StructuralSchema): RuleTree['parts'] {
  if (type === 'array') return 'items'
  return type === 'object' && properties === undefined && additionalProperties !== undefined ? 'keys' : undefined
}

/** Rules of large objects tend to name a few of their fields; converting the others would cost more than evaluating. */
function namedFields(schema: StructuralSchema): ReadonlySet<string> | undefined {
  const { properties } = schema
  if (properties === undefined) return undefined
  const names = new Set<string>()
  for (const { rule, messageExpression = '' } of schema['x-kubernetes-validations'] ?? []) {
    for (const [, name] of `${rule} ${messageExpression}`.matchAll(/\b(?:self|oldSelf)\b(?:\.(\w+))?/g)) {
      // A spelling that escapes something is no plain name of a field.
      if (name === undefined || !Object.hasOwn(properties, name)) return undefined
      names.add(name)
    }
  }
  return names
}

/** What does not compile among the rules of a schema, for the check of a CustomResourceDefinition itself. */
export function brokenRules(tree: RuleTree | undefined): string[] {
  if (tree === undefined) return []
  return [
    ...tree.rules.flatMap(({ broken, rule }) => (broken === undefined ? [] : [`${rule.rule}: ${broken}`])),
    ...[...tree.properties.values(), tree.additional, tree.items].flatMap(brokenRules),
  ]
}

/** `known`: fields of the root that, as they were stored, are no error beside themselves. */
export function ruleErrors(
  value: unknown,
  tree: RuleTree | undefined,
  path: string,
  old: unknown,
  known?: KnownParts,
): FieldError[] {
  const errors: FieldError[] = []
  if (tree !== undefined) check({ value, old, tree, path, cel: undefined }, errors, known)
  return errors
}

interface Position {
  readonly value: unknown
  /** The stored value at the same place. */
  readonly old: unknown
  readonly tree: RuleTree
  readonly path: string
  /** The value as rules see it, where a rule further up has asked for it already: converting is dearer than most rules. */
  readonly cel: unknown
}

function check(position: Position, errors: FieldError[], known?: KnownParts): void {
  const { value, old, tree, path } = position
  if (value === undefined || value === null) return
  const cel = tree.rules.length === 0 ? position.cel : checkOwn(position, errors)
  if (Array.isArray(value) && tree.items !== undefined) {
    const { items, schema } = tree
    for (const [index, item] of value.entries()) {
      const place = { value: item, old: correlatedItem(schema, item, old), tree: items }
      check({ ...place, path: `${path}[${index}]`, cel: Array.isArray(cel) ? cel[index] : undefined }, errors)
    }
  } else if (isRecord(value)) {
    const isMap = tree.schema.properties === undefined
    for (const name of Object.keys(value)) {
      const child = value[name]
      const below =
        tree.properties.get(name) ?? (tree.schema.properties?.[name] === undefined ? tree.additional : undefined)
      if (below === undefined) continue
      const stored = memberOf(old, name)
      if (child === stored && known?.has(name, child) === true) continue
      const before = errors.length
      const converted = memberOf(cel, isMap ? name : escapeFieldName(name))
      check({ value: child, old: stored, tree: below, path: childPath(path, name), cel: converted }, errors)
      if (child === stored && errors.length === before) known?.add(name, child)
    }
  }
}

/** Evaluates the rules of one schema. Returns the value as they saw it, where they did. */
function checkOwn({ value, old, tree, path, cel }: Position, errors: FieldError[]): unknown {
  const { creationRules, transitionRules } = tree
  const hasPassed = creationRules.length === 0 || isUnchanged(value, old) || passesByParts(tree, value)
  const memory = hasPassed || tree.parts !== undefined ? undefined : memoryOf(tree)
  const text = memory === undefined ? '' : textOf(tree.schema, seenBy(tree, value))
  const isKnown = hasPassed || memory?.has(text) === true
  const compares = old !== undefined && transitionRules.length > 0
  if (isKnown && !compares) return cel
  const rules = isKnown ? transitionRules : compares ? tree.rules : creationRules
  const self = cel ?? converted(value, tree)
  const variables = compares ? { self, oldSelf: converted(old, tree) } : { self }
  let passes = !isKnown
  for (const compiled of rules) {
    const error = outcome(compiled, variables, path, value)
    if (error === undefined) continue
    errors.push(error)
    if (!compiled.isTransition) passes = false
  }
  if (passes && memory !== undefined) remember(memory, text)
  return tree.namedFields === undefined ? self : cel
}

/**
 * What has passed the rules of a schema that compare with nothing stored. Rules are pure and dear, and manifests come again: syncing
 * tools apply them every few minutes, and label keys, taints and class references are the same in many of them.
 */
const passed = new WeakMap<RuleTree, Set<string>>()
const rememberedMax = 500
/** Longer texts are rarely seen twice, and memory is bounded by the product of the two. */
const rememberedLengthMax = 2_000

function memoryOf(tree: RuleTree): Set<string> {
  const known = passed.get(tree)
  if (known !== undefined) return known
  const created = new Set<string>()
  passed.set(tree, created)
  return created
}

function remember(memory: Set<string>, text: string): void {
  if (text.length > rememberedLengthMax) return
  if (memory.size >= rememberedMax) memory.clear()
  memory.add(text)
}

/** Equal for equal values of a schema: where it vouches for text, the text itself will do. */
function textOf(schema: StructuralSchema, value: unknown): string {
  return schema.type === 'string' && typeof value === 'string' ? value : JSON.stringify(value)
}

/**
 * Whether the rules hold for each part of the value, where they look at one part at a time: of a list with one new item, or labels with
 * one new key, no more than that is asked about. False may also mean that the whole has to be looked at, as for the words of an error.
 */
function passesByParts(tree: RuleTree, value: unknown): boolean {
  if (tree.parts === undefined) return false
  const memory = memoryOf(tree)
  const fresh = freshParts(tree, value, memory)
  if (fresh.texts.length === 0) return true
  const variables = { self: converted(fresh.value, tree) }
  if (tree.creationRules.some((compiled) => outcome(compiled, variables, '', fresh.value) !== undefined)) return false
  for (const text of fresh.texts) remember(memory, text)
  return true
}

function freshParts(
  { parts, schema }: RuleTree,
  value: unknown,
  memory: ReadonlySet<string>,
): { readonly value: unknown; readonly texts: readonly string[] } {
  if (parts === 'keys') {
    const texts = isRecord(value) ? Object.keys(value).filter((key) => !memory.has(key)) : []
    return { value: Object.fromEntries(texts.map((key) => [key, memberOf(value, key)])), texts }
  }
  const { items = {} } = schema
  const fresh: unknown[] = []
  const texts: string[] = []
  for (const item of Array.isArray(value) ? value : []) {
    const text = textOf(items, item)
    if (memory.has(text)) continue
    fresh.push(item)
    texts.push(text)
  }
  return { value: fresh, texts }
}

/** The part of a value that the rules of its schema look at. */
function seenBy({ namedFields }: RuleTree, value: unknown): unknown {
  if (namedFields === undefined || !isRecord(value)) return value
  const seen: Record<string, unknown> = {}
  for (const name of namedFields) {
    const child = memberOf(value, name)
    if (child !== undefined) seen[name] = child
  }
  return seen
}

function converted(value: unknown, tree: RuleTree): unknown {
  return toCelValue(seenBy(tree, value), tree.schema)
}

function outcome(
  compiled: CompiledRule,
  variables: Record<string, unknown>,
  path: string,
  value: unknown,
): FieldError | undefined {
  const { rule } = compiled
  const at =
    rule.fieldPath === undefined
      ? path
      : `${path}${rule.fieldPath.startsWith('.') || rule.fieldPath.startsWith('[') ? '' : '.'}${rule.fieldPath}`
  const type = isReason(rule.reason) ? rule.reason : 'FieldValueInvalid'
  if (compiled.broken !== undefined) return ruleBroken(at, value, `compile error: ${compiled.broken}`)
  try {
    if (compiled.evaluate(variables) === true) return undefined
    return ruleFailed(at, type, value, failureMessage(compiled, variables))
  } catch (error) {
    return ruleBroken(at, value, `${celErrorText(error)} evaluating rule: ${failureMessage(compiled, variables)}`)
  }
}

function compileRule(rule: ValidationRule): CompiledRule {
  const isTransition = /\boldSelf\b/.test(rule.rule)
  const message = compileMessage(rule.messageExpression)
  try {
    const program = environment.parse(rule.rule)
    const asksEach = isAboutEachPart(program.ast, rule.rule)
    return { rule, isTransition, asksEach, evaluate: (variables) => program(variables), message, broken: undefined }
  } catch (error) {
    return {
      rule,
      isTransition,
      asksEach: false,
      evaluate: () => false,
      message,
      broken: firstLineOf(error),
    }
  }
}

function isAboutEachPart({ op, args }: ASTNode, text: string): boolean {
  if (op !== 'rcall') return false
  const [name, receiver, given] = args
  // With three arguments it is the other macro, which also sees where a part stands.
  const isAll = name === 'all' && given.length === 2 && receiver.op === 'id' && receiver.args === 'self'
  return isAll && text.match(/\bself\b/g)?.length === 1
}

/** What a rule may give as its reason. */
const reasons: ReadonlySet<string> = new Set<FieldErrorType>([
  'FieldValueInvalid',
  'FieldValueForbidden',
  'FieldValueRequired',
  'FieldValueDuplicate',
])

function isReason(reason: string | undefined): reason is FieldErrorType {
  return reason !== undefined && reasons.has(reason)
}

function failureMessage({ rule, message }: CompiledRule, variables: Record<string, unknown>): string {
  return message(variables) ?? rule.message ?? `failed rule: ${rule.rule.trim()}`
}

/** One that does not compile says nothing, like one that fails. */
function compileMessage(expression: string | undefined): CompiledRule['message'] {
  if (expression === undefined) return () => undefined
  let program: ReturnType<typeof environment.parse>
  try {
    program = environment.parse(expression)
  } catch {
    return () => undefined
  }
  return (variables) => {
    try {
      const text: unknown = program(variables)
      return typeof text === 'string' && text.trim() !== '' && !text.includes('\n') ? text : undefined
    } catch {
      return undefined
    }
  }
}

/** The texts of cel-go, which API servers print. */
function celErrorText(error: unknown): string {
  if (!(error instanceof EvaluationError)) return messageOf(error)
  const text = error.summary ?? firstLineOf(error)
  switch (error.code) {
    case 'no_such_key':
      return text.replace(/^No such key/, 'no such key')
    case 'index_out_of_bounds':
      return `index out of bounds: ${/index (\d+)/.exec(text)?.[1] ?? '0'}`
    case 'no_such_overload':
    case 'no_matching_overload':
      return 'no such overload'
    default:
      return text
  }
}
