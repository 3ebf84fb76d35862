import { combineErrors } from '../model/combine-errors.ts'

/** One after the other; what fails for one keeps none of the others waiting. @throws what failed, combined, once all had their turn */
export async function oneByOne<T>(items: Iterable<T>, act: (item: T) => Promise<void>): Promise<void> {
  const errors: unknown[] = []
  for (const item of items) {
    try {
      await act(item)
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw combineErrors(errors)
}
