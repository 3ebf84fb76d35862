import type { Scenario } from '../exchange.ts'
import { get, node, patch, post, put, remove } from '../requests.ts'

const at = (name: string): string => `/api/v1/nodes/${name}`
const condition = (type: string, status: string): object => ({ type, status, reason: 'Test', message: 'for the test' })

export const nodeScenarios: readonly Scenario[] = [
  {
    name: 'nodes',
    steps: {
      create: post(
        '/api/v1/nodes',
        node('nodes-a', { providerID: 'aws:///us-east-1a/i-1' }, { labels: { app: 'nodes' } }),
      ),
      'create with status': post('/api/v1/nodes', {
        ...node('nodes-b', {}, { labels: { app: 'nodes' } }),
        status: { capacity: { cpu: '4000m', memory: '8192Mi' }, nodeInfo: { kubeletVersion: 'v1.36.0' } },
      }),
      'create with a bad taint': post('/api/v1/nodes', node('nodes-c', { taints: [{ key: 'a', effect: 'Never' }] })),
      'create with a taint twice': post(
        '/api/v1/nodes',
        node('nodes-c', {
          taints: [
            { key: 'a', effect: 'NoSchedule' },
            { key: 'a', value: 'b', effect: 'NoSchedule' },
          ],
        }),
      ),
      'patch the status': patch('strategic', `${at('nodes-a')}/status`, {
        status: {
          capacity: { cpu: 4, memory: '8Gi' },
          conditions: [condition('Ready', 'False'), condition('DiskPressure', 'False')],
        },
      }),
      'patch one condition': patch('strategic', `${at('nodes-a')}/status`, {
        status: { conditions: [condition('Ready', 'True')] },
      }),
      'patch the spec through the status': patch('merge', `${at('nodes-a')}/status`, { spec: { unschedulable: true } }),
      'patch the status through the object': patch('merge', at('nodes-a'), { status: { capacity: { cpu: '1' } } }),
      cordon: patch('strategic', at('nodes-a'), { spec: { unschedulable: true } }),
      uncordon: patch('strategic', at('nodes-a'), { spec: { unschedulable: null } }),
      'add a taint': patch('strategic', at('nodes-a'), {
        spec: { taints: [{ key: 'b', value: 'c', effect: 'NoExecute' }] },
      }),
      'change the provider id': patch('merge', at('nodes-a'), { spec: { providerID: 'aws:///us-east-1a/i-2' } }),
      'a quantity that is none': patch('merge', `${at('nodes-a')}/status`, { status: { capacity: { cpu: 'four' } } }),
      'list them': get('/api/v1/nodes?labelSelector=app%3Dnodes'),
      'by spec.unschedulable': get('/api/v1/nodes?labelSelector=app%3Dnodes&fieldSelector=spec.unschedulable%3Dtrue'),
      'hold with a finalizer': patch('merge', at('nodes-a'), {
        metadata: { finalizers: ['karpenter.sh/termination'] },
      }),
      delete: remove(at('nodes-a')),
      'release it': patch('merge', at('nodes-a'), { metadata: { finalizers: [] } }),
      'is gone': get(at('nodes-a')),
      'delete the other': remove(at('nodes-b')),
    },
  },
  {
    name: 'leases-and-classes',
    steps: {
      lease: post('/apis/coordination.k8s.io/v1/namespaces/default/leases', {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'leader' },
        spec: { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: '2026-01-02T03:04:05.123456Z' },
      }),
      'lease of no length': post('/apis/coordination.k8s.io/v1/namespaces/default/leases', {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'bad' },
        spec: { holderIdentity: 'a', leaseDurationSeconds: 0 },
      }),
      'priority class': post('/apis/scheduling.k8s.io/v1/priorityclasses', {
        apiVersion: 'scheduling.k8s.io/v1',
        kind: 'PriorityClass',
        metadata: { name: 'high' },
        value: 1000,
      }),
      'its value is fixed': patch('merge', '/apis/scheduling.k8s.io/v1/priorityclasses/high', { value: 2000 }),
      'storage class': post('/apis/storage.k8s.io/v1/storageclasses', {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name: 'gp3' },
        provisioner: 'ebs.csi.aws.com',
        volumeBindingMode: 'WaitForFirstConsumer',
      }),
      'its provisioner is fixed': patch('merge', '/apis/storage.k8s.io/v1/storageclasses/gp3', {
        provisioner: 'other',
      }),
      claim: post('/api/v1/namespaces/default/persistentvolumeclaims', {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'gp3', resources: { requests: { storage: '1Gi' } } },
      }),
      'claim without access mode': post('/api/v1/namespaces/default/persistentvolumeclaims', {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'bad' },
        spec: { resources: { requests: { storage: '1Gi' } } },
      }),
      'replace of a lease by an old version': put('/apis/coordination.k8s.io/v1/namespaces/default/leases/leader', {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'leader', resourceVersion: '1' },
        spec: { holderIdentity: 'b' },
      }),
    },
  },
]
