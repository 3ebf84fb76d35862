import { annotationApprove } from '../../api/joinery-annotations.ts'
import { ec2NodeClassHashAnnotations, nodePoolHash } from '../../api/hash/index.ts'
import type { EC2NodeClass, NodePool } from '../../api/karpenter.ts'
import { nodeClassNameOf } from '../../api/node-class-ref.ts'
import { readRolloutAnnotations } from '../annotations.ts'
import { classFacts, type Governance, type NodeFacts, type PoolFacts } from '../engine/index.ts'
import type { ClassFacts } from '../engine/input.ts'
import { type PoolPause, poolPause } from '../pause.ts'
import { approvedBy, classTarget, imageIds, isPoolReason, poolTarget } from '../target.ts'

/** The node classes as proposed, stamped with their hashes. */
export interface PlannedClasses {
  readonly nodeClasses: ReadonlyMap<string, EC2NodeClass>
  /** Names of classes whose images nobody knows yet. */
  readonly unresolvedClasses: ReadonlySet<string>
}

/** What an approval of the pool, or of its class, has to name. */
export interface ApprovalTargets {
  readonly pool: string
  readonly nodeClass: string | undefined
}

/** How a pool stands at one moment of the plan. */
export interface PoolMoment {
  readonly targets: ApprovalTargets
  readonly nodes: readonly NodeFacts[]
  readonly pause: PoolPause | undefined
  readonly now: number
}

/** What the engine is to know of a pool in the plan: as `classes` will be, with the nodes that it has by then. */
export function poolFacts(
  pool: NodePool,
  classes: PlannedClasses,
  { targets, nodes, pause, now }: PoolMoment,
): PoolFacts {
  const { name } = pool.metadata
  const nodeClass = classes.nodeClasses.get(nodeClassNameOf(pool) ?? '')
  const [own, ofClass] = [readRolloutAnnotations(pool, now), nodeClass && readRolloutAnnotations(nodeClass, now)]
  const restarts = [own.restartAt, ofClass?.restartAt].filter((at) => at !== undefined)
  const kind = approvedBy(
    {
      pool: pool.metadata.annotations?.[annotationApprove],
      nodeClass: nodeClass?.metadata.annotations?.[annotationApprove],
    },
    {
      pool: targets.pool,
      nodeClass: targets.nodeClass,
      poolChanged: nodes.some(({ drift }) => drift !== undefined && isPoolReason(drift)),
    },
  )
  const ownClass =
    nodeClass === undefined || targets.nodeClass === undefined
      ? undefined
      : plannedClassFacts(nodeClass, targets.nodeClass, classes)
  return {
    name,
    target: targets.pool,
    wanted: poolTarget(nodePoolHash(pool), pool, ownClass?.pinnedInsteadOf ?? targets.nodeClass),
    nodeClass: ownClass,
    isStatic: pool.spec.replicas !== undefined,
    retiring: own.retire,
    restartAt: restarts.length === 0 ? undefined : Math.max(...restarts),
    approval:
      kind === undefined
        ? undefined
        : {
            kind,
            name: kind === 'NodePool' ? name : (nodeClass?.metadata.name ?? ''),
            target: kind === 'NodePool' ? targets.pool : (targets.nodeClass ?? ''),
            time: undefined,
            fieldManager: undefined,
          },
    pause,
    nodes,
  }
}

/** Images that nobody knows yet are others than those that are there; nothing is known of them, and no rollback has replaced them. */
function plannedClassFacts(nodeClass: EC2NodeClass, target: string, { unresolvedClasses }: PlannedClasses): ClassFacts {
  const facts = classFacts(nodeClass, target)
  return unresolvedClasses.has(nodeClass.metadata.name)
    ? {
        ...facts,
        images: [{ id: unknownImage, name: '' }],
        youngestImageAt: undefined,
        isGood: false,
        pinnedInsteadOf: undefined,
      }
    : facts
}

/** No id of an image. */
const unknownImage = 'unknown'

export function targetsOf(pool: NodePool, { nodeClasses, unresolvedClasses }: PlannedClasses): ApprovalTargets {
  const nodeClass = nodeClasses.get(nodeClassNameOf(pool) ?? '')
  const hash = nodeClass?.metadata.annotations?.[ec2NodeClassHashAnnotations.hash]
  // Images that nobody knows yet are others than those that are there: what failed with these begins anew with them.
  const images =
    nodeClass === undefined || unresolvedClasses.has(nodeClass.metadata.name) ? [unknownImage] : imageIds(nodeClass)
  const ofClass = nodeClass === undefined || hash === undefined ? undefined : classTarget(hash, nodeClass, images)
  return { nodeClass: ofClass, pool: poolTarget(nodePoolHash(pool), pool, ofClass) }
}

/** The pause that holds the pool at `now`, its own, its class's or that of a policy that selects it. */
export function pauseOf(
  pool: NodePool,
  { nodeClasses }: Pick<PlannedClasses, 'nodeClasses'>,
  { selecting }: Governance,
  now: number,
): PoolPause | undefined {
  const nodeClass = nodeClasses.get(nodeClassNameOf(pool) ?? '')
  return poolPause({ pool, nodeClass, policies: selecting.get(pool.metadata.name) ?? [] }, now)
}
