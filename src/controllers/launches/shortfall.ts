import type { PodInfo } from '../../model/pod.ts'
import { Quantity } from '../../model/quantity.ts'
import { readableResources, sumResources } from '../../model/resources.ts'
import type { StateNode } from '../../model/snapshot.ts'

/** By resource: what nodes were promised to have, in thousandths of what they have. */
export type Shortfall = ReadonlyMap<string, number>

/** What kernel, kubelet and daemons of the system take more of than was thought. Of devices one machine may lack some that others have. */
const shared: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage'])
const exact = 1_000
/** What daemons ask for is planned at its own size, and nodes are not all short by the same share. */
const spare = 5

/** Set where the node has less than its claim promised, so that the pod does not fit beside what runs there. */
export function shortfallOf(
  { nodeClaim, allocatable, pods }: Pick<StateNode, 'nodeClaim' | 'allocatable' | 'pods'>,
  pod: Pick<PodInfo, 'requests'>,
): Shortfall {
  const promised = readableResources(nodeClaim?.status?.allocatable)
  const wanted = sumResources([pod.requests, ...pods.map(({ requests }) => requests)])
  return new Map(
    [...promised].flatMap(([name, amount]): [string, number][] => {
      const has = allocatable.get(name)
      const asks = wanted.get(name)
      if (!shared.has(name) || has === undefined || asks === undefined || has.isZero) return []
      if (has.compare(amount) >= 0 || asks.compare(has) <= 0) return []
      return [[name, Number((amount.nano * BigInt(exact)) / has.nano) + spare]]
    }),
  )
}

/** The larger of both, resource by resource; the first itself where the second adds nothing. */
export function widened(known: Shortfall, found: Shortfall): Shortfall {
  const more = [...found].filter(([name, share]) => share > (known.get(name) ?? exact))
  return more.length === 0 ? known : new Map([...known, ...more])
}

/** The pod as it has to ask for a node, so that what it really asks for is there; `shortfalls` by the UIDs of pods. */
export function askingFor(pod: PodInfo, shortfalls: ReadonlyMap<string, Shortfall>): PodInfo {
  const shortfall = shortfalls.get(pod.uid)
  if (shortfall === undefined) return pod
  const requests = new Map(
    [...pod.requests].map(([name, { nano, format }]) => {
      const share = BigInt(shortfall.get(name) ?? exact)
      return [name, new Quantity((nano * share) / BigInt(exact), format)] as const
    }),
  )
  return { ...pod, requests }
}
