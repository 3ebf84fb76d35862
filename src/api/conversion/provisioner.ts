import { isRecord } from '../validation/json-value.ts'
import type { ConversionPlan } from './plan.ts'
import { PlanBuilder } from './plan.ts'
import { dropStatus } from './v1beta1.ts'

/** Requirements that v1alpha5 added where a Provisioner said nothing about the label; v1 adds none. */
const formerDefaults = [
  { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] },
  { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
  { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
] as const

/** Applied only where nothing narrows the instance types. */
const formerTypeDefaults = [
  { key: 'karpenter.k8s.aws/instance-category', operator: 'In', values: ['c', 'm', 'r'] },
  { key: 'karpenter.k8s.aws/instance-generation', operator: 'Gt', values: ['2'] },
] as const

const typeKeys = [
  'node.kubernetes.io/instance-type',
  'karpenter.k8s.aws/instance-family',
  'karpenter.k8s.aws/instance-category',
  'karpenter.k8s.aws/instance-generation',
]

/** karpenter.sh/v1alpha5 Provisioner to a v1 NodePool. */
export function nodePoolFromProvisioner(document: unknown): ConversionPlan {
  const plan = new PlanBuilder(document)
  plan.set(['apiVersion'], 'karpenter.sh/v1')
  plan.set(['kind'], 'NodePool')
  const nodeClass = plan.text('spec', 'providerRef', 'name') ?? 'default'
  plan.move(['spec', 'labels'], ['spec', 'template', 'metadata', 'labels'])
  plan.move(['spec', 'annotations'], ['spec', 'template', 'metadata', 'annotations'])
  plan.set(['spec', 'template', 'spec', 'nodeClassRef'], {
    group: 'karpenter.k8s.aws',
    kind: 'EC2NodeClass',
    name: nodeClass,
  })
  plan.remove(['spec', 'providerRef'])
  convertRequirements(plan)
  plan.move(['spec', 'taints'], ['spec', 'template', 'spec', 'taints'])
  plan.move(['spec', 'startupTaints'], ['spec', 'template', 'spec', 'startupTaints'])
  convertLifetime(plan)
  convertConsolidation(plan)
  if (plan.has('spec', 'limits', 'resources')) plan.set(['spec', 'limits'], plan.get('spec', 'limits', 'resources'))
  plan.lose(['spec', 'provider'], 'an inline provider has no equivalent: write its settings as an EC2NodeClass')
  const settings = kubeletOf(plan, nodeClass)
  dropStatus(plan)
  const { edits, remarks } = plan
  const [from, to] = ['karpenter.sh/v1alpha5 Provisioner', 'karpenter.sh/v1 NodePool']
  return settings === undefined
    ? { from, to, edits, remarks }
    : { from, to, edits, remarks, kubelet: { nodeClass, settings } }
}

function convertRequirements(plan: PlanBuilder): void {
  const path = ['spec', 'template', 'spec', 'requirements']
  const given = plan.list('spec', 'requirements')
  const keys = [
    ...given.flatMap((one) => (isRecord(one) && typeof one['key'] === 'string' ? [one['key']] : [])),
    ...Object.keys(plan.record('spec', 'labels')),
  ]
  const added = [
    ...formerDefaults.filter(({ key }) => !keys.includes(key)),
    ...(typeKeys.some((key) => keys.includes(key)) ? [] : formerTypeDefaults),
  ]
  if (plan.has('spec', 'requirements')) plan.move(['spec', 'requirements'], path)
  else plan.set(path, [])
  for (const [index, requirement] of added.entries()) plan.set([...path, given.length + index], requirement)
  if (added.length > 0) {
    plan.check(
      ['spec', 'requirements'],
      `v1alpha5 assumed these, v1 does not, so they are written out: ${added.map(({ key }) => key).join(', ')}`,
    )
  }
}

function convertLifetime(plan: PlanBuilder): void {
  const seconds = plan.get('spec', 'ttlSecondsUntilExpired')
  plan.set(['spec', 'template', 'spec', 'expireAfter'], typeof seconds === 'number' ? `${seconds}s` : 'Never')
  plan.remove(['spec', 'ttlSecondsUntilExpired'])
}

function convertConsolidation(plan: PlanBuilder): void {
  const emptySeconds = plan.get('spec', 'ttlSecondsAfterEmpty')
  const consolidates = plan.get('spec', 'consolidation', 'enabled') === true
  plan.set(
    ['spec', 'disruption'],
    consolidates
      ? { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '0s' }
      : {
          consolidationPolicy: 'WhenEmpty',
          consolidateAfter: typeof emptySeconds === 'number' ? `${emptySeconds}s` : 'Never',
        },
  )
  plan.check(['spec'], 'budgets bound disruption now: without one, 10% of the nodes at once')
  plan.remove(['spec', 'ttlSecondsAfterEmpty'])
  plan.remove(['spec', 'consolidation'])
}

function kubeletOf(plan: PlanBuilder, nodeClass: string): unknown {
  const settings = plan.get('spec', 'kubeletConfiguration')
  if (!isRecord(settings)) return undefined
  const { containerRuntime, ...kept } = settings
  plan.remove(['spec', 'kubeletConfiguration'])
  if (containerRuntime !== undefined)
    plan.lost(['spec', 'kubeletConfiguration', 'containerRuntime'], 'the image decides about the container runtime')
  if (Object.keys(kept).length === 0) return undefined
  plan.check(
    ['spec', 'kubeletConfiguration'],
    `kubelet settings belong to EC2NodeClass ${nodeClass} now; every pool that uses the class gets them`,
  )
  return kept
}
