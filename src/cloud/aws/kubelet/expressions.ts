import { Environment } from '@marcbachmann/cel-js'
import { BoundedMemo } from '../../../api/bounded-memo.ts'
import { firstLineOf } from '../../../api/error-text.ts'
import { asInGo } from '../../../api/validation/index.ts'

/** What an expression in `spec.kubelet` may read; amounts of the instance type it is evaluated for. */
export interface ExpressionVariables {
  readonly instanceType: string
  readonly vcpus: number
  readonly memoryMiB: number
  /** Most interfaces of the default network card. */
  readonly defaultENIs: number
  readonly ipsPerENI: number
  /** Resolved; inside an expression for maxPods it is the default. */
  readonly maxPods: number
}

export type Compiled =
  | { readonly kind: 'expression'; evaluate(variables: ExpressionVariables): number }
  | { readonly kind: 'invalid'; readonly error: string }

export class ExpressionError extends Error {
  readonly code = 'KubeletExpression'
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'ExpressionError'
  }
}

const largestResult = 2 ** 63

/** A class has a handful of some dozen characters. What is made of one takes a hundred times its room, and anybody may ask the webhook. */
const compiled = new BoundedMemo<string, Compiled>(1_000, 65_536)

/** Type-checks to a number; `evaluate` truncates toward zero and throws ExpressionError for what is no finite number of 64 bits. */
export function compileExpression(text: string): Compiled {
  return compiled.of(text, compile)
}

/** Why a text is no expression that makes a number, whatever the instance type; undefined when it is one. */
export function expressionProblem(text: string): string | undefined {
  const result = compileExpression(text)
  return result.kind === 'invalid' ? result.error : undefined
}

const environment = asInGo(
  new Environment()
    .registerVariable('instance_type', 'string')
    .registerVariable('vcpus', 'int')
    .registerVariable('memory_mib', 'int')
    .registerVariable('default_enis', 'int')
    .registerVariable('ips_per_eni', 'int')
    .registerVariable('max_pods', 'int')
    .registerFunction('max(int, int): int', (a: bigint, b: bigint) => (a > b ? a : b))
    .registerFunction('max(int, double): double', (a: bigint, b: number) => Math.max(Number(a), b))
    .registerFunction('max(double, int): double', (a: number, b: bigint) => Math.max(a, Number(b)))
    .registerFunction('max(double, double): double', (a: number, b: number) => Math.max(a, b))
    .registerFunction('min(int, int): int', (a: bigint, b: bigint) => (a < b ? a : b))
    .registerFunction('min(int, double): double', (a: bigint, b: number) => Math.min(Number(a), b))
    .registerFunction('min(double, int): double', (a: number, b: bigint) => Math.min(a, Number(b)))
    .registerFunction('min(double, double): double', (a: number, b: number) => Math.min(a, b)),
)

function compile(text: string): Compiled {
  try {
    const program = environment.parse(text)
    const checked = program.check()
    if (!checked.valid) return { kind: 'invalid', error: firstLineOf(checked.error) }
    if (checked.type !== 'int' && checked.type !== 'double') {
      return { kind: 'invalid', error: `expression must return int or double, got ${checked.type}` }
    }
    return { kind: 'expression', evaluate: (variables) => run(text, program, variables) }
  } catch (error) {
    return { kind: 'invalid', error: firstLineOf(error) }
  }
}

function run(
  text: string,
  program: (context: Record<string, unknown>) => unknown,
  variables: ExpressionVariables,
): number {
  let result: unknown
  try {
    result = program({
      instance_type: variables.instanceType,
      vcpus: BigInt(variables.vcpus),
      memory_mib: BigInt(variables.memoryMiB),
      default_enis: BigInt(variables.defaultENIs),
      ips_per_eni: BigInt(variables.ipsPerENI),
      max_pods: BigInt(variables.maxPods),
    })
  } catch (error) {
    throw new ExpressionError(`evaluating "${text}" for ${variables.instanceType}, ${firstLineOf(error)}`, error)
  }
  const number = typeof result === 'bigint' ? Number(result) : result
  if (typeof number !== 'number' || !Number.isFinite(number)) {
    throw new ExpressionError(`evaluating "${text}" for ${variables.instanceType}, result is not a finite number`)
  }
  // Go keeps the result in 64 bits. What does not fit would also be printed with an exponent, which no quantity has.
  if (Math.abs(number) >= largestResult) {
    throw new ExpressionError(`evaluating "${text}" for ${variables.instanceType}, result does not fit 64 bits`)
  }
  return Math.trunc(number)
}
