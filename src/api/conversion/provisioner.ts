import { isRecord } from '../json.ts'
import { normalizeLabelKey } from '../label-rules.ts'
import { annotationDoNotDisrupt } from '../labels.ts'
import { type ConversionPlan, finish, type NodeClassKubelet, PlanBuilder } from './plan.ts'
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
  renameDoNotConsolidate(plan)
  plan.move(['spec', 'annotations'], ['spec', 'template', 'metadata', 'annotations'])
  convertNodeClassRef(plan, nodeClass)
  convertRequirements(plan)
  plan.move(['spec', 'taints'], ['spec', 'template', 'spec', 'taints'])
  plan.move(['spec', 'startupTaints'], ['spec', 'template', 'spec', 'startupTaints'])
  convertLifetime(plan)
  convertConsolidation(plan)
  plan.move(['spec', 'limits', 'resources'], ['spec', 'limits'])
  if (!plan.has('spec', 'providerRef') && !plan.has('spec', 'provider'))
    plan.check(['spec'], `it names no AWSNodeTemplate: EC2NodeClass ${nodeClass} is taken to be meant`)
  plan.lose(
    ['spec', 'provider'],
    `an inline provider has no equivalent: write its settings as EC2NodeClass ${nodeClass}`,
  )
  const kubelet = takeKubelet(plan, nodeClass)
  dropStatus(plan)
  return finish(plan, 'karpenter.sh/v1alpha5 Provisioner', 'karpenter.sh/v1 NodePool', kubelet)
}

/** While the annotations still are where they were. */
function renameDoNotConsolidate(plan: PlanBuilder): void {
  const from = ['spec', 'annotations', 'karpenter.sh/do-not-consolidate']
  if (!plan.has(...from)) return
  plan.move(from, ['spec', 'annotations', annotationDoNotDisrupt])
  plan.check(from, 'do-not-consolidate is do-not-disrupt now, which holds drift, too')
}

function convertNodeClassRef(plan: PlanBuilder, name: string): void {
  const [from, path] = [
    ['spec', 'providerRef'],
    ['spec', 'template', 'spec', 'nodeClassRef'],
  ]
  plan.set(path, { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name })
  plan.rewrite([...from, 'name'], [...path, 'name'], name)
  plan.remove(from, path)
}

function convertRequirements(plan: PlanBuilder): void {
  const path = ['spec', 'template', 'spec', 'requirements']
  const given = plan.list('spec', 'requirements')
  const keys = [
    ...given.flatMap((one) => (isRecord(one) && typeof one['key'] === 'string' ? [one['key']] : [])),
    ...Object.keys(plan.record('spec', 'labels')),
  ].map((key) => normalizeLabelKey(key))
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
  const from = ['spec', 'ttlSecondsUntilExpired']
  const seconds = plan.get(...from)
  plan.rewrite(from, ['spec', 'template', 'spec', 'expireAfter'], typeof seconds === 'number' ? `${seconds}s` : 'Never')
}

function convertConsolidation(plan: PlanBuilder): void {
  const [path, delay] = [
    ['spec', 'disruption'],
    ['spec', 'ttlSecondsAfterEmpty'],
  ]
  const emptySeconds = plan.get(...delay)
  if (plan.get('spec', 'consolidation', 'enabled') === true) {
    plan.set(path, { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '0s' })
    plan.remove(delay)
  } else {
    const consolidateAfter = typeof emptySeconds === 'number' ? `${emptySeconds}s` : 'Never'
    plan.set(path, { consolidationPolicy: 'WhenEmpty', consolidateAfter })
    plan.rewrite(delay, [...path, 'consolidateAfter'], consolidateAfter)
  }
  plan.check(['spec'], 'budgets bound disruption now: without one, 10% of the nodes at once')
  plan.remove(['spec', 'consolidation'], path)
}

function takeKubelet(plan: PlanBuilder, nodeClass: string): NodeClassKubelet | undefined {
  const path = ['spec', 'kubeletConfiguration']
  const written = plan.get(...path)
  if (!isRecord(written)) return undefined
  const { containerRuntime, ...settings } = written
  plan.remove(path)
  if (containerRuntime !== undefined)
    plan.lost([...path, 'containerRuntime'], 'the image decides about the container runtime')
  if (Object.keys(settings).length === 0) return undefined
  plan.check(path, `kubelet settings belong to EC2NodeClass ${nodeClass} now; every pool that uses the class gets them`)
  return { nodeClass, settings, path }
}
