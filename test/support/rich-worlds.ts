import fc from 'fast-check'
import type {
  Affinity,
  NodeSelectorTerm,
  PodAffinityTerm,
  TopologySpreadConstraint,
  Toleration,
} from '../../src/api/kubernetes.ts'
import type { PodInfo } from '../../src/model/pod.ts'
import { oneOf, oneValue } from '../../src/model/requirement.ts'
import { requirementsOf } from '../../src/model/requirements.ts'
import { toResources } from '../../src/model/resources.ts'
import { aClaim, aDaemonSet, aStorageClass, aVolume, inZones } from './scheduling-objects.ts'
import {
  aNode,
  anOffering,
  aPod,
  aPool,
  aType,
  capacityTypeKey,
  hostnameKey,
  instanceTypeKey,
  type PodOptions,
  type WorldOptions,
  zoneKey,
} from './scheduling-world.ts'

/**
 * Clusters with what the plain ones lack: minValues, reservations, offerings with amounts of their own, volumes and their limits, labels of
 * the user's own, several namespaces, older names of labels, daemons with alternatives.
 */

const reservationKey = 'reservation-id'
const zones = ['z1', 'z2', 'z3'] as const

const offering = fc.record({
  zone: fc.constantFrom(...zones),
  kind: fc.constantFrom('spot', 'on-demand', 'on-demand', 'reserved'),
  id: fc.constantFrom('r-1', 'r-2'),
  price: fc.constantFrom(1, 2, 3),
  available: fc.constantFrom(true, true, true, false),
  slots: fc.constantFrom('', '', '', '4'),
  overhead: fc.constantFrom('', '', '', '1'),
})

const typeParts = fc.record({
  cpu: fc.constantFrom('2', '4', '8'),
  memory: fc.constantFrom('2Gi', '4Gi', '16Gi'),
  pods: fc.constantFrom('1', '3', '10'),
  arch: fc.constantFrom('amd64', 'amd64', 'arm64'),
  gpu: fc.constantFrom('', '', '2'),
  colour: fc.constantFrom('', 'red', 'blue', 'both'),
  offerings: fc.array(offering, { minLength: 1, maxLength: 5 }),
})

const types = fc.array(typeParts, { minLength: 1, maxLength: 5 }).map((parts) =>
  parts.map(({ cpu, memory, pods, arch, gpu, colour, offerings }, i) =>
    aType({
      name: `type-${i}`,
      cpu,
      memory,
      pods,
      arch,
      ...(gpu === '' ? {} : { resources: { 'vendor-a': gpu } }),
      requirements: [
        ...(colour === '' ? [] : [oneOf('colour', colour === 'both' ? ['red', 'blue'] : [colour])]),
        ...(offerings.some(({ kind }) => kind === 'reserved')
          ? [
              oneOf(reservationKey, [
                ...new Set(offerings.filter(({ kind }) => kind === 'reserved').map(({ id }) => id)),
              ]),
            ]
          : []),
      ],
      offerings: offerings.map(({ zone, kind, id, price, available, slots, overhead }) => ({
        ...anOffering(zone, kind, price, {
          available,
          ...(slots === '' ? {} : { capacityOverride: toResources({ slots }) }),
          ...(overhead === '' ? {} : { overheadOverride: toResources({ cpu: overhead }) }),
        }),
        ...(kind === 'reserved'
          ? {
              requirements: requirementsOf(
                oneValue(zoneKey, zone),
                oneValue(capacityTypeKey, 'reserved'),
                oneValue(reservationKey, id),
              ),
              reservationCapacity: id === 'r-1' ? 1 : 2,
            }
          : {}),
      })),
    }),
  ),
)

