import { describe, expect, test } from 'vitest'
import { constraintsOf } from '../../../src/scheduling/pod-constraints.ts'
import { Relaxations } from '../../../src/scheduling/relaxations.ts'
import { toNodeClaim } from '../../../src/scheduling/index.ts'
import {
  aNode,
  aPod,
  aPool,
  hostnameKey,
  type PodOptions,
  pods,
  testVocabulary,
  zoneKey,
} from '../../support/scheduling-world.ts'
import { errorsOf, requirementOn, solveWorld } from '../../support/solving.ts'

const zoneIn = (zone: string) => ({ matchExpressions: [{ key: zoneKey, operator: 'In', values: [zone] }] })

function nodeAffinity(required: string[], preferred: [number, string][]): PodOptions {
  return {
    affinity: {
      nodeAffinity: {
        ...(required.length === 0
          ? {}
          : { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: required.map(zoneIn) } }),
        preferredDuringSchedulingIgnoredDuringExecution: preferred.map(([weight, zone]) => ({
          weight,
          preference: zoneIn(zone),
        })),
      },
    },
  }
}

const zoneOf = (options: PodOptions) => requirementOn(solveWorld({ pods: [aPod(options)] }).newNodePlans[0], zoneKey)

describe('node affinity', () => {
  test('case 94: required alternatives are tried one after the other', () => {
    expect(zoneOf(nodeAffinity(['z9', 'z8', 'z2'], []))).toBe(`${zoneKey} In [z2]`)
  })

  test('case 94: the last alternative is never given up', () => {
    expect(solveWorld({ pods: [aPod(nodeAffinity(['z9'], []))] }).failures).toHaveLength(1)
  })

  test('an alternative that was given up for want of what the pod only prefers comes back without that', () => {
    const options = nodeAffinity(['z1', 'z8', 'z9'], [[1, 'z7']])
    expect(zoneOf(options)).toBe(`${zoneKey} In [z1]`)
    expect(zoneOf(nodeAffinity(['z8', 'z3', 'z9'], [[1, 'z7']]))).toBe(`${zoneKey} In [z3]`)
    expect(solveWorld({ pods: [aPod(options)] }).relaxations.at(-1)?.reason).toBe(
      `restoring: spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]=${JSON.stringify(zoneIn('z1'))}`,
    )
  })

  test('what no alternative helps is told of the last one', () => {
    const [error] = errorsOf(solveWorld({ pods: [aPod(nodeAffinity(['z8', 'z9'], [[1, 'z7']]))] }))
    expect(error).toContain(`${zoneKey} In [z9]`)
    expect(error).not.toContain('z8')
  })

  test('a preference for nodes without a restricted label does not get onto the claim, which the API server would refuse', () => {
    const without = { key: 'karpenter.sh/provisioner-name', operator: 'DoesNotExist' }
    const preferred = [{ weight: 1, preference: { matchExpressions: [without] } }]
    const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: preferred }
    const [plan] = solveWorld({ pods: [aPod({ affinity: { nodeAffinity } })] }).newNodePlans
    const keys = plan === undefined ? [] : toNodeClaim(plan, testVocabulary).spec.requirements.map(({ key }) => key)
    expect(keys).toContain('karpenter.sh/nodepool')
    expect(keys).not.toContain(without.key)
  })

  test('case 95: the heaviest preference is tried first, then the next', () => {
    const options = nodeAffinity(
      [],
      [
        [1, 'z9'],
        [100, 'z8'],
        [50, 'z2'],
      ],
    )
    expect(zoneOf(options)).toBe(`${zoneKey} In [z2]`)
    expect(solveWorld({ pods: [aPod(options)] }).relaxations.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('"weight":100'),
    ])
  })

  test('the heaviest preference counts where all of them could be met', () => {
    const options = nodeAffinity(
      [],
      [
        [1, 'z1'],
        [100, 'z2'],
        [50, 'z3'],
      ],
    )
    expect(zoneOf(options)).toBe(`${zoneKey} In [z2]`)
  })

  test('case 96: a preference against a requirement is dropped', () => {
    expect(zoneOf(nodeAffinity(['z1'], [[1, 'z2']]))).toBe(`${zoneKey} In [z1]`)
  })

  describe('a label of which a pod wants a value and leaves none', () => {
    const pools = [aPool({ name: 'x', labels: { team: 'x' } }), aPool({ name: 'general', weight: 10 })]
    const general = aNode({ name: 'general', pool: 'general' })
    const on = (operator: string, ...values: string[]) => ({
      matchExpressions: [{ key: 'team', operator, ...(values.length === 0 ? {} : { values }) }],
    })
    const preferring = (preference: ReturnType<typeof on>): PodOptions => ({
      nodeSelector: { team: 'x' },
      affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }] } },
    })

    test.each([on('In', 'y'), on('NotIn', 'x', 'z'), on('DoesNotExist')])(
      'sends it to no node without the label, new or old, for a preference',
      (preference) => {
        const placement = solveWorld({ pools, nodes: [general], pods: [aPod(preferring(preference))] })
        expect(placement.newNodePlans.map(({ nodePool }) => nodePool)).toEqual(['x'])
        expect(placement.relaxations).toHaveLength(1)
      },
    )

    test('makes an alternative as good as none', () => {
      const alternatives = (...nodeSelectorTerms: ReturnType<typeof on>[]): PodOptions => ({
        nodeSelector: { team: 'x' },
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
      })
      const either = aPod(alternatives(on('In', 'y'), on('Exists')))
      const placement = solveWorld({ pools, nodes: [general], pods: [either] })
      expect(placement.newNodePlans.map(({ nodePool }) => nodePool)).toEqual(['x'])
      const neither = aPod(alternatives(on('In', 'y'), on('DoesNotExist')))
      expect(solveWorld({ pools, nodes: [general], pods: [neither] }).failures).toHaveLength(1)
    })

    test('makes no nodes without the label count for a spread', () => {
      const spreading: PodOptions = {
        nodeSelector: { team: 'x' },
        labels: { app: 'web' },
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [on('In', 'y'), on('Exists')] },
          },
        },
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: zoneKey,
            whenUnsatisfiable: 'DoNotSchedule',
            labelSelector: { matchLabels: { app: 'web' } },
          },
        ],
      }
      const running = aNode({
        name: 'n',
        pool: 'general',
        labels: { [zoneKey]: 'z1' },
        pods: pods(2, { labels: { app: 'web' }, nodeName: 'n' }),
      })
      const [plan] = solveWorld({ pools, nodes: [running], pods: [aPod(spreading)] }).newNodePlans
      expect(requirementOn(plan, zoneKey)).toBe(`${zoneKey} In [z1]`)
    })
  })

  test('the only preference is dropped when it cannot be met', () => {
    expect(errorsOf(solveWorld({ pods: [aPod(nodeAffinity([], [[1, 'z9']]))] }))).toEqual([])
  })
})

