import { isConditionTrue } from '../../api/conditions.ts'
import { diffFields } from '../../api/field-diff.ts'
import type { EC2NodeClass, NodePool } from '../../api/karpenter.ts'
import { nodeClassNameOf } from '../../api/node-class-ref.ts'
import type { FleetObjects } from '../../rollout/plan/proposal.ts'

/**
 * The objects as proposed, without what status says of their readiness where that rests on a class that is another by then, or one that is
 * mended: whoever builds a world of them sees for himself.
 */
export function readyAnew(proposed: FleetObjects, present: FleetObjects): FleetObjects {
  const [before, after] = [classesByName(present), classesByName(proposed)]
  const mended = new Set(
    proposed.nodeClasses.flatMap((nodeClass) => {
      const known = before.get(nodeClass.metadata.name)
      const isMended =
        known !== undefined &&
        !isConditionTrue(known, 'Ready') &&
        diffFields(known.spec, nodeClass.spec, 'spec').length > 0
      return isMended ? [nodeClass.metadata.name] : []
    }),
  )
  const classOf = new Map(present.nodePools.map((pool) => [pool.metadata.name, nodeClassNameOf(pool)]))
  const restsOnAnother = (pool: NodePool): boolean => {
    const name = nodeClassNameOf(pool) ?? ''
    return mended.has(name) || classOf.get(pool.metadata.name) !== name || before.has(name) !== after.has(name)
  }
  return {
    ...proposed,
    nodePools: proposed.nodePools.map((pool) => (restsOnAnother(pool) ? withoutReadiness(pool) : pool)),
    nodeClasses: proposed.nodeClasses.map((nodeClass) =>
      mended.has(nodeClass.metadata.name) ? withoutReadiness(nodeClass) : nodeClass,
    ),
  }
}

function classesByName({ nodeClasses }: FleetObjects): ReadonlyMap<string, EC2NodeClass> {
  return new Map(nodeClasses.map((nodeClass) => [nodeClass.metadata.name, nodeClass]))
}

function withoutReadiness<T extends NodePool | EC2NodeClass>(object: T): T {
  const conditions = (object.status?.conditions ?? []).filter(({ type }) => !type.endsWith('Ready'))
  return { ...object, status: { ...object.status, conditions } }
}
