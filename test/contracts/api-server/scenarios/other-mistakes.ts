import type { ExchangeRequest, Scenario } from '../exchange.ts'
import { namespace, patch, post } from '../requests.ts'

const space = 'other-mistakes'

interface Kind {
  /** Of the group, and of the namespace when it has one. */
  readonly root: string
  readonly apiVersion: string
  readonly kind: string
  readonly plural: string
}

const kindIn = (apiVersion: string, kind: string, plural: string): Kind => ({
  root: `/${apiVersion === 'v1' ? 'api' : 'apis'}/${apiVersion}/namespaces/${space}`,
  apiVersion,
  kind,
  plural,
})
const clusterKind = (apiVersion: string, kind: string, plural: string): Kind => ({
  ...kindIn(apiVersion, kind, plural),
  root: `/apis/${apiVersion}`,
})

/** Each change of a sound object, tried and not kept. */
function mistakes(
  { root, apiVersion, kind, plural }: Kind,
  sound: object,
  changes: Readonly<Record<string, object>>,
): Readonly<Record<string, ExchangeRequest>> {
  return Object.fromEntries(
    Object.entries(changes).map(([name, change]) => [
      `${kind}: ${name}`,
      post(`${root}/${plural}?dryRun=All`, { apiVersion, kind, metadata: { name: 'web' }, ...sound, ...change }),
    ]),
  )
}

/** A sound object, and patches of it that are refused or that show what else may change. */
function changed(
  { root, apiVersion, kind, plural }: Kind,
  sound: object,
  patches: Readonly<Record<string, object>>,
): Readonly<Record<string, ExchangeRequest>> {
  const name = 'changed'
  return {
    [`${kind}: as it is`]: post(`${root}/${plural}`, { apiVersion, kind, metadata: { name }, ...sound }),
    ...Object.fromEntries(
      Object.entries(patches).map(([what, body]) => [
        `${kind}: ${what}`,
        patch('merge', `${root}/${plural}/${name}?dryRun=All`, body),
      ]),
    ),
  }
}

const autoscaler = kindIn('autoscaling/v2', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers')
const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
const cpu = (goal: object): object => ({ type: 'Resource', resource: { name: 'cpu', target: goal } })
const scaling = (change: object): object => ({ spec: { scaleTargetRef: target, maxReplicas: 3, ...change } })

const ingress = kindIn('networking.k8s.io/v1', 'Ingress', 'ingresses')
const backend = { service: { name: 'web', port: { number: 80 } } }
const rule = (path: object, more: object = {}): object => ({
  spec: { rules: [{ host: 'web.example.com', http: { paths: [path] }, ...more }] },
})
const prefix = { path: '/', pathType: 'Prefix', backend }

const networkPolicy = kindIn('networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies')
const allowing = (...ingress: readonly object[]): object => ({ spec: { podSelector: {}, ingress } })

const role = kindIn('rbac.authorization.k8s.io/v1', 'Role', 'roles')
const clusterRole = clusterKind('rbac.authorization.k8s.io/v1', 'ClusterRole', 'clusterroles')
const binding = kindIn('rbac.authorization.k8s.io/v1', 'RoleBinding', 'rolebindings')
const clusterBinding = clusterKind('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', 'clusterrolebindings')
const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'web' }
const user = { kind: 'User', name: 'jane', apiGroup: 'rbac.authorization.k8s.io' }

const secret = kindIn('v1', 'Secret', 'secrets')
const base64 = (text: string): string => Buffer.from(text).toString('base64')

const storageClass = clusterKind('storage.k8s.io/v1', 'StorageClass', 'storageclasses')
const priorityClass = clusterKind('scheduling.k8s.io/v1', 'PriorityClass', 'priorityclasses')
const claim = { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } }
const statefulSet = {
  spec: {
    serviceName: 'web',
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'registry.example/web:1' }] },
    },
  },
}
const limits = (...items: readonly object[]): object => ({ spec: { limits: items } })