test('case 97: pod affinity goes before node affinity', () => {
  const pod = aPod({
    affinity: {
      podAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 1,
            podAffinityTerm: { topologyKey: hostnameKey, labelSelector: { matchLabels: { app: 'nobody' } } },
          },
        ],
      },
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1, preference: { matchExpressions: [{ key: 'impossible', operator: 'Exists' }] } },
        ],
      },
    },
  })
  const reasons = solveWorld({ pods: [pod] }).relaxations.map(({ reason }) => reason.split('[0]')[0])
  expect(reasons).toEqual([
    'removing: spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution',
    'removing: spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution',
  ])
})

test('case 98: the last spread constraint takes the slot of the one that is dropped', () => {
  const spread = (topologyKey: string, soft: boolean) => ({
    maxSkew: 1,
    topologyKey,
    whenUnsatisfiable: soft ? ('ScheduleAnyway' as const) : ('DoNotSchedule' as const),
  })
  const pod = aPod({ topologySpreadConstraints: [spread('one', true), spread('two', true), spread('three', false)] })
  const relaxations = new Relaxations(constraintsOf(pod), { softTaints: false })
  const left = [1, 2].map((dropped) => relaxations.after(dropped).spread.map(({ topologyKey }) => topologyKey))
  expect(left).toEqual([['three', 'two'], ['three']])
  expect(relaxations.count).toBe(2)
})

