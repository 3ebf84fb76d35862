import type { ExchangeRequest, Scenario } from '../exchange.ts'
import { namespace, post } from '../requests.ts'

const space = 'workload-mistakes'
const labels = { app: 'web' }
const container = { name: 'web', image: 'registry.example/web:1' }
const template = (spec: object = {}, metadata: object = { labels }): object => ({
  metadata,
  spec: { containers: [container], ...spec },
})

type Changes = Readonly<Record<string, object>>

const dryRun = (path: string, body: object): ExchangeRequest => post(`${path}?dryRun=All`, body)

function ofKind(
  { path, apiVersion, kind }: { readonly path: string; readonly apiVersion: string; readonly kind: string },
  whole: (change: object) => object,
  changes: Changes,
): Readonly<Record<string, ExchangeRequest>> {
  return Object.fromEntries(
    Object.entries(changes).map(([name, change]) => [
      `${kind}: ${name}`,
      dryRun(path, { apiVersion, kind, metadata: { name: 'web' }, ...whole(change) }),
    ]),
  )
}

const workload = (kind: string, changes: Changes): Readonly<Record<string, ExchangeRequest>> =>
  ofKind(
    { path: `/apis/apps/v1/namespaces/${space}/${kind.toLowerCase()}s`, apiVersion: 'apps/v1', kind },
    (change) => ({ spec: { selector: { matchLabels: labels }, template: template(), ...change } }),
    changes,
  )

const expression = (operator: string, values?: readonly string[]): object => ({
  selector: { matchExpressions: [{ key: 'app', operator, ...(values === undefined ? {} : { values }) }] },
})

const rolling = (rollingUpdate: object): object => ({ strategy: { rollingUpdate } })
const update = (rollingUpdate: object): object => ({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } })

const claim = (spec: object): object => ({
  volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], ...spec } }],
})

const storage = (amount: string): object => ({ resources: { requests: { storage: amount } } })

