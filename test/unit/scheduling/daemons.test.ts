import { describe, expect, test } from 'vitest'
import { aPod, aPool, aType, capacityTypeKey, instanceTypeKey, pods } from '../../support/scheduling-world.ts'
import { aDaemonSet } from '../../support/scheduling-objects.ts'
import { errorsOf, planShapes, requirementOn, solveWorld, typesOn } from '../../support/solving.ts'

const amd64 = { 'kubernetes.io/arch': 'amd64' }

function amounts(world: Parameters<typeof solveWorld>[0]): Record<string, string> {
  const plan = solveWorld(world).newNodePlans[0]
  return Object.fromEntries([...(plan?.requests ?? [])].map(([name, quantity]) => [name, `${quantity}`]))
}

function requiring(...terms: [string, string, ...string[]][]) {
  return {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: terms.map(([key, operator, ...values]) => ({
            matchExpressions: [{ key, operator, values }],
          })),
        },
      },
    },
  }
}

describe('overhead', () => {
  test('case 70: a daemon takes room on every new node and is part of the requests', () => {
    const world = { daemonSets: [aDaemonSet({ requests: { cpu: '1' } })], pods: [aPod({ requests: { cpu: '1' } })] }
    expect(typesOn(solveWorld(world).newNodePlans[0])).not.toContain('small')
    expect(amounts(world)).toEqual({ cpu: '2', pods: '2' })
  })

  test('case 70: it counts once for all pods of the node', () => {
    const arm = { nodeSelector: { 'kubernetes.io/arch': 'arm64' }, requests: { cpu: '1' } }
    expect(amounts({ daemonSets: [aDaemonSet({ requests: { cpu: '1' } })], pods: pods(3, arm) })).toEqual({
      cpu: '4',
      pods: '4',
    })
  })

  test('the requests of a claim count the daemons of the types that are left for it', () => {
    const daemonSets = [
      aDaemonSet({ name: 'everywhere', requests: { cpu: '1' } }),
      aDaemonSet({ name: 'large', requests: { cpu: '2' }, nodeSelector: { size: 'large' } }),
    ]
    const on = (arch: string) => ({ nodeSelector: { 'kubernetes.io/arch': arch }, requests: { cpu: '1' } })
    expect(amounts({ daemonSets, pods: [aPod(on('arm64'))] })).toEqual({ cpu: '4', pods: '3' })
    expect(amounts({ daemonSets, pods: [aPod(on('amd64'))] })).toEqual({ cpu: '2', pods: '2' })
    expect(amounts({ daemonSets, pods: [aPod({ requests: { cpu: '1' } })] })).toEqual({ cpu: '2', pods: '2' })
  })

  const counted: Record<
    string,
    { pool?: Parameters<typeof aPool>[0]; daemon: Parameters<typeof aDaemonSet>[0]; want: boolean }
  > = {
    'case 71: not with a pool taint that it does not tolerate': {
      pool: { taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }] },
      daemon: {},
      want: false,
    },
    'case 71: with a startup taint that it does not tolerate': {
      pool: { startupTaints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }] },
      daemon: {},
      want: true,
    },
    'case 72: not with an unknown label': { daemon: { nodeSelector: { unknown: 'x' } }, want: false },
    'not where its selector and its affinity exclude each other': {
      daemon: { nodeSelector: { unknown: 'x' }, ...requiring(['unknown', 'DoesNotExist']) },
      want: false,
    },
    'by those of its terms that do not': {
      daemon: {
        nodeSelector: { 'kubernetes.io/os': 'linux' },
        ...requiring(['kubernetes.io/os', 'DoesNotExist'], ['unknown', 'DoesNotExist']),
      },
      want: true,
    },
    'not with terms that say nothing, which match no node': {
      daemon: {
        affinity: {
          nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{}] } },
        },
      },
      want: false,
    },
    'case 72: with an exclusion on an unknown label': { daemon: requiring(['unknown', 'NotIn', 'x']), want: true },
    'case 72: with a label of the pool template': {
      pool: { labels: { foo: 'bar' } },
      daemon: { nodeSelector: { foo: 'bar' } },
      want: true,
    },
    'case 73: with the second of two alternatives': {
      pool: { labels: { foo: 'bar' } },
      daemon: requiring(['foo', 'In', 'voo'], ['foo', 'In', 'bar']),
      want: true,
    },
    'case 73: with a preference that cannot be met': {
      daemon: {
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 1, preference: { matchExpressions: [{ key: 'foo', operator: 'In', values: ['x'] }] } },
            ],
          },
        },
      },
      want: true,
    },
    'case 73: with a soft pool taint': {
      pool: { taints: [{ key: 'a', effect: 'PreferNoSchedule' }] },
      daemon: {},
      want: true,
    },
    'case 80: with the label that only initialized nodes have': {
      daemon: { nodeSelector: { 'karpenter.sh/initialized': 'true' } },
      want: true,
    },
    'case 80: with the label that only registered nodes have': {
      daemon: { nodeSelector: { 'karpenter.sh/registered': 'true' } },
      want: true,
    },
  }
  test.each(Object.entries(counted))('%s', (_name, { pool = {}, daemon, want }) => {
    const world = {
      pools: [aPool(pool)],
      daemonSets: [aDaemonSet({ requests: { cpu: '1' }, ...daemon })],
      pods: [aPod({ requests: { cpu: '1' }, tolerations: [{ operator: 'Exists' }] })],
    }
    expect(amounts(world)['cpu']).toBe(want ? '2' : '1')
  })

  test('case 80: labels that only simulations use never get onto the claim', () => {
    const world = {
      daemonSets: [aDaemonSet({ nodeSelector: { 'karpenter.sh/initialized': 'true' } })],
      pods: [aPod()],
    }
    const plan = solveWorld(world).newNodePlans[0]
    expect(requirementOn(plan, 'karpenter.sh/initialized')).toBeUndefined()
    expect(requirementOn(plan, 'karpenter.sh/registered')).toBeUndefined()
    expect(requirementOn(plan, 'kubernetes.io/hostname')).toBeUndefined()
  })

  test('case 74: the terms of the template count, not those that pin a running pod to its node', () => {
    const pinned = aPod({
      requests: { cpu: '2' },
      ...requiring(['kubernetes.io/hostname', 'In', 'some-node']),
    })
    const withTerms = aDaemonSet({
      requests: { cpu: '1' },
      newestPod: pinned,
      ...requiring([capacityTypeKey, 'Exists']),
    })
    expect(amounts({ daemonSets: [withTerms], pods: [aPod({ requests: { cpu: '1' } })] })['cpu']).toBe('3')
    const byFields = aPod({
      requests: { cpu: '1' },
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['some-node'] }] }],
          },
        },
      },
    })
    const withoutTerms = aDaemonSet({ requests: { cpu: '1' }, newestPod: byFields })
    expect(amounts({ daemonSets: [withoutTerms], pods: [aPod({ requests: { cpu: '1' } })] })['cpu']).toBe('2')
  })

  test('case 75: limits stand in for requests until a pod runs, whose requests then count', () => {
    const pod = aPod({ requests: { cpu: '1' } })
    expect(amounts({ daemonSets: [aDaemonSet({ limits: { cpu: '1' } })], pods: [pod] })['cpu']).toBe('2')
    const running = aDaemonSet({ requests: { cpu: '1' }, newestPod: aPod({ requests: { cpu: '2' } }) })
    expect(amounts({ daemonSets: [running], pods: [pod] })['cpu']).toBe('3')
  })

  test('limits of the whole pod stand in as well', () => {
    const daemonSets = [aDaemonSet({ resources: { limits: { cpu: '1' } } })]
    expect(amounts({ daemonSets, pods: [aPod({ requests: { cpu: '1' } })] })['cpu']).toBe('2')
  })

  test('case 78: a daemon too large for any type leaves no place, and the error counts it', () => {
    const [error] = errorsOf(solveWorld({ daemonSets: [aDaemonSet({ requests: { cpu: '100' } })], pods: [aPod()] }))
    expect(error).toMatch(/^no instance type has enough resources, /)
    expect(error).toContain('resources={"cpu":"100","pods":"2"}')
  })

  test('where daemons differ from type to type, the error tells the least and the most that a pod would need', () => {
    const daemonSets = [
      aDaemonSet({ name: 'everywhere', requests: { cpu: '1' } }),
      aDaemonSet({ name: 'small', requests: { memory: '1Gi' }, nodeSelector: { size: 'small' } }),
      aDaemonSet({ name: 'large', requests: { cpu: '2' }, nodeSelector: { size: 'large' } }),
    ]
    const [error] = errorsOf(solveWorld({ daemonSets, pods: [aPod({ requests: { cpu: '1000' } })] }))
    expect(error).toContain('resources=min={"cpu":"1001","pods":"3"}, max={"cpu":"1003","memory":"1Gi","pods":"3"}')
  })

  test('case 158: a daemon with resource claims is left out', () => {
    const daemon = aDaemonSet({ requests: { cpu: '100' }, resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }] })
    expect(solveWorld({ daemonSets: [daemon], pods: [aPod()] }).newNodePlans).toHaveLength(1)
  })
})

