import { createHash } from 'node:crypto'
import { isRecord } from '../../api/json.ts'
import { compareText } from '../../model/order.ts'

/**
 * JSON with sorted keys in which the order of lists does not matter either; absent and undefined members are the same. For cache
 * keys and batch keys, where two inputs that AWS would treat alike must meet.
 */
export function canonicalText(value: unknown): string {
  if (value === undefined) return 'null'
  if (typeof value === 'bigint') return `${value}n`
  if (value instanceof Map) return canonicalText(Object.fromEntries(value))
  if (value instanceof Set) return canonicalText([...value])
  if (value instanceof Date) return JSON.stringify(value)
  if (Array.isArray(value)) {
    const items = value.map(canonicalText)
    if (items.length > 1) items.sort(compareText)
    return `[${items.join(',')}]`
  }
  if (isRecord(value)) {
    let members = ''
    for (const key of Object.keys(value).sort(compareText)) {
      const member = value[key]
      if (member !== undefined) members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${canonicalText(member)}`
    }
    return `{${members}}`
  }
  return JSON.stringify(value)
}

/** The first 64 bits of SHA-256 as an unsigned decimal. */
export function hash64(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest().readBigUInt64BE(0).toString()
}
