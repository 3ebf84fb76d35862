import { capacityTypeOnDemand, capacityTypeSpot, labelCapacityType } from '../../api/labels.ts'
import type { NodePool } from '../../api/karpenter.ts'
import { allows } from '../../model/requirement.ts'
import { requirementFor } from '../../model/requirements.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import { prepare, type SchedulingSettings, templateRequirements } from '../../scheduling/index.ts'

/**
 * Pools whose requirements no instance type meets, by name, in the scheduler's words. What a pool for reserved capacity alone can launch no
 * table knows.
 */
export function untypedPools(snapshot: Snapshot, settings: SchedulingSettings): ReadonlyMap<string, string> {
  const isTold = (pool: NodePool): boolean => {
    const capacity = requirementFor(templateRequirements(pool, settings.vocabulary.aliases), labelCapacityType)
    return [capacityTypeOnDemand, capacityTypeSpot].some((type) => allows(capacity, type))
  }
  // Nodes and pods have no part in it.
  const { filteredPools } = prepare({ ...snapshot, nodes: [], unboundPods: [] }, settings)
  return new Map(
    filteredPools.flatMap(({ nodePool, message }) => (isTold(nodePool) ? [[nodePool.metadata.name, message]] : [])),
  )
}
