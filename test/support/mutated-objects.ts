import type { Random } from '../../src/model/random.ts'

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** Values that are right in one place and wrong in most others. */
const values: readonly Json[] = [
  null,
  true,
  '',
  'x',
  'a b',
  '10',
  '10%',
  '1h',
  'Never',
  'In',
  'Gt',
  '1Gi',
  '0.5',
  'karpenter.sh/x',
  'x'.repeat(300),
  'é'.repeat(64),
  '\u0000',
  'a\nb\u2028',
  '1h30m5s',
  '-1s',
  '007',
  '1e3',
  '.5',
  '9223372036854775808',
  '@daily',
  '* * * * *',
  'al2023@v1@v2',
  '2026-02-30T00:00:00Z',
  'constructor',
  -1,
  0,
  1,
  1.5,
  1e-7,
  100_000,
  2_147_483_648,
  1e20,
  [],
  [''],
  ['a', 'a'],
  ['1'],
  {},
  { a: 'b' },
  { '': '' },
  { constructor: 'a', toString: 'b' },
  [{}],
  ['constructor', null],
]

/** A copy of `object` with one to three places below `spec` changed: set, removed, doubled in a list, or given an unknown neighbour. */
export function mutated<T extends object>(object: T, random: Random): T {
  const copy = structuredClone(object)
  const changes = 1 + random.below(3)
  for (let i = 0; i < changes; i++) change(copy as Record<string, Json>, random)
  return copy
}

function change(root: Record<string, Json>, random: Random): void {
  const places = placesBelow(root['spec'] ?? null)
  const place = places[random.below(Math.max(1, places.length))]
  if (place === undefined) return
  const value = structuredClone(values[random.below(values.length)] ?? null)
  const { parent, key } = place
  if (Array.isArray(parent)) {
    const index = Number(key)
    const kind = random.below(4)
    if (kind === 0) parent.splice(index, 1)
    else if (kind === 1) parent.push(structuredClone(parent[index] ?? null))
    else parent[index] = value
    return
  }
  const kind = random.below(8)
  if (kind === 0) delete parent[key]
  else if (kind === 1) parent['unknown'] = value
  else parent[key] = value
}

type Place = { readonly parent: Json[] | Record<string, Json>; readonly key: string }

function placesBelow(value: Json): Place[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.keys(value).flatMap((key) => {
    const inner = Array.isArray(value) ? value[Number(key)] : value[key]
    return [{ parent: value, key }, ...placesBelow(inner ?? null)]
  })
}
