import { beforeEach, describe, expect, test } from 'vitest'
import type {
  LabelSelector,
  Node,
  Pod,
  PodAffinityTerm,
  TopologySpreadConstraint,
} from '../../../../src/api/kubernetes.ts'
import { addPod, type NodeState, toNodeState } from '../../../../src/embedded/scheduler/node-state.ts'
import { place } from '../../../../src/embedded/scheduler/placement.ts'
import { podRequests } from '../../../../src/embedded/scheduler/pod-requests.ts'
import type { Caches } from '../../../../src/kube/controller.ts'

const noCaches = { of: () => ({ get: () => undefined, list: () => [], by: () => [] }) } as unknown as Caches

function aNode(
  name: string,
  more: { labels?: Record<string, string>; spec?: Node['spec']; allocatable?: object } = {},
): NodeState {
  return toNodeState(
    {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name,
        uid: name,
        resourceVersion: '1',
        creationTimestamp: '',
        labels: { 'kubernetes.io/hostname': name, ...more.labels },
      },
      spec: more.spec ?? {},
      status: { allocatable: { cpu: '4', memory: '8Gi', pods: '10', ...more.allocatable } },
    },
    [],
  )
}

let count = 0

beforeEach(() => {
  count = 0
})

function aPod(
  spec: Partial<Pod['spec']> & { cpu?: string } = {},
  labels: Record<string, string> = { app: 'web' },
): Pod {
  const { cpu = '1', ...rest } = spec
  count += 1
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `pod-${count}`,
      namespace: 'default',
      uid: `${count}`,
      resourceVersion: '1',
      creationTimestamp: '',
      labels,
    },
    spec: { containers: [{ name: 'main', resources: { requests: { cpu } } }], ...rest },
  }
}

/** Name of the node, or the message. */
function tryPlace(
  pod: Pod,
  states: readonly NodeState[],
  namespaces: Record<string, Record<string, string>> = {},
): string {
  const placement = place(pod, { states, caches: noCaches, namespaces: (name) => namespaces[name] })
  return placement.kind === 'placed' ? placement.node.name : placement.message
}

function fill(states: readonly NodeState[], name: string, ...pods: readonly Pod[]): void {
  const state = states.find((candidate) => candidate.name === name)
  for (const pod of pods) if (state !== undefined) addPod(state, pod)
}

const inZone = (zone: string) => ({ 'topology.kubernetes.io/zone': zone })
const web: LabelSelector = { matchLabels: { app: 'web' } }

describe('nominations', () => {
  const nominated = (pod: Pod, name: string): Pod => ({ ...pod, status: { nominatedNodeName: name } })
  const nominate = (states: readonly NodeState[], pod: Pod) =>
    states.find(({ name }) => name === pod.status?.nominatedNodeName)?.nominees.add(pod)

  test('the node of a nomination is tried before a better one', () => {
    const states = [aNode('a'), aNode('b')]
    fill(states, 'a', aPod({ cpu: '2' }))
    expect(tryPlace(nominated(aPod(), 'a'), states)).toBe('a')
  })

  test.each(['full', 'gone'])('a pod whose nominated node is %s goes elsewhere', (name) => {
    const states = [aNode('full'), aNode('b')]
    fill(states, 'full', aPod({ cpu: '4' }))
    expect(tryPlace(nominated(aPod(), name), states)).toBe('b')
  })

  test('a node keeps room for its nominees from all but more important pods', () => {
    const states = [aNode('a')]
    const nominee = nominated(aPod({ cpu: '3', priority: 5 }), 'a')
    nominate(states, nominee)
    expect(tryPlace(aPod({ cpu: '2', priority: 5 }), states)).toBe('0/1 nodes are available: 1 Insufficient cpu.')
    expect(tryPlace(aPod({ cpu: '1', priority: 5 }), states)).toBe('a')
    expect(tryPlace(aPod({ cpu: '2', priority: 6 }), states)).toBe('a')
    expect(tryPlace(nominee, states)).toBe('a')
  })

  test('a pod is not put beside a nominee that keeps it away, nor with one that may not come', () => {
    const host = { topologyKey: 'kubernetes.io/hostname', labelSelector: web }
    const states = [aNode('a')]
    nominate(
      states,
      nominated(
        aPod(
          { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [host] } } },
          { app: 'other' },
        ),
        'a',
      ),
    )
    expect(tryPlace(aPod(), states)).toBe(
      "0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules.",
    )
    const others = [aNode('b')]
    nominate(others, nominated(aPod(), 'b'))
    const close = aPod(
      { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [host] } } },
      { app: 'other' },
    )
    expect(tryPlace(close, others)).toBe("0/1 nodes are available: 1 node(s) didn't match pod affinity rules.")
  })
})

