import { expect } from 'vitest'
import { judge, type AdmissionFacts, type Finding } from '../../src/admission/index.ts'
import type {
  EC2NodeClass,
  EC2NodeClassSpec,
  NodeClaim,
  NodePool,
  NodePoolDisruption,
  NodePoolTemplateSpec,
} from '../../src/api/karpenter.ts'
import type { KubeObject, ObjectMeta } from '../../src/api/kubernetes.ts'
import type { InstanceType } from '../../src/model/instance-type.ts'
import { Quantity } from '../../src/model/quantity.ts'
import { oneOf, oneValue } from '../../src/model/requirement.ts'
import { requirementsOf } from '../../src/model/requirements.ts'

/** Objects in which no rule finds anything, and what rules find once something about them is said. */

const now = Date.parse('2026-03-04T10:00:00Z')
export const zone = 'topology.kubernetes.io/zone'
export const capacityType = 'karpenter.sh/capacity-type'
export const typeKey = 'node.kubernetes.io/instance-type'
export const familyKey = 'karpenter.k8s.aws/instance-family'

export function metadata(name = 'default', more: Partial<ObjectMeta> = {}): ObjectMeta {
  return { name, uid: name, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z', ...more }
}

interface PoolParts {
  name?: string
  template?: Partial<NodePoolTemplateSpec>
  labels?: Record<string, string>
  disruption?: Partial<NodePoolDisruption>
  limits?: Record<string, string>
  weight?: number
  replicas?: number
}

export function aPool({ name, template, labels, disruption, limits, weight, replicas }: PoolParts = {}): NodePool {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: metadata(name),
    spec: {
      template: {
        ...(labels === undefined ? {} : { metadata: { labels } }),
        spec: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
          requirements: [],
          expireAfter: '720h',
          ...template,
        },
      },
      ...(disruption === undefined ? {} : { disruption: { consolidateAfter: '0s', ...disruption } }),
      ...(limits === undefined ? {} : { limits }),
      ...(weight === undefined ? {} : { weight }),
      ...(replicas === undefined ? {} : { replicas }),
    },
  }
}

export function aClass(spec: Partial<EC2NodeClassSpec> = {}): EC2NodeClass {
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: metadata(),
    spec: {
      amiSelectorTerms: [{ alias: 'al2023@v20240625' }],
      subnetSelectorTerms: [{ id: 'subnet-1' }],
      securityGroupSelectorTerms: [{ id: 'sg-1' }],
      role: 'nodes',
      ...spec,
    },
  }
}

/** As it stands once its terms have found images for one architecture. */
export function withImages(architecture: string): EC2NodeClass {
  const requirements = [{ key: 'kubernetes.io/arch', operator: 'In', values: [architecture] }]
  return { ...aClass(), status: { amis: [{ id: 'ami-1', requirements }] } }
}

function aType(name: string, cpu: number): InstanceType {
  const none = new Map<string, Quantity>()
  return {
    name,
    requirements: requirementsOf(
      oneValue(typeKey, name),
      oneValue(familyKey, name.split('.')[0] ?? ''),
      oneValue('kubernetes.io/arch', 'amd64'),
      oneValue(zone, 'a'),
      oneOf(capacityType, ['spot', 'on-demand']),
    ),
    capacity: new Map([['cpu', Quantity.of(cpu)]]),
    overhead: { kubeReserved: none, systemReserved: none, evictionThreshold: none },
    offerings: ['spot', 'on-demand'].map((capacity) => ({
      requirements: requirementsOf(oneValue(zone, 'a'), oneValue(capacityType, capacity)),
      price: 1,
      available: true,
    })),
  }
}

export const catalogue = [aType('m7i.large', 2), aType('c7i.xlarge', 4)]

export function aClaim(labels: Record<string, string> = {}): NodeClaim {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: metadata('c', { labels: { 'karpenter.sh/nodepool': 'default', ...labels } }),
    spec: { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' }, requirements: [] },
  }
}

/** What the schema and all rules say; an update where the object before is given. */
export function findings(
  object: KubeObject,
  facts: AdmissionFacts = {},
  oldObject?: KubeObject,
): { denied: Finding[]; warned: Finding[] } {
  const verdict = judge({
    object,
    operation: oldObject === undefined ? 'CREATE' : 'UPDATE',
    rules: 'all',
    facts,
    now,
    ...(oldObject === undefined ? {} : { oldObject }),
  })
  expect(verdict.allowed).toBe(verdict.errors.length === 0)
  return { denied: [...verdict.errors], warned: [...verdict.warnings] }
}

export const disk = (deviceName: string) => ({ deviceName, ebs: { volumeSize: '20Gi' } })
export const rolloutPolicy = (spec: object): KubeObject & { spec: object } => ({
  apiVersion: 'joinery.dev/v1alpha1',
  kind: 'RolloutPolicy',
  metadata: metadata(),
  spec: { nodePoolSelector: {}, ...spec },
})
export const overlay = (spec: object): KubeObject & { spec: object } => ({
  apiVersion: 'karpenter.sh/v1alpha1',
  kind: 'NodeOverlay',
  metadata: metadata(),
  spec: { requirements: [], ...spec },
})
