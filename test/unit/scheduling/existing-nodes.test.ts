import { describe, expect, test } from 'vitest'
import type { StorageClass, Taint } from '../../../src/api/kubernetes.ts'
import { toStateNode } from '../../../src/cluster/state-node.ts'
import type { PodInfo } from '../../../src/model/pod.ts'
import type { StateNode } from '../../../src/model/snapshot.ts'
import { aNode, aPod, aPool, aType, pods, zoneKey } from '../../support/scheduling-world.ts'
import { aClaim, aDaemonSet, aVolume } from '../../support/scheduling-objects.ts'
import { planShapes, podsPerDomain, requirementOn, solveWorld, whereabouts } from '../../support/solving.ts'

const noSchedule = (key: string) => ({ key, effect: 'NoSchedule' }) as const
const noExecute = (key: string) => ({ key, effect: 'NoExecute' }) as const

/** The name of the node the pod goes to, or how many new ones are made. */
function goesTo(
  world: Parameters<typeof solveWorld>[0],
  options: Parameters<typeof solveWorld>[1] = {},
): string | number {
  const placement = solveWorld(world, options)
  return placement.existing[0]?.node.name ?? placement.newNodePlans.length
}

describe('which node', () => {
  test('case 32: a launched claim without a node takes the pod', () => {
    expect(goesTo({ nodes: [aNode({ name: 'claim-1', pool: 'np', withoutNode: true })], pods: [aPod()] })).toBe(
      'claim-1',
    )
  })

  test.each([
    ['long ago and lost its node takes none', '2020-01-01T00:00:00Z', 1],
    ['just now takes the pod: its node may not have been read yet', '2999-01-01T00:00:00Z', 'claim-1'],
  ])('a claim that has joined %s', (_name, lastTransitionTime, target) => {
    const launched = aNode({ name: 'claim-1', pool: 'np', withoutNode: true })
    const { nodeClaim } = launched
    if (nodeClaim === undefined) throw new Error('a managed node has a claim')
    const conditions = [{ type: 'Registered', status: 'True' as const, lastTransitionTime }]
    const lost = { ...launched, nodeClaim: { ...nodeClaim, status: { ...nodeClaim.status, conditions } } }
    expect(goesTo({ nodes: [lost], pods: [aPod()] })).toBe(target)
  })

  test('case 36: initialized nodes first, whatever they are called', () => {
    const others = Array.from({ length: 99 }, (_, i) => aNode({ name: `a-${i}`, pool: 'np', initialized: false }))
    expect(goesTo({ nodes: [...others, aNode({ name: 'z', pool: 'np' })], pods: [aPod()] })).toBe('z')
  })

  test('case 36: among initialized nodes the first name', () => {
    const nodes = [aNode({ name: 'n-b', pool: 'np' }), aNode({ name: 'n-a', pool: 'np' })]
    expect(goesTo({ nodes, pods: [aPod()] })).toBe('n-a')
  })

  test('case 37: an unmanaged node is as good as any', () => {
    const node = aNode({ name: 'ours-not', allocatable: { cpu: '10', memory: '10Gi', pods: '110' } })
    const placement = solveWorld({ nodes: [node], pods: pods(100, { requests: { cpu: '10m' } }) })
    expect(placement.existing.map(({ pods: placed }) => placed.length)).toEqual([100])
    expect(placement.newNodePlans).toEqual([])
  })

  test('case 38: a node that does not say its zone is not in the zone', () => {
    const placement = solveWorld({ nodes: [aNode({ name: 'n' })], pods: [aPod({ nodeSelector: { [zoneKey]: 'z1' } })] })
    expect(requirementOn(placement.newNodePlans[0], zoneKey)).toBe(`${zoneKey} In [z1]`)
  })

  test('case 39: a node marked for deletion is no destination', () => {
    expect(goesTo({ nodes: [aNode({ name: 'n', pool: 'np', markedForDeletion: true })], pods: [aPod()] })).toBe(1)
  })

  test('a node that a simulation takes away is no destination', () => {
    const nodes = [aNode({ name: 'n', pool: 'np' })]
    expect(goesTo({ nodes, pods: [aPod()] }, { excludedNodes: new Set(['test:///n']) })).toBe(1)
    expect(goesTo({ nodes, pods: [aPod()] }, { destinations: () => false })).toBe(1)
  })

  /** A machine of pool `np` as the cluster state puts it together from its two halves. */
  function machine(options: {
    readonly registered?: boolean
    readonly initialized?: boolean
    readonly taints: readonly Taint[]
    readonly startupTaints?: readonly Taint[]
    readonly reported?: Record<string, string>
    readonly promised?: Record<string, string>
  }): StateNode {
    const { registered = true, initialized = false, taints, startupTaints = [], reported = {}, promised = {} } = options
    const room = { cpu: '4', memory: '4Gi', pods: '10' }
    const { node, nodeClaim } = aNode({ name: 'n', pool: 'np' })
    if (node === undefined || nodeClaim === undefined) throw new Error('a managed node has both halves')
    const marks = {
      ...(registered ? { 'karpenter.sh/registered': 'true' } : {}),
      ...(initialized ? { 'karpenter.sh/initialized': 'true' } : {}),
    }
    const labels = { ...node.metadata.labels, ...marks }
    const amounts = { capacity: { ...room, ...reported }, allocatable: { ...room, ...reported } }
    return toStateNode({
      key: 'test:///n',
      node: {
        ...node,
        metadata: { ...node.metadata, labels },
        spec: { ...node.spec, taints: [...taints] },
        status: amounts,
      },
      nodeClaim: {
        ...nodeClaim,
        spec: { ...nodeClaim.spec, startupTaints: [...startupTaints] },
        status: { ...nodeClaim.status, capacity: { ...room, ...promised }, allocatable: { ...room, ...promised } },
      },
      csiNode: undefined,
      pods: [],
      nominatedUntil: 0,
      marked: false,
    })
  }
  const starting = noSchedule('example.com/starting')
  const notReady = noExecute('node.kubernetes.io/not-ready')
  const unregistered = noExecute('karpenter.sh/unregistered')
  const machines: Record<
    string,
    { readonly node: StateNode; readonly pod?: Parameters<typeof aPod>[0]; readonly want: string | number }
  > = {
    'case 33: startup and not-ready taints do not matter before a node is initialized': {
      node: machine({
        taints: [starting, notReady, noSchedule('node.kubernetes.io/not-ready')],
        startupTaints: [starting],
      }),
      want: 'n',
    },
    'case 33: nor before it is registered': {
      node: machine({ registered: false, taints: [starting, notReady, unregistered], startupTaints: [starting] }),
      want: 'n',
    },
    'case 33: a startup taint that is still there afterwards does': {
      node: machine({ initialized: true, taints: [starting], startupTaints: [starting] }),
      want: 1,
    },
    'case 33: any other taint always does': {
      node: machine({ taints: [noSchedule('mine')], startupTaints: [starting] }),
      want: 1,
    },
    'case 34: not-ready before a node is initialized does not': { node: machine({ taints: [notReady] }), want: 'n' },
    'case 34: readiness gates before a node is initialized do not': {
      node: machine({ taints: [noSchedule('readiness.k8s.io/network')] }),
      want: 'n',
    },
    'case 35: a device that is not reported yet is there if the claim says so': {
      node: machine({ taints: [], reported: { 'vendor-a': '0' }, promised: { 'vendor-a': '2' } }),
      pod: { requests: { 'vendor-a': '1' } },
      want: 'n',
    },
    'case 35: once the node is initialized only what it reports counts': {
      node: machine({ initialized: true, taints: [], reported: { 'vendor-a': '0' }, promised: { 'vendor-a': '2' } }),
      pod: { requests: { 'vendor-a': '1' } },
      want: 1,
    },
  }
  test.each(Object.entries(machines))('%s', (_name, { node, pod, want }) => {
    expect(goesTo({ nodes: [node], pods: [aPod(pod)] })).toBe(want)
  })

  test('case 34: taints of an initialized node repel', () => {
    for (const taints of [[noExecute('node.kubernetes.io/not-ready')], [noSchedule('readiness.k8s.io/network')]]) {
      expect(goesTo({ nodes: [aNode({ name: 'n', pool: 'np', taints })], pods: [aPod()] })).toBe(1)
    }
  })

  test('case 42: an overcommitted node refuses even a pod that asks for nothing', () => {
    const hog = aPod({ nodeName: 'n', requests: { memory: '4097Mi' } })
    expect(goesTo({ nodes: [aNode({ name: 'n', pool: 'np', pods: [hog] })], pods: [aPod()] })).toBe(1)
  })

  test('case 43: a used host port on all addresses repels any address of the same protocol', () => {
    const user = aPod({ nodeName: 'n', hostPorts: [{ port: 8080 }] })
    const nodes = [aNode({ name: 'n', pool: 'np', pods: [user] })]
    const wanting = (ip: string, protocol: string) => aPod({ hostPorts: [{ port: 8080, ip, protocol }] })
    expect(goesTo({ nodes, pods: [wanting('127.0.0.1', 'TCP')] })).toBe(1)
    expect(goesTo({ nodes, pods: [wanting('127.0.0.1', 'UDP')] })).toBe('n')
    expect(goesTo({ nodes, pods: [aPod({ hostPorts: [{ port: 8081 }] })] })).toBe('n')
  })

  test('of two waiting pods with one host port the node with room takes one', () => {
    const wanting = pods(2, { hostPorts: [{ port: 8080 }] })
    const placement = solveWorld({ nodes: [aNode({ name: 'n', pool: 'np' })], pods: wanting })
    expect(placement.existing.map(({ pods: placed }) => placed.length)).toEqual([1])
    expect(placement.newNodePlans).toHaveLength(1)
  })

  test('a pod that names a host port twice is in nobody’s way but that of others', () => {
    const twice = { hostPorts: [{ port: 8080, ip: '10.0.0.1' }, { port: 8080 }] }
    expect(goesTo({ nodes: [aNode({ name: 'n', pool: 'np' })], pods: [aPod(twice)] })).toBe('n')
    expect(solveWorld({ pods: [aPod(twice)] }).newNodePlans).toHaveLength(1)
  })

  test('what runs on a node and asks for a resource that the node does not have, takes no room', () => {
    const odd = aPod({ nodeName: 'n', requests: { 'vendor-a': '1' } })
    const nodes = [aNode({ name: 'n', pool: 'np', pods: [odd] })]
    expect(goesTo({ nodes, pods: [aPod()] })).toBe('n')
    const daemonSets = [aDaemonSet({ name: 'ds', requests: { 'vendor-b': '1' } })]
    expect(goesTo({ nodes, daemonSets, pods: [aPod()] })).toBe('n')
  })

  test.each([
    ['10.0.0.1', '10.0.0.1', 1],
    ['10.0.0.1', '10.0.0.2', 'n'],
    ['10.0.0.1', '::', 1],
    ['::', '10.0.0.1', 1],
    ['0.0.0.0', '::', 1],
  ])('a host port on %s and one on %s: %s', (used, wanted, want) => {
    const user = aPod({ nodeName: 'n', hostPorts: [{ port: 8080, ip: used }] })
    const nodes = [aNode({ name: 'n', pool: 'np', pods: [user] })]
    expect(goesTo({ nodes, pods: [aPod({ hostPorts: [{ port: 8080, ip: wanted }] })] })).toBe(want)
  })

  test('case 45: what a pod says about a label makes it known on the node', () => {
    const team = (operator: string, value: string, cpu: string, name: string) =>
      aPod({
        name,
        requests: { cpu },
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'team', operator, values: [value] }] }],
            },
          },
        },
      })
    const nodes = [aNode({ name: 'n', pool: 'np' })]
    const smallerSecond = [team('NotIn', 'x', '1', 'a'), team('In', 'y', '500m', 'b')]
    expect(whereabouts(solveWorld({ nodes, pods: smallerSecond }))).toEqual({ a: 'n', b: 'n' })
    const largerSecond = [team('NotIn', 'x', '1', 'a'), team('In', 'y', '2', 'b')]
    expect(whereabouts(solveWorld({ nodes, pods: largerSecond }))).toEqual({ a: 'n', b: 'n' })
    expect(whereabouts(solveWorld({ nodes, pods: [team('In', 'y', '1', 'alone')] }))['alone']).not.toBe('n')
  })

  describe('a pod that wants some value of a label, but not each', () => {
    const wanting = (...matchExpressions: object[]) =>
      aPod({
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions }] as { matchExpressions: [] }[],
            },
          },
        },
      })
    const some = wanting({ key: 'team', operator: 'Exists' }, { key: 'team', operator: 'NotIn', values: ['x'] })
    const above = wanting(
      { key: 'team', operator: 'Gt', values: ['4'] },
      { key: 'team', operator: 'NotIn', values: ['7'] },
    )
    const cases: Record<string, { readonly pod: PodInfo; readonly labels: Record<string, string>; want: boolean }> = {
      'is not put on a node without the label, where kube-scheduler refuses it': { pod: some, labels: {}, want: false },
      'nor on one with that value': { pod: some, labels: { team: 'x' }, want: false },
      'is put on a node with another one': { pod: some, labels: { team: 'y' }, want: true },
      'a number above a bound is some value, too': { pod: above, labels: {}, want: false },
      'and may be there': { pod: above, labels: { team: '5' }, want: true },
    }
    test.each(Object.entries(cases))('%s', (_name, { pod, labels, want }) => {
      expect(goesTo({ nodes: [aNode({ name: 'n', labels })], pods: [pod] }) === 'n').toBe(want)
    })

    test('a label is there by its older name, too', () => {
      const zone = wanting({ key: zoneKey, operator: 'Exists' }, { key: zoneKey, operator: 'NotIn', values: ['z1'] })
      const node = aNode({ name: 'n', labels: { 'failure-domain.beta.kubernetes.io/zone': 'z2' } })
      expect(goesTo({ nodes: [node], pods: [zone] })).toBe('n')
    })
  })

  test('case 47: a preference is tried everywhere before it is given up', () => {
    const pod = aPod({
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, preference: { matchExpressions: [{ key: zoneKey, operator: 'In', values: ['z2'] }] } },
          ],
        },
      },
    })
    const world = { nodes: [aNode({ name: 'n', pool: 'np', labels: { [zoneKey]: 'z1' } })], pods: [pod] }
    expect(podsPerDomain(solveWorld(world))).toEqual({ z2: 1 })
    expect(goesTo(world, { settings: { preferencePolicy: 'Ignore' } })).toBe('n')
  })
})

