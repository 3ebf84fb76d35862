/** SHA-256 as FIPS 180-4 states it, for the pure core, which has no node:crypto. Short inputs only: it is slow. */
export function sha256Hex(text: string): string {
  const words = padded(new TextEncoder().encode(text))
  let state = initial
  for (let start = 0; start < words.length; start += 16) state = compress(state, words.slice(start, start + 16))
  return state.map((word) => word.toString(16).padStart(8, '0')).join('')
}

const primes: readonly number[] = firstPrimes(64)
const constants: readonly number[] = primes.map((prime) => fractionBits(Math.cbrt(prime)))
const initial: readonly number[] = primes.slice(0, 8).map((prime) => fractionBits(Math.sqrt(prime)))

function firstPrimes(count: number): readonly number[] {
  const found: number[] = []
  for (let candidate = 2; found.length < count; candidate += 1) {
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate)
  }
  return found
}

/** The first 32 bits after the point: exact, as a double has 52 and these roots are below 2^5. */
function fractionBits(value: number): number {
  return Math.floor((value - Math.floor(value)) * 2 ** 32)
}

/** Big-endian words: the bytes, a one bit, zeroes, and the length in bits. */
function padded(bytes: Uint8Array): readonly number[] {
  const length = Math.ceil((bytes.length + 9) / 64) * 64
  const buffer = new Uint8Array(length)
  buffer.set(bytes)
  buffer[bytes.length] = 0x80
  const view = new DataView(buffer.buffer)
  view.setBigUint64(length - 8, BigInt(bytes.length) * 8n)
  return Array.from({ length: length / 4 }, (_, index) => view.getUint32(index * 4))
}

function compress(state: readonly number[], block: readonly number[]): readonly number[] {
  const schedule = [...block]
  const at = (index: number): number => schedule[index] ?? 0
  for (let index = 16; index < 64; index += 1) {
    const [early, late] = [at(index - 15), at(index - 2)]
    const low = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3)
    const high = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10)
    schedule.push((at(index - 16) + low + at(index - 7) + high) >>> 0)
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let index = 0; index < 64; index += 1) {
    const choice = (e & f) ^ (~e & g)
    const majority = (a & b) ^ (a & c) ^ (b & c)
    const first = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + choice + (constants[index] ?? 0) + at(index)
    const second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + majority
    h = g
    g = f
    f = e
    e = (d + first) >>> 0
    d = c
    c = b
    b = a
    a = (first + second) >>> 0
  }
  return [a, b, c, d, e, f, g, h].map((word, index) => (word + (state[index] ?? 0)) >>> 0)
}

function rotated(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by))
}
