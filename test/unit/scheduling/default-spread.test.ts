import { describe, expect, test } from 'vitest'
import type { LabelSelector } from '../../../src/api/kubernetes.ts'
import type { SpreadOwners } from '../../../src/model/snapshot.ts'
import { withDefaultSpread } from '../../../src/scheduling/default-spread.ts'
import { metadata } from '../../support/scheduling-objects.ts'
import { aPod, hostnameKey, type PodOptions, pods, zoneKey } from '../../support/scheduling-world.ts'
import { podsPerPlan, solveWorld, spreadOf } from '../../support/solving.ts'

const defaults = [{ maxSkew: 1, topologyKey: zoneKey, whenUnsatisfiable: 'ScheduleAnyway' as const }]
const labels = { app: 'web', tier: 'front' }

function service(name: string, selector: Record<string, string> | undefined, namespace = 'default') {
  const spec = selector === undefined ? {} : { selector }
  return { apiVersion: 'v1', kind: 'Service', metadata: metadata(name, namespace), spec }
}

function stateful(selector: LabelSelector) {
  const spec = { serviceName: 'web', selector, template: { spec: { containers: [] } } }
  return { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: metadata('web', 'default'), spec }
}

const controllerOf = (selector: Record<string, string>) =>
  new Map([
    [
      'default/web',
      {
        apiVersion: 'v1',
        kind: 'ReplicationController',
        metadata: metadata('web', 'default'),
        spec: { selector },
      },
    ],
  ])
const owner = (apiVersion: string, kind: string): PodOptions => ({ owner: { apiVersion, kind, name: 'web' } })

const cases: Record<
  string,
  { readonly pod?: PodOptions; readonly owners: Partial<SpreadOwners>; readonly want: LabelSelector | undefined }
> = {
  'a service that selects the pod': {
    owners: { services: [service('a', { app: 'web' })] },
    want: { matchLabels: { app: 'web' } },
  },
  'services that select it are taken together, those that do not, or not here, play no part': {
    owners: {
      services: [
        service('elsewhere', { team: 'x' }, 'other'),
        service('headless', undefined),
        service('other', { app: 'other' }),
        service('everything', {}),
        service('a', { app: 'web' }),
        service('b', { tier: 'front' }),
      ],
    },
    want: { matchLabels: labels },
  },
  'a service that does not select it tells nothing, nor does one of another namespace that would': {
    owners: {
      services: [
        service('a', { app: 'web' }),
        service('other', { app: 'other' }),
        service('b', { tier: 'front' }, 'other'),
      ],
    },
    want: { matchLabels: { app: 'web' } },
  },
  'a service that selects everything tells nothing': {
    owners: { services: [service('everything', {})] },
    want: undefined,
  },
  'what its ReplicationController selects overrides what services say': {
    pod: owner('v1', 'ReplicationController'),
    owners: { services: [service('a', { app: 'web' })], replicationControllers: controllerOf({ app: 'own' }) },
    want: { matchLabels: { app: 'own' } },
  },
  'what its StatefulSet selects comes on top, expressions as they are': {
    pod: owner('apps/v1', 'StatefulSet'),
    owners: {
      services: [service('a', { tier: 'front' })],
      statefulSets: new Map([
        [
          'default/web',
          stateful({ matchLabels: { app: 'web' }, matchExpressions: [{ key: 'app', operator: 'Exists' }] }),
        ],
      ]),
    },
    want: {
      matchLabels: { tier: 'front' },
      matchExpressions: [
        { key: 'app', operator: 'In', values: ['web'] },
        { key: 'app', operator: 'Exists' },
      ],
    },
  },
  'owners of other kinds add nothing': {
    pod: owner('apps/v1', 'DaemonSet'),
    owners: { statefulSets: new Map([['default/web', stateful({ matchLabels: { app: 'web' } })]]) },
    want: undefined,
  },
  'nor does a set of that name in another group': {
    pod: owner('example.com/v1', 'StatefulSet'),
    owners: { statefulSets: new Map([['default/web', stateful({ matchLabels: { app: 'web' } })]]) },
    want: undefined,
  },
  'nor one that cannot be found': { pod: owner('apps/v1', 'StatefulSet'), owners: {}, want: undefined },
}