export const workloadMistakeScenarios: readonly Scenario[] = [
  {
    name: 'workload-mistakes',
    steps: {
      namespace: namespace(space),
      ...workload('Deployment', {
        'an empty selector': { selector: {} },
        'an operator that is none': expression('Near'),
        'no values': expression('In'),
        'values too many': expression('Exists', ['web']),
        'a label that is none': { selector: { matchLabels: { app: 'a b' } } },
        'a template without labels': { template: template({}, {}) },
        'a label of the template': { template: template({}, { labels: { ...labels, tier: 'a b' } }) },
        'an annotation of the template': { template: template({}, { labels, annotations: { 'a b': 'c' } }) },
        'pods that end': { template: template({ restartPolicy: 'Never' }) },
        'pods with a deadline': { template: template({ activeDeadlineSeconds: 5 }) },
        'a strategy that is none': { strategy: { type: 'Slowly' } },
        'Recreate with numbers': { strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } },
        'no room to roll': rolling({ maxSurge: 0, maxUnavailable: 0 }),
        'a surge below nothing': rolling({ maxSurge: -1 }),
        'a surge that is no number': rolling({ maxSurge: 'one' }),
        'more than all': rolling({ maxUnavailable: '200%' }),
        'a surge of more than all': rolling({ maxSurge: '200%' }),
        'seconds below nothing': { minReadySeconds: -1, revisionHistoryLimit: -1, progressDeadlineSeconds: -1 },
        'a deadline before readiness': { minReadySeconds: 10, progressDeadlineSeconds: 5 },
      }),
      ...workload('ReplicaSet', { 'an empty selector': { selector: {} }, 'no template': { template: {} } }),
      ...workload('StatefulSet', {
        'no service': {},
        'a service that is none': { serviceName: 'A B' },
        'a policy that is none': { podManagementPolicy: 'Slowly' },
        'a strategy that is none': { updateStrategy: { type: 'Slowly' } },
        'an empty strategy': { updateStrategy: {} },
        'OnDelete with numbers': { updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: 1 } } },
        'a partition below nothing': update({ partition: -1 }),
        'ordinals below nothing': { ordinals: { start: -1 } },
        'a retention that is none': { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Keep' } },
        'claims without a size': claim({}),
        'claims without modes': claim({ accessModes: [], ...storage('1Gi') }),
        'pods that end': { template: template({ restartPolicy: 'OnFailure' }) },
      }),
      ...workload('DaemonSet', {
        'an empty selector': { selector: {} },
        'a strategy that is none': { updateStrategy: { type: 'Slowly' } },
        'a strategy without numbers': { updateStrategy: { type: 'RollingUpdate' } },
        'both numbers': update({ maxSurge: 1, maxUnavailable: 1 }),
        'neither number': update({ maxUnavailable: 0 }),
        'more than all': update({ maxUnavailable: '200%' }),
        'pods that end': { template: template({ restartPolicy: 'Never' }) },
      }),
      ...ofKind(
        { path: `/apis/batch/v1/namespaces/${space}/jobs`, apiVersion: 'batch/v1', kind: 'Job' },
        (change) => ({ spec: { template: template({ restartPolicy: 'Never' }), ...change } }),
        {
          'pods that do not end': { template: template() },
          'numbers below nothing': {
            parallelism: -1,
            completions: -1,
            backoffLimit: -1,
            activeDeadlineSeconds: -1,
            ttlSecondsAfterFinished: -1,
          },
          'a mode that is none': { completionMode: 'Somehow' },
          'a replacement that is none': { podReplacementPolicy: 'Somehow' },
          'a selector of its own that selects others': { manualSelector: true, selector: { matchLabels: { a: 'b' } } },
          'failures of an index': { backoffLimitPerIndex: 1 },
        },
      ),
      ...ofKind(
        { path: `/apis/batch/v1/namespaces/${space}/cronjobs`, apiVersion: 'batch/v1', kind: 'CronJob' },
        (change) => ({
          spec: {
            schedule: '0 * * * *',
            jobTemplate: { spec: { template: template({ restartPolicy: 'Never' }) } },
            ...change,
          },
        }),
        {
          'no schedule': { schedule: '' },
          'a schedule of one': { schedule: 'hourly' },
          'a schedule of six': { schedule: '* * * * * *' },
          'a schedule with a zone': { schedule: 'TZ=UTC * * * * *' },
          'a policy that is none': { concurrencyPolicy: 'Sometimes' },
          'numbers below nothing': { successfulJobsHistoryLimit: -1, startingDeadlineSeconds: -1 },
          'pods that do not end': { jobTemplate: { spec: { template: template() } } },
        },
      ),
      ...ofKind(
        {
          path: `/apis/policy/v1/namespaces/${space}/poddisruptionbudgets`,
          apiVersion: 'policy/v1',
          kind: 'PodDisruptionBudget',
        },
        (change) => ({ spec: { minAvailable: 1, ...change } }),
        {
          'an operator that is none': expression('Near'),
          'a label that is none': { selector: { matchLabels: { app: 'a b' } } },
        },
      ),
      ...ofKind(
        { path: `/api/v1/namespaces/${space}/services`, apiVersion: 'v1', kind: 'Service' },
        (change) => ({ spec: { ports: [{ port: 80 }], selector: labels, ...change } }),
        {
          'no ports': { ports: [] },
          'a port beyond': { ports: [{ port: 70_000 }] },
          'two ports without names': { ports: [{ port: 80 }, { port: 81 }] },
          'a name twice': {
            ports: [
              { name: 'a', port: 80 },
              { name: 'a', port: 81 },
            ],
          },
          'a port twice': {
            ports: [
              { name: 'a', port: 80 },
              { name: 'b', port: 80 },
            ],
          },
          'a name that is none': { ports: [{ name: 'A_b', port: 80 }] },
          'a protocol that is none': { ports: [{ port: 80, protocol: 'HTTP' }] },
          'a target that is none': { ports: [{ port: 80, targetPort: 'A_B' }] },
          'a port of nodes': { ports: [{ port: 80, nodePort: 30_000 }] },
          'a type that is none': { type: 'Public' },
          'no external name': { type: 'ExternalName' },
          'an affinity that is none': { sessionAffinity: 'Cookie' },
          'a selector that is none': { selector: { 'a b': 'c' } },
          'traffic from outside': { externalTrafficPolicy: 'Local' },
        },
      ),
      ...ofKind(
        {
          path: `/api/v1/namespaces/${space}/persistentvolumeclaims`,
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
        },
        (change) => ({ spec: { accessModes: ['ReadWriteOnce'], ...storage('1Gi'), ...change } }),
        {
          'no size': { resources: {} },
          'a size of nothing': storage('0'),
          'a size below nothing': storage('-1Gi'),
          'a mode that is none': { accessModes: ['ReadOften'] },
          'one pod and more': { accessModes: ['ReadWriteOnce', 'ReadWriteOncePod'] },
          'a class that is none': { storageClassName: 'A B' },
          'a volume mode that is none': { volumeMode: 'Tape' },
        },
      ),
      ...ofKind(
        { path: `/api/v1/namespaces/${space}/configmaps`, apiVersion: 'v1', kind: 'ConfigMap' },
        (change) => change,
        {
          'a key that is a folder': { data: { '..': 'v' } },
          'a key that is long': { data: { ['k'.repeat(254)]: 'v' } },
          'a key twice': { data: { k: 'v' }, binaryData: { k: 'dg==' } },
        },
      ),
      ...ofKind(
        {
          path: '/apis/scheduling.k8s.io/v1/priorityclasses',
          apiVersion: 'scheduling.k8s.io/v1',
          kind: 'PriorityClass',
        },
        (change) => ({ value: 1, ...change }),
        {
          'above the limit': { value: 1_000_000_001 },
          'a name of the system': { metadata: { name: 'system-web' } },
          'a policy that is none': { preemptionPolicy: 'Sometimes' },
        },
      ),
      ...ofKind(
        { path: '/apis/storage.k8s.io/v1/storageclasses', apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass' },
        (change) => ({ provisioner: 'ebs.csi.aws.com', ...change }),
        {
          'no provisioner': { provisioner: '' },
          'a provisioner that is none': { provisioner: 'A B!' },
          'a reclaim policy that is none': { reclaimPolicy: 'Recycle' },
          'a binding mode that is none': { volumeBindingMode: 'Later' },
        },
      ),
    },
  },
]
