import { nodeOverlayConditions, setCondition } from '../../api/conditions.ts'
import type { NodeOverlay, NodePool } from '../../api/karpenter.ts'
import type { ClusterState, InstanceTypeSource } from '../../cluster/index.ts'
import { isSpecChange } from '../../kube/changes.ts'
import {
  backOff,
  type Caches,
  type Change,
  type Controller,
  requeueAfter,
  type Source,
  source,
} from '../../kube/controller.ts'
import type { KubeObject } from '../../api/kubernetes.ts'
import { isConflict, isNotFound } from '../../kube/errors.ts'
import { nodeOverlays, nodePools } from '../../kube/karpenter-kinds.ts'
import { mergePatchBetween } from '../../kube/merge-patch.ts'
import type { KubeClient } from '../../kube/port.ts'
import { keyOf, type ObjectKey } from '../../kube/resource.ts'
import type { Clock } from '../../model/clock.ts'
import { combineErrors } from '../../model/combine-errors.ts'
import type { InstanceType } from '../../model/instance-type.ts'
import type { LabelAliases } from '../../model/requirements.ts'
import { evaluateOverlays } from '../../scheduling/node-overlay.ts'
import { retriesOfFew } from '../few-objects.ts'
import type { OverlayStore } from './overlay-store.ts'

export interface OverlayEvaluationDeps {
  readonly kube: KubeClient
  readonly caches: Caches
  readonly clock: Clock
  readonly cluster: Pick<ClusterState, 'isManaged' | 'markUnconsolidated'>
  /** Without overlays. */
  readonly instanceTypes: InstanceTypeSource
  readonly store: OverlayStore
  /** Runtime validation; nothing for a valid overlay. */
  readonly errorsOf: (overlay: NodeOverlay) => readonly string[]
  readonly labelAliases: LabelAliases
  readonly wellKnownLabels: ReadonlySet<string>
  /** Changes of NodeClasses; whatever keys they give, everything is evaluated. */
  readonly nodeClassSources?: readonly Source[]
}

/** Prices and catalogues move under overlays without an event. */
const againMs = 6 * 3_600_000
/** Overlays are judged against each other, so there is one key for all. */
const everything: ObjectKey = { name: 'overlays' }

/** Decides which overlays hold, says so in their status, and puts what they change before the solver. */
export function nodeOverlayEvaluation(deps: OverlayEvaluationDeps): Controller {
  const overlays = deps.caches.of(nodeOverlays)
  const pools = deps.caches.of(nodePools)
  return {
    name: 'nodeoverlay.controller',
    kind: { group: 'karpenter.sh', kind: 'NodeOverlay' },
    sources: [
      source(nodeOverlays, onSpecChange),
      source(nodePools, onSpecChange),
      ...(deps.nodeClassSources ?? []).map((own) => ({
        ...own,
        toKeys: (change: Change<KubeObject>) => (own.toKeys(change).length > 0 ? [everything] : []),
      })),
    ],
    triggers: [
      (enqueue) => {
        enqueue(everything)
        return () => undefined
      },
    ],
    concurrency: 1,
    rateLimit: retriesOfFew,
    async reconcile() {
      const judged = overlays.list().map((overlay) => ({ overlay, errors: deps.errorsOf(overlay) }))
      const listed = await listTypes(
        deps.instanceTypes,
        pools.list().filter((pool) => deps.cluster.isManaged(pool)),
      )
      const { conflicting, updates } = evaluateOverlays({
        overlays: judged.filter(({ errors }) => errors.length === 0).map(({ overlay }) => overlay),
        pools: listed.resolved,
        aliases: deps.labelAliases,
        wellKnownLabels: deps.wellKnownLabels,
      })
      const failures: unknown[] = []
      for (const { overlay, errors } of judged) {
        try {
          await writeStatus(deps, overlay, errors, conflicting.has(overlay.metadata.name))
        } catch (error) {
          if (isConflict(error)) return backOff
          if (!isNotFound(error)) failures.push(error)
        }
      }
      // No pool has to wait for its types because of a status that may not be written.
      deps.store.replace(updates)
      deps.cluster.markUnconsolidated()
      if (listed.errors.length > 0) failures.push(new Error(`listing instance types, ${listed.errors.join('; ')}`))
      if (failures.length > 0) throw combineErrors(failures)
      return requeueAfter(againMs)
    },
  }
}

/** Status changes, our own among them, are no reason to evaluate again. */
function onSpecChange(change: Change<NodeOverlay> | Change<NodePool>): readonly ObjectKey[] {
  return isSpecChange(change) ? [everything] : []
}

async function listTypes(
  instanceTypes: InstanceTypeSource,
  pools: readonly NodePool[],
): Promise<{
  readonly resolved: readonly { readonly pool: NodePool; readonly types: readonly InstanceType[] }[]
  readonly errors: readonly string[]
}> {
  const lists = await Promise.all(pools.map(instanceTypes))
  return {
    resolved: pools.flatMap((pool, index) => {
      const list = lists[index]
      return list?.kind === 'resolved' ? [{ pool, types: list.types }] : []
    }),
    errors: lists.flatMap((list) => (list.kind === 'unresolved' ? [list.error] : [])),
  }
}

async function writeStatus(
  deps: OverlayEvaluationDeps,
  overlay: NodeOverlay,
  errors: readonly string[],
  conflict: boolean,
): Promise<void> {
  const type = 'ValidationSucceeded'
  const change =
    errors.length > 0
      ? { type, status: 'False' as const, reason: 'RuntimeValidation', message: errors.join('; ') }
      : conflict
        ? { type, status: 'False' as const, reason: 'Conflict', message: 'conflict with another overlay' }
        : { type, status: 'True' as const }
  const after = setCondition(overlay, nodeOverlayConditions, change, deps.clock.now())
  const status = mergePatchBetween(overlay.status ?? {}, after.status ?? {})
  if (status === undefined) return
  const body = { metadata: { resourceVersion: overlay.metadata.resourceVersion }, status }
  await deps.kube.patch(nodeOverlays, keyOf(overlay), { kind: 'merge', body }, { subresource: 'status' })
}
