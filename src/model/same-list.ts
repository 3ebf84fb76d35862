/** Whether both hold the very same objects in the same order. */
export function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a === b || (a.length === b.length && a.every((item, index) => Object.is(item, b[index])))
}