const expression = fc.oneof(
  fc.record({
    key: fc.constant(zoneKey),
    operator: fc.constantFrom('In', 'NotIn'),
    values: fc.subarray([...zones, 'z9'], { minLength: 1 }),
  }),
  fc.record({
    key: fc.constant(capacityTypeKey),
    operator: fc.constantFrom('In', 'NotIn'),
    values: fc.subarray(['spot', 'on-demand', 'reserved'], { minLength: 1 }),
  }),
  fc.record({ key: fc.constantFrom('team', 'colour', 'special'), operator: fc.constantFrom('Exists', 'DoesNotExist') }),
  fc.record({
    key: fc.constantFrom('team', 'colour'),
    operator: fc.constantFrom('In', 'NotIn'),
    values: fc.subarray(['x', 'y', 'red', 'blue'], { minLength: 1 }),
  }),
  fc.record({
    key: fc.constantFrom('integer', 'level'),
    operator: fc.constantFrom('Gt', 'Lt', 'Gte', 'Lte'),
    values: fc.constantFrom('0', '2', '4', '5', '8').map((v) => [v]),
  }),
  fc.record({
    key: fc.constant(hostnameKey),
    operator: fc.constantFrom('In', 'NotIn'),
    values: fc.subarray(['host-0', 'node-1', 'node-2'], { minLength: 1 }),
  }),
  fc.record({
    key: fc.constant('failure-domain.beta.kubernetes.io/zone'),
    operator: fc.constantFrom('In', 'NotIn'),
    values: fc.subarray([...zones], { minLength: 1 }),
  }),
)
/** Some value, but not each: they come to an exclusion. */
const someValue = fc
  .record({
    key: fc.constantFrom(zoneKey, 'team', 'colour', 'special', 'level'),
    value: fc.constantFrom('z1', 'x', 'red', 'optional', '3'),
    bound: fc.boolean(),
  })
  .map(({ key, value, bound }) => [
    bound && key === 'level' ? { key, operator: 'Gt' as const, values: ['1'] } : { key, operator: 'Exists' as const },
    { key, operator: 'NotIn' as const, values: [value] },
  ])
const nodeTerm: fc.Arbitrary<NodeSelectorTerm> = fc
  .oneof(
    { weight: 4, arbitrary: fc.array(expression, { minLength: 1, maxLength: 2 }) },
    { weight: 1, arbitrary: someValue },
  )
  .map((matchExpressions) => ({ matchExpressions }))

const topologyKey = fc.constantFrom(
  zoneKey,
  hostnameKey,
  capacityTypeKey,
  'team',
  'colour',
  'failure-domain.beta.kubernetes.io/zone',
  instanceTypeKey,
  'kubernetes.io/arch',
)
const selector = fc.constantFrom(
  { matchLabels: { app: 'a' } },
  { matchLabels: { app: 'b' } },
  { matchLabels: { app: 'c' } },
  {},
  undefined,
  { matchExpressions: [{ key: 'app', operator: 'In' as const, values: ['a', 'b'] }] },
  { matchExpressions: [{ key: 'app', operator: 'NotIn' as const, values: ['a'] }] },
  { matchExpressions: [{ key: 'rev', operator: 'Exists' as const }] },
)
const withSelector = <T extends object>(one: T, sel: object | undefined): T =>
  sel === undefined ? one : { ...one, labelSelector: sel }
const term: fc.Arbitrary<PodAffinityTerm> = fc
  .record({
    topologyKey,
    selector,
    namespaces: fc.constantFrom(undefined, undefined, ['one'], ['one', 'default']),
    namespaceSelector: fc.constantFrom(undefined, undefined, {}, { matchLabels: { kind: 'odd' } }),
  })
  .map(({ topologyKey: key, selector: sel, namespaces, namespaceSelector }) =>
    withSelector(
      {
        topologyKey: key,
        ...(namespaces === undefined ? {} : { namespaces: [...namespaces] }),
        ...(namespaceSelector === undefined ? {} : { namespaceSelector }),
      },
      sel,
    ),
  )
const spread: fc.Arbitrary<TopologySpreadConstraint> = fc
  .record({
    topologyKey,
    selector,
    maxSkew: fc.constantFrom(1, 2, 3),
    whenUnsatisfiable: fc.constantFrom('DoNotSchedule' as const, 'ScheduleAnyway' as const),
    minDomains: fc.constantFrom(undefined, undefined, 2, 4),
    taints: fc.constantFrom(undefined, 'Honor' as const),
    affinity: fc.constantFrom(undefined, 'Ignore' as const),
    keys: fc.constantFrom(undefined, undefined, ['rev'], ['rev', 'nope']),
  })
  .map(({ topologyKey: key, selector: sel, maxSkew, whenUnsatisfiable, minDomains, taints, affinity, keys }) =>
    withSelector(
      {
        topologyKey: key,
        maxSkew,
        whenUnsatisfiable,
        ...(minDomains === undefined ? {} : { minDomains }),
        ...(taints === undefined ? {} : { nodeTaintsPolicy: taints }),
        ...(affinity === undefined ? {} : { nodeAffinityPolicy: affinity }),
        ...(keys === undefined ? {} : { matchLabelKeys: [...keys] }),
      },
      sel,
    ),
  )

