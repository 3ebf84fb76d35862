import { conditionOf, nodePoolDependents } from '../../api/conditions.ts'
import type { NodePool } from '../../api/karpenter.ts'
import { foreignClassText, isManaged } from './managed.ts'
import type { SimulationObjects } from './objects.ts'
import { withReadiness } from './world.ts'

/** What the conditions of a pool say that Ready sums up, or Ready itself; undefined where nothing is told. */
export function notReadyText(pool: NodePool): string | undefined {
  return [...nodePoolDependents, 'Ready'].flatMap((type) => {
    const condition = conditionOf(pool, type)
    return condition === undefined || condition.status === 'True' ? [] : [condition.message || condition.reason || type]
  })[0]
}

/** One line for each pool that is another controller's, of which a plan or a placement has nothing to tell. */
export function foreignPools(nodePools: readonly NodePool[]): readonly string[] {
  return nodePools
    .filter((pool) => !isManaged(pool))
    .map((pool) => `NodePool ${pool.metadata.name} ${leftAloneText(pool)}`)
}

/** One line for each pool that takes no pods because it is not ready, of which no pod tells: to the scheduler there is no such pool. */
export function leftOutPools(objects: SimulationObjects): readonly string[] {
  return objects.nodePools
    .filter((pool) => isManaged(pool) && conditionOf(withReadiness(pool, objects), 'Ready')?.status !== 'True')
    .map((pool) => {
      const because = reasonOf(pool, objects)
      return `NodePool ${pool.metadata.name} takes no pods, it is not ready${because === undefined ? '' : `: ${because}`}`
    })
}

/** Of a pool that is not managed. */
export function leftAloneText(pool: NodePool): string {
  return `is left alone: its ${foreignClassText(pool)} is not ours`
}

function reasonOf(pool: NodePool, { nodeClasses }: SimulationObjects): string | undefined {
  const { kind, name } = pool.spec.template.spec.nodeClassRef
  const nodeClass = nodeClasses.find(({ metadata }) => metadata.name === name)
  if (nodeClass === undefined) return `there is no ${kind} ${name} in the input`
  if (conditionOf(pool, 'Ready') !== undefined) return notReadyText(pool)
  const { message = '', reason = '' } = conditionOf(nodeClass, 'Ready') ?? {}
  return `${kind} ${name} is not: ${message || reason}`
}
