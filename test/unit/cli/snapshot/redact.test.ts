import { expect, test } from 'vitest'
import type { Pod } from '../../../../src/api/kubernetes.ts'
import { redact } from '../../../../src/cli/snapshot/redact.ts'
import { toPodInfo } from '../../../../src/model/to-pod-info.ts'

const entry = (manager: string) => ({
  manager,
  subresource: 'status',
  fieldsV1: { 'f:status': { 'f:nominatedNodeName': {} } },
})

test('of the environment only the feature gates of an operator are kept', () => {
  const env = [
    { name: 'FEATURE_GATES', value: 'NodeRepair=true' },
    { name: 'TOKEN', value: 'secret' },
    { name: 'FEATURE_GATES', value: 'Other=true' },
  ]
  const metadata = { name: 'd', uid: 'd', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }
  const template = {
    spec: {
      containers: [
        { name: 'controller', env },
        { name: 'other', env: env.slice(1) },
      ],
    },
  }
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { template } }
  expect(redact(deployment)).toMatchObject({
    spec: { template: { spec: { containers: [{ name: 'controller', env: [env[0]] }, { name: 'other' }] } } },
  })
  expect(JSON.stringify(redact(deployment))).not.toMatch(/TOKEN|secret|Other/)
})

test.each([
  ['the operator', 'karpenter', true],
  ['the scheduler', 'kube-scheduler', undefined],
])('a snapshot still tells that %s nominated a pod', (_who, manager, own) => {
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'p',
      uid: 'p',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      managedFields: [{ manager: 'kubectl', fieldsV1: { 'f:spec': {} } }, entry(manager)],
    },
    spec: { containers: [] },
    status: { nominatedNodeName: 'n1' },
  }
  expect(toPodInfo(redact(pod)).ownNomination).toBe(own)
  expect(redact(pod).metadata.managedFields).toEqual(own === true ? [entry(manager)] : undefined)
})
