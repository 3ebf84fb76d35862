/**
 * The list with one more element; the list itself must not be read any more. Most lists of groups have one element or none, and one that
 * begins to grow takes room for seventeen.
 */
export function appended<T>(list: T[], one: T): T[] {
  if (list.length === 0) return [one]
  list.push(one)
  return list
}
