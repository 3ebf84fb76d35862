import type { NodePool, RolloutApproval, RolloutPolicy } from '../../api/karpenter.ts'
import { annotationApprove, approverOf } from '../../api/joinery-annotations.ts'
import { getIfPresent } from '../../kube/get-if-present.ts'
import { ec2NodeClasses, nodePools } from '../../kube/karpenter-kinds.ts'
import type { KubeClient } from '../../kube/port.ts'
import type { Resource } from '../../kube/resource.ts'
import type { Clock } from '../../model/clock.ts'
import { readRolloutAnnotations } from '../../rollout/annotations.ts'
import {
  type ApprovalFacts,
  type AskedMetric,
  classFacts,
  type Governance,
  type NodeFacts,
  type PoolFacts,
  type RolloutInput,
  takesPart,
} from '../../rollout/engine/index.ts'
import { poolPause } from '../../rollout/pause.ts'
import { approvedBy, isPoolReason, poolTarget } from '../../rollout/target.ts'
import type { Fleet, PoolTargets } from './fleet.ts'

export interface GatherDeps {
  readonly clock: Pick<Clock, 'sleep'>
  /** Reads what caches leave out: who wrote an annotation. */
  readonly kube: KubeClient
  readonly fleet: Fleet
  /** Answers the Prometheus gate of a policy; undefined when it has none, or nothing depends on it. */
  readonly metric: (policy: RolloutPolicy) => Promise<AskedMetric | undefined>
}

/** Nodes looked at before others have their turn: a few milliseconds, where all of them have changed. */
const nodesPerSlice = 256

/** All that one look of the engine at a policy rests on. */
export async function gatherRollout(
  policy: RolloutPolicy,
  governance: Governance,
  deps: GatherDeps,
  now: number,
): Promise<RolloutInput> {
  const { fleet } = deps
  const selected = fleet
    .pools()
    .filter(({ metadata: { name } }) =>
      (governance.selecting.get(name) ?? []).some((each) => each.metadata.uid === policy.metadata.uid),
    )
  const isOurs = ({ metadata: { name } }: NodePool): boolean =>
    governance.governing.get(name)?.metadata.uid === policy.metadata.uid
  const governed = selected.filter(isOurs).filter(takesPart)
  const pools: PoolFacts[] = []
  let looked = 0
  for (const pool of governed) {
    const selecting = governance.selecting.get(pool.metadata.name) ?? []
    const facts = await poolFacts({ pool, policy, selecting, now }, deps)
    pools.push(facts)
    looked += facts.nodes.length
    if (looked < nodesPerSlice) continue
    looked = 0
    await deps.clock.sleep(0)
  }
  const matters = policy.status?.startTime !== undefined || pools.some(({ nodes }) => nodes.some(isDrifted))
  return {
    policy,
    pools,
    yielded: selected
      .filter((pool) => !isOurs(pool))
      .map(({ metadata: { name } }) => ({ pool: name, to: governance.governing.get(name)?.metadata.name ?? '' })),
    pods: fleet.waitingPods(governed),
    metric: matters ? await deps.metric(policy) : undefined,
    now,
  }
}

interface PoolInput {
  readonly pool: NodePool
  /** The one that governs it. */
  readonly policy: RolloutPolicy
  readonly selecting: readonly RolloutPolicy[]
  readonly now: number
}

