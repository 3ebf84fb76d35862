import type { ExchangeRequest, Scenario } from '../exchange.ts'
import { namespace, patch, pod, post } from '../requests.ts'

type Amounts = Readonly<Record<string, string>>
interface Resources {
  readonly requests?: Amounts
  readonly limits?: Amounts
}

/** A namespace of its own for each: a real server hears of a second range when it does. */
const range = (space: string, ...limits: readonly object[]): Readonly<Record<string, ExchangeRequest>> => ({
  [`${space}: namespace`]: namespace(space),
  [`${space}: range`]: post(`/api/v1/namespaces/${space}/limitranges`, {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'range' },
    spec: { limits },
  }),
})

const container = (name: string, resources: Resources = {}, more: object = {}): object => ({
  name,
  image: 'registry.example/app:1',
  resources,
  ...more,
})

const pods = (
  space: string,
  specs: Readonly<Record<string, object | Resources>>,
): Readonly<Record<string, ExchangeRequest>> =>
  Object.fromEntries(
    Object.entries(specs).map(([name, spec], index) => [
      `${space}: ${name}`,
      post(
        `/api/v1/namespaces/${space}/pods`,
        pod(`pod-${index}`, 'containers' in spec ? spec : { containers: [container('main', spec as Resources)] }),
      ),
    ]),
  )

const claim = (space: string, name: string, storage: string): ExchangeRequest =>
  post(`/api/v1/namespaces/${space}/persistentvolumeclaims`, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: '', resources: { requests: { storage } } },
  })

const mistake = (limit: object, ...more: readonly object[]): ExchangeRequest =>
  post('/api/v1/namespaces/limit-mistakes/limitranges?dryRun=All', {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'mistake' },
    spec: { limits: [limit, ...more] },
  })

export const limitRangeScenarios: readonly Scenario[] = [
  {
    name: 'limit-ranges',
    steps: {
      ...range('limits-default', {
        type: 'Container',
        default: { cpu: '1', memory: '1024Mi' },
        defaultRequest: { cpu: '0.1' },
      }),
      ...pods('limits-default', {
        'nothing asked': {},
        'a request': { requests: { cpu: '200m', 'ephemeral-storage': '1Gi' } },
        'a request beyond the default limit': { requests: { cpu: '2' } },
        'a limit is its own request': { limits: { cpu: '50m', memory: '64Mi' } },
        'init containers too': {
          initContainers: [container('first'), container('beside', {}, { restartPolicy: 'Always' })],
          containers: [container('main'), container('more', { requests: { memory: '1Mi' } })],
        },
      }),
      ...range('limits-max', { type: 'Container', max: { cpu: '1' } }),
      ...pods('limits-max', {
        'nothing asked': {},
        'a limit too large': { limits: { cpu: '1001m' } },
        'in two containers': {
          containers: [container('a', { limits: { cpu: '2' } }), container('b', { limits: { cpu: '3' } })],
        },
        'the same in two containers': {
          containers: [container('a', { limits: { cpu: '2' } }), container('b', { limits: { cpu: '2' } })],
        },
        'in an init container': {
          initContainers: [container('first', { limits: { cpu: '1.5' } })],
          containers: [container('main')],
        },
      }),
      ...range('limits-min', { type: 'Container', min: { memory: '64Mi' } }),
      ...pods('limits-min', {
        'nothing asked': {},
        'a request too small': { requests: { memory: '32Mi' } },
        'a limit too small': { limits: { memory: '1Mi' } },
        'just enough': { requests: { memory: '64Mi' } },
      }),
      ...range('limits-ratio', { type: 'Container', maxLimitRequestRatio: { cpu: '2' } }),
      ...pods('limits-ratio', {
        'nothing asked': {},
        'no limit': { requests: { cpu: '1' } },
        'too far apart': { requests: { cpu: '300m' }, limits: { cpu: '1' } },
        'twice as much': { requests: { cpu: '500m' }, limits: { cpu: '1' } },
      }),
      ...range('limits-pod', {
        type: 'Pod',
        min: { memory: '100Mi' },
        max: { cpu: '2' },
        maxLimitRequestRatio: { cpu: '3' },
      }),
      ...pods('limits-pod', {
        'nothing asked': {},
        'the sum of two': {
          containers: [
            container('a', { requests: { memory: '60Mi', cpu: '1' }, limits: { cpu: '1500m' } }),
            container('b', { requests: { memory: '60Mi', cpu: '200m' }, limits: { cpu: '600m' } }),
          ],
        },
        'a start that takes more': {
          initContainers: [
            container('beside', { requests: { cpu: '1' }, limits: { cpu: '1' } }, { restartPolicy: 'Always' }),
            container('first', { requests: { cpu: '1' }, limits: { cpu: '2' } }),
          ],
          containers: [container('main', { requests: { memory: '100Mi', cpu: '100m' }, limits: { cpu: '100m' } })],
        },
        'stated for the pod': {
          resources: { requests: { memory: '200Mi', cpu: '1' }, limits: { cpu: '4' } },
          containers: [container('main')],
        },
        enough: { requests: { cpu: '1', memory: '128Mi' }, limits: { cpu: '2' } },
      }),
      ...range('limits-claim', { type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '10Gi' } }),
      'a claim too small': claim('limits-claim', 'small', '512Mi'),
      'a claim too large': claim('limits-claim', 'large', '11Gi'),
      'a claim that fits': claim('limits-claim', 'fits', '10Gi'),
      'no pod is held to it': post('/api/v1/namespaces/limits-claim/pods', pod('free')),
      'nor is a pod that is there': patch('merge', '/api/v1/namespaces/limits-min/pods/pod-3', {
        metadata: { labels: { a: 'b' } },
      }),
      'limit-mistakes': namespace('limit-mistakes'),
      'a range of nothing': mistake({ type: 'Container' }),
      'a type twice': mistake({ type: 'Pod', max: { cpu: '1' } }, { type: 'Pod', min: { cpu: '1' } }),
      'defaults of pods': mistake({ type: 'Pod', default: { cpu: '1' }, defaultRequest: { cpu: '1' } }),
      'a minimum beyond the maximum': mistake({ type: 'Container', min: { cpu: '2' }, max: { cpu: '1' } }),
      'defaults beyond the maximum': mistake({
        type: 'Container',
        max: { memory: '1Gi' },
        default: { memory: '3Gi' },
        defaultRequest: { memory: '2Gi' },
      }),
      'defaults below the minimum': mistake({ type: 'Container', min: { cpu: '1' }, default: { cpu: '500m' } }),
      'a request beyond the limit': mistake({
        type: 'Container',
        default: { cpu: '1' },
        defaultRequest: { cpu: '2' },
      }),
      ratios: mistake({ type: 'Container', maxLimitRequestRatio: { cpu: '500m' } }),
      'a ratio beyond what can be': mistake({
        type: 'Pod',
        min: { cpu: '1' },
        max: { cpu: '3' },
        maxLimitRequestRatio: { cpu: '4' },
      }),
      'a claim without storage': mistake({ type: 'PersistentVolumeClaim', max: { cpu: '1' } }),
      'an unknown resource': mistake({ type: 'Container', max: { disk: '1' } }),
    },
  },
]