const toleration: fc.Arbitrary<Toleration> = fc.constantFrom(
  { key: 'dedicated', operator: 'Exists' as const },
  { key: 'dedicated', value: '1' },
  { key: 'dedicated', value: '2', effect: 'NoSchedule' as const },
  { operator: 'Exists' as const },
  { key: 'soft', operator: 'Exists' as const, effect: 'PreferNoSchedule' as const },
  { operator: 'Exists' as const, effect: 'PreferNoSchedule' as const },
)

const weighted = (terms: PodAffinityTerm[], weights: number[]) =>
  terms.map((podAffinityTerm, i) => ({ weight: weights[i % weights.length] ?? 1, podAffinityTerm }))
const affinity: fc.Arbitrary<Affinity> = fc
  .record({
    near: fc.array(term, { maxLength: 1 }),
    away: fc.array(term, { maxLength: 1 }),
    preferNear: fc.array(term, { maxLength: 2 }),
    preferAway: fc.array(term, { maxLength: 2 }),
    alternatives: fc.array(nodeTerm, { maxLength: 3 }),
    preferred: fc.array(fc.tuple(fc.constantFrom(1, 10, 10, 50), nodeTerm), { maxLength: 3 }),
    weights: fc.array(fc.constantFrom(1, 5, 9), { minLength: 1, maxLength: 3 }),
  })
  .map(({ near, away, preferNear, preferAway, alternatives, preferred, weights }) => ({
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: near,
      preferredDuringSchedulingIgnoredDuringExecution: weighted(preferNear, weights),
    },
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: away,
      preferredDuringSchedulingIgnoredDuringExecution: weighted(preferAway, weights),
    },
    nodeAffinity: {
      ...(alternatives.length === 0
        ? {}
        : { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: alternatives } }),
      preferredDuringSchedulingIgnoredDuringExecution: preferred.map(([weight, preference]) => ({
        weight,
        preference,
      })),
    },
  }))

const claimNames = ['free', 'two', 'either', 'pv-z1', 'pv-z3', 'pv-any', 'pv-host', 'nfs', 'shared'] as const
const podOptions: fc.Arbitrary<PodOptions> = fc
  .record({
    app: fc.constantFrom('a', 'b', 'c'),
    rev: fc.constantFrom('', '1', '2'),
    namespace: fc.constantFrom('default', 'default', 'one'),
    cpu: fc.constantFrom('0', '100m', '500m', '1', '1900m', '3'),
    memory: fc.constantFrom('100Mi', '1Gi', '1536Mi'),
    extra: fc.constantFrom('', '', '', '', 'vendor-a', 'slots'),
    affinity: fc.option(affinity, { freq: 2, nil: undefined }),
    spreads: fc.array(spread, { maxLength: 2 }),
    nodeSelector: fc.constantFrom<Record<string, string>>(
      {},
      {},
      {},
      { [zoneKey]: 'z1' },
      { [capacityTypeKey]: 'spot' },
      { [capacityTypeKey]: 'reserved' },
      { team: 'x' },
      { colour: 'red' },
      { 'kubernetes.io/arch': 'arm64' },
      { level: '3' },
    ),
    tolerations: fc.array(toleration, { maxLength: 2 }),
    port: fc.constantFrom(
      undefined,
      undefined,
      undefined,
      { port: 8080 },
      { port: 8080, ip: '10.0.0.1' },
      { port: 8080, protocol: 'UDP' },
    ),
    volumes: fc.oneof(
      { weight: 3, arbitrary: fc.constant<string[]>([]) },
      { weight: 1, arbitrary: fc.subarray<string>([...claimNames], { minLength: 1, maxLength: 3 }) },
    ),
  })
  .map(
    ({
      app,
      rev,
      namespace,
      cpu,
      memory,
      extra,
      affinity: terms,
      spreads,
      nodeSelector,
      tolerations,
      port,
      volumes,
    }) => ({
      namespace: volumes.length > 0 ? 'default' : namespace,
      labels: { app, ...(rev === '' ? {} : { rev }) },
      requests: { cpu, memory, ...(extra === '' ? {} : { [extra]: '1' }) },
      ...(terms === undefined ? {} : { affinity: terms }),
      topologySpreadConstraints: spreads,
      nodeSelector,
      tolerations,
      hostPorts: port === undefined ? [] : [port],
      volumes: volumes.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
    }),
  )