async function poolFacts({ pool, policy, selecting, now }: PoolInput, deps: GatherDeps): Promise<PoolFacts> {
  const targets = deps.fleet.targetsOf(pool)
  const nodeClass =
    targets.nodeClass === undefined ? undefined : classFacts(targets.nodeClass.object, targets.nodeClass.target)
  const own = readRolloutAnnotations(pool, now)
  const ofClass = targets.nodeClass === undefined ? undefined : readRolloutAnnotations(targets.nodeClass.object, now)
  const pause = poolPause({ pool, nodeClass: targets.nodeClass?.object, policies: selecting }, now)
  const restarts = [own.restartAt, ofClass?.restartAt].filter((at) => at !== undefined)
  const restartAt = restarts.length === 0 ? undefined : Math.max(...restarts)
  const nodes = deps.fleet.nodesOf(pool, policy.spec.gates).map((node) => restarted(node, restartAt))
  return {
    name: pool.metadata.name,
    target: targets.pool,
    wanted: poolTarget(deps.fleet.hashOfPool(pool), pool, nodeClass?.pinnedInsteadOf ?? nodeClass?.target),
    nodeClass,
    isStatic: pool.spec.replicas !== undefined,
    retiring: own.retire,
    restartAt,
    approval: await approvalFacts({ pool, policy, targets, nodes }, deps),
    pause,
    nodes,
  }
}

/** The condition comes a moment after the annotation, one claim after the other. */
function restarted(node: NodeFacts, restartAt: number | undefined): NodeFacts {
  const isDue = node.drift === undefined || node.drift === 'RestartRequested'
  const isAsked = restartAt !== undefined && node.createdAt < restartAt
  return isDue && isAsked ? { ...node, drift: 'RestartRequested', driftedAt: undefined } : node
}

interface ApprovalInput extends Pick<PoolInput, 'pool' | 'policy'> {
  readonly targets: PoolTargets
  readonly nodes: readonly NodeFacts[]
}

async function approvalFacts(
  { pool, policy, targets, nodes }: ApprovalInput,
  deps: GatherDeps,
): Promise<ApprovalFacts | undefined> {
  const nodeClass = targets.nodeClass?.object
  const kind = approvedBy(
    {
      pool: pool.metadata.annotations?.[annotationApprove],
      nodeClass: nodeClass?.metadata.annotations?.[annotationApprove],
    },
    {
      pool: targets.pool,
      nodeClass: targets.nodeClass?.target,
      poolChanged: nodes.some(({ drift }) => drift !== undefined && isPoolReason(drift)),
    },
  )
  if (kind === undefined) return undefined
  const name = kind === 'NodePool' ? pool.metadata.name : (nodeClass?.metadata.name ?? '')
  const target = kind === 'NodePool' ? targets.pool : (targets.nodeClass?.target ?? '')
  const known = (policy.status?.approvals ?? []).find(
    (approval) => approval.kind === kind && approval.name === name && approval.target === target,
  )
  if (known !== undefined) return asFacts(kind, known)
  const origin = await originOf(deps.kube, kind === 'NodePool' ? nodePools : ec2NodeClasses, name)
  const carrier = kind === 'NodePool' ? pool : nodeClass
  const user = carrier === undefined ? undefined : approverOf(carrier, target)
  return { kind, name, target, ...origin, user }
}

function asFacts(
  kind: ApprovalFacts['kind'],
  { name, target, time, fieldManager, user }: RolloutApproval,
): ApprovalFacts {
  return { kind, name, target, time, fieldManager, user }
}

/** When and by which writer the annotation came, as the API server keeps it. */
async function originOf(
  kube: KubeClient,
  resource: Resource,
  name: string,
): Promise<Pick<ApprovalFacts, 'time' | 'fieldManager'>> {
  const object = await getIfPresent(kube, resource, { name })
  if (object === undefined) return { time: undefined, fieldManager: undefined }
  for (const entry of object.metadata.managedFields ?? []) {
    const { manager, time, fieldsV1 } = recordOf(entry)
    if (recordOf(recordOf(recordOf(fieldsV1)['f:metadata'])['f:annotations'])[`f:${annotationApprove}`] === undefined) {
      continue
    }
    return {
      time: typeof time === 'string' ? time : undefined,
      fieldManager: typeof manager === 'string' ? manager : undefined,
    }
  }
  return { time: undefined, fieldManager: undefined }
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
}

function isDrifted({ drift }: NodeFacts): boolean {
  return drift !== undefined
}