export const otherMistakeScenarios: readonly Scenario[] = [
  {
    name: 'other-mistakes',
    steps: {
      namespace: namespace(space),
      ...mistakes(autoscaler, scaling({}), {
        'as it should be': {},
        'no metrics named': scaling({ metrics: [cpu({ type: 'Utilization', averageUtilization: 50 })] }),
        'no maximum': scaling({ maxReplicas: 0 }),
        'a maximum below the minimum': scaling({ minReplicas: 5 }),
        'a minimum of nothing': scaling({ minReplicas: 0 }),
        'a target without a kind': scaling({ scaleTargetRef: { name: 'web' } }),
        'a target without a name': scaling({ scaleTargetRef: { kind: 'Deployment', apiVersion: 'apps/v1' } }),
        'a metric of no type': scaling({ metrics: [{}] }),
        'a metric that says nothing': scaling({ metrics: [{ type: 'Resource' }] }),
        'a metric of another type': scaling({ metrics: [{ type: 'Weather' }] }),
        'a goal of no type': scaling({ metrics: [cpu({})] }),
        'two goals': scaling({ metrics: [cpu({ type: 'Utilization', averageUtilization: 50, averageValue: '1' })] }),
        'a share of nothing': scaling({ metrics: [cpu({ type: 'Utilization', averageUtilization: 0 })] }),
        'a pod metric without a name': scaling({
          metrics: [{ type: 'Pods', pods: { metric: { name: '' }, target: { type: 'AverageValue' } } }],
        }),
        'a window too long': scaling({ behavior: { scaleDown: { stabilizationWindowSeconds: 9_999 } } }),
        'policies that are none': scaling({
          behavior: { scaleUp: { selectPolicy: 'Any', policies: [{ type: 'Pods', value: 0, periodSeconds: 0 }] } },
        }),
        'ways that say little': scaling({ behavior: { scaleUp: { stabilizationWindowSeconds: 5 }, scaleDown: {} } }),
      }),
      ...mistakes(ingress, rule(prefix), {
        'as it should be': {},
        nothing: { spec: {} },
        'no type of path': rule({ path: '/', backend }),
        'a type of path that is none': rule({ path: '/', pathType: 'Regex', backend }),
        'a path that is none': rule({ path: 'web', pathType: 'Prefix', backend }),
        'a path with two slashes': rule({ path: '/a//b', pathType: 'Exact', backend }),
        'no backend': rule({ path: '/', pathType: 'Prefix', backend: {} }),
        'a backend without a port': rule({ ...prefix, backend: { service: { name: 'web' } } }),
        'a backend with two ports': rule({
          ...prefix,
          backend: { service: { name: 'web', port: { number: 80, name: 'web' } } },
        }),
        'a backend that is none': rule({ ...prefix, backend: { service: { name: 'A_B', port: { number: 0 } } } }),
        'a port beyond': rule({ ...prefix, backend: { service: { name: 'web', port: { number: 70_000 } } } }),
        'no paths': { spec: { rules: [{ host: 'a.example', http: { paths: [] } }] } },
        'a host that is none': rule(prefix, { host: 'A_B' }),
        'a host that is an address': rule(prefix, { host: '10.0.0.1' }),
        'a wildcard in the middle': rule(prefix, { host: 'a.*.example' }),
        'a wildcard': rule(prefix, { host: '*.example' }),
        'hosts of certificates': { spec: { defaultBackend: backend, tls: [{ hosts: ['A_B'], secretName: 'A B' }] } },
        'a class twice': {
          metadata: { name: 'web', annotations: { 'kubernetes.io/ingress.class': 'alb' } },
          spec: { ingressClassName: 'alb', defaultBackend: backend },
        },
        'a class that is none': { spec: { ingressClassName: 'A B', defaultBackend: backend } },
      }),
      ...mistakes(networkPolicy, allowing(), {
        'as it should be': {},
        'both ways': { spec: { podSelector: {}, egress: [{}] } },
        'a type that is none': { spec: { podSelector: {}, policyTypes: ['Sideways'] } },
        'three types': { spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress', 'Ingress'] } },
        'a peer of nothing': allowing({ from: [{}] }),
        'a peer of two kinds': allowing({ from: [{ podSelector: {}, ipBlock: { cidr: '10.0.0.0/8' } }] }),
        'a block that is none': allowing({ from: [{ ipBlock: { cidr: '10.0.0.0' } }] }),
        'a block without a range': allowing({ from: [{ ipBlock: { cidr: '' } }] }),
        'an exception outside': allowing({ from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/8', 'x'] } }] }),
        'a protocol that is none': allowing({ ports: [{ protocol: 'HTTP', port: 80 }] }),
        'a port that is none': allowing({ ports: [{ port: 0 }, { port: 'A_B' }] }),
        'an end before the port': allowing({ ports: [{ port: 80, endPort: 70 }] }),
        'an end without a port': allowing({ ports: [{ endPort: 70 }] }),
        'an end of a name': allowing({ ports: [{ port: 'web', endPort: 70 }] }),
        'a label that is none': { spec: { podSelector: { matchLabels: { app: 'a b' } } } },
        'an operator that is none': {
          spec: { podSelector: { matchExpressions: [{ key: 'app', operator: 'Near' }] } },
        },
      }),
      ...mistakes(
        role,
        { rules: [] },
        {
          'no verbs': { rules: [{ apiGroups: [''], resources: ['pods'], verbs: [] }] },
          'no groups': { rules: [{ resources: ['pods'], verbs: ['get'] }] },
          'no resources': { rules: [{ apiGroups: [''], verbs: ['get'] }] },
          'an address': { rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }] },
        },
      ),
      ...mistakes(
        clusterRole,
        { rules: [] },
        {
          'no verbs': { rules: [{ apiGroups: [''], resources: ['pods'], verbs: [] }] },
          'an address': { rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }] },
          'an address and resources': {
            rules: [{ nonResourceURLs: ['/metrics'], apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
          },
          'a selector that is none': {
            aggregationRule: { clusterRoleSelectors: [{ matchLabels: { app: 'a b' } }] },
          },
          'no selectors': { aggregationRule: { clusterRoleSelectors: [] } },
        },
      ),
      ...mistakes(
        binding,
        { roleRef, subjects: [user] },
        {
          'as it should be': {},
          'no group named': { roleRef: { kind: 'Role', name: 'web' }, subjects: [{ kind: 'User', name: 'jane' }] },
          'an account without a namespace': { subjects: [{ kind: 'ServiceAccount', name: 'web' }] },
          'an account that is none': { subjects: [{ kind: 'ServiceAccount', name: 'A_B', namespace: space }] },
          'an account of a group': {
            subjects: [{ kind: 'ServiceAccount', apiGroup: 'rbac.authorization.k8s.io', name: 'a', namespace: space }],
          },
          'a subject without a name': { subjects: [{ kind: 'User' }] },
          'a subject of another kind': { subjects: [{ kind: 'Team', name: 'a' }] },
          'no role': { roleRef: {} },
          'a role of another kind': { roleRef: { ...roleRef, kind: 'Rule' } },
          'a role of another group': { roleRef: { ...roleRef, apiGroup: 'apps' } },
          'a name that is none': { roleRef: { ...roleRef, name: 'a/b' } },
        },
      ),
      ...mistakes(
        clusterBinding,
        { roleRef: { ...roleRef, kind: 'ClusterRole' }, subjects: [user] },
        { 'a role of a namespace': { roleRef } },
      ),
      ...changed(
        binding,
        { roleRef, subjects: [user] },
        {
          'another role': { roleRef: { ...roleRef, name: 'other' } },
          'other subjects': { subjects: [] },
        },
      ),
      ...mistakes(
        secret,
        {},
        {
          'a certificate without a key': { type: 'kubernetes.io/tls', data: { 'tls.crt': base64('a') } },
          'no certificate': { type: 'kubernetes.io/tls' },
          'a password file that is none': {
            type: 'kubernetes.io/dockerconfigjson',
            data: { '.dockerconfigjson': base64('{') },
          },
          'no password file': { type: 'kubernetes.io/dockerconfigjson' },
          'no older password file': { type: 'kubernetes.io/dockercfg' },
          'no user': { type: 'kubernetes.io/basic-auth' },
          'no key': { type: 'kubernetes.io/ssh-auth' },
          'a token of nobody': { type: 'kubernetes.io/service-account-token' },
          'a key that is none': { data: { 'a b': base64('a') } },
          'data that is not base64': { data: { a: '%' } },
          'data beyond': { data: { a: base64('x'.repeat(1_048_577)) } },
        },
      ),
      ...changed(
        secret,
        { immutable: true, data: { a: base64('b') } },
        {
          'other data': { data: { a: base64('c') } },
          'free again': { immutable: false },
          'another type': { type: 'example.com/other' },
          'another label': { metadata: { labels: { a: 'b' } } },
        },
      ),
      ...changed(
        kindIn('v1', 'ConfigMap', 'configmaps'),
        { immutable: true, data: { a: 'b' } },
        {
          'other data': { data: { a: 'c' } },
          'more data': { binaryData: { b: base64('c') } },
          'free again': { immutable: false },
        },
      ),
      ...mistakes(
        kindIn('v1', 'ConfigMap', 'configmaps'),
        {},
        { 'data beyond': { data: { a: 'x'.repeat(1_048_577) } } },
      ),
      ...changed(kindIn('v1', 'PersistentVolumeClaim', 'persistentvolumeclaims'), claim, {
        'another class': { spec: { storageClassName: 'other' } },
        'other modes': { spec: { accessModes: ['ReadWriteMany'] } },
        'another size': { spec: { resources: { requests: { storage: '2Gi' } } } },
        'a smaller size': { spec: { resources: { requests: { storage: '1Mi' } } } },
        'another mode': { spec: { volumeMode: 'Block' } },
      }),
      ...changed(
        storageClass,
        { provisioner: 'ebs.csi.aws.com', parameters: { type: 'gp3' } },
        {
          'another provisioner': { provisioner: 'efs.csi.aws.com' },
          'other parameters': { parameters: { type: 'io2' } },
          'another reclaim policy': { reclaimPolicy: 'Retain' },
          'another binding mode': { volumeBindingMode: 'WaitForFirstConsumer' },
          'that volumes can grow': { allowVolumeExpansion: true },
        },
      ),
      ...changed(
        priorityClass,
        { value: 10 },
        {
          'another value': { value: 11 },
          'another policy': { preemptionPolicy: 'Never' },
          'another description': { description: 'a' },
        },
      ),
      ...changed(kindIn('apps/v1', 'StatefulSet', 'statefulsets'), statefulSet, {
        'another service': { spec: { serviceName: 'other' } },
        'other claims': { spec: { volumeClaimTemplates: [{ metadata: { name: 'data' }, ...claim }] } },
        'another way of managing pods': { spec: { podManagementPolicy: 'Parallel' } },
        'another selector': { spec: { selector: { matchLabels: { app: 'web', more: 'a' } } } },
        'more replicas': { spec: { replicas: 2, minReadySeconds: 5, ordinals: { start: 1 } } },
      }),
      ...mistakes(kindIn('v1', 'LimitRange', 'limitranges'), limits({ type: 'Container' }), {
        'defaults from limits': limits({ type: 'Container', default: { cpu: '1' }, max: { cpu: '2', memory: '1Gi' } }),
        'a minimum above the maximum': limits({ type: 'Container', min: { cpu: '2' }, max: { cpu: '1' } }),
        'a default above the maximum': limits({ type: 'Container', default: { cpu: '2' }, max: { cpu: '1' } }),
        'a type twice': limits({ type: 'Container' }, { type: 'Container' }),
        'defaults of a pod': limits({ type: 'Pod', default: { cpu: '1' } }),
      }),
      ...mistakes(
        kindIn('v1', 'ResourceQuota', 'resourcequotas'),
        { spec: { hard: { pods: '1' } } },
        {
          'as it should be': {},
          'a resource that is none': { spec: { hard: { 'a b': '1' } } },
          'less than nothing': { spec: { hard: { pods: '-1' } } },
          'half a pod': { spec: { hard: { pods: '500m' } } },
          'a scope that is none': { spec: { hard: { pods: '1' }, scopes: ['Any'] } },
        },
      ),
      ...mistakes(
        kindIn('discovery.k8s.io/v1', 'EndpointSlice', 'endpointslices'),
        { addressType: 'IPv4', endpoints: [{ addresses: ['10.1.2.3'] }], ports: [{ port: 80 }] },
        {
          'as it should be': {},
          'an address that is none': { endpoints: [{ addresses: ['x'] }] },
          'a type that is none': { addressType: 'IPv5' },
        },
      ),
      ...mistakes(
        kindIn('v1', 'ServiceAccount', 'serviceaccounts'),
        {},
        { 'a name that is none': { metadata: { name: 'A_B' } }, 'as it should be': {} },
      ),
      ...mistakes(
        clusterKind('networking.k8s.io/v1', 'IngressClass', 'ingressclasses'),
        { spec: { controller: 'ingress.k8s.aws/alb' } },
        {
          'as it should be': {},
          'no controller': { spec: {} },
          'a controller without a domain': { spec: { controller: 'alb' } },
        },
      ),
    },
  },
]