describe('daemons of a node', () => {
  const daemonSet = aDaemonSet({ name: 'ds', requests: { cpu: '1' } })
  const running = (node: string) =>
    aPod({ nodeName: node, requests: { cpu: '1' }, owner: { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'ds' } })
  const big = { name: 'n', pool: 'np', allocatable: { cpu: '15900m', memory: '16Gi', pods: '110' } }

  test('case 40: a daemon that runs already is not reserved for again', () => {
    const nodes = [aNode({ ...big, pods: [running('n')] })]
    expect(goesTo({ nodes, daemonSets: [daemonSet], pods: [aPod({ requests: { cpu: '14900m' } })] })).toBe('n')
  })

  test('a daemon that is still to come is reserved for', () => {
    const world = { nodes: [aNode(big)], daemonSets: [daemonSet] }
    expect(goesTo({ ...world, pods: [aPod({ requests: { cpu: '14900m' } })] })).toBe('n')
    expect(goesTo({ ...world, pods: [aPod({ requests: { cpu: '14901m' } })] })).not.toBe('n')
  })

  test('case 40: a daemon that nobody expected takes its room but gives none back', () => {
    const elsewhere = aDaemonSet({ name: 'ds', requests: { cpu: '1' }, nodeSelector: { zone: 'nowhere' } })
    const nodes = [aNode({ ...big, pods: [running('n')] })]
    const fitting = { nodes, daemonSets: [elsewhere], pods: [aPod({ requests: { cpu: '15500m' } })] }
    expect(goesTo(fitting)).toBe(1)
  })

  test('case 40: what daemons take beyond what was expected of them makes no room for others', () => {
    const small = aDaemonSet({ name: 'small', requests: { cpu: '100m' } })
    const world = { nodes: [aNode({ ...big, pods: [running('n')] })], daemonSets: [small] }
    expect(goesTo({ ...world, pods: [aPod({ requests: { cpu: '14900m' } })] })).toBe('n')
    expect(goesTo({ ...world, pods: [aPod({ requests: { cpu: '15' } })] })).not.toBe('n')
  })

  test.each([
    ['its selector', { nodeSelector: { team: 'x' } }],
    [
      'its affinity',
      {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'team', operator: 'In', values: ['x'] }] }],
            },
          },
        },
      },
    ],
  ])('a daemon is reserved for on the nodes that %s names, and on no others', (_name, selection) => {
    const daemonSets = [aDaemonSet({ name: 'ds', requests: { memory: '1Gi' }, ...selection })]
    const nodes = [
      aNode({ ...big, name: 'a', labels: { team: 'y' } }),
      aNode({ ...big, name: 'b', labels: { team: 'x' } }),
    ]
    const pod = (amount: string) => aPod({ name: amount, requests: { memory: amount } })
    const places = whereabouts(solveWorld({ types: [], nodes, daemonSets, pods: [pod('16Gi'), pod('15Gi')] }))
    expect(places).toEqual({ '16Gi': 'a', '15Gi': 'b' })
    expect(whereabouts(solveWorld({ types: [], nodes: nodes.slice(1), daemonSets, pods: [pod('16Gi')] }))).not.toEqual({
      '16Gi': 'b',
    })
  })

  test('a daemon that does not tolerate a taint of the node reserves nothing there', () => {
    const taints = [{ key: 'dedicated', effect: 'NoSchedule' } as const]
    const tolerations = [{ key: 'dedicated', operator: 'Exists' as const }]
    const pod = [aPod({ requests: { cpu: '15' }, tolerations })]
    const nodes = [aNode({ ...big, taints })]
    expect(goesTo({ nodes, daemonSets: [daemonSet], pods: pod })).toBe('n')
    const tolerant = aDaemonSet({ name: 'ds', requests: { cpu: '1' }, tolerations })
    expect(goesTo({ nodes, daemonSets: [tolerant], pods: pod })).not.toBe('n')
  })

  test('case 41: a daemon that cannot run on the node reserves nothing there, but rules out every new one', () => {
    const huge = aDaemonSet({ name: 'ds', requests: { cpu: '100' }, nodeSelector: { [zoneKey]: 'z1' } })
    const nodes = [aNode({ name: 'n', pool: 'np', allocatable: { cpu: '1', memory: '4Gi', pods: '110' } })]
    const placement = solveWorld({
      nodes,
      daemonSets: [huge],
      pods: [aPod({ requests: { cpu: '1' } }), aPod({ requests: { cpu: '1' } })],
    })
    expect(placement.existing.map(({ node }) => node.name)).toEqual(['n'])
    expect(placement.failures).toHaveLength(1)
  })
})

