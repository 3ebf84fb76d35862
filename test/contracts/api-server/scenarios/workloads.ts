import type { Scenario } from '../exchange.ts'
import { get, namespace, patch, post, put, remove } from '../requests.ts'

const apps = '/apis/apps/v1/namespaces/workloads'
const labels = { app: 'web' }
const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'registry.example/web:1' }] } }
const workload = (kind: string, name: string, spec: object): object => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name },
  spec: { selector: { matchLabels: labels }, template, ...spec },
})

export const workloadScenarios: readonly Scenario[] = [
  {
    name: 'workloads',
    steps: {
      namespace: namespace('workloads'),
      deployment: post(`${apps}/deployments`, workload('Deployment', 'web', {})),
      'a selector that misses the template': post(
        `${apps}/deployments`,
        workload('Deployment', 'x', { selector: { matchLabels: { app: 'other' } } }),
      ),
      'fewer than no replicas': post(`${apps}/deployments`, workload('Deployment', 'x', { replicas: -1 })),
      'the selector is fixed': patch('merge', `${apps}/deployments/web`, {
        spec: { selector: { matchLabels: { app: 'web', b: 'c' } }, template: { metadata: { labels: { b: 'c' } } } },
      }),
      scale: get(`${apps}/deployments/web/scale`),
      'scale it': patch('merge', `${apps}/deployments/web/scale`, { spec: { replicas: 4 } }),
      'scale it wrong': put(`${apps}/deployments/web/scale`, {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'web', namespace: 'workloads' },
        spec: { replicas: -4 },
      }),
      'a container by its name': patch('strategic', `${apps}/deployments/web`, {
        spec: {
          template: {
            spec: {
              containers: [
                { name: 'web', image: 'registry.example/web:2' },
                { name: 'side', image: 'i' },
              ],
            },
          },
        },
      }),
      'a container goes': patch('strategic', `${apps}/deployments/web`, {
        spec: { template: { spec: { containers: [{ name: 'side', $patch: 'delete' }] } } },
      }),
      'replica set': post(`${apps}/replicasets`, workload('ReplicaSet', 'web', { replicas: 2 })),
      'stateful set': post(`${apps}/statefulsets`, workload('StatefulSet', 'web', { serviceName: 'web' })),
      'daemon set': post(`${apps}/daemonsets`, workload('DaemonSet', 'web', {})),
      'delete it and what it owns first': remove(`${apps}/deployments/web`, { propagationPolicy: 'Foreground' }),
      'delete it and leave what it owns': remove(`${apps}/replicasets/web`, { propagationPolicy: 'Orphan' }),
      'delete it in the background': remove(`${apps}/statefulsets/web`, { propagationPolicy: 'Background' }),
      'delete it somehow': remove(`${apps}/daemonsets/web`, { propagationPolicy: 'Somehow' }),
      'delete the namespace': remove('/api/v1/namespaces/workloads'),
      'create in a namespace that goes': post(`${apps}/deployments`, workload('Deployment', 'late', {})),
    },
  },
]