describe('resources', () => {
  test('a pod goes where it fits, and to the emptiest node', () => {
    const states = [aNode('a'), aNode('b')]
    fill(states, 'a', aPod({ cpu: '2' }))
    expect(tryPlace(aPod(), states)).toBe('b')
    fill(states, 'b', aPod({ cpu: '3500m' }))
    expect(tryPlace(aPod(), states)).toBe('a')
    expect(tryPlace(aPod({ cpu: '3' }), states)).toBe('0/2 nodes are available: 2 Insufficient cpu.')
  })

  test('pods take slots, whatever they ask for', () => {
    const states = [aNode('a', { allocatable: { pods: '1' } })]
    fill(states, 'a', aPod({ cpu: '0' }))
    expect(tryPlace(aPod({ cpu: '0' }), states)).toBe('0/1 nodes are available: 1 Too many pods.')
  })

  test('start-up, sidecars and overhead count as Kubernetes counts them', () => {
    const container = (cpu: string, more = {}) => ({ name: 'c', resources: { requests: { cpu } }, ...more })
    const cpuOf = (spec: Partial<Pod['spec']>) => podRequests(aPod(spec)).get('cpu')
    expect(cpuOf({ containers: [container('1')], initContainers: [container('3')] })).toBe(3000)
    expect(cpuOf({ containers: [container('1')], initContainers: [container('2', { restartPolicy: 'Always' })] })).toBe(
      3000,
    )
    expect(
      cpuOf({
        containers: [container('1')],
        initContainers: [container('2', { restartPolicy: 'Always' }), container('3')],
      }),
    ).toBe(5000)
    expect(cpuOf({ containers: [container('1')], overhead: { cpu: '250m' } })).toBe(1250)
    expect(cpuOf({ containers: [container('1')], resources: { requests: { cpu: '4' } } })).toBe(4000)
  })

  test('without nodes there is nothing to choose from', () => {
    expect(tryPlace(aPod(), [])).toBe('no nodes available to schedule pods')
  })
})

describe('node selection', () => {
  const states = [
    aNode('a', { labels: { ...inZone('z1'), size: '4' } }),
    aNode('b', { labels: { ...inZone('z2'), size: '16' } }),
  ]
  const required = (expression: { key: string; operator: string; values?: string[] }) => ({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [expression] }] },
      },
    },
  })
  const noMatch = "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector."
  const cases: Record<string, [Partial<Pod['spec']>, string]> = {
    'a selector that matches': [{ nodeSelector: inZone('z2') }, 'b'],
    'a selector that does not': [{ nodeSelector: inZone('z3') }, noMatch],
    In: [required({ key: 'size', operator: 'In', values: ['16', '32'] }), 'b'],
    NotIn: [required({ key: 'size', operator: 'NotIn', values: ['4'] }), 'b'],
    Gt: [required({ key: 'size', operator: 'Gt', values: ['4'] }), 'b'],
    Lt: [required({ key: 'size', operator: 'Lt', values: ['4'] }), noMatch],
    Exists: [required({ key: 'gpu', operator: 'Exists' }), noMatch],
    'DoesNotExist picks the first of equals': [required({ key: 'gpu', operator: 'DoesNotExist' }), 'a'],
    'a preferred zone': [
      {
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 50, preference: { matchExpressions: [{ key: 'size', operator: 'In', values: ['16'] }] } },
            ],
          },
        },
      },
      'b',
    ],
    'a node by name': [
      {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['b'] }] }],
            },
          },
        },
      },
      'b',
    ],
  }
  test.each(Object.entries(cases))('%s', (_name, [spec, want]) => {
    expect(tryPlace(aPod(spec), states)).toBe(want)
  })
})

describe('taints', () => {
  const taint = { key: 'dedicated', value: 'db', effect: 'NoSchedule' as const }
  const states = [aNode('a', { spec: { taints: [taint] } })]
  const refused = '0/1 nodes are available: 1 node(s) had untolerated taint {dedicated: db}.'
  const cases: Record<string, [Pod['spec']['tolerations'], string]> = {
    none: [[], refused],
    'equal value': [[{ key: 'dedicated', value: 'db' }], 'a'],
    'other value': [[{ key: 'dedicated', value: 'web' }], refused],
    'any value': [[{ key: 'dedicated', operator: 'Exists' }], 'a'],
    everything: [[{ operator: 'Exists' }], 'a'],
    'other effect': [[{ key: 'dedicated', operator: 'Exists', effect: 'NoExecute' }], refused],
  }
  test.each(Object.entries(cases))('toleration: %s', (_name, [tolerations, want]) => {
    expect(tryPlace(aPod({ tolerations: tolerations ?? [] }), states)).toBe(want)
  })

  test('PreferNoSchedule is avoided, not forbidden', () => {
    const soft = { key: 'x', effect: 'PreferNoSchedule' as const }
    expect(tryPlace(aPod(), [aNode('a', { spec: { taints: [soft] } }), aNode('b')])).toBe('b')
    expect(tryPlace(aPod(), [aNode('a', { spec: { taints: [soft] } })])).toBe('a')
  })

  test('a cordoned node takes nobody', () => {
    expect(tryPlace(aPod(), [aNode('a', { spec: { unschedulable: true } })])).toBe(
      '0/1 nodes are available: 1 node(s) were unschedulable.',
    )
  })
})