describe('volume attachments', () => {
  const storageClass: StorageClass = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'gp3', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
    provisioner: 'ebs.csi.aws.com',
    volumeBindingMode: 'WaitForFirstConsumer',
  }
  const storageClasses = new Map([['gp3', storageClass]])
  const mounting = (name: string, ...claims: string[]) =>
    aPod({ name, volumes: claims.map((claim) => ({ name: claim, persistentVolumeClaim: { claimName: claim } })) })
  const node = aNode({ name: 'n', pool: 'np', volumeLimits: { 'ebs.csi.aws.com': 10 } })

  test('case 46: the sixth pod with two volumes of its own does not fit under ten', () => {
    const names = Array.from({ length: 12 }, (_, i) => `c-${i}`)
    const claims = new Map(names.map((name) => [`default/${name}`, aClaim({ name, storageClassName: 'gp3' })]))
    const six = Array.from({ length: 6 }, (_, i) => mounting(`p-${i}`, `c-${2 * i}`, `c-${2 * i + 1}`))
    const placement = solveWorld({ nodes: [node], volumes: { storageClasses, claims }, pods: six })
    expect(placement.existing.map(({ pods: placed }) => placed.length)).toEqual([5])
    expect(placement.newNodePlans).toHaveLength(1)
  })

  test('case 46: a hundred pods that share a claim need one attachment', () => {
    const claims = new Map([['default/shared', aClaim({ name: 'shared', storageClassName: 'gp3' })]])
    const many = Array.from({ length: 100 }, (_, i) => mounting(`p-${i}`, 'shared'))
    const placement = solveWorld({ nodes: [node], volumes: { storageClasses, claims }, pods: many })
    expect(placement.existing.map(({ pods: placed }) => placed.length)).toEqual([100])
  })

  test('volumes that pods share with what is on the node are attached already, those of other namespaces are not', () => {
    const names = Array.from({ length: 10 }, (_, i) => `c-${i}`)
    const claims = new Map(
      ['default', 'other'].flatMap((namespace) =>
        names.map((name) => [`${namespace}/${name}`, aClaim({ name, storageClassName: 'gp3' })] as const),
      ),
    )
    const holder = { ...mounting('holder', ...names), nodeName: 'n' }
    const full = aNode({ name: 'n', pool: 'np', volumeLimits: { 'ebs.csi.aws.com': 10 }, pods: [holder] })
    const volumes = { storageClasses, claims }
    expect(goesTo({ nodes: [full], volumes, pods: [mounting('p', 'c-0', 'c-9')] })).toBe('n')
    expect(goesTo({ nodes: [full], volumes, pods: [{ ...mounting('p', 'c-0'), namespace: 'other' }] })).toBe(1)
  })

  test('volumes of which nobody knows the driver are not counted', () => {
    const names = Array.from({ length: 11 }, (_, i) => `c-${i}`)
    const placed = (claims: readonly (readonly [string, ReturnType<typeof aClaim>])[]) =>
      goesTo({ nodes: [node], volumes: { storageClasses, claims: new Map(claims) }, pods: [mounting('p', ...names)] })
    expect(placed([])).toBe('n')
    expect(placed(names.map((name) => [`default/${name}`, aClaim({ name })]))).toBe('n')
    expect(placed(names.map((name) => [`default/${name}`, aClaim({ name, storageClassName: 'gone' })]))).toBe('n')
    expect(placed(names.map((name) => [`default/${name}`, aClaim({ name, volumeName: 'gone' })]))).toBe('n')
  })

  test('case 46: volumes that no driver attaches are not counted', () => {
    const names = Array.from({ length: 11 }, (_, i) => `c-${i}`)
    const claims = new Map(names.map((name) => [`default/${name}`, aClaim({ name, volumeName: `pv-${name}` })]))
    const placed = (source: Parameters<typeof aVolume>[2]) => {
      const volumes = new Map(names.map((name) => [`pv-${name}`, aVolume(`pv-${name}`, [], source)]))
      return goesTo({ nodes: [node], volumes: { claims, volumes }, pods: [mounting('p', ...names)] })
    }
    expect(placed({ nfs: { server: 'files', path: '/' } })).toBe('n')
    expect(placed({ awsElasticBlockStore: { volumeID: 'vol-1' } })).toBe(1)
  })

  test('volumes to be made by the old plugin of EBS are attached by its driver', () => {
    const names = Array.from({ length: 11 }, (_, i) => `c-${i}`)
    const claims = new Map(names.map((name) => [`default/${name}`, aClaim({ name, storageClassName: 'gp2' })]))
    const gp2: StorageClass = { ...storageClass, provisioner: 'kubernetes.io/aws-ebs' }
    const volumes = { claims, storageClasses: new Map([['gp2', gp2]]) }
    expect(goesTo({ nodes: [node], volumes, pods: [mounting('p', ...names.slice(1))] })).toBe('n')
    expect(goesTo({ nodes: [node], volumes, pods: [mounting('p', ...names)] })).toBe(1)
  })

  test('a node over its limit refuses even a pod without volumes', () => {
    const names = Array.from({ length: 11 }, (_, i) => `c-${i}`)
    const claims = new Map(names.map((name) => [`default/${name}`, aClaim({ name, storageClassName: 'gp3' })]))
    const holder = aPod({
      nodeName: 'n',
      volumes: names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
    })
    const full = aNode({ name: 'n', pool: 'np', volumeLimits: { 'ebs.csi.aws.com': 10 }, pods: [holder] })
    expect(goesTo({ nodes: [full], volumes: { storageClasses, claims }, pods: [aPod()] })).toBe(1)
  })
})

