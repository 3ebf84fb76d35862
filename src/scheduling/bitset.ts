/** Fixed-size sets of small integers, 32 to a word. All operands of one operation have the same length. */
export type Bits = Uint32Array<ArrayBuffer>

export function emptyBits(size: number): Bits {
  return new Uint32Array((size + 31) >>> 5)
}

export function allBits(size: number): Bits {
  const bits = emptyBits(size)
  for (let i = 0; i < size; i += 1) setBit(bits, i)
  return bits
}

export function setBit(bits: Bits, index: number): void {
  bits[index >>> 5] = (bits[index >>> 5] ?? 0) | (1 << (index & 31))
}

export function hasBit(bits: Bits, index: number): boolean {
  return ((bits[index >>> 5] ?? 0) & (1 << (index & 31))) !== 0
}

export function and(a: Bits, b: Bits): Bits {
  const result = new Uint32Array(a.length)
  for (let i = 0; i < a.length; i += 1) result[i] = (a[i] ?? 0) & (b[i] ?? 0)
  return result
}

export function andInto(target: Bits, other: Bits): void {
  for (let i = 0; i < target.length; i += 1) target[i] = (target[i] ?? 0) & (other[i] ?? 0)
}

export function orInto(target: Bits, other: Bits): void {
  for (let i = 0; i < target.length; i += 1) target[i] = (target[i] ?? 0) | (other[i] ?? 0)
}

export function isEmptyBits(bits: Bits): boolean {
  for (let i = 0; i < bits.length; i += 1) if (bits[i] !== 0) return false
  return true
}

export function forEachBit(bits: Bits, visit: (index: number) => void): void {
  for (let word = 0; word < bits.length; word += 1) {
    let rest = bits[word] ?? 0
    while (rest !== 0) {
      const low = rest & -rest
      visit((word << 5) + 31 - Math.clz32(low))
      rest ^= low
    }
  }
}

export function bitIndexes(bits: Bits): number[] {
  const found: number[] = []
  forEachBit(bits, (index) => found.push(index))
  return found
}
