import type { Affinity, TopologySpreadConstraint } from '../../src/api/kubernetes.ts'
import type { PodInfo } from '../../src/model/pod.ts'
import type { Snapshot } from '../../src/model/snapshot.ts'
import { aNode, aPod, aPool, aSnapshot, fakeTypes, type PodOptions } from '../support/scheduling-world.ts'

/** A seeded generator (mulberry32): the same pods on every machine. */
export function seeded(seed: number): (limit: number) => number {
  let state = seed >>> 0
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}

const letters = ['a', 'b', 'c', 'd', 'e', 'f', 'g'] as const
const cpus = ['100m', '250m', '500m', '1', '1500m'] as const
const memories = ['100Mi', '256Mi', '512Mi', '1Gi', '2Gi', '4Gi'] as const
const hostname = 'kubernetes.io/hostname'
const zone = 'topology.kubernetes.io/zone'

/** Karpenter's diverse pods: a fifth each of generic, zone spread, hostname spread, zone affinity, hostname anti-affinity. */
export function diversePods(count: number, seed = 42): PodInfo[] {
  const below = seeded(seed)
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T
  const fifth = Math.floor(count / 5)
  const size = (): PodOptions => ({ requests: { cpu: pick(cpus), memory: pick(memories) } })
  const generic = (): PodInfo => aPod({ labels: { 'my-label': pick(letters) }, ...size() })
  const spread = (topologyKey: string): PodInfo =>
    aPod({
      labels: { 'my-label': pick(letters) },
      topologySpreadConstraints: [spreadOn(topologyKey, { 'my-label': pick(letters) })],
      ...size(),
    })
  const joined = (): PodInfo => {
    const labels = { 'my-affininity': pick(letters) }
    return aPod({ labels, affinity: { podAffinity: required(zone, labels) }, ...size() })
  }
  const apart = (): PodInfo =>
    aPod({ labels: { app: 'nginx' }, affinity: { podAntiAffinity: required(hostname, { app: 'nginx' }) }, ...size() })
  return [
    ...times(fifth, generic),
    ...times(fifth, () => spread(zone)),
    ...times(fifth, () => spread(hostname)),
    ...times(fifth, joined),
    ...times(fifth, apart),
    ...times(count - 5 * fifth, generic),
  ]
}

/** Karpenter's preference pods: one preference that can be met, one that can not, one that costs a node per pod. */
export function preferencePods(count: number): PodInfo[] {
  const labels = { app: 'nginx' }
  const term = (topologyKey: string) => ({ topologyKey, labelSelector: { matchLabels: labels } })
  const affinity: Affinity = {
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 1, preference: { matchExpressions: [{ key: zone, operator: 'In', values: ['z1'] }] } },
      ],
    },
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 10, podAffinityTerm: term(zone) },
        { weight: 1, podAffinityTerm: term(hostname) },
      ],
    },
  }
  return times(count, () => aPod({ labels, affinity, requests: { cpu: '500m', memory: '512Mi' } }))
}

function spreadOn(topologyKey: string, matchLabels: Record<string, string>): TopologySpreadConstraint {
  return { maxSkew: 1, topologyKey, whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels } }
}

function required(topologyKey: string, matchLabels: Record<string, string>): NonNullable<Affinity['podAffinity']> {
  return { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: { matchLabels } }] }
}

function times<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make)
}

/** Forty deployments whose pods have log-normal sizes, without constraints: packing alone. */
export function lognormalPods(count: number, seed = 7): PodInfo[] {
  const below = seeded(seed)
  const uniform = (): number => (below(1_000_000) + 1) / 1_000_001
  const normal = (): number => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
  const sizes = times(40, () => ({
    cpu: `${Math.min(16_000, Math.max(50, Math.round(Math.exp(6 + normal()) / 10) * 10))}m`,
    memory: `${Math.min(65_536, Math.max(64, Math.round(Math.exp(7 + normal()) / 16) * 16))}Mi`,
  }))
  return times(count, () => aPod({ requests: sizes[below(sizes.length)] ?? {} }))
}

