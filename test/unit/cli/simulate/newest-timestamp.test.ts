import { expect, test } from 'vitest'
import type { EC2NodeClass, RolloutPolicy, RolloutPolicyStatus } from '../../../../src/api/karpenter.ts'
import type { KubeObject } from '../../../../src/api/kubernetes.ts'
import { sortObjects } from '../../../../src/cli/simulate/objects.ts'
import { newestTimestamp } from '../../../../src/cli/simulate/world.ts'
import { toTimestamp } from '../../../../src/model/clock.ts'
import { aFleetClass, aFleetPool, aMachine, annotated, aPodOn } from '../../../support/fleet-objects.ts'

const [claim, node] = aMachine('n1', aFleetPool(), aFleetClass(), { createdAt: '2026-06-14T09:00:00Z' })

function aPolicy(status: RolloutPolicyStatus): RolloutPolicy {
  const metadata = { name: 'careful', uid: 'p', resourceVersion: '1', creationTimestamp: '2026-06-01T00:00:00Z' }
  return {
    apiVersion: 'joinery.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata,
    spec: { nodePoolSelector: { names: ['default'] } },
    status,
  }
}

function aDeletedPod(graceSeconds: number): KubeObject {
  const pod = aPodOn('n1', 'web')
  const deletionTimestamp = '2026-06-14T13:00:00Z'
  return { ...pod, metadata: { ...pod.metadata, deletionTimestamp, deletionGracePeriodSeconds: graceSeconds } }
}

function withReservationUntil(endTime: string): EC2NodeClass {
  const nodeClass = aFleetClass()
  const reservation = {
    id: 'cr-1',
    availabilityZone: 'us-east-1a',
    instanceMatchCriteria: 'open' as const,
    instanceType: 'm5.large',
    ownerID: '123456789012',
    endTime,
  }
  return { ...nodeClass, status: { ...nodeClass.status, capacityReservations: [reservation] } }
}

const nodesMade = '2026-06-14T09:00:00Z'
const cases: Record<string, { readonly object: KubeObject; readonly want: string }> = {
  'what happened last is when the cluster was recorded': {
    object: aPolicy({ stepStartTime: '2026-06-14T10:00:00Z' }),
    want: '2026-06-14T10:00:00Z',
  },
  'a pause that is still to end does not count as over': {
    object: annotated(aFleetPool(), { 'joinery.dev/pause-until': '2026-06-20T00:00:00Z' }),
    want: nodesMade,
  },
  'a restart that is asked for later has not come': {
    object: annotated(aFleetPool(), { 'joinery.dev/restart-at': '2026-06-20T00:00:00Z' }),
    want: nodesMade,
  },
  'a claim is not at the end of its grace period': {
    object: annotated(claim, { 'karpenter.sh/nodeclaim-termination-timestamp': '2026-06-14T12:00:00Z' }),
    want: nodesMade,
  },
  'what a rollout waits for has not come': {
    object: aPolicy({
      startTime: '2026-06-14T09:30:00Z',
      soakedUntil: '2026-06-14T12:00:00Z',
      nextWindowTime: '2026-06-15T02:00:00Z',
      deadlineTime: '2026-06-28T12:00:00Z',
    }),
    want: '2026-06-14T09:30:00Z',
  },
  'a reservation has not ended': { object: withReservationUntil('2027-06-14T12:00:00Z'), want: nodesMade },
  'a pod is deleted when that is asked for, not when its grace period ends': {
    object: aDeletedPod(3_600),
    want: '2026-06-14T12:00:00Z',
  },
  'a pod without a grace period is deleted at once': { object: aDeletedPod(0), want: '2026-06-14T13:00:00Z' },
}

test.each(Object.entries(cases))('%s', (_name, { object, want }) => {
  const objects = sortObjects(
    [claim, node, object].map((each, index) => ({
      file: 'test',
      index,
      content: { kind: 'object', object: { ...each } },
      locate: () => ({ line: 1, column: 1 }),
    })),
  )
  expect(toTimestamp(newestTimestamp(objects))).toBe(want)
})
