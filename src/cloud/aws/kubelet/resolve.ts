import { kubeletExpressions } from '../../../api/runtime-validation/index.ts'
import { tryParseQuantity } from '../../../model/quantity.ts'
import { compileExpression, type ExpressionVariables, ExpressionError } from './expressions.ts'
import { type ManagedKubelet, sortedEntries } from './managed-kubelet.ts'

/** The settings that may be expressions, as they come out for one instance type. */
export interface ResolvedKubelet {
  /** Undefined when the class sets none. */
  readonly maxPods: number | undefined
  readonly kubeReserved: Readonly<Record<string, string>> | undefined
  readonly systemReserved: Readonly<Record<string, string>> | undefined
}

export interface KubeletResolution {
  readonly resolved: ResolvedKubelet
  /** Entries that were left out because their expression failed or gave a negative amount. */
  readonly dropped: readonly string[]
}

const maxPodsLimit = 2 ** 31 - 1

/** Whether any value of the kubelet settings has to be evaluated for each instance type. */
export function hasExpressions(kubelet: ManagedKubelet): boolean {
  return expressionsOf(kubelet).length > 0
}

export function expressionsOf(kubelet: ManagedKubelet): { readonly field: string; readonly text: string }[] {
  return kubeletExpressions({ ...kubelet })
}

/**
 * With the gate off, expressions count as unset.
 * @throws ExpressionError when maxPods cannot be evaluated or does not fit the kubelet's 32 bits
 */
export function resolveKubelet(
  kubelet: ManagedKubelet,
  variables: ExpressionVariables,
  expressions: 'evaluate' | 'ignore',
): KubeletResolution {
  const dropped: string[] = []
  const maxPods =
    typeof kubelet.maxPods === 'string'
      ? expressions === 'ignore'
        ? undefined
        : evaluateMaxPods(kubelet.maxPods, variables)
      : kubelet.maxPods
  const withMaxPods = maxPods === undefined ? variables : { ...variables, maxPods }
  const reserved = (field: 'kubeReserved' | 'systemReserved'): Readonly<Record<string, string>> | undefined => {
    const map = kubelet[field]
    if (map === undefined) return undefined
    const entries: [string, string][] = []
    for (const [name, value] of sortedEntries(map)) {
      if (tryParseQuantity(value) !== undefined) entries.push([name, value])
      else if (expressions === 'evaluate') {
        const amount = evaluateReserved(name, value, withMaxPods)
        if (amount === undefined) dropped.push(`${field}[${name}]`)
        else entries.push([name, amount])
      }
    }
    return Object.fromEntries(entries)
  }
  return {
    resolved: { maxPods, kubeReserved: reserved('kubeReserved'), systemReserved: reserved('systemReserved') },
    dropped,
  }
}

/**
 * What fails for this type, for validation, which reports instead of dropping.
 * @throws ExpressionError
 */
export function checkExpressions(kubelet: ManagedKubelet, variables: ExpressionVariables): void {
  let withMaxPods = variables
  if (typeof kubelet.maxPods === 'string') {
    withMaxPods = { ...variables, maxPods: evaluateMaxPods(kubelet.maxPods, variables) }
  } else if (kubelet.maxPods !== undefined) {
    withMaxPods = { ...variables, maxPods: kubelet.maxPods }
  }
  for (const { field, text } of expressionsOf(kubelet)) {
    if (field === 'maxPods') continue
    const value = evaluate(text, withMaxPods)
    if (value < 0) {
      throw new ExpressionError(`spec.kubelet.${field}: "${text}" is negative for ${variables.instanceType}: ${value}`)
    }
  }
}

function evaluateMaxPods(text: string, variables: ExpressionVariables): number {
  const value = evaluate(text, variables)
  if (value < 0 || value > maxPodsLimit) {
    throw new ExpressionError(`spec.kubelet.maxPods: "${text}" is out of range for ${variables.instanceType}: ${value}`)
  }
  return value
}

function evaluateReserved(name: string, text: string, variables: ExpressionVariables): string | undefined {
  try {
    const value = evaluate(text, variables)
    return value < 0 ? undefined : withUnit(name, value)
  } catch (error) {
    if (error instanceof ExpressionError) return undefined
    throw error
  }
}

function evaluate(text: string, variables: ExpressionVariables): number {
  const compiled = compileExpression(text)
  if (compiled.kind === 'invalid') throw new ExpressionError(`compiling "${text}", ${compiled.error}`)
  return compiled.evaluate(variables)
}

/** CPU in millicores and memory in MiB are rounded up to steps that keep the number of distinct launch templates small. */
function withUnit(name: string, value: number): string {
  switch (name) {
    case 'cpu':
      return `${Math.ceil(value / 10) * 10}m`
    case 'memory':
      return value === 0 ? '0' : `${Math.ceil(value / 16) * 16}Mi`
    case 'ephemeral-storage':
      return `${value}Gi`
    default:
      return `${value}`
  }
}
