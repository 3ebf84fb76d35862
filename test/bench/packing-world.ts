import type { NodePoolRequirement } from '../../src/api/karpenter.ts'
import { builtInTypes } from '../../src/cli/simulate/instance-types.ts'
import { regionFacts } from '../../src/embedded/aws/catalogue.ts'
import { aDaemonSet } from '../support/scheduling-objects.ts'

/** What packing is measured on: real types and on-demand prices of us-east-1, four pools, four daemons. */

const common: readonly NodePoolRequirement[] = [
  { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
  { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
]
const anyFamily: readonly NodePoolRequirement[] = [
  ...common,
  { key: 'karpenter.k8s.aws/instance-category', operator: 'In', values: ['c', 'm', 'r'] },
  { key: 'karpenter.k8s.aws/instance-generation', operator: 'Gt', values: ['2'] },
]
const sizeUpTo = (cores: number): NodePoolRequirement => ({
  key: 'karpenter.k8s.aws/instance-cpu',
  operator: 'Lt',
  values: [String(cores + 1)],
})

export const packingPools: Readonly<Record<string, readonly NodePoolRequirement[]>> = {
  'any size': anyFamily,
  '<=64 vCPU': [...anyFamily, sizeUpTo(64)],
  '<=16 vCPU': [...anyFamily, sizeUpTo(16)],
  'c7i/m7i/r7i <=64': [
    ...common,
    { key: 'karpenter.k8s.aws/instance-family', operator: 'In', values: ['c7i', 'm7i', 'r7i'] },
    sizeUpTo(64),
  ],
}

/** Machines with NVIDIA's GPUs. */
export const acceleratedPools: Readonly<Record<string, readonly NodePoolRequirement[]>> = {
  'with GPUs': [...common, { key: 'karpenter.k8s.aws/instance-gpu-manufacturer', operator: 'In', values: ['nvidia'] }],
}

export const realTypes = builtInTypes(
  {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: 'default', uid: '', resourceVersion: '', creationTimestamp: '' },
    spec: {
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      subnetSelectorTerms: [{ tags: { any: '*' } }],
      securityGroupSelectorTerms: [{ tags: { any: '*' } }],
    },
  },
  regionFacts('us-east-1'),
).filter(({ name }) => !name.includes('metal'))

export const daemonSets = [
  aDaemonSet({ name: 'one', requests: { cpu: '150m', memory: '200Mi' } }),
  ...['two', 'three', 'four'].map((name) => aDaemonSet({ name })),
]
