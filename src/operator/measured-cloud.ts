import {
  type CloudProvider,
  InstanceNotOwnedError,
  InsufficientCapacityError,
  NodeClaimNotFoundError,
  NodeClassNotReadyError,
} from '../cloud/provider.ts'
import type { ControllerMetrics } from '../controllers/metric-table.ts'
import { currentController } from '../kube/current-controller.ts'
import type { Clock } from '../model/clock.ts'

/** Counts and times the calls of the cloud port, by the controller that makes them. */
export function measuredCloud(
  cloud: CloudProvider,
  metrics: Pick<ControllerMetrics, 'cloudProviderDuration' | 'cloudProviderErrors'>,
  clock: Clock,
): CloudProvider {
  const measure = async <T>(method: string, call: () => Promise<T>): Promise<T> => {
    const labels = { controller: currentController(), method, provider: cloud.name }
    const startedAt = clock.monotonicMs()
    try {
      return await call()
    } catch (error) {
      metrics.cloudProviderErrors.increment({ ...labels, error: errorLabel(error) })
      throw error
    } finally {
      metrics.cloudProviderDuration.observe(labels, (clock.monotonicMs() - startedAt) / 1000)
    }
  }
  return {
    name: cloud.name,
    nodeClassKinds: cloud.nodeClassKinds,
    repairPolicies: cloud.repairPolicies,
    registrationHooks: cloud.registrationHooks,
    getInstanceTypes: (pool) => measure('GetInstanceTypes', () => cloud.getInstanceTypes(pool)),
    create: (claim) => measure('Create', () => cloud.create(claim)),
    get: (providerID) => measure('Get', () => cloud.get(providerID)),
    list: () => measure('List', () => cloud.list()),
    delete: (claim) => measure('Delete', () => cloud.delete(claim)),
    isDrifted: (claim) => measure('IsDrifted', () => cloud.isDrifted(claim)),
  }
}

/** Other errors are not told apart: their texts would make a series each. */
function errorLabel(error: unknown): string {
  if (error instanceof NodeClaimNotFoundError) return 'NodeClaimNotFoundError'
  if (error instanceof InsufficientCapacityError) return 'InsufficientCapacityError'
  if (error instanceof InstanceNotOwnedError) return 'InstanceNotOwnedError'
  if (error instanceof NodeClassNotReadyError) return 'NodeClassNotReadyError'
  return ''
}
