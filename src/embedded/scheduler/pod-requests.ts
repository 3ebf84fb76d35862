import type { Container, Pod, ResourceListText } from '../../api/kubernetes.ts'
import { parseQuantity } from '../../model/quantity.ts'

/** Amounts by resource: CPU in thousandths of a core, everything else in whole units. */
export type Amounts = ReadonlyMap<string, number>

const amountsByPod = new WeakMap<object, Amounts>()

/**
 * What a pod needs of its node: the sum of its containers and sidecars, or the largest moment of its start-up if that is more, or what
 * the pod itself states; plus overhead, and one of `pods`.
 */
export function podRequests(pod: Pod): Amounts {
  const known = amountsByPod.get(pod)
  if (known !== undefined) return known
  const running = new Map<string, number>()
  for (const container of pod.spec.containers) add(running, requestsOf(pod, container))
  let sidecars = new Map<string, number>()
  const peak = new Map<string, number>()
  for (const container of pod.spec.initContainers ?? []) {
    const own = requestsOf(pod, container)
    if (container.restartPolicy === 'Always') {
      sidecars = add(new Map(sidecars), own)
      add(running, own)
      raise(peak, sidecars)
    } else {
      raise(peak, add(new Map(sidecars), own))
    }
  }
  raise(running, peak)
  // Stated for the pod as a whole, a request replaces the sum of its containers.
  for (const [name, amount] of toAmounts(pod.spec.resources?.requests)) running.set(name, amount)
  add(running, toAmounts(pod.spec.overhead))
  running.set('pods', 1)
  amountsByPod.set(pod, running)
  return running
}

export function toAmounts(list: ResourceListText | undefined): Map<string, number> {
  return new Map(Object.entries(list ?? {}).map(([name, text]) => [name, toAmount(name, text)]))
}

function toAmount(name: string, text: string | number): number {
  const quantity = parseQuantity(text)
  return Number(name === 'cpu' ? quantity.milli : quantity.units)
}

/** During a resize the larger of what is wanted and what is allocated counts. */
function requestsOf(pod: Pod, container: Container): Amounts {
  const wanted = toAmounts(container.resources?.requests)
  const statuses = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])]
  const status = statuses.find(({ name }) => name === container.name)
  if (status?.allocatedResources !== undefined) raise(wanted, toAmounts(status.allocatedResources))
  return wanted
}

function add(sum: Map<string, number>, more: Amounts): Map<string, number> {
  for (const [name, amount] of more) sum.set(name, (sum.get(name) ?? 0) + amount)
  return sum
}

function raise(highest: Map<string, number>, other: Amounts): void {
  for (const [name, amount] of other) highest.set(name, Math.max(highest.get(name) ?? 0, amount))
}
