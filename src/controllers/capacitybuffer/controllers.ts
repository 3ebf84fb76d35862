import { conditionOf } from '../../api/conditions.ts'
import type { CapacityBuffer } from '../../api/karpenter.ts'
import { isChangeOf } from '../../kube/changes.ts'
import {
  type Caches,
  type Change,
  type Controller,
  done,
  type ReconcileResult,
  requeueAfter,
  source,
} from '../../kube/controller.ts'
import { capacityBuffers } from '../../kube/karpenter-kinds.ts'
import type { KubeClient } from '../../kube/port.ts'
import { keyOf, type ObjectKey } from '../../kube/resource.ts'
import type { Clock } from '../../model/clock.ts'
import { activeCapacityStrategy, bufferReplicas } from '../../scheduling/capacity-buffer.ts'
import { retriesOfFew } from '../few-objects.ts'
import { unlessRaceIsLost } from '../lost-race.ts'
import type { PodBatcher } from '../provisioning/pod-batcher.ts'
import type { BufferBook } from './buffer-book.ts'
import { type BufferResolution, bufferResolver } from './resolve.ts'
import { patchBufferStatus, withBufferCondition } from './status.ts'

export interface CapacityBufferDeps {
  readonly kube: KubeClient
  readonly caches: Caches
  readonly clock: Clock
  readonly batcher: Pick<PodBatcher, 'trigger'>
  readonly book: BufferBook
}

/** Scalables grow and templates change without an event of ours. */
const againMs = 30_000
const ready = 'ReadyForProvisioning'

/** Finds out what each buffer's pods look like and how many it wants, and has capacity planned for them. */
export function capacityBufferResolution(deps: CapacityBufferDeps): Controller {
  const buffers = deps.caches.of(capacityBuffers)
  const resolve = bufferResolver(deps.caches)
  return {
    name: 'capacitybuffer',
    kind: { group: 'autoscaling.x-k8s.io', kind: 'CapacityBuffer' },
    sources: [
      source(capacityBuffers, (change) => {
        if (change.kind === 'deleted') deps.book.forget(keyOf(change.before))
        return keysOfChange(change, ({ metadata: { uid, generation, deletionTimestamp } }) => [
          uid,
          generation,
          deletionTimestamp,
        ])
      }),
    ],
    concurrency: 10,
    rateLimit: retriesOfFew,
    async reconcile(key) {
      const buffer = buffers.get(key)
      if (buffer === undefined || !isOurs(buffer) || buffer.metadata.deletionTimestamp !== undefined) {
        deps.book.forget(key)
        return done
      }
      const resolution = resolve(buffer)
      const written = await write(deps.kube, buffer, resolvedBuffer(buffer, resolution, deps.clock.now()))
      if (written !== undefined) return written
      if (resolution.kind === 'failed') {
        deps.book.forget(key)
        return requeueAfter(againMs)
      }
      const { namespace = '', name, uid } = buffer.metadata
      const replicas = bufferReplicas(buffer.spec, resolution.template, resolution.scalableReplicas)
      deps.book.resolve({ namespace, name, uid, template: resolution.template, replicas })
      deps.batcher.trigger(uid)
      return requeueAfter(againMs)
    },
  }
}

/** Says on each buffer how the last pass placed its pods. */
export function capacityBufferProvisioning(deps: Omit<CapacityBufferDeps, 'batcher'>): Controller {
  const buffers = deps.caches.of(capacityBuffers)
  return {
    name: 'capacitybuffer.provisioning',
    kind: { group: 'autoscaling.x-k8s.io', kind: 'CapacityBuffer' },
    sources: [
      source(capacityBuffers, (change) =>
        keysOfChange(change, (buffer) => [
          buffer.metadata.uid,
          buffer.status?.replicas,
          conditionOf(buffer, ready)?.status,
        ]),
      ),
    ],
    triggers: [(enqueue: (key: ObjectKey) => void) => deps.book.subscribe(enqueue)],
    concurrency: 10,
    rateLimit: retriesOfFew,
    async reconcile(key) {
      const buffer = buffers.get(key)
      if (buffer === undefined || !isOurs(buffer) || buffer.metadata.deletionTimestamp !== undefined) return done
      const change = provisioningCondition(deps.book, buffer)
      if (change === undefined) return done
      const after = withBufferCondition(buffer, { type: 'Provisioning', ...change }, deps.clock.now())
      return (await write(deps.kube, buffer, after)) ?? done
    },
  }
}

/** Of the facts that its controller does not write itself: two processes may know different things about a buffer for a moment. */
function keysOfChange(
  change: Change<CapacityBuffer>,
  factsOf: (buffer: CapacityBuffer) => readonly unknown[],
): readonly ObjectKey[] {
  return change.after !== undefined && isChangeOf(change, factsOf) ? [keyOf(change.after)] : []
}

function isOurs(buffer: CapacityBuffer): boolean {
  return (buffer.spec.provisioningStrategy ?? activeCapacityStrategy) === activeCapacityStrategy
}

function resolvedBuffer(buffer: CapacityBuffer, resolution: BufferResolution, now: number): CapacityBuffer {
  const provisioningStrategy = buffer.spec.provisioningStrategy ?? activeCapacityStrategy
  if (resolution.kind === 'failed') {
    const { reason, message } = resolution
    const failed = withBufferCondition(buffer, { type: ready, status: 'False', reason, message }, now)
    return { ...failed, status: { ...failed.status, provisioningStrategy } }
  }
  const { template, templateRef, scalableReplicas } = resolution
  const resolved = withBufferCondition(
    buffer,
    { type: ready, status: 'True', reason: 'Resolved', message: 'Pod template resolved successfully' },
    now,
  )
  const { podTemplateRef: _ref, podTemplateGeneration: _generation, ...status } = resolved.status ?? {}
  return {
    ...resolved,
    status: {
      ...status,
      ...(templateRef === undefined
        ? {}
        : { podTemplateRef: { name: templateRef.name }, podTemplateGeneration: templateRef.generation }),
      replicas: bufferReplicas(buffer.spec, template, scalableReplicas),
      provisioningStrategy,
    },
  }
}

function provisioningCondition(
  book: BufferBook,
  buffer: CapacityBuffer,
): { status: 'True' | 'False'; reason: string; message: string } | undefined {
  const readiness = conditionOf(buffer, ready)
  if (readiness === undefined) return undefined
  if (readiness.status !== 'True') {
    return { status: 'False', reason: 'NotReadyForProvisioning', message: 'Buffer is not ReadyForProvisioning' }
  }
  if (buffer.status?.replicas === 0) {
    return { status: 'False', reason: 'BufferEmpty', message: 'Buffer has zero desired replicas' }
  }
  const placement = book.placementOf(keyOf(buffer))
  if (placement === undefined) return undefined
  const { onExisting, onNew, failed } = placement
  const total = onExisting + onNew + failed
  return onNew + failed > 0
    ? {
        status: 'False',
        reason: 'RequiresNewCapacity',
        message: `${onNew}/${total} virtual pods required new capacity, ${failed} failed`,
      }
    : {
        status: 'True',
        reason: 'FitsExistingCapacity',
        message: `All ${total} virtual pods fit on existing capacity`,
      }
}

/** Undefined when the status is as it should be now. */
async function write(
  kube: KubeClient,
  before: CapacityBuffer,
  after: CapacityBuffer,
): Promise<ReconcileResult | undefined> {
  return unlessRaceIsLost(async () => {
    await patchBufferStatus(kube, before, after)
    return undefined
  })
}