/** Fifty deployments of equal size: every other one spread evenly over zones, the others with their pods on nodes apart. */
export function spreadAndApartPods(count: number, seed = 3): PodInfo[] {
  const below = seeded(seed)
  const kinds = times(
    50,
    (): PodOptions => ({
      requests: { cpu: cpus[below(cpus.length)] ?? '1', memory: memories[below(memories.length)] ?? '1Gi' },
    }),
  )
  return Array.from({ length: count }, (_, index) => {
    const kind = index % kinds.length
    const labels = { app: `app-${kind}` }
    const wish: PodOptions =
      kind % 2 === 0
        ? { topologySpreadConstraints: [spreadOn(zone, labels)] }
        : { affinity: { podAntiAffinity: required(hostname, labels) } }
    return aPod({ labels, ...kinds[kind], ...wish })
  })
}

/** A cluster that is three quarters full, and pods that mostly fit into the rest. */
export function busyCluster(size: {
  readonly nodes: number
  readonly running: number
  readonly pending: number
  /** Of each pod; 300m fill three quarters of a node with twenty pods. */
  readonly cpu?: string
}): {
  readonly snapshot: Snapshot
  readonly pods: readonly PodInfo[]
} {
  const below = seeded(11)
  const perNode = Math.floor(size.running / size.nodes)
  const apps = Math.max(1, Math.floor(size.running / 20))
  const application = (name: string): PodOptions => {
    const labels = { app: name }
    const kind = below(4)
    return {
      labels,
      requests: { cpu: size.cpu ?? '300m', memory: '512Mi' },
      ...(kind === 0 ? { topologySpreadConstraints: [{ ...spreadOn(zone, labels), maxSkew: 5 }] } : {}),
      ...(kind === 1
        ? { topologySpreadConstraints: [{ ...spreadOn(hostname, labels), whenUnsatisfiable: 'ScheduleAnyway' }] }
        : {}),
      ...(kind === 2 ? { affinity: { podAntiAffinity: required(hostname, labels) } } : {}),
    }
  }
  const nodes = Array.from({ length: size.nodes }, (_, index) => {
    const name = `node-${String(index).padStart(5, '0')}`
    return aNode({
      name,
      pool: 'np',
      labels: {
        [zone]: `z${(index % 3) + 1}`,
        'karpenter.sh/capacity-type': index % 2 === 0 ? 'spot' : 'on-demand',
        'node.kubernetes.io/instance-type': 'fake-it-7',
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/os': 'linux',
      },
      allocatable: { cpu: '7900m', memory: '16374Mi', pods: '80' },
      pods: Array.from({ length: perNode }, (_unused, slot) =>
        aPod({ ...application(`app-${(index * 7 + slot * 31) % apps}`), nodeName: name }),
      ),
    })
  })
  const pods = times(size.pending, () => aPod(application(`app-${below(apps)}`)))
  return { snapshot: aSnapshot({ pools: [aPool()], types: fakeTypes(400), nodes, pods }), pods }
}

/** Pods of many deployments that no pool can serve: nothing may become slow because much is impossible. */
export function hopelessPods(count: number): PodInfo[] {
  const apps = Math.ceil(count / 10)
  return Array.from({ length: count }, (_, index) => {
    const app = `hopeless-${index % apps}`
    return aPod({ labels: { app }, requests: { cpu: `${500 + (index % apps)}`, memory: '1Gi' } })
  })
}

/** Two deployments of five hundred: small pods with four times their cores in memory, large ones with eight times. */
export function basicPods(count: number): PodInfo[] {
  const half = Math.floor(count / 2)
  return [
    ...times(half, () => aPod({ requests: { cpu: '950m', memory: '3900Mi' } })),
    ...times(count - half, () => aPod({ requests: { cpu: '3800m', memory: '31Gi' } })),
  ]
}

/** Thirty deployments of equal size, each with cores from 0.1 to 4 and memory from one to eight times as many GiB; seed 5. */
export function widePods(count: number, seed = 5): PodInfo[] {
  const below = seeded(seed)
  const sizes = times(30, () => {
    const milli = 100 * (1 + below(40))
    return { cpu: `${milli}m`, memory: `${Math.round((milli * 1.024 * (100 + below(701))) / 100)}Mi` }
  })
  return Array.from({ length: count }, (_, index) => aPod({ requests: sizes[index % sizes.length] ?? {} }))
}

