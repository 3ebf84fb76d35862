import type { Resource } from '../kube/resource.ts'

/** What kubectl takes for a kind, in small letters: singular and plural, with and without the group, and short names. */
export function kindNames({ kind, plural, group }: Resource, ...shortNames: readonly string[]): readonly string[] {
  const names = [kind.toLowerCase(), plural]
  const qualified = group === '' ? [] : names.map((name) => `${name}.${group}`)
  return [...names, ...qualified, ...shortNames]
}