describe('host ports', () => {
  const withPort = (port: object) =>
    aPod({ cpu: '0', containers: [{ name: 'main', ports: [{ containerPort: 80, ...port }] }] })
  const taken = "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports."
  const cases: Record<string, [object, string]> = {
    'the same port': [{ hostPort: 80 }, taken],
    'another port': [{ hostPort: 81 }, 'a'],
    'another protocol': [{ hostPort: 80, protocol: 'UDP' }, 'a'],
    'one address of all': [{ hostPort: 80, hostIP: '10.0.0.1' }, taken],
    'no host port': [{}, 'a'],
  }
  test.each(Object.entries(cases))('%s', (_name, [port, want]) => {
    const states = [aNode('a')]
    fill(states, 'a', withPort({ hostPort: 80 }))
    expect(tryPlace(withPort(port), states)).toBe(want)
  })
})

describe('topology spread', () => {
  const constraint = (more: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint => ({
    maxSkew: 1,
    topologyKey: 'topology.kubernetes.io/zone',
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: web,
    ...more,
  })
  const three = () => [
    aNode('a', { labels: inZone('z1') }),
    aNode('b', { labels: inZone('z2') }),
    aNode('c', { labels: inZone('z3') }),
  ]
  const small = { cpu: '100m' }

  test('the emptiest zone is the only one left at the limit', () => {
    const states = three()
    fill(states, 'a', aPod(small))
    fill(states, 'b', aPod(small))
    expect(tryPlace(aPod({ ...small, topologySpreadConstraints: [constraint()] }), states)).toBe('c')
  })

  test('a zone that is full blocks, and says so', () => {
    const states = three()
    fill(states, 'a', aPod(small))
    fill(states, 'b', aPod(small))
    fill(states, 'c', aPod({ cpu: '4' }, { app: 'other' }))
    expect(tryPlace(aPod({ ...small, topologySpreadConstraints: [constraint()] }), states)).toBe(
      "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't match pod topology spread constraints.",
    )
  })

  test('only zones that the pod may use are compared, unless told to ignore that', () => {
    const states = three()
    fill(states, 'a', aPod(small))
    const spec = { ...small, nodeSelector: inZone('z1') }
    expect(tryPlace(aPod({ ...spec, topologySpreadConstraints: [constraint()] }), states)).toBe('a')
    expect(
      tryPlace(aPod({ ...spec, topologySpreadConstraints: [constraint({ nodeAffinityPolicy: 'Ignore' })] }), states),
    ).toContain("1 node(s) didn't match pod topology spread constraints")
  })

  test('fewer domains than the minimum count as an empty one more', () => {
    const states = three()
    for (const name of ['a', 'b', 'c']) fill(states, name, aPod(small))
    expect(tryPlace(aPod({ ...small, topologySpreadConstraints: [constraint({ minDomains: 4 })] }), states)).toContain(
      "3 node(s) didn't match pod topology spread constraints",
    )
  })

  test('tainted nodes are counted unless told otherwise', () => {
    const states = [
      aNode('a', { labels: inZone('z1') }),
      aNode('b', { labels: inZone('z2'), spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] } }),
    ]
    fill(states, 'a', aPod(small))
    expect(tryPlace(aPod({ ...small, topologySpreadConstraints: [constraint()] }), states)).toContain('topology spread')
    expect(
      tryPlace(aPod({ ...small, topologySpreadConstraints: [constraint({ nodeTaintsPolicy: 'Honor' })] }), states),
    ).toBe('a')
  })

  test('a node without the key is out', () => {
    expect(tryPlace(aPod({ ...small, topologySpreadConstraints: [constraint()] }), [aNode('a')])).toContain(
      'missing required label',
    )
  })

  test('matchLabelKeys compare pods of one revision only', () => {
    const states = three()
    fill(states, 'a', aPod(small, { app: 'web', revision: '1' }))
    const pod = aPod(
      {
        ...small,
        nodeSelector: inZone('z1'),
        topologySpreadConstraints: [constraint({ nodeAffinityPolicy: 'Ignore', matchLabelKeys: ['revision'] })],
      },
      { app: 'web', revision: '2' },
    )
    expect(tryPlace(pod, states)).toBe('a')
  })

  test('ScheduleAnyway only leans', () => {
    const states = three().slice(0, 2)
    fill(states, 'a', aPod(small))
    const soft = [constraint({ whenUnsatisfiable: 'ScheduleAnyway' })]
    expect(tryPlace(aPod({ ...small, topologySpreadConstraints: soft }), states)).toBe('b')
    expect(tryPlace(aPod({ ...small, nodeSelector: inZone('z1'), topologySpreadConstraints: soft }), states)).toBe('a')
  })
})

