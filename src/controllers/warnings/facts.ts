import { type AdmissionFacts, selectorMatchesOf } from '../../admission/index.ts'
import { conditionOf, lookupConditions } from '../../api/conditions.ts'
import type { EC2NodeClass, NodePool } from '../../api/karpenter.ts'
import type { InstanceTypeSource } from '../../cluster/index.ts'
import type { Caches } from '../../kube/controller.ts'
import { ec2NodeClasses, nodePools } from '../../kube/karpenter-kinds.ts'

export interface WarningFactsDeps {
  readonly caches: Caches
  /** What the cloud offers each pool now. */
  readonly instanceTypes: InstanceTypeSource
  /** Facts that do not change while the process runs. */
  readonly fixed: AdmissionFacts
}

/** What the operator knows of the world. How many nodes a change drifts is not among it: here the change has happened. */
export async function factsOfPool(deps: WarningFactsDeps, pool: NodePool): Promise<AdmissionFacts> {
  const list = await deps.instanceTypes(pool)
  return { ...known(deps), ...(list.kind === 'resolved' ? { catalogueOf: () => list.types } : {}) }
}

export function factsOfClass(deps: WarningFactsDeps, nodeClass: EC2NodeClass): AdmissionFacts {
  const selectorMatches = isResolved(nodeClass) ? selectorMatchesOf(nodeClass) : undefined
  return { ...known(deps), ...(selectorMatches === undefined ? {} : { selectorMatches }) }
}

function known({ caches, fixed }: WarningFactsDeps): AdmissionFacts {
  return { ...fixed, nodePools: caches.of(nodePools).list(), nodeClasses: caches.of(ec2NodeClasses).list() }
}

/** Whether every selector of the spec as it is now has been looked up; before that, nothing found means nothing. */
function isResolved(nodeClass: EC2NodeClass): boolean {
  return lookupConditions.every((type) => {
    const condition = conditionOf(nodeClass, type)
    return (
      condition !== undefined &&
      condition.status !== 'Unknown' &&
      condition.observedGeneration === nodeClass.metadata.generation
    )
  })
}
