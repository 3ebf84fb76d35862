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

/** Label keys, zones and durations come again in every manifest; matching is pure, and by far the dearest part of validation. */
const outcomes = new Map<string, boolean>()
const outcomesMax = 5_000
/** Longer texts are rarely seen twice. */
const rememberedLengthMax = 100

/** Whether the pattern occurs anywhere in the text. */
export function containsMatch(pattern: string, text: string): boolean {
  if (text.length > rememberedLengthMax) return re2(pattern).matcher(text).find()
  // A pattern holds no NUL, so that the two parts cannot be taken for others.
  const key = `${pattern}\0${text}`
  const known = outcomes.get(key)
  if (known !== undefined) return known
  const outcome = re2(pattern).matcher(text).find()
  if (outcomes.size >= outcomesMax) outcomes.clear()
  outcomes.set(key, outcome)
  return outcome
}
