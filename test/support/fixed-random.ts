import type { Random } from '../../src/model/random.ts'

/** Always the same draw, with UUIDs and names that count up. */
export function fixedRandom(draw = 0): Random {
  let count = 0
  const random: Random = {
    next: () => draw,
    below: (limit) => Math.floor(draw * limit),
    uuid: () => `00000000-0000-4000-8000-${String(++count).padStart(12, '0')}`,
    nameSuffix: (length) => String(++count).padStart(length, 'x'),
    fork: () => random,
  }
  return random
}
