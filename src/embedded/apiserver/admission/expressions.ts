import { BoundedMemo } from '../../../api/bounded-memo.ts'
import { firstLineOf } from '../../../api/error-text.ts'
import { kubernetesCelEnvironment } from '../../../api/validation/cel-library.ts'
import { toCelValue } from '../../../api/validation/cel-values.ts'
import type { AdmissionAttempt } from '../api/context.ts'
import { isObject, type JsonObject, textAt } from '../json.ts'
import type { Store } from '../store.ts'
import { reviewRequest } from './review.ts'

export type Evaluation =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'error'; readonly message: string }

const environment = kubernetesCelEnvironment()
type Program = (variables: Record<string, unknown>) => unknown
/** Policies run on every write, and a cluster has few of them. */
const programs = new BoundedMemo<string, Program | Error>(1_000)

/** Evaluates a CEL expression. */
export function evaluate(expression: string, variables: Record<string, unknown>): Evaluation {
  const program = programs.of(expression, compile)
  if (program instanceof Error) return { kind: 'error', message: `compilation failed: ${firstLineOf(program)}` }
  try {
    return { kind: 'value', value: program(variables) }
  } catch (error) {
    return { kind: 'error', message: firstLineOf(error) }
  }
}

function compile(expression: string): Program | Error {
  try {
    const parsed = environment.parse(expression)
    return (variables) => parsed(variables)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** What an admission expression can name: object, oldObject, request, namespaceObject, params. Most name one of them. */
export function admissionVariables(
  store: Store,
  attempt: AdmissionAttempt,
  params?: JsonObject,
): Record<string, unknown> {
  const { definition, target, object, old } = attempt
  const schema = definition.custom?.schema
  const namespace = definition.namespaced ? store.get('/namespaces', target.namespace ?? '') : undefined
  return madeWhenNamed({
    object: () => (object === undefined ? null : toCelValue(object, schema)),
    oldObject: () => (old === undefined ? null : toCelValue(old, schema)),
    request: () => toCelValue(reviewRequest(attempt, ''), undefined),
    namespaceObject: () => (namespace === undefined ? null : toCelValue(namespace, undefined)),
    params: () => (params === undefined ? null : toCelValue(params, undefined)),
  })
}

/** Converting is dearer than evaluating: each variable is made when an expression first reads it. */
function madeWhenNamed(makers: Readonly<Record<string, () => unknown>>): Record<string, unknown> {
  const variables: Record<string, unknown> = {}
  for (const [name, make] of Object.entries(makers)) {
    let made: { readonly value: unknown } | undefined
    const get = (): unknown => {
      made ??= { value: make() }
      return made.value
    }
    Object.defineProperty(variables, name, { enumerable: true, get })
  }
  return variables
}

/** All conditions hold: 'yes'; one does not: 'no'; none is false but one cannot be told: the error. */
export function matchConditions(
  conditions: readonly unknown[],
  variables: Record<string, unknown>,
): 'yes' | 'no' | Error {
  let failure: Error | undefined
  for (const condition of conditions) {
    if (!isObject(condition)) continue
    const result = evaluate(textAt(condition, 'expression') ?? 'true', variables)
    if (result.kind === 'error') failure ??= new Error(result.message)
    else if (result.value !== true) return 'no'
  }
  return failure ?? 'yes'
}
