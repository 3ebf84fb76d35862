import type { Random } from '../model/random.ts'

const nameAlphabet = 'bcdfghjklmnpqrstvwxz2456789'

/** State of a generator, for saving; four unsigned 32-bit words. */
export type RandomState = readonly [number, number, number, number]

/** xoshiro128** (Blackman and Vigna, public domain): small, fast, and the same on every machine. Never for secrets. */
export class SeededRandom implements Random {
  #a: number
  #b: number
  #c: number
  #d: number

  constructor(seed: number | string | RandomState) {
    ;[this.#a, this.#b, this.#c, this.#d] = Array.isArray(seed) ? wordsOf(seed) : expand(String(seed))
  }

  next(): number {
    // 53 bits from two words, as a double in [0, 1) can hold them.
    const high = this.#word() >>> 5
    const low = this.#word() >>> 6
    return (high * 67_108_864 + low) / 9_007_199_254_740_992
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  uuid(): string {
    const hex =
      eightDigits(this.#word()) + eightDigits(this.#word()) + eightDigits(this.#word()) + eightDigits(this.#word())
    const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) & 3)
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`
  }

  nameSuffix(length: number): string {
    let text = ''
    for (let index = 0; index < length; index += 1) text += nameAlphabet.charAt(this.below(nameAlphabet.length))
    return text
  }

  /** `length` lower-case hexadecimal digits, as AWS' ids have them. */
  hex(length: number): string {
    let text = ''
    while (text.length < length) text += eightDigits(this.#word())
    return text.slice(0, length)
  }

  /** An independent generator for a part of the world, so that one part's draws don't shift another's. */
  fork(name: string): SeededRandom {
    return new SeededRandom(`${this.hex(16)}/${name}`)
  }

  state(): RandomState {
    return [this.#a, this.#b, this.#c, this.#d]
  }

  #word(): number {
    const result = Math.imul(rotate(Math.imul(this.#b, 5), 7), 9) >>> 0
    const shifted = this.#b << 9
    this.#c ^= this.#a
    this.#d ^= this.#b
    this.#b ^= this.#c
    this.#a ^= this.#d
    this.#c ^= shifted
    this.#d = rotate(this.#d, 11)
    return result
  }
}

/** A stable fraction in [0, 1) of some text: for facts of the world that must not depend on the order of questions. */
export function fractionOf(text: string): number {
  return new SeededRandom(text).next()
}

const bytes: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

function eightDigits(word: number): string {
  const byte = (shift: number): string => bytes[(word >>> shift) & 255] ?? ''
  return byte(24) + byte(16) + byte(8) + byte(0)
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits))
}

function wordsOf(state: readonly unknown[]): [number, number, number, number] {
  const [a, b, c, d] = state.map(Number)
  return [(a ?? 1) | 0, (b ?? 2) | 0, (c ?? 3) | 0, (d ?? 4) | 0]
}

/** Hashes the text (FNV-1a) and stretches it with splitmix32, so that near seeds give unlike runs. */
function expand(seed: string): [number, number, number, number] {
  let hash = 0x811c9dc5
  for (let index = 0; index < seed.length; index += 1) hash = Math.imul(hash ^ seed.charCodeAt(index), 0x01000193)
  const word = () => {
    hash = (hash + 0x9e3779b9) | 0
    let mixed = hash ^ (hash >>> 16)
    mixed = Math.imul(mixed, 0x21f0aaad)
    mixed ^= mixed >>> 15
    mixed = Math.imul(mixed, 0x735a2d97)
    return mixed ^ (mixed >>> 15)
  }
  return [word(), word(), word(), word()]
}
