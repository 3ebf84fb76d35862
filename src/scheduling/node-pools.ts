import { isConditionTrue } from '../api/conditions.ts'
import type { NodePool } from '../api/karpenter.ts'
import { nodePoolHashInput, nodePoolHashVersion, recordText } from '../api/hash/index.ts'
import { annotationNodePoolHashInput, isRetired } from '../api/joinery-annotations.ts'
import {
  annotationNodePoolHash,
  annotationNodePoolHashVersion,
  labelInitialized,
  labelNodePool,
  labelRegistered,
  nodeClassLabelKey,
} from '../api/labels.ts'
import { compareText } from '../model/order.ts'
import { oneValue } from '../model/requirement.ts'
import {
  type LabelAliases,
  labelRequirements,
  mergeRequirements,
  requirementsOf,
  type Requirements,
  toRequirements,
} from '../model/requirements.ts'
import type { HeldInstanceTypes, InstanceTypeList } from '../model/snapshot.ts'

/** Why a pool opens no new nodes. */
type PoolExclusion = { readonly kind: 'static' | 'deleting' | 'retiring' | 'notReady' }

export interface ExcludedPool {
  readonly pool: NodePool
  readonly because: PoolExclusion
}

export interface PoolChoice {
  /** In the order in which templates are tried: weight descending, then name descending. */
  readonly pools: readonly NodePool[]
  readonly excluded: readonly ExcludedPool[]
}

/** The dynamic, ready pools in template order. The snapshot holds managed pools only. */
export function choosePools(pools: readonly NodePool[]): PoolChoice {
  const chosen: NodePool[] = []
  const excluded: ExcludedPool[] = []
  for (const pool of pools) {
    const because = exclusionOf(pool)
    if (because === undefined) chosen.push(pool)
    else excluded.push({ pool, because })
  }
  return { pools: chosen.toSorted(inTemplateOrder), excluded }
}

/** Pools that new nodes cannot come from although they are candidates, as the log says it. */
export interface UnresolvedPool {
  readonly nodePool: string
  readonly message:
    | 'skipping, unable to resolve instance types'
    | 'skipping, awaiting nodeoverlay evaluation'
    | 'skipping, no resolved instance types found'
    | `skipping, ${HeldInstanceTypes['what']}`
  readonly level: 'error' | 'debug' | 'info'
  readonly error: string | undefined
}

export function unresolvedPool(
  nodePool: string,
  list: InstanceTypeList | HeldInstanceTypes | undefined,
): UnresolvedPool | undefined {
  if (list?.kind === 'unresolved') {
    return { nodePool, message: 'skipping, unable to resolve instance types', level: 'error', error: list.error }
  }
  if (list?.kind === 'unknown') {
    return { nodePool, message: 'skipping, unable to resolve instance types', level: 'error', error: list.because }
  }
  if (list?.kind === 'awaitingOverlays') {
    return { nodePool, message: 'skipping, awaiting nodeoverlay evaluation', level: 'debug', error: undefined }
  }
  if (list?.kind === 'held') {
    return { nodePool, message: `skipping, ${list.what}`, level: 'info', error: list.because }
  }
  if (list !== undefined && list.types.length > 0) return undefined
  return { nodePool, message: 'skipping, no resolved instance types found', level: 'info', error: undefined }
}

/** Labels of a pool's nodes before anything is launched. */
export function templateLabels(pool: NodePool): Record<string, string> {
  const { metadata, spec } = pool.spec.template
  return {
    ...metadata?.labels,
    [labelNodePool]: pool.metadata.name,
    [nodeClassLabelKey(spec.nodeClassRef)]: spec.nodeClassRef.name,
  }
}

/** `hash` is the pool's nodepool-hash; what it was made of goes along, so that drift can be explained later. */
export function templateAnnotations(pool: NodePool, hash: string): Record<string, string> {
  return {
    ...pool.spec.template.metadata?.annotations,
    [annotationNodePoolHash]: hash,
    [annotationNodePoolHashVersion]: nodePoolHashVersion,
    [annotationNodePoolHashInput]: recordOf(pool, hash),
  }
}

/** A pool is asked for it by every simulation, and is never changed in place. */
const records = new WeakMap<NodePool, { readonly hash: string; readonly text: string }>()

function recordOf(pool: NodePool, hash: string): string {
  const known = records.get(pool)
  if (known?.hash === hash) return known.text
  const text = recordText({ generation: pool.metadata.generation ?? 0, hash, input: nodePoolHashInput(pool) })
  records.set(pool, { hash, text })
  return text
}

/** Pool requirements and template labels: what a node of the pool will look like, as far as the pool says. */
export function templateRequirements(pool: NodePool, aliases: LabelAliases): Requirements {
  return mergeRequirements(
    toRequirements(pool.spec.template.spec.requirements, aliases),
    labelRequirements(templateLabels(pool), aliases),
  )
}

/** Template requirements as simulations use them: nodes are thought of as registered and initialized. */
export function simulatedRequirements(pool: NodePool, aliases: LabelAliases): Requirements {
  const known = simulated.get(pool)
  if (known?.aliases === aliases) return known.requirements
  const requirements = mergeRequirements(
    templateRequirements(pool, aliases),
    requirementsOf(oneValue(labelRegistered, 'true'), oneValue(labelInitialized, 'true')),
  )
  simulated.set(pool, { aliases, requirements })
  return requirements
}

const simulated = new WeakMap<NodePool, { readonly aliases: LabelAliases; readonly requirements: Requirements }>()

function exclusionOf(pool: NodePool): PoolExclusion | undefined {
  if (pool.spec.replicas !== undefined) return { kind: 'static' }
  if (pool.metadata.deletionTimestamp !== undefined) return { kind: 'deleting' }
  if (isRetired(pool)) return { kind: 'retiring' }
  return isConditionTrue(pool, 'Ready') ? undefined : { kind: 'notReady' }
}

function inTemplateOrder(a: NodePool, b: NodePool): number {
  return (b.spec.weight ?? 0) - (a.spec.weight ?? 0) || compareText(b.metadata.name, a.metadata.name)
}
