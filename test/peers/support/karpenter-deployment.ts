import { besideMoto } from './karpenter-process.ts'
import { clusterName } from './moto-account.ts'

const name = 'karpenter'
const namespace = 'kube-system'
const labels = { 'app.kubernetes.io/name': name }

/** As its chart makes it, but that it may do everything: what Karpenter's own rights are is not looked at here. */
export function karpenterManifest(endpoint: string): object {
  const env: Readonly<Record<string, string>> = {
    ...besideMoto,
    CLUSTER_NAME: clusterName,
    CLUSTER_ENDPOINT: endpoint,
    METRICS_PORT: '8080',
    HEALTH_PROBE_PORT: '8000',
    LEADER_ELECTION_NAMESPACE: namespace,
    SYSTEM_NAMESPACE: namespace,
  }
  const container = {
    name: 'controller',
    image: 'karpenter:1.14.1',
    env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
    ports: [
      { name: 'http-metrics', containerPort: 8080 },
      { name: 'http', containerPort: 8000 },
    ],
    readinessProbe: { httpGet: { path: '/readyz', port: 'http' } },
    resources: { requests: { cpu: '200m', memory: '256Mi' } },
  }
  return {
    apiVersion: 'v1',
    kind: 'List',
    items: [
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: [{ kind: 'ServiceAccount', name, namespace }],
      },
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name, namespace },
        spec: {
          replicas: 2,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { serviceAccountName: name, containers: [container] } },
        },
      },
    ],
  }
}
