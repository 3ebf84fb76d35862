import { type ConversionPlan, finish, PlanBuilder } from './plan.ts'
import { convertUbuntu, dropStatus, keepHopLimit } from './v1beta1.ts'

/** karpenter.k8s.aws/v1alpha1 AWSNodeTemplate to a v1 EC2NodeClass. */
export function nodeClassFromTemplate(document: unknown): ConversionPlan {
  const plan = new PlanBuilder(document)
  plan.set(['apiVersion'], 'karpenter.k8s.aws/v1')
  plan.set(['kind'], 'EC2NodeClass')
  for (const selector of ['subnetSelector', 'securityGroupSelector', 'amiSelector']) checkTexts(plan, selector)
  convertSelector(plan, 'subnetSelector', 'subnetSelectorTerms')
  convertSelector(plan, 'securityGroupSelector', 'securityGroupSelectorTerms')
  convertImages(plan)
  keepHopLimit(plan)
  plan.lose(
    ['spec', 'launchTemplate'],
    'launch templates of your own cannot be used: write their settings into the class',
  )
  if (!plan.has('spec', 'instanceProfile')) {
    plan.lost(
      ['spec'],
      'the default instance profile of the controller is gone: add role (preferred) or instanceProfile',
    )
  }
  dropStatus(plan)
  return finish(plan, 'karpenter.k8s.aws/v1alpha1 AWSNodeTemplate', 'karpenter.k8s.aws/v1 EC2NodeClass')
}

/** What is written without quotes, such as an account, selects as its text does: left out, the others would select more. */
function checkTexts(plan: PlanBuilder, selector: string): void {
  for (const [key, value] of Object.entries(plan.record('spec', selector))) {
    if (typeof value === 'string' || typeof value === 'object') continue
    plan.check(['spec', selector, key], `it has to be text: "${String(value)}" is taken to be meant`)
  }
}

/** One term cannot have both, and terms of their own for the tags would select what was never meant. */
const idsAloneText = 'ids and tags had to match together; now the ids alone select'
const idKeys = ['aws-ids', 'aws::ids']

function convertSelector(plan: PlanBuilder, from: string, to: string): void {
  if (!plan.has('spec', from)) return
  const { ids, tags } = splitSelector(plan.record('spec', from))
  plan.set(
    ['spec', to],
    ids.length > 0 || Object.keys(tags).length === 0
      ? ids.map((id) => ({ id }))
      : tagAlternatives(tags).map((one) => ({ tags: one })),
  )
  if (ids.length === 0) {
    for (const [key, value] of Object.entries(tags))
      if (!value.includes(',')) plan.rewrite(['spec', from, key], ['spec', to, 0, 'tags', key], value.trim())
  } else if (Object.keys(tags).length > 0) plan.check(['spec', from], idsAloneText)
  plan.remove(['spec', from], ['spec', to])
}

function convertImages(plan: PlanBuilder): void {
  const family = plan.text('spec', 'amiFamily') ?? 'AL2'
  const { ids, tags } = splitSelector(plan.record('spec', 'amiSelector'))
  if (ids.length === 0 && Object.keys(tags).length === 0) {
    plan.remove(['spec', 'amiSelector'])
    if (family === 'Ubuntu') {
      convertUbuntu(plan, 'needs terms')
      return
    }
    if (family === 'Custom') {
      plan.lost(['spec', 'amiFamily'], 'amiSelectorTerms are required with Custom: add terms that select the image')
      return
    }
    plan.set(['spec', 'amiFamily'], family)
    plan.set(['spec', 'amiSelectorTerms'], [{ alias: `${family.toLowerCase()}@latest` }])
    plan.check(
      ['spec', 'amiFamily'],
      'the newest image of the family was used without saying so; consider to pin a version of the alias',
    )
    return
  }
  if (family === 'Ubuntu') convertUbuntu(plan, 'has terms')
  else plan.set(['spec', 'amiFamily'], family)
  const { 'aws::owners': owners, ...others } = tags
  const terms =
    ids.length > 0 || Object.keys(others).length === 0
      ? ids.map((id) => ({ id }))
      : (owners?.split(',') ?? [undefined]).flatMap((owner) =>
          tagAlternatives(others).map((one) => imageTerm(one, owner?.trim())),
        )
  plan.set(['spec', 'amiSelectorTerms'], terms)
  if (ids.length > 0 && Object.keys(tags).length > 0) plan.check(['spec', 'amiSelector'], idsAloneText)
  plan.remove(['spec', 'amiSelector'], ['spec', 'amiSelectorTerms'])
}

function imageTerm(
  { 'aws::name': name, ...tags }: Readonly<Record<string, string>>,
  owner: string | undefined,
): object {
  return {
    ...(name === undefined ? {} : { name }),
    ...(Object.keys(tags).length === 0 ? {} : { tags }),
    ...(owner === undefined ? {} : { owner }),
  }
}

function splitSelector(selector: Readonly<Record<string, unknown>>): { ids: string[]; tags: Record<string, string> } {
  const ids = idKeys.flatMap((key) =>
    typeof selector[key] === 'string' ? selector[key].split(',').map((id) => id.trim()) : [],
  )
  const tags = Object.entries(selector).filter(([key, value]) => !idKeys.includes(key) && typeof value !== 'object')
  return { ids, tags: Object.fromEntries(tags.map(([key, value]) => [key, String(value)])) }
}

/** A comma in a selector's value meant "or", which is a term each now. */
function tagAlternatives(tags: Readonly<Record<string, string>>): Record<string, string>[] {
  return Object.entries(tags).reduce<Record<string, string>[]>(
    (sets, [key, values]) => sets.flatMap((set) => values.split(',').map((value) => ({ ...set, [key]: value.trim() }))),
    [{}],
  )
}
