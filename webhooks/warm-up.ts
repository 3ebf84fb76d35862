import type { KubeObject } from '../src/api/kubernetes.ts'
import type { ReviewAnswer, ReviewRequest } from './review.ts'

/** Enough for the hot paths to be compiled; a tenth of a second. */
const rounds = 200

const requiredMetadata = { uid: '', resourceVersion: '', creationTimestamp: '2026-01-01T00:00:00Z' }

const examples = [
  {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    spec: {
      limits: { cpu: '100' },
      template: {
        metadata: { labels: { 'example.com/team': 'a' } },
        spec: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
          requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] }],
          taints: [{ key: 'example.com/team', value: 'a', effect: 'NoSchedule' }],
        },
      },
      disruption: { consolidateAfter: '1m', budgets: [{ nodes: '10%', schedule: '@daily', duration: '8h' }] },
    },
  },
  {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    spec: {
      amiSelectorTerms: [{ alias: 'al2023@v20260601' }],
      role: 'warm-up',
      subnetSelectorTerms: [{ tags: { team: 'a' } }],
      securityGroupSelectorTerms: [{ tags: { team: 'a' } }],
      tags: { team: 'a' },
    },
  },
] as const

/**
 * Judges what nobody asked about, so that schemas and rules are compiled before the first review: it would otherwise take as long as
 * hundreds of later ones, and those that arrive meanwhile would be turned away.
 */
export async function warmUp(
  validate: (request: ReviewRequest) => ReviewAnswer | Promise<ReviewAnswer>,
  mutate: (request: ReviewRequest) => ReviewAnswer,
): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    for (const example of examples) {
      const request = reviewOf(example, round)
      mutate(request)
      await validate(request)
    }
  }
}

/** A little different each time, so that not all is answered from memory. */
function reviewOf(example: (typeof examples)[number], round: number): ReviewRequest {
  const [group = '', version = ''] = example.apiVersion.split('/')
  const name = `warm-up-${round}`
  const object: KubeObject = { ...example, metadata: { ...requiredMetadata, name } }
  return {
    uid: name,
    kind: { group, version, kind: example.kind },
    operation: 'CREATE',
    subResource: '',
    name,
    namespace: '',
    username: '',
    dryRun: true,
    object,
    oldObject: undefined,
  }
}
