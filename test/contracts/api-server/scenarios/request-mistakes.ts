import type { ExchangeRequest, Scenario } from '../exchange.ts'
import { configMap, get, namespace, patch, post, put, remove } from '../requests.ts'

const maps = '/api/v1/namespaces/request-mistakes/configmaps'
const deployment = '/apis/apps/v1/namespaces/request-mistakes/deployments'
const labels = { app: 'web' }
const containersOf = (containers: unknown): object => ({ spec: { template: { spec: { containers } } } })

const named = (requests: readonly ExchangeRequest[]): Readonly<Record<string, ExchangeRequest>> =>
  Object.fromEntries(
    requests.map((request) => {
      const [, query = ''] = request.path.split(/\/configmaps|\/deployments/)
      const body = request.body === undefined ? '' : ` ${JSON.stringify(request.body).slice(0, 200)}`
      return [`${request.method} ${query}${request.contentType ?? ''}${body}`, request]
    }),
  )

const lists = [
  'resourceVersion=abc',
  'resourceVersion=-1',
  'resourceVersion=99999999999999999999',
  'resourceVersion=0&resourceVersionMatch=Exact',
  'resourceVersionMatch=Exact',
  'resourceVersion=1&resourceVersionMatch=Sometimes',
  'sendInitialEvents=true',
  'limit=x',
  'limit=',
  'limit=1.5',
  'limit=99999999999999999999',
  'timeoutSeconds=x',
  'watch=true&timeoutSeconds=x',
  'watch=true&timeoutSeconds=1&sendInitialEvents=true',
  'watch=true&timeoutSeconds=1&resourceVersionMatch=Exact',
  'watch=true&timeoutSeconds=1&continue=x',
  'labelSelector=a+in+(',
  'labelSelector=a+in+b',
  'labelSelector=a+in+(b',
  'labelSelector=a=b=c',
  'labelSelector=a=b,',
  'labelSelector=,',
  'labelSelector=(',
  'labelSelector=!',
  'labelSelector=-a',
  'labelSelector=a=-b',
  'labelSelector=a+notin+(b,-c)',
  'labelSelector=a%3Ex',
  'labelSelector=a==',
]

const writes = [
  'dryRun=Some',
  'dryRun=',
  `fieldManager=${'x'.repeat(200)}`,
  'fieldManager=%00',
  'fieldValidation=Maybe',
]

const json = (operations: readonly unknown[]): ExchangeRequest => patch('json', `${maps}/a`, operations)

export const requestMistakeScenarios: readonly Scenario[] = [
  {
    name: 'request-mistakes',
    steps: {
      namespace: namespace('request-mistakes'),
      create: post(maps, configMap('a', { k: 'v' })),
      deployment: post(deployment, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web' },
        spec: {
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a' }] } },
        },
      }),
      ...named([
        ...lists.map((query) => get(`${maps}?${query}`)),
        ...writes.flatMap((query) => [
          post(`${maps}?${query}`, configMap('b', {})),
          put(`${maps}/a?${query}`, configMap('a', {})),
          patch('merge', `${maps}/a?${query}`, { data: { k: 'w' } }),
        ]),
        patch('merge', `${maps}/a?force=true`, {}),
        post(`${maps}?fieldValidation=&dryRun=All`, configMap('b', {})),
        remove(`${maps}/a?dryRun=Some`),
        remove(`${maps}/a?gracePeriodSeconds=x`),
        remove(`${maps}/a?orphanDependents=true&propagationPolicy=Orphan`),
        remove(`${maps}/a`, { dryRun: ['Some'] }),
        remove(`${maps}/a`, { dryRun: 'All' }),
        remove(`${maps}/a`, { orphanDependents: true, propagationPolicy: 'Background' }),
        { method: 'POST', path: maps, body: configMap('b', {}), contentType: 'text/plain' },
        post(maps, { ...configMap('b', {}), metadata: [] }),
        post(maps, { ...configMap('b', {}), metadata: 'b' }),
        post(maps, { ...configMap('b', {}), metadata: { name: 5 } }),
        post(maps, { ...configMap('b', {}), metadata: { name: 'b', managedFields: 'mine' } }),
        post(maps, { ...configMap('b', {}), data: 'v' }),
        post(maps, { ...configMap('b', {}), data: ['v'] }),
        put(`${maps}/a`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} }),
        patch('merge', `${maps}/a`, { metadata: null }),
        json([5]),
        json([{ op: 'turn', path: '/data/k' }]),
        json([{ op: 'add' }]),
        json([{ op: 'add', path: 'data', value: {} }]),
        json([{ op: 'remove', path: '' }]),
        json([{ op: 'remove', path: '/metadata' }]),
        json([{ op: 'replace', path: '/data/none', value: 'v' }]),
        patch('strategic', `${deployment}/web`, containersOf([{ image: 'x' }])),
        patch('strategic', `${deployment}/web`, containersOf([{ name: 'a', $patch: 'turn' }])),
        patch('strategic', `${deployment}/web`, containersOf([{ name: 'a', ports: [{ name: 'x' }] }])),
        patch('strategic', `${deployment}/web`, { spec: { $patch: 'turn' } }),
        patch('strategic', `${deployment}/web`, { spec: { template: { spec: { $retainKeys: 5 } } } }),
        patch('apply', `${maps}/a?fieldManager=m`, { ...configMap('a', {}), more: 5 }),
        put(`${deployment}/web/scale`, { apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 2 } }),
        remove('/api/v1/namespaces'),
      ]),
    },
  },
]