const volumes = {
  claims: new Map(
    [
      aClaim({ name: 'free', storageClassName: 'plain' }),
      aClaim({ name: 'two', storageClassName: 'z1z2' }),
      aClaim({ name: 'either', storageClassName: 'z1-or-z3' }),
      aClaim({ name: 'pv-z1', volumeName: 'v1' }),
      aClaim({ name: 'pv-z3', volumeName: 'v3' }),
      aClaim({ name: 'pv-any', volumeName: 'vany' }),
      aClaim({ name: 'pv-host', volumeName: 'vhost' }),
      aClaim({ name: 'nfs', volumeName: 'vnfs' }),
      aClaim({ name: 'shared', storageClassName: 'plain' }),
    ].map((claim) => [`default/${claim.metadata.name}`, claim]),
  ),
  volumes: new Map(
    [
      aVolume('v1', [inZones('z1')]),
      aVolume('v3', [inZones('z3'), inZones('z2')]),
      aVolume('vany', []),
      aVolume(
        'vhost',
        [
          {
            matchExpressions: [
              { key: hostnameKey, operator: 'In', values: ['node-1'] },
              { key: zoneKey, operator: 'In', values: ['z1', 'z2'] },
            ],
          },
        ],
        { local: { path: '/x' } },
      ),
      aVolume('vnfs', [{ matchExpressions: [{ key: hostnameKey, operator: 'In', values: ['node-1', 'host-0'] }] }], {
        csi: { driver: 'nfs' },
      }),
    ].map((v) => [v.metadata.name, v]),
  ),
  storageClasses: new Map(
    [
      aStorageClass('plain'),
      aStorageClass('z1z2', { zones: [['z1', 'z2']] }),
      aStorageClass('z1-or-z3', { zones: [['z1'], ['z3']], provisioner: 'kubernetes.io/aws-ebs' }),
    ].map((c) => [c.metadata.name, c]),
  ),
}

const nodeParts = fc.record({
  zone: fc.constantFrom('z1', 'z2', 'z3', ''),
  alias: fc.constantFrom(false, false, true),
  capacityType: fc.constantFrom('spot', 'on-demand', ''),
  taint: fc.constantFrom('', '', 'dedicated=1', 'dedicated=2', 'soft'),
  initialized: fc.boolean(),
  leaving: fc.constantFrom(false, false, false, true),
  cpu: fc.constantFrom('2', '4', '8'),
  team: fc.constantFrom('', 'x', 'y'),
  level: fc.constantFrom('', '3'),
  pool: fc.constantFrom('pool-0', 'pool-1', ''),
  withoutNode: fc.constantFrom(false, false, false, true),
  limit: fc.constantFrom(undefined, undefined, 0, 1, 2),
  hostname: fc.constantFrom(undefined, undefined, 'host-0'),
  pods: fc.array(fc.tuple(podOptions, fc.constantFrom('', '', '', 'deleting', 'daemon')), { maxLength: 3 }),
})

const poolParts = fc.record({
  requirements: fc.array(
    expression.filter(({ key }) => key !== hostnameKey && !key.startsWith('failure')),
    { maxLength: 2 },
  ),
  team: fc.constantFrom('', '', 'x', 'y'),
  level: fc.constantFrom('', '3'),
  taint: fc.constantFrom('', '', 'dedicated=1', 'dedicated=2', 'soft'),
  limits: fc.constantFrom<Record<string, string> | undefined>(
    undefined,
    undefined,
    { cpu: '4' },
    { cpu: '20' },
    { memory: '8Gi', nodes: '2' },
    { nodes: '0' },
    { 'vendor-a': '1' },
  ),
  weight: fc.constantFrom(1, 1, 10),
  minValues: fc.constantFrom<[string, number] | undefined>(
    undefined,
    undefined,
    undefined,
    [instanceTypeKey, 2],
    [zoneKey, 2],
    ['colour', 2],
    [capacityTypeKey, 2],
    ['kubernetes.io/arch', 2],
  ),
})