/** Karpenter's benchmark sizes without any constraint. */
export function genericPods(count: number, seed = 42): PodInfo[] {
  const below = seeded(seed)
  return times(count, () =>
    aPod({
      requests: { cpu: cpus[below(cpus.length)] ?? '1', memory: memories[below(memories.length)] ?? '1Gi' },
    }),
  )
}

/**
 * Deployments whose pods have log-normal sizes: cores around 0.4, memory around 1.1 GiB, both with a standard deviation of one in the
 * logarithm; at most 12 cores and 48 GiB, so that every pool has nodes for them. Replicas are drawn evenly; seed 7.
 */
export function deploymentPods(count: number, deployments: number, seed = 7): PodInfo[] {
  const below = seeded(seed)
  const uniform = (): number => (below(1_000_000) + 1) / 1_000_001
  const normal = (): number => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
  const sizes = times(deployments, () => ({
    cpu: `${Math.min(12_000, Math.max(50, Math.round(Math.exp(6 + normal()) / 10) * 10))}m`,
    memory: `${Math.min(49_152, Math.max(64, Math.round(Math.exp(7 + normal()) / 16) * 16))}Mi`,
  }))
  return times(count, () => aPod({ requests: sizes[below(sizes.length)] ?? {} }))
}

/** Cores, GiB of memory, GPUs, and how many of a thousand pods: a cluster on which models are trained and served. */
const machineLearningKinds = [
  [3, 5.5, 1, 250],
  [4, 15, 1, 110],
  [4, 22, 1, 60],
  [6, 12, 1, 60],
  [8, 16, 1, 30],
  [8, 30, 1, 110],
  [11.5, 46, 1, 130],
  [12, 24, 1, 60],
  [16, 32, 1, 40],
  [18.5, 63, 1, 40],
  [60, 240, 8, 10],
  [8, 30, 0, 60],
  [12.5, 56, 0, 10],
  [32, 48, 0, 30],
] as const

/**
 * A few kinds of large pods, in the proportions of Alibaba's GPU cluster of 2023 (the openb trace, read as a rough histogram): most ask
 * for a GPU and for little memory beside their cores, one in a hundred for a whole machine. Without GPUs their cores and memory alone.
 */
export function machineLearningPods(count: number, { gpus }: { readonly gpus: boolean }, seed = 23): PodInfo[] {
  const below = seeded(seed)
  const ofThousand = machineLearningKinds.flatMap(([cores, gibs, gpu, share]) => {
    const requests = {
      cpu: String(cores),
      memory: `${gibs * 1024}Mi`,
      ...(gpus && gpu > 0 ? { 'nvidia.com/gpu': String(gpu) } : {}),
    }
    return times(share, () => requests)
  })
  return times(count, () => aPod({ requests: ofThousand[below(ofThousand.length)] ?? {} }))
}

/*
 * What is hard to pack. For the shapes there are types that fit none of them well, or many kinds with nothing to tell them apart.
 */

/** Pods just over half of a node with sixteen cores, so that on such nodes nearly half of all room is lost. */
export function overHalfPods(count: number): PodInfo[] {
  return times(count, () => aPod({ requests: { cpu: '8200m', memory: '33Gi' } }))
}

/** Half of them nothing but cores, half nothing but memory: no family has either ratio, and blending them takes both on one node. */
export function oppositePods(count: number): PodInfo[] {
  return [
    ...times(Math.ceil(count / 2), () => aPod({ requests: { cpu: '3', memory: '64Mi' } })),
    ...times(Math.floor(count / 2), () => aPod({ requests: { cpu: '50m', memory: '24Gi' } })),
  ]
}

/** Each of its own size, so that there are as many kinds as pods. */
export function distinctPods(count: number, seed = 11): PodInfo[] {
  const below = seeded(seed)
  return Array.from({ length: count }, (_, index) =>
    aPod({ requests: { cpu: `${100 + 7 * index}m`, memory: `${128 + below(16_384)}Mi` } }),
  )
}
