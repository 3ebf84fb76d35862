import type { Affinity, PodSpec, Toleration } from '../../../src/api/kubernetes.ts'
import type { Random } from '../../../src/model/random.ts'
import { pick } from '../../support/pod-places.ts'
import type { PodGroup, PoolShape, Requests, Workload } from './workloads.ts'

type Requirement = NonNullable<PoolShape['requirements']>[number]
type Expression = Omit<Requirement, 'minValues'>

const zone = 'topology.kubernetes.io/zone'
const host = 'kubernetes.io/hostname'
const arch = 'kubernetes.io/arch'
const capacityType = 'karpenter.sh/capacity-type'
const instanceType = 'node.kubernetes.io/instance-type'
const team = 'example.com/team'
const of = (name: string): string => `karpenter.k8s.aws/instance-${name}`
const zones = ['us-east-1a', 'us-east-1b', 'us-east-1c'] as const
const families = ['c5', 'm5', 'r5', 'c6i', 'm6i', 't3'] as const
const onDemand: Requirement = { key: capacityType, operator: 'In', values: ['on-demand'] }
/** Of the one architecture that there is an image for. */
const intel: Requirement = { key: arch, operator: 'In', values: ['amd64'] }

/** Pools and pods that nobody thought of, each workload with its own: what they ask for may well be impossible. */
export function randomWorkloads(random: Random, count: number): readonly Workload[] {
  return Array.from({ length: count }, (_, index) => randomWorkload(random, `w${index}`))
}

function randomWorkload(random: Random, name: string): Workload {
  const pools = Array.from({ length: pick(random, [1, 1, 2]) }, (_, index) => poolShape(random, index))
  const groups = Array.from({ length: pick(random, [1, 2, 3]) }, (_, index) => podGroup(random, name, index))
  const daemon = chance(random, 5) ? { cpu: '150m', memory: '200Mi' } : undefined
  return { name, pools, groups, ...(daemon === undefined ? {} : { daemon }) }
}

function poolShape(random: Random, index: number): PoolShape {
  const requirements = [onDemand, intel, ...types(random)]
  if (chance(random, 3)) requirements.push(...some(random, [inZones(random), teams(random)]))
  return {
    suffix: `-p${index}`,
    requirements: distinct(requirements),
    spec: {
      // Pools of one weight are in the order of their names.
      weight: 10 * (index + 1),
      ...(chance(random, 4) ? { limits: { cpu: pick(random, ['2', '4', '8']) } } : {}),
      ...(chance(random, 8) ? { limits: { memory: pick(random, ['8Gi', '20Gi']) } } : {}),
    },
    template: {
      ...(chance(random, 4) ? { taints: [{ key: team, value: 'web', effect: 'NoSchedule' as const }] } : {}),
      ...(chance(random, 6) ? { taints: [{ key: team, effect: 'PreferNoSchedule' as const }] } : {}),
      ...(chance(random, 6) ? { startupTaints: [{ key: 'example.com/agent', effect: 'NoExecute' as const }] } : {}),
    },
    ...(chance(random, 4) ? { labels: { 'example.com/tier': pick(random, ['gold', 'silver']) } } : {}),
  }
}

function types(random: Random): Requirement[] {
  return pick<() => Requirement[]>(random, [
    () => [{ key: instanceType, operator: 'In', values: ['c5.large', 'm5.large', 'r5.xlarge'] }],
    () => [
      {
        key: of('family'),
        operator: 'In',
        values: [...families],
        ...(chance(random, 3) ? { minValues: pick(random, [2, 3, 5]) } : {}),
      },
    ],
    () => [
      { key: of('category'), operator: 'In', values: ['c', 'm', 'r'] },
      { key: of('generation'), operator: 'Gt', values: ['4'] },
      { key: of('cpu'), operator: 'Lt', values: [pick(random, ['3', '9', '17'])] },
    ],
    () => [
      { key: of('memory'), operator: 'Gt', values: ['8191'] },
      { key: of('cpu'), operator: 'In', values: ['2', '4'], ...(chance(random, 3) ? { minValues: 2 } : {}) },
      { key: of('family'), operator: 'NotIn', values: ['t2', 't3'] },
    ],
    () => [
      { key: of('local-nvme'), operator: 'Exists' },
      { key: of('size'), operator: 'In', values: ['large', 'xlarge'] },
    ],
  ])()
}

function inZones(random: Random): Requirement {
  return { key: zone, operator: pick(random, ['In', 'NotIn'] as const), values: subset(random, zones) }
}

function teams(random: Random): Requirement {
  return pick<Requirement>(random, [
    // Of several values Karpenter draws one for the node.
    { key: team, operator: 'In', values: ['web'] },
    { key: team, operator: 'NotIn', values: ['data'] },
  ])
}

