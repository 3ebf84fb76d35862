import type { HashField, HashValue } from './structural-hash.ts'

/*
 * From JSON to the values that enter the hash. A Go pointer counts whenever it is set, even to an empty value; a plain field counts
 * unless it has its zero value. Maps and lists count when they are given, even empty.
 */

export function pointerToText(value: string | undefined | null): HashValue | undefined {
  return value === undefined || value === null ? undefined : { kind: 'text', value }
}

export function plainText(value: string | undefined | null): HashValue | undefined {
  return value === undefined || value === null || value === '' ? undefined : { kind: 'text', value }
}

export function pointerToBool(value: boolean | undefined | null): HashValue | undefined {
  return value === undefined || value === null ? undefined : { kind: 'bool', value }
}

export function plainBool(value: boolean | undefined | null): HashValue | undefined {
  return value === true ? { kind: 'bool', value } : undefined
}

export function pointerToInt(kind: 'int32' | 'int64', value: number | undefined | null): HashValue | undefined {
  return value === undefined || value === null ? undefined : { kind, value: BigInt(value) }
}

export function plainInt(kind: 'int32' | 'int64', value: number | undefined | null): HashValue | undefined {
  return value === undefined || value === null || value === 0 ? undefined : { kind, value: BigInt(value) }
}

/** Of an RFC 3339 text, whose fraction Go reads to nine digits and JavaScript to three. */
export function pointerToTime(text: string | undefined | null): HashValue | undefined {
  if (text === undefined || text === null) return undefined
  const [fraction = '', digits = ''] = /\.(\d+)/.exec(text) ?? []
  const seconds = Math.floor(Date.parse(text.replace(fraction, '')) / 1000)
  const time: HashValue = { kind: 'time', seconds, nanoseconds: Number(digits.slice(0, 9).padEnd(9, '0')) }
  return struct('Time', { Time: time })
}

export function map(value: Readonly<Record<string, string>> | undefined | null): HashValue | undefined {
  return value === undefined || value === null
    ? undefined
    : {
        kind: 'map',
        entries: Object.entries(value).map(([key, item]) => [key, { kind: 'text', value: item }] as const),
      }
}

export function slice<T>(
  items: readonly T[] | undefined | null,
  toValue: (item: T) => HashValue,
): HashValue | undefined {
  return items === undefined || items === null ? undefined : { kind: 'slice', items: items.map(toValue) }
}

export function pointerTo<T>(value: T | undefined | null, toValue: (value: T) => HashValue): HashValue | undefined {
  return value === undefined || value === null ? undefined : toValue(value)
}

export function struct(name: string, fields: Readonly<Record<string, HashValue | undefined>>): HashValue {
  const list: HashField[] = Object.entries(fields).map(([field, value]) => ({ name: field, value }))
  return { kind: 'struct', name, fields: list }
}

/** A struct that is embedded by value is left out when none of its fields counts. */
export function structUnlessZero(value: HashValue): HashValue | undefined {
  return value.kind === 'struct' && value.fields.every((field) => field.value === undefined) ? undefined : value
}
