import type { KubeObject } from '../../api/kubernetes.ts'
import { parseDateTime } from '../../api/validation/formats.ts'
import type { Caches, Controller } from '../../kube/controller.ts'
import { done, requeueAfter, source } from '../../kube/controller.ts'
import { ec2NodeClasses, nodePools, rolloutPolicies } from '../../kube/karpenter-kinds.ts'
import type { EventRecorder } from '../../kube/recorder.ts'
import { keyOf, type Resource } from '../../kube/resource.ts'
import type { Clock } from '../../model/clock.ts'
import { parseTimestamp } from '../../model/clock.ts'
import { readRolloutAnnotations, type RolloutAnnotations } from '../../rollout/annotations.ts'
import type { PoolPause } from '../../rollout/pause.ts'
import { steeringChanges, unsteered } from '../../rollout/steering.ts'
import type { ControllerMetrics } from '../metric-table.ts'
import { SeriesKeeper } from '../metrics/series-keeper.ts'
import { isStatusOnly } from './counted-only.ts'

export interface SteeringDeps {
  readonly caches: Caches
  readonly clock: Clock
  readonly recorder: EventRecorder
  readonly metrics: Pick<ControllerMetrics, 'rolloutRequests' | 'disruptionPaused'>
  /** What pauses a pool, whoever says so. */
  pauseOf(pool: string): PoolPause | undefined
}

/** Tells, as events and metrics, what annotations ask for, and when that begins and ends. */
export function steeringControllers(deps: SteeringDeps): readonly Controller[] {
  const gauge = new PauseGauge(deps)
  return [
    steeringController(deps, 'nodepool.steering', nodePools, gauge),
    steeringController(deps, 'nodeclass.steering', ec2NodeClasses, gauge),
    steeringController(deps, 'rolloutpolicy.steering', rolloutPolicies, gauge),
  ]
}

/** What all three kinds have in common here. */
type Steerable = KubeObject & { readonly status?: { readonly target?: string } | undefined }

function steeringController<T extends KubeObject>(
  { caches, clock, recorder, metrics }: SteeringDeps,
  name: string,
  resource: Resource<T>,
  gauge: PauseGauge,
): Controller {
  const objects = caches.of(resource)
  const startedAt = clock.now()
  const known = new Map<string, RolloutAnnotations>()
  return {
    name,
    kind: { group: resource.group, kind: resource.kind },
    concurrency: 1,
    sources: [
      // Status changes far more often than what anybody asks for. Labels, selectors and references say whose pause holds for which pool.
      source(resource, (change) => {
        if (isStatusOnly(change.before, change.after)) return []
        return [keyOf(change.kind === 'deleted' ? change.before : change.after)]
      }),
    ],
    reconcile: (key) => {
      gauge.refresh()
      const object = objects.get(key)
      if (object === undefined) {
        known.delete(key.name)
        return Promise.resolve(done)
      }
      const now = readSteering(object, clock.now())
      // What was there when this process began has been told by the one before.
      const isNew = (parseTimestamp(object.metadata.creationTimestamp) ?? 0) >= startedAt
      const before = known.get(key.name) ?? (isNew ? unsteered : now)
      known.set(key.name, now)
      for (const { kind, type, message } of steeringChanges(object, before, now, targetOf(object))) {
        recorder.publish({ object, type, reason: kind, message, dedupeValues: [object.metadata.uid, message] })
        metrics.rolloutRequests.increment({ kind: resource.kind, name: object.metadata.name, request: kind })
      }
      const waitMs = now.changesAt === undefined ? undefined : now.changesAt - clock.now()
      return Promise.resolve(waitMs === undefined ? done : requeueAfter(Math.max(0, waitMs)))
    },
  }
}

/** Annotations, and what a policy says by its spec instead. */
function readSteering(object: KubeObject & { readonly spec?: unknown }, now: number): RolloutAnnotations {
  const annotations = readRolloutAnnotations(object, now)
  const declared = pauseField(object)
  const until = typeof declared === 'string' ? parseDateTime(declared) : undefined
  if (until === undefined || until <= now) return annotations
  return {
    ...annotations,
    pausedUntil: Math.max(until, annotations.pausedUntil ?? until),
    changesAt: Math.min(until, annotations.changesAt ?? until),
  }
}

function targetOf(object: Steerable): string | undefined {
  return object.status?.target
}

/** A policy pauses by its spec as well. */
function pauseField(object: KubeObject & { readonly spec?: unknown }): unknown {
  const { spec } = object
  return typeof spec === 'object' && spec !== null && 'pausedUntil' in spec ? spec.pausedUntil : null
}

/** One series for each pool; few enough to look at all of them whenever anything is paused or resumed. */
class PauseGauge {
  readonly #deps: SteeringDeps
  readonly #keeper = new SeriesKeeper()

  constructor(deps: SteeringDeps) {
    this.#deps = deps
  }

  refresh(): void {
    const { caches, metrics, pauseOf } = this.#deps
    const names = caches
      .of(nodePools)
      .list()
      .map(({ metadata }) => metadata.name)
    for (const nodepool of names) {
      const value = pauseOf(nodepool) === undefined ? 0 : 1
      this.#keeper.publish(nodepool, [{ gauge: metrics.disruptionPaused, labels: { nodepool }, value }])
    }
    this.#keeper.keepOnly(new Set(names))
  }
}
