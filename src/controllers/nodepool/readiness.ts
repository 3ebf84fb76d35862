import { conditionOf, nodePoolConditions, setCondition, type ConditionChange } from '../../api/conditions.ts'
import { type Controller, done } from '../../kube/controller.ts'
import {
  type NodeClassObject,
  nodeClassOf,
  nodeClassSource,
  type NodePoolDeps,
  poolController,
  poolSource,
} from './deps.ts'

/** Mirrors the state of the pool's NodeClass in the condition NodeClassReady. */
export function nodePoolReadinessController(deps: NodePoolDeps): Controller {
  return poolController(deps, 'nodepool.readiness', [poolSource, nodeClassSource(deps)], async (pool) => {
    const change = nodeClassReadiness(nodeClassOf(pool, deps))
    await deps.statuses.patch(pool, setCondition(pool, nodePoolConditions, change, deps.clock.now()))
    return done
  })
}

function nodeClassReadiness(nodeClass: NodeClassObject | undefined): ConditionChange {
  const type = 'NodeClassReady'
  const no = (reason: string, message: string): ConditionChange => ({ type, status: 'False', reason, message })
  if (nodeClass === undefined) return no('NodeClassNotFound', 'NodeClass not found on cluster')
  if (nodeClass.metadata.deletionTimestamp !== undefined) return no('NodeClassTerminating', 'NodeClass is Terminating')
  const ready = conditionOf(nodeClass, 'Ready')
  switch (ready?.status) {
    case undefined:
    case 'Unknown':
      return no('NodeClassReadinessUnknown', 'Node Class Readiness Unknown')
    case 'False':
      return no(ready?.reason ?? '', ready?.message ?? '')
    case 'True':
      return { type, status: 'True' }
  }
}
