/** Amounts by resource, in whatever unit, as long as it is the same for both sides. */
export type Amounts = ReadonlyMap<string, number>

/** Of the nodes that hold what is asked for, as many again may be there as this says. */
const mostOfLeast = 1.25

/**
 * How many nodes may stand for what is asked of them: 1.25 times the least number of nodes of this size that hold it all. Of the sizes
 * themselves nothing is said: price decides, and two small nodes may cost less than a large one. `parts` are those that cannot share a
 * node, such as pods of different zones: each may leave one node with room.
 */
export function nodesAllowed(
  asked: readonly Amounts[],
  sizes: readonly Amounts[],
  { parts, resources }: { readonly parts: number; readonly resources: readonly string[] },
): number {
  if (sizes.length === 0) return 0
  const least = Math.max(
    ...resources.map((name) => {
      const room = sum(sizes, name) / sizes.length
      return room === 0 ? 0 : Math.ceil(sum(asked, name) / room - rounding)
    }),
  )
  return Math.ceil(mostOfLeast * Math.max(1, least)) + Math.max(0, parts - 1)
}

/** Sums of fractions. */
const rounding = 1e-9

function sum(all: readonly Amounts[], name: string): number {
  return all.reduce((total, amounts) => total + (amounts.get(name) ?? 0), 0)
}
