/**
 * The 64-bit structural hash that Karpenter stamps onto objects (hashstructure v2, format 2, slices as sets, zero values ignored).
 * Fleets carry these values, so every byte counts. Values are described as the Go types see them: names enter the hash.
 */
export type HashValue =
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'int32' | 'int64'; readonly value: bigint }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [string, HashValue])[] }
  | { readonly kind: 'slice'; readonly items: readonly HashValue[] }
  | { readonly kind: 'struct'; readonly name: string; readonly fields: readonly HashField[] }
  /** Whole seconds since 1970, and nanoseconds after them. */
  | { readonly kind: 'time'; readonly seconds: number; readonly nanoseconds: number }

export interface HashField {
  readonly name: string
  /** Undefined for a field that is absent or has its zero value: it does not enter the hash. */
  readonly value: HashValue | undefined
}

/** 14695981039346656037 */
const offsetHigh = 0xcbf29ce4
const offsetLow = 0x84222325

export function hashOf(value: HashValue): bigint {
  switch (value.kind) {
    case 'bool':
      return fnv1(Uint8Array.of(value.value ? 1 : 0))
    case 'int32':
      return fnv1(littleEndian(value.value).subarray(0, 4))
    case 'int64':
      return fnv1(littleEndian(value.value))
    case 'text':
      return hashText(value.value)
    case 'map':
      return finish(value.entries.reduce((sum, [key, item]) => sum ^ combine(hashText(key), hashOf(item)), 0n))
    case 'slice':
      return value.items.reduce((sum, item) => sum ^ hashOf(item), 0n)
    case 'struct':
      return value.fields.reduce(
        (sum, field) =>
          field.value === undefined ? sum : finish(sum ^ combine(hashText(field.name), hashOf(field.value))),
        hashText(value.name),
      )
    case 'time':
      return fnv1(goTimeBytes(value.seconds, value.nanoseconds))
  }
}

const encoder = new TextEncoder()

export function hashText(text: string): bigint {
  return fnv1(encoder.encode(text))
}

/**
 * FNV-1, 64 bits: multiply, then xor. In two halves of 32 bits, because arithmetic on bigints allocates for every byte: the prime is
 * 2^40 + 435, so the product is the low half moved up by 40 bits plus 435 times the whole.
 */
export function fnv1(bytes: Uint8Array): bigint {
  let high = offsetHigh
  let low = offsetLow
  for (const byte of bytes) {
    const product = low * 435
    high = (high * 435 + Math.floor(product / 2 ** 32) + ((low << 8) >>> 0)) >>> 0
    low = ((product >>> 0) ^ byte) >>> 0
  }
  return (BigInt(high) << 32n) | BigInt(low)
}

/** Sixteen bytes to write numbers into: every hash is taken before the next one is begun. */
const scratch = new DataView(new ArrayBuffer(16))
const scratchBytes = new Uint8Array(scratch.buffer)
const firstHalf = scratchBytes.subarray(0, 8)

function combine(a: bigint, b: bigint): bigint {
  scratch.setBigUint64(0, a, true)
  scratch.setBigUint64(8, b, true)
  return fnv1(scratchBytes)
}

function finish(a: bigint): bigint {
  return fnv1(littleEndian(a))
}

/** Eight bytes, two's complement; good until the next call. */
function littleEndian(value: bigint): Uint8Array {
  scratch.setBigUint64(0, value, true)
  return firstHalf
}

/** Seconds from the year 1 to 1970. */
const goEpochOffsetSeconds = 62_135_596_800n

/** Go's binary form of a time in UTC: version, seconds, nanoseconds, zone offset; big-endian. */
function goTimeBytes(seconds: number, nanoseconds: number): Uint8Array {
  const bytes = new Uint8Array(15)
  const view = new DataView(bytes.buffer)
  bytes[0] = 1
  view.setBigInt64(1, BigInt(seconds) + goEpochOffsetSeconds)
  view.setInt32(9, nanoseconds)
  return bytes
}