describe('limits and existing capacity', () => {
  test('case 64: usage beyond the limit leaves nothing', () => {
    const nodes = [aNode({ name: 'n', pool: 'np', allocatable: { cpu: '0', pods: '0' }, capacity: { cpu: '100' } })]
    const placement = solveWorld({ nodes, pools: [aPool({ limits: { cpu: '20' } })], pods: [aPod()] })
    expect(placement.failures[0]?.text).toBe('all available instance types exceed limits for nodepool (NodePool=np)')
  })

  test('case 66: a limit of nodes that is reached is named', () => {
    const full = { allocatable: { cpu: '0', pods: '0' }, pool: 'np' }
    const nodes = [aNode({ name: 'a', ...full }), aNode({ name: 'b', ...full })]
    const placement = solveWorld({ nodes, pools: [aPool({ limits: { nodes: '2' } })], pods: [aPod()] })
    expect(placement.failures[0]?.text).toBe('node limits have been exhausted for nodepool (NodePool=np)')
  })

  test('what belongs to another pool or to none, and what a simulation takes away, counts against no limit', () => {
    const pools = [aPool({ limits: { cpu: '16' } })]
    const room = { allocatable: { cpu: '16', memory: '16Gi', pods: '0' } }
    const pod = [aPod({ requests: { cpu: '100m' } })]
    const foreign = [aNode({ name: 'a', pool: 'other', ...room }), aNode({ name: 'b', ...room })]
    expect(goesTo({ nodes: foreign, pools, pods: pod })).toBe(1)
    const own = [aNode({ name: 'c', pool: 'np', ...room })]
    expect(solveWorld({ nodes: own, pools, pods: pod }).failures).toHaveLength(1)
    expect(goesTo({ nodes: own, pools, pods: pod }, { excludedNodes: new Set(['test:///c']) })).toBe(1)
  })

  test('case 30: a deleting node counts against no limit and takes no pod', () => {
    const going = aNode({
      name: 'n',
      pool: 'np',
      markedForDeletion: true,
      capacity: { cpu: '16' },
      pods: pods(3, { nodeName: 'n', requests: { cpu: '100m' } }),
    })
    const placement = solveWorld(
      { nodes: [going], pools: [aPool({ limits: { cpu: '16' } })], pods: [aPod({ requests: { cpu: '100m' } })] },
      { also: going.pods },
    )
    expect(planShapes(placement).map((shape) => shape.pods)).toEqual([4])
  })
})

