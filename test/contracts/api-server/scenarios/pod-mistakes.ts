import type { ExchangeRequest, Scenario } from '../exchange.ts'
import { namespace, pod, post } from '../requests.ts'

const main = { name: 'main', image: 'registry.example/app:1' }

let count = 0

/** A pod of a name of its own, with one container that has these fields besides; then fields of the spec. */
const mistaken = (container: object, spec: object = {}): ExchangeRequest =>
  post(
    '/api/v1/namespaces/mistakes/pods',
    pod(`x${(count += 1)}`, { containers: [{ ...main, ...container }], ...spec }),
  )
const withSpec = (spec: object): ExchangeRequest => mistaken({}, spec)
const withToleration = (toleration: object): ExchangeRequest => withSpec({ tolerations: [toleration] })
const withProbe = (probe: object): ExchangeRequest => mistaken({ livenessProbe: probe })
const withAffinity = (kind: 'podAffinity' | 'podAntiAffinity', affinity: object): ExchangeRequest =>
  withSpec({ affinity: { [kind]: affinity } })
const withNodeAffinity = (expression: object): ExchangeRequest =>
  withSpec({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [expression] }] },
      },
    },
  })
const withVolume = (volume: object): ExchangeRequest => withSpec({ volumes: [volume] })

const statefulSet = (name: string, volumeMounts: readonly object[]): ExchangeRequest =>
  post('/apis/apps/v1/namespaces/mistakes/statefulsets', {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name },
    spec: {
      serviceName: name,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ ...main, volumeMounts }] },
      },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    },
  })

