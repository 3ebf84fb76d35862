import { type AdmissionFacts, judge, type Severity, warningTexts } from '../../admission/index.ts'
import {
  clearCondition,
  type Conditioned,
  conditionOf,
  type ConditionTypes,
  setCondition,
} from '../../api/conditions.ts'
import type { KubeObject } from '../../api/kubernetes.ts'
import { type Caches, type Controller, done, requeueAfter, type Source, type Trigger } from '../../kube/controller.ts'
import { mergePatchBetween } from '../../kube/merge-patch.ts'
import type { KubeClient } from '../../kube/port.ts'
import type { EventRecorder } from '../../kube/recorder.ts'
import type { Logger } from '../../kube/logger.ts'
import { keyOf, type Resource } from '../../kube/resource.ts'
import type { Clock } from '../../model/clock.ts'
import { unlessRaceIsLost } from '../lost-race.ts'

export interface MirrorDeps {
  readonly kube: KubeClient
  readonly caches: Caches
  readonly clock: Clock
  readonly recorder: EventRecorder
  /** As the webhook is set. */
  readonly severities: Readonly<Record<string, Severity>>
}

/** How one kind is judged. */
export interface MirroredKind<T> {
  readonly resource: Resource<T & KubeObject>
  readonly conditions: ConditionTypes
  /** What may change the verdict. */
  readonly sources: readonly Source[]
  readonly triggers?: readonly Trigger[]
  readonly factsOf: (object: T) => AdmissionFacts | Promise<AdmissionFacts>
  /** False for what another controller looks after: its status is not ours to write. */
  readonly isOurs?: (object: T) => boolean
}

/** There only while there is something to warn about, so that nothing about a sound object changes. */
const warningsCondition = 'AdmissionWarnings'
const eventReason = 'AdmissionWarning'
/** Catalogues and prices move without an event. */
const againMs = 3_600_000
const repeatedAfterMs = 86_400_000
/** Refused by ValidationSucceeded, in the same words. */
const toldElsewhere: ReadonlySet<string> = new Set(['JN-104', 'JN-105', 'JN-106'])

/**
 * Says on the object what the webhook says, or would say, to whoever applies it: syncing tools hide warnings of admission, and a webhook
 * may be off or have been down. One condition with all of them, and an event for each that is new.
 */
export function warningsController<T extends KubeObject & Conditioned>(
  deps: MirrorDeps,
  kind: MirroredKind<T>,
): Controller {
  const { resource, conditions } = kind
  const objects = deps.caches.of(resource)
  return {
    name: `${resource.kind.toLowerCase()}.warnings`,
    kind: { group: resource.group, kind: resource.kind },
    sources: kind.sources,
    ...(kind.triggers === undefined ? {} : { triggers: kind.triggers }),
    concurrency: 1,
    async reconcile(key, { log }) {
      const object = objects.get(key)
      if (object === undefined || object.metadata.deletionTimestamp !== undefined) return done
      if (kind.isOurs?.(object) === false) return done
      const texts = warningsOf(deps, object, await kind.factsOf(object), log)
      const before = conditionOf(object, warningsCondition)
      const message = texts.join('; ')
      const after = withWarnings(object, conditions, message, deps.clock.now())
      const status = mergePatchBetween(object.status ?? {}, after.status ?? {})
      return unlessRaceIsLost(async () => {
        if (status !== undefined) {
          const body = { metadata: { resourceVersion: object.metadata.resourceVersion }, status }
          await deps.kube.patch(resource, keyOf(object), { kind: 'merge', body }, { subresource: 'status' })
        }
        for (const text of texts) if (before?.message?.includes(text) !== true) publish(deps, object, text)
        return requeueAfter(againMs)
      })
    },
  }
}

function warningsOf(deps: MirrorDeps, object: KubeObject, facts: AdmissionFacts, log: Logger): readonly string[] {
  const { severities, clock } = deps
  const { errors, warnings, failures } = judge({
    object,
    operation: 'CREATE',
    rules: 'all',
    facts,
    severities,
    now: clock.now(),
  })
  for (const { rule, error } of failures ?? []) log.error({ err: error, rule }, 'admission rule failed')
  // What the schema refuses cannot have been stored by this API server, or is its own business.
  const own = [...errors, ...warnings].filter(({ rule }) => rule.startsWith('JN-') && !toldElsewhere.has(rule))
  return warningTexts(own)
}

function withWarnings<T extends Conditioned>(object: T, types: ConditionTypes, message: string, now: number): T {
  if (message !== '') {
    return setCondition(object, types, { type: warningsCondition, status: 'True', reason: 'RulesWarn', message }, now)
  }
  return conditionOf(object, warningsCondition) === undefined
    ? object
    : clearCondition(object, types, warningsCondition, now)
}

function publish({ recorder }: MirrorDeps, object: KubeObject, text: string): void {
  recorder.publish({
    object,
    type: 'Warning',
    reason: eventReason,
    message: text,
    dedupeValues: [object.metadata.uid, text],
    dedupeMs: repeatedAfterMs,
  })
}
