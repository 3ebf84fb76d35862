import type { Container, ContainerStatus, PodSpec, PodStatus, ResourceListText } from '../api/kubernetes.ts'
import { Quantity } from './quantity.ts'
import { addResources, maxResources, type Resources, toResources } from './resources.ts'

/**
 * What a pod asks of a node by the scheduler's rules: containers and sidecars together, or the hungriest moment of initialisation;
 * pod-level amounts override; overhead on top; and one of `pods`. A bound pod counts at least what it has been given, unless its
 * resize is infeasible.
 */
export function effectiveRequests(spec: PodSpec, status: PodStatus | undefined): Resources {
  const bound = (spec.nodeName ?? '') !== ''
  const infeasible = bound && isResizeInfeasible(status)
  const statuses = bound ? statusesByName(status) : noStatuses
  const amountOf = (container: Container): Resources => {
    const asked = toResources(container.resources?.requests)
    const given = statuses.get(container.name)
    if (given === undefined) return asked
    const held = maxResources(toResources(given.allocatedResources), toResources(given.resources?.requests))
    return infeasible && held.size > 0 ? held : maxResources(asked, held)
  }
  const total = peak(spec, amountOf)
  const withPodLevel = override(total, spec.resources?.requests)
  return addResources(withPodLevel, toResources(spec.overhead), onePod)
}

/** The same over limits, for metrics; overhead counts only where a limit is set. */
export function effectiveLimits(spec: PodSpec): Resources {
  const total = override(
    peak(spec, (container) => toResources(container.resources?.limits)),
    spec.resources?.limits,
  )
  const overhead = new Map([...toResources(spec.overhead)].filter(([name]) => total.get(name)?.isZero === false))
  return addResources(total, overhead)
}

/**
 * As the API server completes a pod that is created: what has a limit and no request is requested up to its limit. Templates are not
 * completed. Amounts of the pod are left to its containers where these say something.
 */
export function withDefaultRequests(spec: PodSpec): PodSpec {
  const containers = spec.containers.map(requestingLimits)
  const initContainers = spec.initContainers?.map(requestingLimits)
  const requested = new Set(
    [...containers, ...(initContainers ?? [])].flatMap(({ resources }) => Object.keys(resources?.requests ?? {})),
  )
  const limits = Object.entries(spec.resources?.limits ?? {}).filter(([name]) => !requested.has(name))
  return {
    ...spec,
    containers,
    ...(initContainers === undefined ? {} : { initContainers }),
    ...(limits.length === 0
      ? {}
      : { resources: { ...spec.resources, requests: { ...Object.fromEntries(limits), ...spec.resources?.requests } } }),
  }
}

function requestingLimits(container: Container): Container {
  const { limits, requests } = container.resources ?? {}
  return limits === undefined
    ? container
    : { ...container, resources: { ...container.resources, requests: { ...limits, ...requests } } }
}

const onePod: Resources = new Map([['pods', Quantity.of(1)]])
const noStatuses: ReadonlyMap<string, ContainerStatus> = new Map()

function peak(spec: PodSpec, amountOf: (container: Container) => Resources): Resources {
  let sidecars: Resources = new Map()
  let initialising: Resources = new Map()
  for (const container of spec.initContainers ?? []) {
    if (container.restartPolicy === 'Always') {
      sidecars = addResources(sidecars, amountOf(container))
      initialising = maxResources(initialising, sidecars)
    } else {
      initialising = maxResources(initialising, addResources(sidecars, amountOf(container)))
    }
  }
  return maxResources(addResources(...spec.containers.map(amountOf), sidecars), initialising)
}

function override(total: Resources, podLevel: ResourceListText | undefined): Resources {
  if (podLevel === undefined) return total
  const result = new Map(total)
  for (const [name, amount] of toResources(podLevel)) {
    if (name === 'cpu' || name === 'memory' || name.startsWith('hugepages-')) result.set(name, amount)
  }
  return result
}

function statusesByName(status: PodStatus | undefined): ReadonlyMap<string, ContainerStatus> {
  return new Map(
    [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].map((one) => [one.name, one]),
  )
}

function isResizeInfeasible(status: PodStatus | undefined): boolean {
  return (
    status?.resize === 'Infeasible' ||
    (status?.conditions ?? []).some(
      ({ type, reason, status: value }) => type === 'PodResizePending' && reason === 'Infeasible' && value !== 'False',
    )
  )
}