test.each(['constructor', 'toString'])('a label may be called %s: a node without it has none', (key) => {
  const term: PodAffinityTerm = { topologyKey: key, labelSelector: web }
  const required = { requiredDuringSchedulingIgnoredDuringExecution: [term] }
  const specs: readonly Partial<Pod['spec']>[] = [
    { affinity: { podAffinity: required } },
    {
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: key, whenUnsatisfiable: 'DoNotSchedule', labelSelector: web },
      ],
    },
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'Exists' }] }],
          },
        },
      },
    },
  ]
  for (const spec of specs) {
    expect(tryPlace(aPod(spec), [aNode('a', { labels: { [key]: 'r1' } })])).toBe('a')
    expect(tryPlace(aPod(spec), [aNode('a')])).toMatch(/^0\/1 nodes are available/)
  }
  const states = [aNode('a')]
  fill(states, 'a', aPod({ affinity: { podAntiAffinity: required } }))
  expect(tryPlace(aPod(), states)).toBe('a')
})

describe('affinity between pods', () => {
  const term = (more: Partial<PodAffinityTerm> = {}): PodAffinityTerm => ({
    labelSelector: web,
    topologyKey: 'kubernetes.io/hostname',
    ...more,
  })
  const apart = (terms = [term()]) => ({
    cpu: '100m',
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
  })
  const together = (terms = [term()]) => ({
    cpu: '100m',
    affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
  })

  test('pods that keep apart get a node each', () => {
    const states = [aNode('a'), aNode('b')]
    fill(states, 'a', aPod(apart()))
    expect(tryPlace(aPod(apart()), states)).toBe('b')
    fill(states, 'b', aPod(apart()))
    expect(tryPlace(aPod(apart()), states)).toContain("2 node(s) didn't satisfy existing pods anti-affinity rules")
  })

  test('a pod without rules respects those of running pods', () => {
    const states = [aNode('a')]
    fill(states, 'a', aPod(apart(), { app: 'db' }))
    expect(tryPlace(aPod({ cpu: '100m' }), states)).toContain("didn't satisfy existing pods anti-affinity rules")
    expect(tryPlace(aPod({ cpu: '100m' }, { app: 'other' }), states)).toBe('a')
  })

  test('pods that want to be together follow the first, which may go anywhere', () => {
    const states = [aNode('a'), aNode('b')]
    expect(tryPlace(aPod(together()), states)).toBe('a')
    fill(states, 'b', aPod(together()))
    expect(tryPlace(aPod(together()), states)).toBe('b')
  })

  test('a pod that waits for others of another kind waits', () => {
    expect(tryPlace(aPod(together(), { app: 'cache' }), [aNode('a')])).toContain("didn't match pod affinity rules")
  })

  test('other namespaces count only when named or selected', () => {
    const states = [aNode('a')]
    const foreign = aPod({ cpu: '100m' })
    foreign.metadata.namespace = 'team-b'
    fill(states, 'a', foreign)
    expect(tryPlace(aPod(apart()), states)).toBe('a')
    expect(tryPlace(aPod(apart([term({ namespaces: ['team-b'] })])), states)).toContain('anti-affinity')
    const bySelector = apart([term({ namespaceSelector: { matchLabels: { tier: 'x' } } })])
    expect(tryPlace(aPod(bySelector), states, { 'team-b': { tier: 'x' } })).toContain('anti-affinity')
  })

  test('preferred anti-affinity leans away', () => {
    const states = [aNode('a'), aNode('b')]
    fill(states, 'a', aPod({ cpu: '0' }))
    fill(states, 'b', aPod({ cpu: '1' }, { app: 'other' }))
    const spec = {
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: term() }],
        },
      },
    }
    expect(tryPlace(aPod(spec), states)).toBe('b')
  })
})