describe('host ports', () => {
  const port = (hostPort: number) => [{ containerPort: hostPort, hostPort }]

  test('case 76: types without the daemon that holds the port remain', () => {
    const daemonSets = [
      aDaemonSet({ name: 'large', nodeSelector: { size: 'large' }, requests: { cpu: '4' }, ports: port(8080) }),
      aDaemonSet({ name: 'small', nodeSelector: { size: 'small' }, requests: { cpu: '2' }, ports: port(8081) }),
    ]
    const pod = aPod({ requests: { cpu: '1' }, nodeSelector: { size: 'small' }, hostPorts: [{ port: 8080 }] })
    expect(planShapes(solveWorld({ daemonSets, pods: [pod] }))).toEqual([
      { types: ['default', 'gpu-a', 'gpu-b'], pods: 1 },
    ])
  })

  test('a daemon on the network of the host holds its ports there, also before it has a pod', () => {
    const daemonSets = [
      aDaemonSet({ nodeSelector: { size: 'large' }, hostNetwork: true, ports: [{ containerPort: 8080 }] }),
    ]
    const placement = solveWorld({ daemonSets, pods: [aPod({ hostPorts: [{ port: 8080 }] })] })
    expect(planShapes(placement)[0]?.types).toEqual(['default', 'gpu-a', 'gpu-b', 'single', 'small'])
  })

  test('case 77: a port that a daemon holds everywhere is nowhere free', () => {
    const [failure] = solveWorld({
      daemonSets: [aDaemonSet({ ports: port(8080) })],
      pods: [aPod({ hostPorts: [{ port: 8080 }], requests: { cpu: '4' } })],
    }).failures
    expect(failure?.text).toMatch(
      /^no instance type met the scheduling requirements or had enough resources or had a required offering, /,
    )
    expect(failure?.because.kind === 'pools' ? failure.because.pools[0]?.nearestMiss?.text : undefined).toBe(
      'host port 8080 is taken by DaemonSet default/ds on all nodes of nodepool np that would do',
    )
  })

  test('another port is told to do only where nothing else is in the way', () => {
    const near = (pod: Parameters<typeof aPod>[0]) => {
      const world = {
        daemonSets: [aDaemonSet({ ports: port(8080) })],
        pods: [aPod({ hostPorts: [{ port: 8080 }], ...pod })],
      }
      const because = solveWorld(world).failures[0]?.because
      return because?.kind === 'pools' ? because.pools[0]?.nearestMiss?.text : undefined
    }
    const taken =
      'host port 8080 is taken by DaemonSet default/ds on all nodes of nodepool np, and another one alone would not do'
    expect(near({ requests: { cpu: '16' } })).toBe(`${taken}: would fit on arm with 100m less cpu`)
    expect(near({ requests: { cpu: '16', memory: '1Ti' } })).toBe(taken)
  })

  test('case 77: nor is it for a pod that bears the name of the DaemonSet', () => {
    const namesake = aPod({ name: 'ds', hostPorts: [{ port: 8080 }] })
    const daemonSets = [aDaemonSet({ name: 'ds', ports: port(8080) })]
    expect(solveWorld({ daemonSets, pods: [namesake] }).failures.map(({ pod }) => pod)).toEqual([namesake])
  })

  test('room is told only of nodes on which the port is free', () => {
    const small = { nodeSelector: { size: 'small' }, ports: port(8080) }
    const [failure] = solveWorld({
      types: [aType({ name: 'small', cpu: '4', memory: '4Gi' }), aType({ name: 'large', cpu: '8', memory: '32Gi' })],
      daemonSets: [aDaemonSet(small)],
      pods: [aPod({ hostPorts: [{ port: 8080 }], requests: { cpu: '9' } })],
    }).failures
    expect(failure?.because.kind === 'pools' ? failure.because.pools[0]?.nearestMiss?.text : undefined).toBe(
      'would fit on large with 1100m less cpu',
    )
  })
})

describe('case 79: alternatives that a daemon has dropped stay dropped', () => {
  const daemonSets = [
    aDaemonSet({ requests: { cpu: '1' }, ...requiring([instanceTypeKey, 'In', 'x'], [instanceTypeKey, 'In', 'y']) }),
  ]
  const x = aType({ name: 'x', cpu: '4', memory: '4Gi' })
  const y = aType({ name: 'y', cpu: '4', memory: '4Gi' })
  const pod = aPod({ requests: { cpu: '3500m' } })

  test('in the order of the alternatives both types have the daemon', () => {
    expect(solveWorld({ types: [x, y], daemonSets, pods: [pod] }).failures).toHaveLength(1)
  })

  test('in the other order the first alternative is gone before its type is looked at', () => {
    expect(typesOn(solveWorld({ types: [y, x], daemonSets, pods: [pod] }).newNodePlans[0])).toEqual(['x'])
  })
})

test('daemons with nothing to do with arm are not on arm', () => {
  const daemonSets = [aDaemonSet({ requests: { cpu: '1' }, nodeSelector: amd64 })]
  expect(amounts({ daemonSets, pods: [aPod({ requests: { cpu: '14' } })] })).toEqual({ cpu: '14', pods: '1' })
})