function podGroup(random: Random, name: string, index: number): PodGroup {
  const labels = { group: `${name}-${index}` }
  const selector = { matchLabels: pick<Record<string, string>>(random, [labels, { workload: name }]) }
  // No two groups ask for as much, or their order would be drawn.
  const requests: Requests = {
    cpu: `${pick(random, [100, 400, 700, 1_300, 2_600]) + 10 * index}m`,
    memory: `${pick(random, [128, 512, 1_500, 4_000]) + 16 * index}Mi`,
    ...(chance(random, 8) ? { 'ephemeral-storage': pick(random, ['1Gi', '9Gi']) } : {}),
  }
  const nodeAffinity = chance(random, 3) ? nodeAffinityOf(random) : undefined
  const podAffinity = chance(random, 4) ? podAffinityOf(random, selector) : {}
  const affinity = { ...(nodeAffinity === undefined ? {} : { nodeAffinity }), ...podAffinity }
  const spec: Partial<PodSpec> = {
    ...(Object.keys(affinity).length === 0 ? {} : { affinity }),
    ...(chance(random, 3) ? { topologySpreadConstraints: spreads(random, selector) } : {}),
    ...(chance(random, 2) ? { tolerations: [tolerationOf(random)] } : {}),
    ...(chance(random, 4) ? { nodeSelector: selectorOf(random) } : {}),
    ...(chance(random, 8)
      ? {
          containers: [
            {
              name: 'app',
              image: 'registry.example/app:1',
              ports: [{ containerPort: 80, hostPort: 8080 }],
              resources: { requests },
            },
          ],
        }
      : {}),
  }
  return { count: 1 + random.below(5), requests, labels, spec }
}

function nodeAffinityOf(random: Random): NonNullable<Affinity['nodeAffinity']> {
  const preferred = Array.from({ length: random.below(3) }, (_, index) => ({
    weight: 1 + index,
    preference: { matchExpressions: [expression(random)] },
  }))
  const terms = Array.from({ length: random.below(3) }, () => ({
    matchExpressions: distinct(some(random, [expression(random), expression(random)])),
  }))
  return {
    ...(preferred.length === 0 ? {} : { preferredDuringSchedulingIgnoredDuringExecution: preferred }),
    ...(terms.length === 0 ? {} : { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } }),
  }
}

function expression(random: Random): Expression {
  return pick<() => Expression>(random, [
    () => ({ key: zone, operator: pick(random, ['In', 'NotIn'] as const), values: subset(random, zones) }),
    () => ({ key: of('cpu'), operator: pick(random, ['Gt', 'Lt'] as const), values: [pick(random, ['1', '3', '5'])] }),
    () => ({ key: of('family'), operator: pick(random, ['In', 'NotIn'] as const), values: subset(random, families) }),
    () => ({ key: arch, operator: 'In', values: [pick(random, ['amd64', 'arm64'])] }),
    () => ({ key: team, operator: pick(random, ['In', 'NotIn'] as const), values: [pick(random, ['web', 'ops'])] }),
    () => ({ key: team, operator: pick(random, ['Exists', 'DoesNotExist'] as const) }),
    () => ({ key: 'example.com/tier', operator: 'In', values: ['gold'] }),
    () => ({ key: of('gpu-count'), operator: 'DoesNotExist' }),
  ])()
}

function podAffinityOf(
  random: Random,
  labelSelector: { readonly matchLabels: Readonly<Record<string, string>> },
): Affinity {
  const required = [{ topologyKey: pick(random, [zone, host]), labelSelector }]
  const preferred = [{ weight: 5, podAffinityTerm: { topologyKey: pick(random, [zone, host]), labelSelector } }]
  return pick<Affinity>(random, [
    { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
    { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
    { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } },
    { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } },
  ])
}

function spreads(
  random: Random,
  labelSelector: { readonly matchLabels: Readonly<Record<string, string>> },
): NonNullable<PodSpec['topologySpreadConstraints']> {
  const keys = pick(random, [[zone], [host], [zone, host], [arch], [capacityType]])
  return keys.map((topologyKey) => {
    const whenUnsatisfiable = pick(random, ['DoNotSchedule', 'DoNotSchedule', 'ScheduleAnyway'] as const)
    return {
      topologyKey,
      whenUnsatisfiable,
      labelSelector,
      maxSkew: pick(random, [1, 1, 2]),
      ...(whenUnsatisfiable === 'DoNotSchedule' && chance(random, 4) ? { minDomains: pick(random, [2, 3, 4]) } : {}),
      ...(chance(random, 4) ? { nodeTaintsPolicy: pick(random, ['Honor', 'Ignore'] as const) } : {}),
      ...(chance(random, 5)
        ? { matchLabelKeys: ['group', 'workload'].filter((key) => !Object.hasOwn(labelSelector.matchLabels, key)) }
        : {}),
      ...(chance(random, 4) ? { nodeAffinityPolicy: pick(random, ['Honor', 'Ignore'] as const) } : {}),
    }
  })
}

function tolerationOf(random: Random): Toleration {
  return pick<Toleration>(random, [
    { operator: 'Exists' },
    { key: team, operator: 'Exists', effect: 'NoSchedule' },
    { key: team, operator: 'Equal', value: 'web', effect: 'NoSchedule' },
    { key: team, operator: 'Equal', value: 'data' },
  ])
}

function selectorOf(random: Random): Record<string, string> {
  return pick<Record<string, string>>(random, [
    { [zone]: pick(random, zones) },
    { [team]: pick(random, ['web', 'data']) },
    { [arch]: pick(random, ['amd64', 'arm64']) },
    { [of('family')]: pick(random, families) },
    { 'example.com/tier': pick(random, ['gold', 'silver']) },
  ])
}

/** Once in so many times. */
function chance(random: Random, many: number): boolean {
  return random.below(many) === 0
}

function some<T>(random: Random, values: readonly T[]): T[] {
  const chosen = values.filter(() => chance(random, 2))
  return chosen.length === 0 ? values.slice(0, 1) : chosen
}

function subset<T>(random: Random, values: readonly T[]): T[] {
  return values
    .slice(0, values.length - 1)
    .filter(() => chance(random, 2))
    .concat(values.slice(-1))
}

/** The first of each key. */
function distinct<T extends { readonly key: string }>(values: readonly T[]): T[] {
  return values.filter(({ key }, index) => values.findIndex((other) => other.key === key) === index)
}
