import { bodyAt, type ExchangeRequest, type Scenario } from '../exchange.ts'
import { get, namespace, patch, pod, post, put, remove } from '../requests.ts'

const pods = (ns: string): string => `/api/v1/namespaces/${ns}/pods`

const container = (more: object): object => ({
  containers: [{ name: 'main', image: 'registry.example/app:1', ...more }],
})
const bind = (ns: string, name: string, to: string, uid?: string): ExchangeRequest =>
  post(`${pods(ns)}/${name}/binding`, {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name, namespace: ns, ...(uid === undefined ? {} : { uid }) },
    target: { apiVersion: 'v1', kind: 'Node', name: to },
  })
const evict = (ns: string, name: string, deleteOptions?: object): ExchangeRequest =>
  post(`${pods(ns)}/${name}/eviction`, {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, namespace: ns },
    ...(deleteOptions === undefined ? {} : { deleteOptions }),
  })
const budget = (name: string, spec: object): object => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name },
  spec: { selector: { matchLabels: { app: 'guarded' } }, ...spec },
})
const budgets = '/apis/policy/v1/namespaces/evictions/poddisruptionbudgets'
const allowing = (disruptionsAllowed: number): object => ({
  status: { disruptionsAllowed, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1, observedGeneration: 1 },
})
const running = {
  status: {
    phase: 'Running',
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'PodScheduled', status: 'True' },
    ],
  },
}

