import { messageOf } from '../api/error-text.ts'

/** One error for several; the causes stay reachable. */
export function combineErrors(errors: readonly unknown[]): Error {
  const [first] = errors
  if (errors.length === 1) return first instanceof Error ? first : new Error(String(first))
  return new AggregateError(errors, errors.map(messageOf).join('; '))
}

/** @throws what was rejected, combined; of those that say the same, as a hundred writes do which the same thing keeps back, the first stands for all */
export function throwRejections(results: readonly PromiseSettledResult<unknown>[]): void {
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
  if (errors.length === 0) return
  const told = new Set<string>()
  const different = errors.filter((error) => {
    const message = messageOf(error)
    const isFirst = !told.has(message)
    told.add(message)
    return isFirst
  })
  throw combineErrors(different)
}
