import { expect, test } from 'vitest'
import type { EC2NodeClass, NodePool, RolloutPolicy } from '../../../src/api/karpenter.ts'
import type { KubeObject } from '../../../src/api/kubernetes.ts'
import { poolPause } from '../../../src/rollout/pause.ts'

const now = Date.parse('2026-03-01T12:00:00Z')
const hour = 3_600_000
const inAnHour = '2026-03-01T13:00:00Z'
const inTwoHours = '2026-03-01T14:00:00Z'

function meta(name: string, pausedUntil?: string): KubeObject['metadata'] {
  return {
    name,
    uid: name,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...(pausedUntil === undefined ? {} : { annotations: { 'joinery.dev/pause-until': pausedUntil } }),
  }
}

function aPool(pausedUntil?: string): NodePool {
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'linux' }
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: meta('general', pausedUntil),
    spec: { template: { spec: { nodeClassRef, requirements: [] } } },
  }
}

function aClass(pausedUntil?: string): EC2NodeClass {
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: meta('linux', pausedUntil),
    spec: { amiSelectorTerms: [], subnetSelectorTerms: [], securityGroupSelectorTerms: [] },
  }
}

function aPolicy(name: string, times: { annotation?: string; spec?: string }): RolloutPolicy {
  return {
    apiVersion: 'joinery.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: meta(name, times.annotation),
    spec: { nodePoolSelector: {}, ...(times.spec === undefined ? {} : { pausedUntil: times.spec }) },
  }
}

const cases: Record<string, { sources: Parameters<typeof poolPause>[0]; want: object | undefined }> = {
  'nothing is paused by itself': {
    sources: { pool: aPool(), nodeClass: aClass(), policies: [aPolicy('all', {})] },
    want: undefined,
  },
  'a class need not be there': { sources: { pool: aPool(), nodeClass: undefined, policies: [] }, want: undefined },
  'the pool pauses itself': {
    sources: { pool: aPool(inAnHour), nodeClass: undefined, policies: [] },
    want: {
      until: now + hour,
      by: 'NodePool/general',
      message: 'Paused until 2026-03-01T13:00:00Z by NodePool/general',
    },
  },
  'a paused class pauses the pools that use it': {
    sources: { pool: aPool(), nodeClass: aClass(inAnHour), policies: [] },
    want: expect.objectContaining({ by: 'EC2NodeClass/linux' }),
  },
  'one declared object pauses every pool it selects': {
    sources: { pool: aPool(), nodeClass: aClass(), policies: [aPolicy('freeze', { spec: inAnHour })] },
    want: expect.objectContaining({ by: 'RolloutPolicy/freeze', until: now + hour }),
  },
  'an annotated policy pauses as well': {
    sources: { pool: aPool(), nodeClass: aClass(), policies: [aPolicy('freeze', { annotation: inAnHour })] },
    want: expect.objectContaining({ by: 'RolloutPolicy/freeze' }),
  },
  'of several pauses the last to end is told': {
    sources: {
      pool: aPool(inAnHour),
      nodeClass: aClass(inTwoHours),
      policies: [aPolicy('freeze', { spec: inAnHour })],
    },
    want: expect.objectContaining({ by: 'EC2NodeClass/linux', until: now + 2 * hour }),
  },
  'also where it comes last by name': {
    sources: {
      pool: aPool(inAnHour),
      nodeClass: aClass(inAnHour),
      policies: [aPolicy('freeze', { spec: inTwoHours })],
    },
    want: expect.objectContaining({ by: 'RolloutPolicy/freeze', until: now + 2 * hour }),
  },
  'a pause that has ended is none, to the millisecond': {
    sources: {
      pool: aPool('2026-03-01T12:00:00Z'),
      nodeClass: aClass('2026-03-01T11:59:59.999Z'),
      policies: [aPolicy('freeze', { spec: '2026-03-01T12:00:00Z' })],
    },
    want: undefined,
  },
  'a time that cannot be read pauses nothing': {
    sources: { pool: aPool('tomorrow'), nodeClass: undefined, policies: [aPolicy('freeze', { spec: 'tomorrow' })] },
    want: undefined,
  },
}

test.each(Object.entries(cases))('%s', (_name, { sources, want }) => {
  expect(poolPause(sources, now)).toEqual(want)
})
