import { describe, expect, test } from 'vitest'
import type { PodTemplateSpec } from '../../../src/api/kubernetes.ts'
import { bufferReplicas, virtualPods } from '../../../src/scheduling/capacity-buffer.ts'
import { rejectionOf } from '../../../src/scheduling/pod-validation.ts'
import { aNode, aPod, aSnapshot, testVocabulary } from '../../support/scheduling-world.ts'
import { solveWorld, whereabouts } from '../../support/solving.ts'

const template: PodTemplateSpec = {
  metadata: { labels: { app: 'web' }, annotations: { own: 'annotation' } },
  spec: {
    containers: [{ name: 'main', resources: { requests: { cpu: '1', memory: '1Gi' } } }],
    volumes: [
      { name: 'claim', persistentVolumeClaim: { claimName: 'data' } },
      { name: 'made', ephemeral: {} },
      { name: 'scratch', emptyDir: {} },
    ],
  },
}
const buffer = { namespace: 'default', name: 'spare', uid: 'uid-spare' }

describe('replicas', () => {
  const cases: Record<string, { spec: Parameters<typeof bufferReplicas>[0]; scale?: number; want: number }> = {
    'as many as it says': { spec: { replicas: 3 }, want: 3 },
    'a share of the workload, rounded up': { spec: { percentage: 25 }, scale: 5, want: 2 },
    'nothing of a workload at zero': { spec: { percentage: 25 }, scale: 0, want: 0 },
    'no percent is none': { spec: { percentage: 0 }, scale: 5, want: 0 },
    'a share of nobody is none': { spec: { percentage: 25 }, want: 0 },
    'what it says, where the workload is at zero': { spec: { replicas: 2, percentage: 50 }, scale: 0, want: 2 },
    'limits of what a pod does not ask for limit nothing': {
      spec: { replicas: 9, limits: { 'nvidia.com/gpu': '1', cpu: '4' } },
      want: 4,
    },
    'nothing is said, and nothing is limited': { spec: { limits: { 'nvidia.com/gpu': '1' } }, want: 0 },
    'the larger of both': { spec: { replicas: 1, percentage: 50 }, scale: 10, want: 5 },
    'no more than the limits hold': { spec: { replicas: 9, limits: { cpu: '4500m', memory: '100Gi' } }, want: 4 },
    'no more than the tightest of them': { spec: { replicas: 9, limits: { memory: '100Gi', cpu: '4500m' } }, want: 4 },
    'all that the limits hold, when nothing else is said': { spec: { limits: { memory: '3Gi' } }, want: 3 },
  }
  test.each(Object.entries(cases))('%s', (_name, { spec, scale, want }) => {
    expect(bufferReplicas(spec, template, scale)).toBe(want)
  })
})

describe('stand-ins', () => {
  const [first, second] = virtualPods(buffer, template, 2)

  test('are numbered pods of the buffer that nobody has placed', () => {
    expect([first?.name, second?.name]).toEqual(['capacity-buffer-spare-1', 'capacity-buffer-spare-2'])
    expect([first?.uid, first?.namespace, first?.priority]).toEqual(['uid-spare-1', 'default', -2_147_483_648])
    expect(first?.labels).toEqual({ app: 'web' })
    expect(first?.annotations).toEqual({
      'karpenter.sh/capacity-buffer-fake-pod': 'true',
      'karpenter.sh/capacity-buffer-name': 'spare',
      'karpenter.sh/capacity-buffer-namespace': 'default',
    })
    expect(first?.virtualBuffer).toEqual({ namespace: 'default', name: 'spare' })
  })

  test('claim no volumes, so that none is missing', () => {
    expect(first?.volumes).toEqual([])
    if (first === undefined) return
    expect(rejectionOf(first, { volumes: aSnapshot().volumes, vocabulary: testVocabulary })).toBeUndefined()
  })

  test('ask for what the template limits, as the real pods will', () => {
    const limited = { spec: { containers: [{ name: 'main', resources: { limits: { cpu: '3' } } }] } }
    const amd64 = { ...limited.spec, nodeSelector: { 'kubernetes.io/arch': 'amd64' } }
    expect(solveWorld({ pods: [...virtualPods(buffer, { spec: amd64 }, 2)] }).newNodePlans).toHaveLength(2)
    expect(bufferReplicas({ limits: { cpu: '7' } }, limited, undefined)).toBe(2)
  })

  test('on the network of the host take a node each, as the real pods will', () => {
    const ports = [{ containerPort: 8080 }]
    const onHost = { spec: { hostNetwork: true, containers: [{ name: 'main', ports }] } }
    expect(solveWorld({ pods: [...virtualPods(buffer, onHost, 2)] }).newNodePlans).toHaveLength(2)
  })

  test('case 157: real pods take the room that stand-ins held, and the next pass makes more', () => {
    const nodes = ['a', 'b'].map((name) =>
      aNode({ name, pool: 'np', allocatable: { cpu: '1', memory: '1Gi', pods: '9' } }),
    )
    const standIns = virtualPods(buffer, template, 2)
    expect(Object.values(whereabouts(solveWorld({ nodes }, { also: standIns })))).toEqual(['a', 'b'])
    const real = aPod({ name: 'real', requests: { cpu: '1', memory: '1Gi' } })
    expect(whereabouts(solveWorld({ nodes, pods: [real] }, { also: standIns }))).toEqual({
      real: 'a',
      'capacity-buffer-spare-1': 'b',
      'capacity-buffer-spare-2': 'new-0',
    })
  })
})
