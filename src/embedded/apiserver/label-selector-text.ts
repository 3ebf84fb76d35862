import type { LabelSelectorRequirement } from '../../api/kubernetes.ts'
import { badRequest, field } from './errors.ts'
import { labelValueProblem, qualifiedNameProblem } from './registry/names.ts'

/** Selectors that are written as text have two operators more than those that are objects. */
export type Requirement =
  | (RequirementOn & { readonly operator: LabelSelectorRequirement['operator'] })
  | (RequirementOn & { readonly operator: 'Gt' | 'Lt' })

interface RequirementOn {
  readonly key: string
  readonly values: readonly string[]
}

/** Reads `a=b,c!=d,e in (f,g),!h,i`; mistakes are told in the words of apimachinery's `labels.Parse`. */
export function parseRequirements(text: string): readonly Requirement[] {
  const tokens = new Tokens(text)
  const requirements: Requirement[] = []
  while (tokens.next !== '') {
    if (tokens.next !== '!' && !isIdentifier(tokens.next)) {
      throw badRequest(`found '${tokens.next}', expected: !, identifier, or 'end of string'`)
    }
    requirements.push(parseRequirement(tokens))
    const after = tokens.take()
    if (after === '') break
    if (after !== ',') throw badRequest(`found '${after}', expected: ',' or 'end of string'`)
    if (tokens.next !== '!' && !isIdentifier(tokens.next)) {
      throw badRequest(`found '${tokens.next}', expected: identifier after ','`)
    }
  }
  return requirements
}

class Tokens {
  readonly #tokens: readonly string[]
  #index = 0

  constructor(text: string) {
    this.#tokens = text.match(/==|!=|[=!<>(),]|[^\s=!<>(),]+/g) ?? []
  }

  /** Empty at the end. */
  get next(): string {
    return this.#tokens[this.#index] ?? ''
  }

  take(): string {
    const token = this.next
    this.#index += 1
    return token
  }
}

function isIdentifier(token: string): boolean {
  return !/^(?:==|!=|[=!<>(),]|)$/.test(token)
}

const signs: Readonly<Record<string, Requirement['operator']>> = {
  in: 'In',
  notin: 'NotIn',
  '=': 'In',
  '==': 'In',
  '!=': 'NotIn',
  '>': 'Gt',
  '<': 'Lt',
}

function parseRequirement(tokens: Tokens): Requirement {
  const isNegated = tokens.next === '!'
  if (isNegated) tokens.take()
  const key = tokens.take()
  if (!isIdentifier(key)) throw unparsable(`found '${key}', expected: identifier`)
  const problem = qualifiedNameProblem(key)
  if (problem !== undefined) throw unparsable(`<nil>: ${field.invalid('', key, problem).message}`)
  if (isNegated) return { key, operator: 'DoesNotExist', values: [] }
  if (tokens.next === '' || tokens.next === ',') return { key, operator: 'Exists', values: [] }
  const sign = tokens.take()
  const operator = Object.hasOwn(signs, sign) ? signs[sign] : undefined
  if (operator === undefined) throw unparsable(`found '${sign}', expected: in, notin, =, ==, !=, gt, lt`)
  const values = sign === 'in' || sign === 'notin' ? parseSet(tokens) : [parseValue(tokens)]
  for (const [index, value] of values.entries()) checkValue(key, operator, value, index)
  return { key, operator, values }
}

function parseSet(tokens: Tokens): readonly string[] {
  const open = tokens.take()
  if (open !== '(') throw unparsable(`found '${open}' expected: '('`)
  const values = [parseItem(tokens)]
  for (let token = tokens.take(); token !== ')'; token = tokens.take()) {
    if (token !== ',') throw unparsable(`found '${token}', expected: ',' or ')'`)
    values.push(parseItem(tokens))
  }
  return [...new Set(values)].toSorted()
}

/** A set may name the empty value by leaving it out. */
function parseItem(tokens: Tokens): string {
  const { next } = tokens
  if (next === ',' || next === ')') return ''
  if (!isIdentifier(next)) throw unparsable(`found '${next}', expected: ',', ')' or identifier`)
  return tokens.take()
}

function parseValue(tokens: Tokens): string {
  const { next } = tokens
  if (next === '' || next === ',') return ''
  if (!isIdentifier(next)) throw unparsable(`found '${next}', expected: identifier`)
  return tokens.take()
}

function checkValue(key: string, operator: Requirement['operator'], value: string, index: number): void {
  if ((operator === 'Gt' || operator === 'Lt') && !/^[-+]?\d+$/.test(value)) {
    const { message } = field.invalid('', value, "for 'Gt', 'Lt' operators, the value must be an integer")
    throw unparsable(`values[${index}]: ${message}`)
  }
  const problem = labelValueProblem(value)
  if (problem !== undefined) {
    throw unparsable(`values[${index}][${key}]: ${field.invalid('', value, problem).message}`)
  }
}

function unparsable(because: string): Error {
  return badRequest(`unable to parse requirement: ${because}`)
}