test('what a pod can do without goes kind by kind, the heaviest first', () => {
  const app = (name: string) => ({ topologyKey: hostnameKey, labelSelector: { matchLabels: { app: name } } })
  const weighted = (...weights: number[]) =>
    weights.map((weight) => ({ weight, podAffinityTerm: app(`nobody-${weight}`) }))
  const nodeTerm = (weight: number) => ({ weight, preference: zoneIn(`z-${weight}`) })
  const pod = aPod({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [zoneIn('z9'), zoneIn('z1')] },
        preferredDuringSchedulingIgnoredDuringExecution: [nodeTerm(1), nodeTerm(7)],
      },
      podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: weighted(3, 5, 5, 4) },
      podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: weighted(1, 2) },
    },
    topologySpreadConstraints: ['first', 'second'].map((topologyKey) => ({
      maxSkew: 1,
      topologyKey,
      whenUnsatisfiable: 'ScheduleAnyway' as const,
    })),
  })
  const placement = solveWorld({
    pools: [aPool({ taints: [{ key: 'a', effect: 'PreferNoSchedule' }] })],
    pods: [pod],
  })
  const told = placement.relaxations.map(({ reason }) => {
    const what = /spec\.(?:affinity\.)?(\w+)|toleration/.exec(reason)
    return `${what?.[1] ?? what?.[0]} ${/"weight":(\d+)/.exec(reason)?.[1] ?? /"topologyKey":"(first|second)"/.exec(reason)?.[1] ?? ''}`.trim()
  })
  expect(told).toEqual([
    'nodeAffinity',
    'podAffinity 5',
    'podAffinity 5',
    'podAffinity 4',
    'podAffinity 3',
    'podAntiAffinity 2',
    'podAntiAffinity 1',
    'nodeAffinity 7',
    'nodeAffinity 1',
    'topologySpreadConstraints first',
    'topologySpreadConstraints second',
    'toleration',
  ])
  expect(placement.failures).toEqual([])
})

describe('case 59: soft taints', () => {
  const soft = aPool({ name: 'soft', weight: 100, taints: [{ key: 'a', effect: 'PreferNoSchedule' }] })

  test('another pool is preferred', () => {
    const pools = [soft, aPool({ name: 'plain', weight: 1 })]
    expect(solveWorld({ pools, pods: [aPod()] }).newNodePlans[0]?.nodePool).toBe('plain')
  })

  test('without another pool the taint is tolerated', () => {
    const placement = solveWorld({ pools: [soft], pods: [aPod()] })
    expect(placement.newNodePlans[0]?.nodePool).toBe('soft')
    expect(placement.relaxations.map(({ reason }) => reason)).toEqual([
      'adding: toleration for PreferNoSchedule taints',
    ])
  })

  test('preferences go before it', () => {
    const placement = solveWorld({
      pools: [soft],
      pods: [
        aPod(
          nodeAffinity(
            [],
            [
              [2, 'z9'],
              [1, 'z8'],
            ],
          ),
        ),
      ],
    })
    expect(placement.relaxations.map(({ reason }) => reason.split(':')[0])).toEqual(['removing', 'removing', 'adding'])
    expect(placement.failures).toEqual([])
  })

  test('pods that were placed before one tolerates it count for its spread', () => {
    const labels = { app: 'web' }
    const byZone = {
      maxSkew: 1,
      topologyKey: zoneKey,
      whenUnsatisfiable: 'DoNotSchedule' as const,
      labelSelector: { matchLabels: labels },
    }
    const placement = solveWorld({
      pools: [soft],
      nodes: [aNode({ name: 'n1', labels: { [zoneKey]: 'z1' }, allocatable: { cpu: '4', memory: '4Gi', pods: '1' } })],
      pods: pods(3, { labels, topologySpreadConstraints: [byZone] }),
    })
    expect(placement.existing.map(({ node, pods: placed }) => [node.name, placed.length])).toEqual([['n1', 1]])
    expect(new Set(placement.newNodePlans.map((plan) => requirementOn(plan, zoneKey)))).toEqual(
      new Set([`${zoneKey} In [z2]`, `${zoneKey} In [z3]`]),
    )
  })

  test('it is tolerated under Ignore, too', () => {
    const ignoring = { settings: { preferencePolicy: 'Ignore' as const } }
    expect(solveWorld({ pools: [soft], pods: [aPod(nodeAffinity([], [[2, 'z9']]))] }, ignoring).failures).toEqual([])
  })
})

test('every attempt starts from what the pod wants, not from what it gave up before', () => {
  const chain = solveWorld({
    pods: [
      aPod({
        requests: { cpu: '2' },
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: zoneKey, labelSelector: { matchLabels: { app: 'db' } } },
            ],
          },
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: zoneIn('z2') }],
          },
        },
      }),
      aPod({ requests: { cpu: '1' }, labels: { app: 'db' }, nodeSelector: { [zoneKey]: 'z2' } }),
    ],
  })
  expect(chain.failures).toEqual([])
  expect(chain.newNodePlans.map((plan) => requirementOn(plan, zoneKey))).toEqual([`${zoneKey} In [z2]`])
})

test('a pod that gives way to a soft taint goes on tolerating the others', () => {
  const dedicated = { key: 'dedicated', effect: 'NoSchedule' } as const
  const soft = { key: 'soft', effect: 'PreferNoSchedule' } as const
  const pod = aPod({ tolerations: [{ key: 'dedicated', operator: 'Exists' }] })
  expect(solveWorld({ pools: [aPool({ taints: [dedicated, soft] })], pods: [pod] }).newNodePlans).toHaveLength(1)
})