export const podScenarios: readonly Scenario[] = [
  {
    name: 'pod-defaults-and-validation',
    steps: {
      namespace: namespace('pods'),
      'the smallest pod': post(pods('pods'), pod('a')),
      'requests follow limits': post(
        pods('pods'),
        pod('b', container({ resources: { limits: { cpu: '500m', memory: '1Gi' } } })),
      ),
      'quantities are kept as canonical text': post(
        pods('pods'),
        pod(
          'c',
          container({ resources: { requests: { cpu: '0.5', memory: '1024Mi', 'ephemeral-storage': 1073741824 } } }),
        ),
      ),
      'defaults of a fuller pod': post(
        pods('pods'),
        pod('d', {
          ...container({ ports: [{ containerPort: 80 }], readinessProbe: { httpGet: { port: 80 } } }),
          initContainers: [{ name: 'init', image: 'registry.example/app', restartPolicy: 'Always' }],
          tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }],
          topologySpreadConstraints: [
            { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} },
          ],
          volumes: [{ name: 'v', emptyDir: {} }],
        }),
      ),
      'no containers': post(pods('pods'), pod('x', { containers: [] })),
      'no image': post(pods('pods'), pod('x', { containers: [{ name: 'main' }] })),
      'two containers of one name': post(
        pods('pods'),
        pod('x', {
          containers: [
            { name: 'm', image: 'i' },
            { name: 'm', image: 'i' },
          ],
        }),
      ),
      'requests above limits': post(
        pods('pods'),
        pod('x', container({ resources: { limits: { cpu: '1' }, requests: { cpu: '2' } } })),
      ),
      'a device without limit': post(
        pods('pods'),
        pod('x', container({ resources: { requests: { 'nvidia.com/gpu': '1' } } })),
      ),
      'a quantity that is none': post(pods('pods'), pod('x', container({ resources: { requests: { cpu: 'much' } } }))),
      'a restart policy that is none': post(pods('pods'), pod('x', { restartPolicy: 'Sometimes' })),
      'a toleration that is none': post(pods('pods'), pod('x', { tolerations: [{ operator: 'Equal', value: 'v' }] })),
      'a skew of zero': post(
        pods('pods'),
        pod('x', { topologySpreadConstraints: [{ maxSkew: 0, topologyKey: '', whenUnsatisfiable: 'Perhaps' }] }),
      ),
      'a priority class that is not there': post(pods('pods'), pod('x', { priorityClassName: 'none' })),
      'a system priority class': post(pods('pods'), pod('e', { priorityClassName: 'system-cluster-critical' })),
      'a node affinity without terms': post(
        pods('pods'),
        pod('x', {
          affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } },
        }),
      ),
      'an affinity operator that is none': post(
        pods('pods'),
        pod('x', {
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Near', values: ['b'] }] }],
              },
            },
          },
        }),
      ),
      'the spec is fixed': patch('merge', `${pods('pods')}/a`, { spec: { nodeSelector: { a: 'b' } } }),
      'the image is not': patch('strategic', `${pods('pods')}/a`, {
        spec: { containers: [{ name: 'main', image: 'registry.example/app:2' }] },
      }),
      'a toleration may be added': patch('merge', `${pods('pods')}/a`, {
        spec: {
          tolerations: [
            { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
            { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
            { key: 'x', operator: 'Exists' },
          ],
        },
      }),
      'an unknown field is dropped with a warning': post(
        `${pods('pods')}?fieldValidation=Warn`,
        pod('f', { color: 'red' }),
      ),
      'an unknown field is refused': post(`${pods('pods')}?fieldValidation=Strict`, pod('g', { color: 'red' })),
    },
  },
  {
    name: 'pod-binding-and-deletion',
    steps: {
      namespace: namespace('bindings'),
      a: post(pods('bindings'), pod('a')),
      b: post(pods('bindings'), pod('b', { schedulingGates: [{ name: 'example.com/wait' }] })),
      c: post(pods('bindings'), pod('c')),
      'bind to a node by a wrong uid': bind('bindings', 'a', 'n1', '00000000-0000-4000-8000-000000000000'),
      bind: (bodies) => bind('bindings', 'a', 'n1', bodyAt(bodies, 1).metadata.uid),
      'the pod is on its node': get(`${pods('bindings')}/a`),
      'bind again': bind('bindings', 'a', 'n2'),
      'bind a pod that is gated': bind('bindings', 'b', 'n1'),
      'bind a pod that is not there': bind('bindings', 'none', 'n1'),
      'by node': get(`${pods('bindings')}?fieldSelector=spec.nodeName%3Dn1`),
      'by no node': get(`${pods('bindings')}?fieldSelector=spec.nodeName%3D`),
      'by phase': get(`${pods('bindings')}?fieldSelector=status.phase%3DPending,spec.nodeName!%3Dn1`),
      'change the node': patch('merge', `${pods('bindings')}/a`, { spec: { nodeName: 'n2' } }),
      'runs now': patch('strategic', `${pods('bindings')}/a/status`, running),
      'a condition by its type': patch('strategic', `${pods('bindings')}/a/status`, {
        status: { conditions: [{ type: 'Ready', status: 'False', reason: 'Test' }] },
      }),
      'delete a pod that is on a node': remove(`${pods('bindings')}/a`),
      'delete it sooner': remove(`${pods('bindings')}/a`, { gracePeriodSeconds: 5 }),
      'delete it later': remove(`${pods('bindings')}/a`, { gracePeriodSeconds: 50 }),
      'bind a pod that is being deleted': bind('bindings', 'a', 'n3'),
      'delete it now': remove(`${pods('bindings')}/a`, { gracePeriodSeconds: 0 }),
      'it is gone': get(`${pods('bindings')}/a`),
      'delete a pod that is on no node': remove(`${pods('bindings')}/c`),
      'it is gone at once': get(`${pods('bindings')}/c`),
      'open the gate': patch('merge', `${pods('bindings')}/b`, { spec: { schedulingGates: [] } }),
      'create a pod on a node': post(pods('bindings'), pod('d', { nodeName: 'n1', terminationGracePeriodSeconds: 0 })),
      'delete a pod without grace': remove(`${pods('bindings')}/d`),
    },
  },
  {
    name: 'evictions',
    steps: {
      namespace: namespace('evictions'),
      pod: post(pods('evictions'), pod('a', { nodeName: 'n1' }, { labels: { app: 'guarded' } })),
      'it runs': patch('strategic', `${pods('evictions')}/a/status`, running),
      'evict what is not there': evict('evictions', 'none'),
      budget: post(budgets, budget('one', { minAvailable: 1 })),
      'a budget of both kinds': post(budgets, budget('bad', { minAvailable: 1, maxUnavailable: 1 })),
      'a budget that nobody has looked at yet': evict('evictions', 'a'),
      'nothing is allowed': patch('merge', `${budgets}/one/status`, allowing(0)),
      'evict when nothing is allowed': evict('evictions', 'a'),
      'one is allowed': patch('merge', `${budgets}/one/status`, allowing(1)),
      'evict for show': evict('evictions', 'a', { dryRun: ['All'] }),
      'a second budget': post(budgets, budget('two', { maxUnavailable: '50%' })),
      'evict under two budgets': evict('evictions', 'a'),
      'no second budget': remove(`${budgets}/two`),
      evict: evict('evictions', 'a', { gracePeriodSeconds: 7 }),
      'the budget knows': get(`${budgets}/one`),
      'the pod goes': get(`${pods('evictions')}/a`),
      'evict again': evict('evictions', 'a'),
      'a pod that waits for a node': post(pods('evictions'), pod('b', {}, { labels: { app: 'guarded' } })),
      'is evicted whatever the budget says': evict('evictions', 'b'),
      'a pod that has ended': post(pods('evictions'), pod('c', { nodeName: 'n1' }, { labels: { app: 'guarded' } })),
      'it ended': patch('merge', `${pods('evictions')}/c/status`, { status: { phase: 'Succeeded' } }),
      'and is evicted whatever the budget says': evict('evictions', 'c'),
      'a budget whose selector changes': put(
        `${budgets}/one`,
        budget('one', { selector: { matchLabels: { app: 'x' } }, minAvailable: 2 }),
      ),
    },
  },
]