function taintsOf(text: string) {
  if (text === '') return []
  if (text === 'soft') return [{ key: 'soft', effect: 'PreferNoSchedule' as const }]
  const [key = '', value = ''] = text.split('=')
  return [{ key, value, effect: 'NoSchedule' as const }]
}

export interface RichWorld extends WorldOptions {
  readonly pods: readonly PodInfo[]
}

export const richWorld: fc.Arbitrary<RichWorld> = fc
  .record({
    types,
    pods: fc.array(podOptions, { minLength: 1, maxLength: 10 }),
    nodes: fc.array(nodeParts, { maxLength: 4 }),
    pools: fc.array(poolParts, { minLength: 1, maxLength: 3 }),
    daemons: fc.array(
      fc.record({
        cpu: fc.constantFrom('0', '100m', '1'),
        terms: fc.array(nodeTerm, { maxLength: 2 }),
        tolerations: fc.array(toleration, { maxLength: 1 }),
        port: fc.constantFrom(undefined, undefined, 8080),
      }),
      { maxLength: 2 },
    ),
  })
  .map(({ types: all, pods, nodes, pools, daemons }) => ({
    types: all,
    volumes,
    namespaces: new Map([
      ['default', {}],
      ['one', { kind: 'odd' }],
    ]),
    pods: pods.map((options, i) => aPod({ ...options, name: `pending-${i}`, uid: `uid-${i}` })),
    pools: pools.map(({ requirements, team, level, taint, limits, weight, minValues }, i) =>
      aPool({
        name: `pool-${i}`,
        weight,
        requirements: [
          ...requirements,
          ...(minValues === undefined
            ? []
            : [{ key: minValues[0], operator: 'Exists' as const, minValues: minValues[1] }]),
        ],
        labels: { ...(team === '' ? {} : { team }), ...(level === '' ? {} : { level }) },
        taints: taintsOf(taint),
        ...(limits === undefined ? {} : { limits }),
      }),
    ),
    nodes: nodes.map(
      (
        {
          zone,
          alias,
          capacityType,
          taint,
          initialized,
          leaving,
          cpu,
          team,
          level,
          pool,
          withoutNode,
          limit,
          hostname,
          pods: running,
        },
        i,
      ) =>
        aNode({
          name: `node-${i}`,
          pool,
          initialized: pool === '' || initialized,
          markedForDeletion: leaving,
          withoutNode: pool !== '' && withoutNode,
          labels: {
            ...(capacityType === '' ? {} : { [capacityTypeKey]: capacityType }),
            ...(zone === '' ? {} : { [alias ? 'failure-domain.beta.kubernetes.io/zone' : zoneKey]: zone }),
            ...(team === '' ? {} : { team }),
            ...(level === '' ? {} : { level }),
            ...(hostname === undefined || i > 0 ? {} : { [hostnameKey]: hostname }),
          },
          taints: taintsOf(taint),
          allocatable: { cpu, memory: '8Gi', pods: '10' },
          ...(limit === undefined ? {} : { volumeLimits: { 'ebs.csi.aws.com': limit } }),
          pods:
            pool !== '' && withoutNode
              ? []
              : running.map(([options, kind], j) =>
                  aPod({
                    ...options,
                    requests: { cpu: '500m', memory: '100Mi' },
                    name: `running-${i}-${j}`,
                    uid: `uid-${i}-${j}`,
                    nodeName: `node-${i}`,
                    ...(kind === 'deleting' ? { deleting: true } : {}),
                    ...(kind === 'daemon' ? { owner: { apiVersion: 'apps/v1', kind: 'DaemonSet' } } : {}),
                  }),
                ),
        }),
    ),
    daemonSets: daemons.map(({ cpu, terms, tolerations, port }, i) =>
      aDaemonSet({
        name: `ds-${i}`,
        requests: { cpu },
        tolerations,
        ...(port === undefined ? {} : { ports: [{ containerPort: port, hostPort: port }] }),
        ...(terms.length === 0
          ? {}
          : {
              affinity: {
                nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
              },
            }),
      }),
    ),
  }))
