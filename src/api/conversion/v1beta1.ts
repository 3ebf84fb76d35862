import { type ConversionPlan, finish, type NodeClassKubelet, PlanBuilder } from './plan.ts'

const awsGroup = 'karpenter.k8s.aws'

/** karpenter.sh/v1beta1 NodePool to v1. */
export function nodePoolFromV1beta1(document: unknown): ConversionPlan {
  const plan = new PlanBuilder(document)
  plan.set(['apiVersion'], 'karpenter.sh/v1')
  const nodeClass = convertNodeClassRef(plan, ['spec', 'template', 'spec', 'nodeClassRef'])
  moveExpiry(plan)
  convertDisruption(plan)
  const kubelet = takeKubelet(plan, ['spec', 'template', 'spec', 'kubelet'], nodeClass)
  plan.lose(['spec', 'template', 'spec', 'resources'], 'a NodePool requests no resources; it had no effect')
  dropStatus(plan)
  return finish(plan, 'karpenter.sh/v1beta1 NodePool', 'karpenter.sh/v1 NodePool', kubelet)
}

/** karpenter.sh/v1beta1 NodeClaim to v1. */
export function nodeClaimFromV1beta1(document: unknown): ConversionPlan {
  const plan = new PlanBuilder(document)
  plan.set(['apiVersion'], 'karpenter.sh/v1')
  const nodeClass = convertNodeClassRef(plan, ['spec', 'nodeClassRef'])
  keepLifetime(plan)
  const kubelet = takeKubelet(plan, ['spec', 'kubelet'], nodeClass)
  dropStatus(plan)
  return finish(plan, 'karpenter.sh/v1beta1 NodeClaim', 'karpenter.sh/v1 NodeClaim', kubelet)
}

/** karpenter.k8s.aws/v1beta1 EC2NodeClass to v1. */
export function nodeClassFromV1beta1(document: unknown): ConversionPlan {
  const plan = new PlanBuilder(document)
  plan.set(['apiVersion'], 'karpenter.k8s.aws/v1')
  convertImages(plan)
  keepHopLimit(plan)
  dropStatus(plan)
  return finish(plan, 'karpenter.k8s.aws/v1beta1 EC2NodeClass', 'karpenter.k8s.aws/v1 EC2NodeClass')
}

function convertNodeClassRef(plan: PlanBuilder, path: readonly string[]): string {
  const apiVersion = plan.text(...path, 'apiVersion')
  const group = plan.text(...path, 'group') ?? apiVersion?.split('/')[0] ?? awsGroup
  if (!plan.has(...path, 'group')) plan.set([...path, 'group'], group)
  if (apiVersion !== undefined) plan.remove([...path, 'apiVersion'], [...path, 'group'])
  // The classes of other clouds have kinds of their own.
  if (!plan.has(...path, 'kind') && group === awsGroup) plan.set([...path, 'kind'], 'EC2NodeClass')
  return plan.text(...path, 'name') ?? ''
}

/** v1 gives every claim 30 days; before, only a pool had a lifetime, and the claims of one were its business. */
function keepLifetime(plan: PlanBuilder): void {
  if (plan.has('spec', 'expireAfter')) return
  plan.set(['spec', 'expireAfter'], 'Never')
  plan.check(
    ['spec'],
    'a NodeClaim expires by itself now, after 720h unless it says otherwise; Never is what it did before',
  )
}

/** Where both are written, as by hand half way, the one that v1 reads counts. */
function moveExpiry(plan: PlanBuilder): void {
  const from = ['spec', 'disruption', 'expireAfter']
  const path = ['spec', 'template', 'spec', 'expireAfter']
  if (plan.has(...path)) plan.lose(from, 'spec.template.spec.expireAfter is kept, which v1 reads')
  else plan.move(from, path)
}

function convertDisruption(plan: PlanBuilder): void {
  if (!plan.has('spec', 'disruption')) return
  if (plan.text('spec', 'disruption', 'consolidationPolicy') === 'WhenUnderutilized') {
    plan.set(['spec', 'disruption', 'consolidationPolicy'], 'WhenEmptyOrUnderutilized')
  }
  // v1beta1 had no delay with WhenUnderutilized, and required one with WhenEmpty.
  if (!plan.has('spec', 'disruption', 'consolidateAfter')) plan.set(['spec', 'disruption', 'consolidateAfter'], '0s')
}

/** The kubelet is configured by the node class now. */
function takeKubelet(plan: PlanBuilder, path: readonly string[], nodeClass: string): NodeClassKubelet | undefined {
  const settings = plan.get(...path)
  if (settings === undefined) return undefined
  plan.remove(path)
  plan.check(path, `kubelet settings belong to EC2NodeClass ${nodeClass} now; every pool that uses the class gets them`)
  return { nodeClass, settings, path }
}

/** v1 defaults the hop limit to 1, v1beta1 to 2: pods without host network would lose the metadata service. */
export function keepHopLimit(plan: PlanBuilder): void {
  if (plan.has('spec', 'metadataOptions', 'httpPutResponseHopLimit')) return
  plan.set(['spec', 'metadataOptions', 'httpPutResponseHopLimit'], 2)
  plan.check(
    ['spec', 'metadataOptions'],
    'the default hop limit is 1 now; 2 is kept so that pods reach the metadata service as before',
  )
}

function convertImages(plan: PlanBuilder): void {
  const family = plan.text('spec', 'amiFamily')
  const hasTerms = plan.list('spec', 'amiSelectorTerms').length > 0
  if (family === 'Ubuntu') {
    convertUbuntu(plan, hasTerms ? 'has terms' : 'needs terms')
    return
  }
  if (hasTerms) {
    if (family === undefined)
      plan.check(['spec', 'amiSelectorTerms'], 'amiFamily is required beside these terms: add it')
    return
  }
  if (family === 'Custom') {
    plan.lost(['spec', 'amiFamily'], 'amiSelectorTerms are required: add terms that select the image')
    return
  }
  plan.set(['spec', 'amiSelectorTerms'], [{ alias: `${(family ?? 'AL2').toLowerCase()}@latest` }])
  plan.check(
    ['spec', 'amiFamily'],
    'the newest image of the family was used without saying so; consider to pin a version of the alias',
  )
}

/** The disk that Ubuntu had. It holds the pods, which nothing but this mark says: the one of AL2 has another name. */
const ubuntuDisk = {
  deviceName: '/dev/sda1',
  rootVolume: true,
  ebs: { encrypted: true, volumeSize: '20Gi', volumeType: 'gp3' },
}

/** A list without terms says that they are missing. A class with none at all looks half converted, and would get the images of AL2. */
export function convertUbuntu(plan: PlanBuilder, terms: 'has terms' | 'needs terms'): void {
  plan.set(['spec', 'amiFamily'], 'AL2')
  plan.check(['spec', 'amiFamily'], 'there is no Ubuntu family any more; AL2 generates the same user data')
  if (!plan.has('spec', 'blockDeviceMappings')) plan.set(['spec', 'blockDeviceMappings'], [ubuntuDisk])
  if (terms === 'has terms') return
  plan.set(['spec', 'amiSelectorTerms'], [])
  plan.lost(['spec', 'amiFamily'], 'Ubuntu images are no longer found by family: add amiSelectorTerms that select them')
}

export function dropStatus(plan: PlanBuilder): void {
  plan.remove(['status'])
}