test.each(Object.entries(cases))('%s', (_name, { pod = {}, owners, want }) => {
  const none = { services: [], replicaSets: new Map(), replicationControllers: new Map(), statefulSets: new Map() }
  const given = aPod({ labels, ...pod })
  const { topologySpreadConstraints } = withDefaultSpread(given, defaults, { ...none, ...owners })
  expect(topologySpreadConstraints).toEqual(want === undefined ? [] : [{ ...defaults[0], labelSelector: want }])
})

const web = { app: 'web' }

describe('case 125: cluster defaults', () => {
  const settings = {
    defaultSpread: [{ maxSkew: 1, topologyKey: zoneKey, whenUnsatisfiable: 'DoNotSchedule' as const }],
  }
  const replicaSet = (name: string) => ({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: metadata(name, 'default'),
    spec: { selector: { matchLabels: { hash: name } }, template: { spec: { containers: [] } } },
  })
  const owned = (name: string, count: number) =>
    pods(count, { labels: { hash: name }, owner: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name } })
  const replicaSets = new Map(['rs-1', 'rs-2'].map((name) => [`default/${name}`, replicaSet(name)]))

  test('pods of a ReplicaSet are spread, each set by itself', () => {
    const one = solveWorld({ pods: owned('rs-1', 4), spreadOwners: { replicaSets } }, { settings })
    expect(spreadOf(one)).toEqual([2, 1, 1])
    const two = solveWorld(
      { pods: [...owned('rs-1', 1), ...owned('rs-2', 1)], spreadOwners: { replicaSets } },
      { settings },
    )
    expect(podsPerPlan(two)).toEqual([2])
  })

  test('pods of a ReplicationController are spread by its selector', () => {
    const owner = { apiVersion: 'v1', kind: 'ReplicationController', name: 'rc' }
    const controller = {
      apiVersion: 'v1',
      kind: 'ReplicationController',
      metadata: metadata('rc', 'default'),
      spec: { selector: { app: 'web' } },
    }
    const replicationControllers = new Map([['default/rc', controller]])
    const placement = solveWorld(
      { pods: pods(4, { labels: web, owner }), spreadOwners: { replicationControllers } },
      { settings },
    )
    expect(spreadOf(placement)).toEqual([2, 1, 1])
  })

  test('pods with constraints of their own are left alone', () => {
    const own = owned('rs-1', 4).map((pod) => ({
      ...pod,
      topologySpreadConstraints: [
        { maxSkew: 9, topologyKey: hostnameKey, whenUnsatisfiable: 'DoNotSchedule' as const },
      ],
    }))
    expect(podsPerPlan(solveWorld({ pods: own, spreadOwners: { replicaSets } }, { settings }))).toEqual([4])
  })

  test('pods that nothing selects are left alone, those of a Job with a Service are not', () => {
    expect(podsPerPlan(solveWorld({ pods: pods(4, { labels: web }) }, { settings }))).toEqual([4])
    const job = pods(4, { labels: web, owner: { apiVersion: 'batch/v1', kind: 'Job' } })
    expect(
      spreadOf(solveWorld({ pods: job, spreadOwners: { services: [service('web', web)] } }, { settings })),
    ).toEqual([2, 1, 1])
  })

  test('a soft default is given up where it cannot hold', () => {
    const soft = {
      defaultSpread: [{ maxSkew: 1, topologyKey: 'nowhere', whenUnsatisfiable: 'ScheduleAnyway' as const }],
    }
    const world = { pods: pods(4, { labels: web }), spreadOwners: { services: [service('web', web)] } }
    expect(solveWorld(world, { settings: soft }).failures).toEqual([])
  })
})
