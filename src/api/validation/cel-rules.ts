import { EvaluationError } from '@marcbachmann/cel-js'
import type { StructuralSchema, ValidationRule } from '../custom-resource-definition.ts'
import { kubernetesCelEnvironment } from './cel-library.ts'
import { toCelValue } from './cel-values.ts'
import { type FieldError, type FieldErrorType, ruleBroken, ruleFailed } from './field-error.ts'
import { childPath, isRecord, memberOf } from './json-value.ts'
import { correlatedItem, isUnchanged } from './ratcheting.ts'

/** The rules of a schema, compiled, and those of the schemas below it. Parts without any rule are left out. */
export interface RuleTree {
  readonly schema: StructuralSchema
  readonly rules: readonly CompiledRule[]
  readonly properties: ReadonlyMap<string, RuleTree>
  readonly additional: RuleTree | undefined
  readonly items: RuleTree | undefined
}

interface CompiledRule {
  readonly rule: ValidationRule
  /** Compares with the stored value, so it runs on updates only, and even for what is unchanged. */
  readonly isTransition: boolean
  evaluate(variables: Record<string, unknown>): unknown
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
  return { schema, rules, properties, additional, items }
}

/** What does not compile among the rules of a schema, for the check of a CustomResourceDefinition itself. */
export function brokenRules(tree: RuleTree | undefined): string[] {
  if (tree === undefined) return []
  return [
    ...tree.rules.flatMap(({ broken, rule }) => (broken === undefined ? [] : [`${rule.rule}: ${broken}`])),
    ...[...tree.properties.values(), tree.additional, tree.items].flatMap(brokenRules),
  ]
}

export function ruleErrors(value: unknown, tree: RuleTree | undefined, path: string, old: unknown): FieldError[] {
  if (tree === undefined || value === undefined || value === null) return []
  const errors = tree.rules.length === 0 ? [] : ownErrors(value, tree, path, old)
  if (Array.isArray(value) && tree.items !== undefined) {
    const { items, schema } = tree
    for (const [index, item] of value.entries())
      errors.push(...ruleErrors(item, items, `${path}[${index}]`, correlatedItem(schema, item, old)))
  } else if (isRecord(value)) {
    for (const [name, child] of Object.entries(value)) {
      const below =
        tree.properties.get(name) ?? (tree.schema.properties?.[name] === undefined ? tree.additional : undefined)
      errors.push(...ruleErrors(child, below, childPath(path, name), memberOf(old, name)))
    }
  }
  return errors
}

function ownErrors(value: unknown, tree: RuleTree, path: string, old: unknown): FieldError[] {
  const unchanged = isUnchanged(value, old)
  const rules = tree.rules.filter(({ isTransition }) => (isTransition ? old !== undefined : !unchanged))
  if (rules.length === 0) return []
  const self = toCelValue(value, tree.schema)
  const variables = old === undefined ? { self } : { self, oldSelf: toCelValue(old, tree.schema) }
  return rules.flatMap((compiled) => outcome(compiled, variables, path, value) ?? [])
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
  const type = errorTypes[rule.reason ?? ''] ?? 'FieldValueInvalid'
  if (compiled.broken !== undefined) return ruleBroken(at, value, `compile error: ${compiled.broken}`)
  try {
    if (compiled.evaluate(variables) === true) return undefined
    return ruleFailed(at, type, value, failureMessage(rule, variables))
  } catch (error) {
    return ruleBroken(at, value, `${celErrorText(error)} evaluating rule: ${failureMessage(rule, variables)}`)
  }
}

function compileRule(rule: ValidationRule): CompiledRule {
  const isTransition = /\boldSelf\b/.test(rule.rule)
  try {
    const program = environment.parse(rule.rule)
    return { rule, isTransition, evaluate: (variables) => program(variables), broken: undefined }
  } catch (error) {
    return {
      rule,
      isTransition,
      evaluate: () => false,
      broken: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error),
    }
  }
}

const errorTypes: Readonly<Record<string, FieldErrorType>> = {
  FieldValueInvalid: 'FieldValueInvalid',
  FieldValueForbidden: 'FieldValueForbidden',
  FieldValueRequired: 'FieldValueRequired',
  FieldValueDuplicate: 'FieldValueDuplicate',
}

function failureMessage(rule: ValidationRule, variables: Record<string, unknown>): string {
  if (rule.messageExpression !== undefined) {
    const text = evaluatedMessage(rule.messageExpression, variables)
    if (text !== undefined) return text
  }
  return rule.message ?? `failed rule: ${rule.rule.trim()}`
}

function evaluatedMessage(expression: string, variables: Record<string, unknown>): string | undefined {
  try {
    const text: unknown = environment.parse(expression)(variables)
    return typeof text === 'string' && text.trim() !== '' && !text.includes('\n') ? text : undefined
  } catch {
    return undefined
  }
}

/** The texts of cel-go, which API servers print. */
function celErrorText(error: unknown): string {
  if (!(error instanceof EvaluationError)) return error instanceof Error ? error.message : String(error)
  const text = error.summary ?? error.message.split('\n')[0] ?? ''
  switch (error.code) {
    case 'no_such_key':
      return text.replace(/^No such key/, 'no such key')
    case 'index_out_of_bounds':
      return `index out of bounds: ${/index (\d+)/.exec(text)?.[1] ?? '0'}`
    case 'int_conversion_error':
      return "type conversion error from 'string' to 'int'"
    case 'no_such_overload':
    case 'no_matching_overload':
      return 'no such overload'
    default:
      return text
  }
}
