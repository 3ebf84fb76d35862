import { RE2JS } from 're2js'

const compiled = new Map<string, RE2JS>()
/** Patterns come from schemas and rules, so there are few; the bound only guards against expressions that build them. */
const compiledMax = 2_000

/** An RE2 expression, compiled once. Throws on a pattern that RE2 does not accept. */
export function re2(pattern: string): RE2JS {
  const known = compiled.get(pattern)
  if (known !== undefined) return known
  const expression = RE2JS.compile(pattern)
  if (compiled.size >= compiledMax) compiled.clear()
  compiled.set(pattern, expression)
  return expression
}

/** Longer texts are rarely seen twice. */
const rememberedLengthMax = 100
const outcomesMax = 1_000

const matchers = new Map<string, (text: string) => boolean>()

/**
 * Tells whether the pattern occurs anywhere in a text. It remembers what it said: label keys, zones and durations come again in every
 * manifest, and matching is by far the dearest part of validation.
 */
export function matcherOf(pattern: string): (text: string) => boolean {
  const known = matchers.get(pattern)
  if (known !== undefined) return known
  const outcomes = new Map<string, boolean>()
  const matcher = (text: string): boolean => {
    if (text.length > rememberedLengthMax) return re2(pattern).matcher(text).find()
    const before = outcomes.get(text)
    if (before !== undefined) return before
    const outcome = re2(pattern).matcher(text).find()
    if (outcomes.size >= outcomesMax) outcomes.clear()
    outcomes.set(text, outcome)
    return outcome
  }
  if (matchers.size >= compiledMax) matchers.clear()
  matchers.set(pattern, matcher)
  return matcher
}

/** Whether the pattern occurs anywhere in the text. */
export function containsMatch(pattern: string, text: string): boolean {
  return matcherOf(pattern)(text)
}