test('case 48: passes of single pods leave at most one node with room', () => {
  const types = [aType({ name: 'four', cpu: '4250m', memory: '16Gi', pods: '4' })]
  let nodes: ReturnType<typeof aNode>[] = []
  for (let pass = 0; pass < 30; pass += 1) {
    const batch = pods((pass % 3) + 1, { requests: { cpu: '1' } })
    const placement = solveWorld({ types, nodes, pods: batch })
    nodes = nodes.map((node) => {
      const added = placement.existing.find((existing) => existing.node.key === node.key)?.pods ?? []
      return { ...node, pods: [...node.pods, ...added] }
    })
    for (const plan of placement.newNodePlans) {
      const name = `node-${String(nodes.length).padStart(3, '0')}`
      nodes.push(aNode({ name, pool: 'np', allocatable: { cpu: '4150m', memory: '15Gi', pods: '4' }, pods: plan.pods }))
    }
    expect(nodes.filter((node) => node.pods.length < 4).length).toBeLessThanOrEqual(1)
  }
})

describe('a place that an earlier pass found', () => {
  const nodes = [aNode({ name: 'a', pool: 'np' }), aNode({ name: 'b', pool: 'np' })]
  const promisedTo = (node: string) => ({ promised: new Map([['uid', `test:///${node}`]]) })

  test('is kept while it holds', () => {
    expect(goesTo({ nodes, pods: [aPod({ uid: 'uid' })] }, promisedTo('b'))).toBe('b')
  })

  test('is forgotten when the node is full, is going, tainted, taken away by a simulation, or takes nothing any more', () => {
    const pod = aPod({ uid: 'uid', requests: { cpu: '3' } })
    const hog = aPod({ nodeName: 'b', requests: { cpu: '2' } })
    const spoilt = [
      aNode({ name: 'b', pool: 'np', pods: [hog] }),
      aNode({ name: 'b', pool: 'np', markedForDeletion: true }),
      aNode({ name: 'b', pool: 'np', taints: [noSchedule('mine')] }),
      aNode({ name: 'b', pool: 'np', pods: [aPod({ nodeName: 'b', requests: { memory: '5Gi' } })] }),
    ]
    for (const node of spoilt) {
      expect(goesTo({ nodes: [aNode({ name: 'a', pool: 'np' }), node], pods: [pod] }, promisedTo('b'))).toBe('a')
    }
    const without = { ...promisedTo('b'), excludedNodes: new Set(['test:///b']) }
    expect(goesTo({ nodes, pods: [pod] }, without)).toBe('a')
  })
})

