import { bodyAt, type Scenario } from '../exchange.ts'
import { configMap, get, namespace, patch, post, put, remove } from '../requests.ts'

const maps = (ns: string): string => `/api/v1/namespaces/${ns}/configmaps`

export const objectScenarios: readonly Scenario[] = [
  {
    name: 'create-read-update-delete',
    steps: {
      namespace: namespace('crud'),
      create: post(maps('crud'), configMap('a', { k: 'v' }, { labels: { app: 'x' } })),
      'create again': post(maps('crud'), configMap('a', { k: 'v' })),
      'create without name': post(maps('crud'), { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} }),
      'create with a generated name': post(maps('crud'), {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { generateName: 'gen-' },
      }),
      'create with a bad name': post(maps('crud'), configMap('Not_A_Name', {})),
      'create with a bad label': post(maps('crud'), configMap('b', {}, { labels: { 'a b': 'c' } })),
      'create with a bad label value': post(maps('crud'), configMap('b', {}, { labels: { ok: '-bad-' } })),
      'create in another namespace than the path says': post(
        maps('crud'),
        configMap('b', {}, { namespace: 'default' }),
      ),
      'create in a namespace that is not there': post(maps('nowhere'), configMap('b', {})),
      'create another kind than the path says': post(maps('crud'), {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'b' },
      }),
      'create with a resource version': post(maps('crud'), configMap('b', {}, { resourceVersion: '1' })),
      read: get(`${maps('crud')}/a`),
      'read what is not there': get(`${maps('crud')}/none`),
      'replace with the version read': (bodies) =>
        put(
          `${maps('crud')}/a`,
          configMap('a', { k: 'w' }, { resourceVersion: bodyAt(bodies, 1).metadata.resourceVersion }),
        ),
      'replace with an old version': (bodies) =>
        put(
          `${maps('crud')}/a`,
          configMap('a', { k: 'z' }, { resourceVersion: bodyAt(bodies, 1).metadata.resourceVersion }),
        ),
      'replace without version': put(`${maps('crud')}/a`, configMap('a', { k: 'u' })),
      'replace under another name': put(`${maps('crud')}/a`, configMap('b', { k: 'u' })),
      'replace what is not there': put(`${maps('crud')}/none`, configMap('none', {})),
      'replace with another uid': put(
        `${maps('crud')}/a`,
        configMap('a', {}, { uid: '00000000-0000-4000-8000-000000000000' }),
      ),
      'delete with another uid': remove(`${maps('crud')}/a`, {
        preconditions: { uid: '00000000-0000-4000-8000-000000000000' },
      }),
      'delete with an old version': (bodies) =>
        remove(`${maps('crud')}/a`, { preconditions: { resourceVersion: bodyAt(bodies, 1).metadata.resourceVersion } }),
      'delete for show': remove(`${maps('crud')}/a?dryRun=All`),
      delete: remove(`${maps('crud')}/a`),
      'delete again': remove(`${maps('crud')}/a`),
      'create for show': post(`${maps('crud')}?dryRun=All`, configMap('shown', {})),
      'read what was shown': get(`${maps('crud')}/shown`),
      'an unknown kind': get('/api/v1/namespaces/crud/gadgets'),
      'an unknown group': get('/apis/gadgets.example/v1/gadgets'),
      'a method that is not there': post(`${maps('crud')}/a`, configMap('a', {})),
    },
  },
  {
    name: 'finalizers-and-owners',
    steps: {
      namespace: namespace('finalizers'),
      create: post(
        maps('finalizers'),
        configMap('held', {}, { finalizers: ['example.com/hold', 'example.com/other'] }),
      ),
      delete: remove(`${maps('finalizers')}/held`),
      'read while it is deleted': get(`${maps('finalizers')}/held`),
      'delete again': remove(`${maps('finalizers')}/held`),
      'add a finalizer while it is deleted': patch('json', `${maps('finalizers')}/held`, [
        { op: 'add', path: '/metadata/finalizers/-', value: 'example.com/late' },
      ]),
      'take one away': patch('merge', `${maps('finalizers')}/held`, {
        metadata: { finalizers: ['example.com/other'] },
      }),
      'take the last away': patch('merge', `${maps('finalizers')}/held`, { metadata: { finalizers: null } }),
      'read when it is gone': get(`${maps('finalizers')}/held`),
      'a finalizer without domain': post(maps('finalizers'), configMap('b', {}, { finalizers: ['hold'] })),
      'two controllers': post(
        maps('finalizers'),
        configMap(
          'b',
          {},
          {
            ownerReferences: ['a', 'b'].map((name) => ({
              apiVersion: 'v1',
              kind: 'ConfigMap',
              name,
              uid: `uid-${name}`,
              controller: true,
            })),
          },
        ),
      ),
      'an owner without uid': post(
        maps('finalizers'),
        configMap('b', {}, { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: '' }] }),
      ),
    },
  },
  {
    name: 'lists-and-selectors',
    steps: {
      namespace: namespace('lists'),
      ...Object.fromEntries(
        ['a', 'b', 'c', 'd', 'e'].map((name, i) => [
          `create ${name}`,
          post(maps('lists'), configMap(name, {}, { labels: { parity: i % 2 === 0 ? 'even' : 'odd', name } })),
        ]),
      ),
      'all of them': get(maps('lists')),
      'the first page': get(`${maps('lists')}?limit=2`),
      'the second page': (bodies) =>
        get(`${maps('lists')}?limit=2&continue=${bodyAt(bodies, -1).metadata.continue ?? ''}`),
      'the last page': (bodies) =>
        get(`${maps('lists')}?limit=2&continue=${bodyAt(bodies, -1).metadata.continue ?? ''}`),
      'a page of a token that is none': get(`${maps('lists')}?limit=2&continue=abc`),
      'by equality': get(`${maps('lists')}?labelSelector=parity%3Dodd`),
      'by set': get(`${maps('lists')}?labelSelector=name+in+(a,c),parity!=odd`),
      'by absence': get(`${maps('lists')}?labelSelector=!parity`),
      'by a selector that is none': get(`${maps('lists')}?labelSelector=a+b+c`),
      'by name': get(`${maps('lists')}?fieldSelector=metadata.name%3Db`),
      'by name and label': get(`${maps('lists')}?fieldSelector=metadata.name!%3Db&labelSelector=parity%3Dodd`),
      'by a field that has no selector': get(`${maps('lists')}?fieldSelector=data.k%3Dv`),
      'from a namespace that is not there': get(maps('not-there')),
      'watch from a version that is none': get(`${maps('lists')}?watch=true&resourceVersion=abc&timeoutSeconds=1`),
      'delete some': remove(`${maps('lists')}?labelSelector=parity%3Dodd`),
      'what is left': get(maps('lists')),
    },
  },
  {
    name: 'patches',
    steps: {
      namespace: namespace('patches'),
      create: post(maps('patches'), configMap('a', { k: 'v', l: 'w' }, { labels: { app: 'x' } })),
      merge: patch('merge', `${maps('patches')}/a`, { data: { k: null, m: 'n' }, metadata: { labels: { tier: 'y' } } }),
      'merge that changes nothing': patch('merge', `${maps('patches')}/a`, { data: { m: 'n' } }),
      'merge with an old version': (bodies) =>
        patch('merge', `${maps('patches')}/a`, {
          metadata: { resourceVersion: bodyAt(bodies, 1).metadata.resourceVersion },
          data: { k: 'z' },
        }),
      'merge of the name': patch('merge', `${maps('patches')}/a`, { metadata: { name: 'b' } }),
      'merge of what is not there': patch('merge', `${maps('patches')}/none`, { data: {} }),
      'merge of a wrong type': patch('merge', `${maps('patches')}/a`, { data: { k: 1 } }),
      json: patch('json', `${maps('patches')}/a`, [
        { op: 'test', path: '/data/l', value: 'w' },
        { op: 'replace', path: '/data/l', value: 'u' },
        { op: 'remove', path: '/metadata/labels/tier' },
        { op: 'add', path: '/metadata/annotations', value: { 'example.com/a': 'b' } },
      ]),
      'json whose test fails': patch('json', `${maps('patches')}/a`, [
        { op: 'test', path: '/data/l', value: 'other' },
        { op: 'remove', path: '/data/l' },
      ]),
      'json that removes what is not there': patch('json', `${maps('patches')}/a`, [
        { op: 'remove', path: '/data/none' },
      ]),
      'json that is no list': patch('json', `${maps('patches')}/a`, { data: {} }),
      'a patch of an unknown type': {
        method: 'PATCH',
        path: `${maps('patches')}/a`,
        body: {},
        contentType: 'application/json',
      },
      'an unknown field, ignored': patch('merge', `${maps('patches')}/a?fieldValidation=Ignore`, { extra: 1 }),
      'an unknown field, with a warning': patch('merge', `${maps('patches')}/a?fieldValidation=Warn`, { extra: 1 }),
      'an unknown field, refused': patch('merge', `${maps('patches')}/a?fieldValidation=Strict`, { extra: 1 }),
    },
  },
]
