import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import type { Random } from '../model/random.ts'

/** Kubernetes leaves out vowels and look-alikes, so that generated names spell nothing. */
const nameAlphabet = 'bcdfghjklmnpqrstvwxz2456789'
/** randomInt's bound: the largest range it can draw from. */
const randomIntMax = 2 ** 48 - 1

export function systemRandom(): Random {
  const next = (): number =>
    (randomBytes(4).readUInt32BE() * 2 ** 21 + (randomBytes(4).readUInt32BE() >>> 11)) / 2 ** 53
  const random: Random = {
    next,
    below: (limit) => (limit <= randomIntMax ? randomInt(limit) : Math.floor(next() * limit)),
    uuid: () => randomUUID(),
    nameSuffix: (length) => Array.from({ length }, () => nameAlphabet.charAt(randomInt(nameAlphabet.length))).join(''),
    fork: () => random,
  }
  return random
}
