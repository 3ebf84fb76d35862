import type { Problem } from './rule.ts'

/**
 * Those of the problems that were not there before. Where a problem stands does not matter, since items of lists move about, but how often
 * it is there does: what is wrong once may not become wrong twice.
 */
export function newProblems(problems: readonly Problem[], before: readonly Problem[]): ReadonlySet<Problem> {
  const left = new Map<string, number>()
  for (const cause of before.flatMap(causesOf)) left.set(cause, (left.get(cause) ?? 0) + 1)
  const places = new Set(before.map(placeOf))
  // What stayed where it was comes first, so that it is the newcomer that is refused.
  const [stayed, others] = [
    problems.filter((problem) => places.has(placeOf(problem))),
    problems.filter((problem) => !places.has(placeOf(problem))),
  ]
  return new Set([...stayed, ...others].filter((problem) => !isTaken(causesOf(problem), left)))
}

/** Whether all causes were there before; they are then accounted for. */
function isTaken(causes: readonly string[], left: Map<string, number>): boolean {
  if (!causes.every((cause) => (left.get(cause) ?? 0) > 0)) return false
  for (const cause of causes) left.set(cause, (left.get(cause) ?? 0) - 1)
  return true
}

function causesOf({ message, causes }: Problem): readonly string[] {
  return causes ?? [message]
}

function placeOf({ path, message }: Problem): string {
  return `${path} ${message}`
}