/** What people get wrong in pods that they write by hand, and how they are told. */
export const podMistakeScenarios: readonly Scenario[] = [
  {
    name: 'pod-mistakes',
    steps: {
      namespace: namespace('mistakes'),
      'a mount of no volume': mistaken({ volumeMounts: [{ name: 'data', mountPath: '/data' }] }),
      'a mount without a path': mistaken(
        { volumeMounts: [{ name: 'data', mountPath: '' }] },
        { volumes: [{ name: 'data', emptyDir: {} }] },
      ),
      'two mounts at one path': mistaken(
        {
          volumeMounts: [
            { name: 'data', mountPath: '/data' },
            { name: 'data', mountPath: '/data' },
          ],
        },
        { volumes: [{ name: 'data', emptyDir: {} }] },
      ),
      'two volumes of one name': withSpec({
        volumes: [
          { name: 'data', emptyDir: {} },
          { name: 'data', emptyDir: {} },
        ],
      }),
      'a volume without a name': withVolume({ name: '', emptyDir: {} }),
      'a volume name that is none': withVolume({ name: 'Data_1', emptyDir: {} }),
      'a volume of two kinds': withVolume({ name: 'data', emptyDir: {}, hostPath: { path: '/data' } }),
      'a claim without a name': withVolume({ name: 'data', persistentVolumeClaim: { claimName: '' } }),
      'a host path without a path': withVolume({ name: 'data', hostPath: { path: '' } }),
      'a secret without a name': withVolume({ name: 'data', secret: {} }),
      'a config map without a name': withVolume({ name: 'data', configMap: {} }),
      'a port of zero': mistaken({ ports: [{ containerPort: 0 }] }),
      'a port that is too large': mistaken({ ports: [{ containerPort: 70_000 }] }),
      'a host port that is too large': mistaken({ ports: [{ containerPort: 80, hostPort: 70_000 }] }),
      'a protocol that is none': mistaken({ ports: [{ containerPort: 80, protocol: 'HTTP' }] }),
      'a port name that is none': mistaken({ ports: [{ containerPort: 80, name: 'Not_A_Name' }] }),
      'two ports of one name': mistaken({
        ports: [
          { containerPort: 80, name: 'web' },
          { containerPort: 81, name: 'web' },
        ],
      }),
      'one host port twice': mistaken({
        ports: [
          { containerPort: 80, hostPort: 80 },
          { containerPort: 81, hostPort: 80 },
        ],
      }),
      'another port than that of the host it shares': mistaken(
        { ports: [{ containerPort: 80, hostPort: 81 }] },
        { hostNetwork: true },
      ),
      'a variable without a name': mistaken({ env: [{ name: '', value: 'x' }] }),
      'a variable with a value and a source': mistaken({
        env: [{ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
      }),
      'a variable from a field that is none': mistaken({
        env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.color' } } }],
      }),
      'a variable from nowhere': mistaken({ env: [{ name: 'A', valueFrom: {} }] }),
      'a pull policy that is none': mistaken({ imagePullPolicy: 'Sometimes' }),
      'a container name that is none': mistaken({ name: 'Main_1' }),
      'an init container of the name of another one': withSpec({ initContainers: [main] }),
      'a restart policy of an init container that is none': withSpec({
        initContainers: [{ name: 'init', image: 'i', restartPolicy: 'Sometimes' }],
      }),
      'a negative request': mistaken({ resources: { requests: { cpu: '-1' } } }),
      'a resource without a domain': mistaken({ resources: { requests: { speed: '1' } } }),
      'half a device': mistaken({ resources: { limits: { 'nvidia.com/gpu': '500m' } } }),
      'more of a device than its limit': mistaken({
        resources: { limits: { 'nvidia.com/gpu': '1' }, requests: { 'nvidia.com/gpu': '2' } },
      }),
      'huge pages alone': mistaken({
        resources: { limits: { 'hugepages-2Mi': '4Mi' }, requests: { 'hugepages-2Mi': '4Mi' } },
      }),
      'a probe of nothing': withProbe({}),
      'a probe of two kinds': withProbe({ httpGet: { port: 80 }, tcpSocket: { port: 80 } }),
      'a probe of port zero': withProbe({ tcpSocket: { port: 0 } }),
      'a probe with a negative delay': withProbe({ tcpSocket: { port: 80 }, initialDelaySeconds: -1 }),
      'a liveness probe that must succeed twice': withProbe({ tcpSocket: { port: 80 }, successThreshold: 2 }),
      'a toleration of everything with a value': withToleration({ key: 'a', operator: 'Exists', value: 'b' }),
      'a toleration by an operator that is none': withToleration({ key: 'a', operator: 'Near' }),
      'a toleration of a key that is none': withToleration({ key: 'a b', operator: 'Exists' }),
      'seconds without eviction': withToleration({
        key: 'a',
        operator: 'Exists',
        effect: 'NoSchedule',
        tolerationSeconds: 5,
      }),
      'an effect that is none': withToleration({ key: 'a', operator: 'Exists', effect: 'Never' }),
      'a node selector that is none': withSpec({ nodeSelector: { 'not a key': 'x', ok: 'not a value!' } }),
      'a negative grace period': withSpec({ terminationGracePeriodSeconds: -5 }),
      'a deadline of zero': withSpec({ activeDeadlineSeconds: 0 }),
      'a DNS policy that is none': withSpec({ dnsPolicy: 'Local' }),
      'no DNS servers at all': withSpec({ dnsPolicy: 'None' }),
      'a host name that is none': withSpec({ hostname: 'Not_A_Host' }),
      'a service account name that is none': withSpec({ serviceAccountName: 'Not A Name' }),
      'a node name that is none': withSpec({ nodeName: 'Not A Node' }),
      'one gate twice': withSpec({ schedulingGates: [{ name: 'a.example/b' }, { name: 'a.example/b' }] }),
      'a gate on a pod that has a node': withSpec({ nodeName: 'n1', schedulingGates: [{ name: 'a.example/b' }] }),
      'a spread over two of one key': withSpec({
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' },
          { maxSkew: 2, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' },
        ],
      }),
      'a spread over no domains': withSpec({
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', minDomains: 0 },
        ],
      }),
      'least domains of a spread that gives way': withSpec({
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', minDomains: 2 },
        ],
      }),
      'a spread that treats nodes in no way there is': withSpec({
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', nodeTaintsPolicy: 'Maybe' },
        ],
      }),
      'an affinity to one of no values': withNodeAffinity({ key: 'a', operator: 'In', values: [] }),
      'an affinity to what exists, with values': withNodeAffinity({ key: 'a', operator: 'Exists', values: ['b'] }),
      'an affinity above two values': withNodeAffinity({ key: 'a', operator: 'Gt', values: ['1', '2'] }),
      'an affinity above what is no number': withNodeAffinity({ key: 'a', operator: 'Gt', values: ['b'] }),
      'an affinity by a key that is none': withNodeAffinity({ key: 'a b', operator: 'Exists' }),
      'a preference of no weight': withSpec({
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 0, preference: { matchExpressions: [{ key: 'a', operator: 'Exists' }] } },
            ],
          },
        },
      }),
      'an affinity to pods without a topology key': withAffinity('podAffinity', {
        requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: { matchLabels: { a: 'b' } } }],
      }),
      'an affinity away from pods by a selector that is none': withAffinity('podAntiAffinity', {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'zone', labelSelector: { matchExpressions: [{ key: 'a', operator: 'Near' }] } },
        ],
      }),
      'a preference for pods of too much weight': withAffinity('podAntiAffinity', {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 101, podAffinityTerm: { topologyKey: 'zone', labelSelector: {} } },
        ],
      }),
      'a template with a mistake': post('/apis/apps/v1/namespaces/mistakes/deployments', {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'x' },
        spec: {
          selector: { matchLabels: { app: 'x' } },
          template: {
            metadata: { labels: { app: 'x' } },
            spec: { containers: [{ ...main, volumeMounts: [{ name: 'data', mountPath: '/data' }] }] },
          },
        },
      }),
      'a mount of a volume that a claim template makes': statefulSet('claims', [{ name: 'data', mountPath: '/data' }]),
      'a mount of a volume that nothing makes': statefulSet('no-claims', [{ name: 'other', mountPath: '/data' }]),
    },
  },
]
