import fc from 'fast-check'
import type { Affinity, PodAffinityTerm, TopologySpreadConstraint } from '../../src/api/kubernetes.ts'
import type { PodInfo } from '../../src/model/pod.ts'
import { aDaemonSet, inZones } from './scheduling-objects.ts'
import {
  aNode,
  aPod,
  aPool,
  capacityTypeKey,
  catalogueF,
  fakeTypes,
  hostnameKey,
  type PodOptions,
  type WorldOptions,
  zoneKey,
} from './scheduling-world.ts'

/** Small clusters in which every kind of constraint meets every other. Names come from positions, so runs repeat. */

const apps = ['a', 'b', 'c'] as const
const keys = [zoneKey, hostnameKey, capacityTypeKey] as const
const app = fc.constantFrom(...apps)

const term: fc.Arbitrary<PodAffinityTerm> = fc.record({
  topologyKey: fc.constantFrom(...keys),
  labelSelector: app.map((value) => ({ matchLabels: { app: value } })),
})

const spread: fc.Arbitrary<TopologySpreadConstraint> = fc.record(
  {
    maxSkew: fc.constantFrom(1, 2),
    topologyKey: fc.constantFrom(...keys),
    whenUnsatisfiable: fc.constantFrom('DoNotSchedule' as const, 'ScheduleAnyway' as const),
    labelSelector: app.map((value) => ({ matchLabels: { app: value } })),
    minDomains: fc.constantFrom(1, 2, 3),
    nodeTaintsPolicy: fc.constantFrom('Honor' as const, 'Ignore' as const),
    nodeAffinityPolicy: fc.constantFrom('Honor' as const, 'Ignore' as const),
  },
  { requiredKeys: ['maxSkew', 'topologyKey', 'whenUnsatisfiable', 'labelSelector'] },
)

const zones = fc.subarray(['z1', 'z2', 'z3', 'z9'], { minLength: 1 })

const affinity: fc.Arbitrary<Affinity> = fc
  .record({
    near: fc.array(term, { maxLength: 1 }),
    away: fc.array(term, { maxLength: 1 }),
    preferNear: fc.array(term, { maxLength: 1 }),
    preferAway: fc.array(term, { maxLength: 1 }),
    alternatives: fc.array(zones, { maxLength: 2 }),
    preferred: fc.array(fc.tuple(fc.integer({ min: 1, max: 100 }), zones), { maxLength: 2 }),
  })
  .map(({ near, away, preferNear, preferAway, alternatives, preferred }) => {
    const weighted = (terms: PodAffinityTerm[]) =>
      terms.map((podAffinityTerm, i) => ({ weight: i + 1, podAffinityTerm }))
    return {
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: near,
        preferredDuringSchedulingIgnoredDuringExecution: weighted(preferNear),
      },
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: away,
        preferredDuringSchedulingIgnoredDuringExecution: weighted(preferAway),
      },
      nodeAffinity: {
        ...(alternatives.length === 0
          ? {}
          : {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: alternatives.map((list) => inZones(...list)),
              },
            }),
        preferredDuringSchedulingIgnoredDuringExecution: preferred.map(([weight, list]) => ({
          weight,
          preference: inZones(...list),
        })),
      },
    }
  })

const podOptions: fc.Arbitrary<PodOptions> = fc
  .record({
    app,
    cpu: fc.constantFrom('100m', '500m', '1', '1900m', '3'),
    memory: fc.constantFrom('100Mi', '1Gi', '1536Mi'),
    affinity: fc.option(affinity, { freq: 2, nil: undefined }),
    spreads: fc.array(spread, { maxLength: 2 }),
    nodeSelector: fc.constantFrom<Record<string, string>>(
      {},
      {},
      { [zoneKey]: 'z1' },
      { [capacityTypeKey]: 'spot' },
      { team: 'x' },
      { 'kubernetes.io/arch': 'arm64' },
    ),
    tolerates: fc.boolean(),
    port: fc.constantFrom(0, 0, 0, 8080),
  })
  .map(({ app: value, cpu, memory, affinity: terms, spreads, nodeSelector, tolerates, port }) => ({
    labels: { app: value },
    requests: { cpu, memory },
    ...(terms === undefined ? {} : { affinity: terms }),
    topologySpreadConstraints: spreads,
    nodeSelector,
    tolerations: tolerates ? [{ key: 'dedicated', operator: 'Exists' as const }] : [],
    hostPorts: port === 0 ? [] : [{ port }],
  }))

