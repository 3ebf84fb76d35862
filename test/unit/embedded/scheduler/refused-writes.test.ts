import { expect, test } from 'vitest'
import type { KubeObject } from '../../../../src/api/kubernetes.ts'
import { persistentVolumeClaims, pods } from '../../../../src/kube/kinds.ts'
import type { Resource } from '../../../../src/kube/resource.ts'
import { aCluster, aPod, conditionOf, getPod, launchReady } from '../world.ts'

interface Admission extends KubeObject {
  readonly spec: object
}

function admissionKind(kind: string, plural: string): Resource<Admission> {
  return { group: 'admissionregistration.k8s.io', version: 'v1', kind, plural, namespaced: false }
}

const policies = admissionKind('ValidatingAdmissionPolicy', 'validatingadmissionpolicies')
const bindings = admissionKind('ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings')

test('a pod whose claim may not be written holds up no other, and is placed once it may', async () => {
  const cluster = await aCluster()
  const { client, clock } = cluster
  await launchReady(cluster)
  await client.create(policies, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'frozen' },
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['persistentvolumeclaims'] },
        ],
      },
      validations: [{ expression: 'false', message: 'claims are frozen' }],
    },
  })
  await client.create(bindings, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'frozen' },
    spec: { policyName: 'frozen', validationActions: ['Deny'] },
  })
  await client.create(persistentVolumeClaims, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', namespace: 'default' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Gi' } } },
  })
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }]
  await client.create(pods, aPod('first', { volumes }))
  await clock.run({ forMs: 1_000 })
  await client.create(pods, aPod('second'))
  await clock.run({ forMs: 30_000 })
  expect((await getPod(cluster, 'second')).spec.nodeName).toBeDefined()
  expect(conditionOf(await getPod(cluster, 'first'), 'PodScheduled')).toMatchObject({
    status: 'False',
    reason: 'SchedulerError',
    message: expect.stringContaining('claims are frozen') as string,
  })
  await client.delete(bindings, { name: 'frozen' })
  await clock.run({ forMs: 30_000 })
  expect((await getPod(cluster, 'first')).spec.nodeName).toBeDefined()
})
