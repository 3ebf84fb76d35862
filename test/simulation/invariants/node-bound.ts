/** Amounts by resource, in whatever unit, as long as it is the same for both sides. */
export type Amounts = ReadonlyMap<string, number>

/** Of the nodes that hold what is asked for, as many again may be there as this says. */
const mostOfLeast = 1.25
/** From five pods a node on, what cannot be split leaves less room than the above allows. */
const sharesMax = 4

/**
 * How many nodes may stand for these pods: 1.25 times the least number of nodes with so much room that hold them all. Of the sizes
 * themselves nothing is said: price decides, and two small nodes may cost less than a large one. `parts` are those that cannot share a
 * node, such as pods of different zones: each may leave one node with room.
 */
export function nodesAllowed(
  pods: readonly Amounts[],
  rooms: readonly Amounts[],
  { parts, resources }: { readonly parts: number; readonly resources: readonly string[] },
): number {
  if (rooms.length === 0) return 0
  const least = Math.max(1, ...resources.map((name) => leastFor(amountsIn(pods, name), amountsIn(rooms, name))))
  return Math.ceil(mostOfLeast * least) + Math.max(0, parts - 1)
}

/** The sum decides, or how many pods are so large that only so many of them share the largest of the nodes. */
function leastFor(asked: readonly number[], rooms: readonly number[]): number {
  const mean = sum(rooms) / rooms.length
  const largest = Math.max(...rooms)
  if (mean <= 0) return 0
  let least = Math.ceil(sum(asked) / mean - rounding)
  for (let shares = 1; shares <= sharesMax; shares += 1) {
    const large = asked.filter((amount) => amount * (shares + 1) > largest * (1 + rounding)).length
    least = Math.max(least, Math.ceil(large / shares))
  }
  return least
}

/** Sums of fractions. */
const rounding = 1e-9

function amountsIn(all: readonly Amounts[], name: string): readonly number[] {
  return all.map((amounts) => amounts.get(name) ?? 0)
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0)
}

/** What is left of a node beside its daemons. */
export function less(all: Amounts, taken: readonly Amounts[]): Amounts {
  return new Map([...all].map(([name, amount]) => [name, amount - sum(amountsIn(taken, name))]))
}
