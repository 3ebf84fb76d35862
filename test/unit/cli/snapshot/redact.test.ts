import { expect, test } from 'vitest'
import type { Pod } from '../../../../src/api/kubernetes.ts'
import { redact } from '../../../../src/cli/snapshot/redact.ts'
import { toPodInfo } from '../../../../src/model/to-pod-info.ts'

const entry = (manager: string) => ({
  manager,
  subresource: 'status',
  fieldsV1: { 'f:status': { 'f:nominatedNodeName': {} } },
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