const nodeParts = fc.record({
  zone: fc.constantFrom('z1', 'z2', 'z3', ''),
  capacityType: fc.constantFrom('spot', 'on-demand'),
  tainted: fc.boolean(),
  initialized: fc.boolean(),
  leaving: fc.constantFrom(false, false, false, true),
  cpu: fc.constantFrom('2', '4', '8'),
  pods: fc.array(podOptions, { maxLength: 3 }),
})

const poolParts = fc.record({
  zones: fc.option(fc.subarray(['z1', 'z2', 'z3'], { minLength: 1 }), { nil: undefined }),
  team: fc.constantFrom('', 'x', 'y'),
  taint: fc.constantFrom('', 'NoSchedule', 'PreferNoSchedule'),
  limit: fc.constantFrom('', '4', '20', '100'),
  weight: fc.constantFrom(1, 10),
})

export interface ArbitraryWorld extends WorldOptions {
  readonly pods: readonly PodInfo[]
}

export const arbitraryWorld: fc.Arbitrary<ArbitraryWorld> = fc
  .record({
    pods: fc.array(podOptions, { minLength: 1, maxLength: 14 }),
    nodes: fc.array(nodeParts, { maxLength: 4 }),
    pools: fc.array(poolParts, { minLength: 1, maxLength: 3 }),
    daemons: fc.array(fc.record({ cpu: fc.constantFrom('100m', '1'), arch: fc.boolean() }), { maxLength: 2 }),
    large: fc.boolean(),
  })
  .map(({ pods, nodes, pools, daemons, large }) => ({
    pods: pods.map((options, i) => aPod({ ...options, name: `pending-${i}`, uid: `uid-${i}` })),
    types: large ? fakeTypes(12) : catalogueF,
    pools: pools.map(({ zones: allowed, team, taint, limit, weight }, i) =>
      aPool({
        name: `pool-${i}`,
        weight,
        requirements: allowed === undefined ? [] : [{ key: zoneKey, operator: 'In', values: allowed }],
        ...(team === '' ? {} : { labels: { team } }),
        ...(taint === '' ? {} : { taints: [{ key: 'dedicated', effect: taint as 'NoSchedule' }] }),
        ...(limit === '' ? {} : { limits: { cpu: limit } }),
      }),
    ),
    nodes: nodes.map(({ zone, capacityType, tainted, initialized, leaving, cpu, pods: running }, i) =>
      aNode({
        name: `node-${i}`,
        pool: 'pool-0',
        initialized,
        markedForDeletion: leaving,
        labels: { [capacityTypeKey]: capacityType, ...(zone === '' ? {} : { [zoneKey]: zone }) },
        taints: tainted ? [{ key: 'dedicated', effect: 'NoSchedule' }] : [],
        allocatable: { cpu, memory: '8Gi', pods: '10' },
        pods: running.map((options, j) =>
          aPod({ ...options, name: `running-${i}-${j}`, uid: `uid-${i}-${j}`, nodeName: `node-${i}` }),
        ),
      }),
    ),
    daemonSets: daemons.map(({ cpu, arch }, i) =>
      aDaemonSet({
        name: `ds-${i}`,
        requests: { cpu },
        ...(arch ? { nodeSelector: { 'kubernetes.io/arch': 'amd64' } } : {}),
      }),
    ),
  }))
