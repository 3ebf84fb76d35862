/** Byte-wise order of UTF-16 text; unlike localeCompare it is the same on every machine. */
export function compareText(a: string, b: string): -1 | 0 | 1 {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Total over infinities, too, whose difference is not a number. */
export function compareNumbers(a: number, b: number): -1 | 0 | 1 {
  return a < b ? -1 : a > b ? 1 : 0
}

export type NonEmpty<T> = readonly [T, ...T[]]

export function isNonEmpty<T>(list: readonly T[]): list is NonEmpty<T> {
  return list.length > 0
}

/** For the default arm of a switch over a union: the compiler lists every place to visit when an arm is added. */
export function assertNever(value: never): never {
  throw new Error(`unexpected variant ${JSON.stringify(value)}`)
}
