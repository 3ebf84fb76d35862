import type { ExchangeRequest, Scenario } from '../exchange.ts'
import { get, namespace, patch, put } from '../requests.ts'

const maps = '/api/v1/namespaces/apply/configmaps'
const apply = (name: string, manager: string, data: Record<string, string>, more = ''): ExchangeRequest =>
  patch('apply', `${maps}/${name}?fieldManager=${manager}${more}`, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
    data,
  })

const pods = '/api/v1/namespaces/apply/pods'
const applyPod = (manager: string, spec: object, more = ''): ExchangeRequest =>
  patch('apply', `${pods}/p?fieldManager=${manager}${more}`, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec,
  })

export const applyScenarios: readonly Scenario[] = [
  {
    name: 'server-side-apply',
    managedFields: 'compared',
    steps: {
      namespace: namespace('apply'),
      'apply makes the object': apply('a', 'one', { x: '1', y: '1' }),
      'apply without manager': patch('apply', `${maps}/a`, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a' },
      }),
      'apply the same again': apply('a', 'one', { x: '1', y: '1' }),
      'another manager adds a field': apply('a', 'two', { z: '2' }),
      'another manager changes a field that is owned': apply('a', 'two', { x: '2', z: '2' }),
      'another manager forces it': apply('a', 'two', { x: '2', z: '2' }, '&force=true'),
      'a field that is no longer applied goes': apply('a', 'two', { z: '2' }),
      'shared fields stay while one manager applies them': apply('a', 'two', { y: '1', z: '2' }),
      'the first manager lets go of it': apply('a', 'one', {}),
      'an update takes a field over': put(`${maps}/a?fieldManager=three`, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a' },
        data: { y: '3', z: '2' },
      }),
      'apply against an update': apply('a', 'two', { y: '1', z: '2' }),
      'apply under another name': patch('apply', `${maps}/a?fieldManager=one`, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'b' },
      }),
      'apply with managed fields': patch('apply', `${maps}/a?fieldManager=one`, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a', managedFields: [{ manager: 'x' }] },
      }),
      'the object in the end': get(`${maps}/a`),
      'apply a list by key': applyPod('one', {
        containers: [{ name: 'main', image: 'i:1' }],
        terminationGracePeriodSeconds: 5,
      }),
      'apply a toleration beside it': applyPod('two', {
        containers: [{ name: 'main', image: 'i:2' }],
        tolerations: [{ key: 'a', operator: 'Exists' }],
      }),
      'apply an image by force': applyPod('two', { containers: [{ name: 'main', image: 'i:2' }] }, '&force=true'),
    },
  },
]
