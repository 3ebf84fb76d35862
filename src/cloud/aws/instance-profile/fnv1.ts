const offset = 14_695_981_039_346_656_037n
const prime = 1_099_511_628_211n
const mask = (1n << 64n) - 1n

/** FNV-1, 64 bits, of the text's UTF-8 bytes. */
export function fnv1(text: string): bigint {
  let hash = offset
  for (const byte of Buffer.from(text, 'utf8')) hash = ((hash * prime) & mask) ^ BigInt(byte)
  return hash
}