describe('case 101: of equal pods', () => {
  const node = aNode({ name: 'n', allocatable: { cpu: '1', memory: '1Gi', pods: '10' } })
  const equal = (name: string, uid: string, created: string) => aPod({ name, uid, created, requests: { cpu: '1' } })
  const placed = (...list: ReturnType<typeof equal>[]) =>
    solveWorld({ types: [], nodes: [node], pods: list }).existing.flatMap(({ pods: on }) => on.map(({ name }) => name))

  test('the older one comes first', () => {
    const older = equal('older', 'z', '2026-01-01T00:00:00Z')
    const younger = equal('younger', 'a', '2026-01-01T00:00:01Z')
    expect(placed(younger, older)).toEqual(['older'])
    expect(placed(older, younger)).toEqual(['older'])
  })

  test('of one second the smaller uid comes first', () => {
    const [a, b] = [equal('pod-z', 'a', '2026-01-01T00:00:00Z'), equal('pod-a', 'b', '2026-01-01T00:00:00Z')]
    expect(placed(a, b)).toEqual(['pod-z'])
    expect(placed(b, a)).toEqual(['pod-z'])
  })
})

test('the volumes of a pod are looked up once, however many nodes are too full for them', () => {
  const nodes = Array.from({ length: 20 }, (_, index) =>
    aNode({ name: `n${index}`, pool: 'np', volumeLimits: { 'ebs.csi.aws.com': 1 } }),
  )
  const names = Array.from({ length: 30 }, (_, index) => [`a-${index}`, `b-${index}`])
  const claims = new CountingMap(
    names.flat().map((name) => [`default/${name}`, aClaim({ name, volumeName: `pv-${name}` })]),
  )
  const volumes = new Map(
    names.flat().map((name) => [`pv-${name}`, aVolume(`pv-${name}`, [], { csi: { driver: 'ebs.csi.aws.com' } })]),
  )
  const pods = names.map((claimNames) =>
    aPod({ volumes: claimNames.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })) }),
  )
  const placement = solveWorld({ nodes, pods, volumes: { claims, volumes, storageClasses: new Map() } })
  expect(placement.existing).toEqual([])
  // Their zones are asked for, too.
  expect(claims.asked).toBeLessThanOrEqual(4 * names.flat().length)
})

class CountingMap<K, V> extends Map<K, V> {
  asked = 0

  override get(key: K): V | undefined {
    this.asked += 1
    return super.get(key)
  }
}
