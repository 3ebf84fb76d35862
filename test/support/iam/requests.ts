import type { Account } from '../../../src/embedded/aws/account.ts'
import type { IAMRequest } from './policy.ts'

interface TagInput {
  readonly Key?: string | undefined
  readonly Value?: string | undefined
}

type TagSpecifications =
  | readonly { readonly ResourceType?: string | undefined; readonly Tags?: readonly TagInput[] | undefined }[]
  | undefined

/** As much of the inputs of all calls as authorization looks at. */
interface CallInput {
  readonly TagSpecifications?: TagSpecifications
  readonly LaunchTemplateConfigs?: readonly {
    readonly LaunchTemplateSpecification?: { readonly LaunchTemplateName?: string }
    readonly Overrides?: readonly { readonly ImageId?: string; readonly SubnetId?: string }[]
  }[]
  readonly LaunchTemplate?: { readonly LaunchTemplateName?: string }
  readonly TargetCapacitySpecification?: { readonly DefaultTargetCapacityType?: string }
  readonly LaunchTemplateId?: string
  readonly LaunchTemplateName?: string
  readonly InstanceIds?: readonly string[]
  readonly Resources?: readonly string[]
  readonly Tags?: readonly TagInput[]
  readonly InstanceProfileName?: string
  readonly RoleName?: string
  readonly Name?: string
  readonly name?: string
}

export interface Scope {
  readonly account: Account
  readonly accountID: string
  readonly clusterName: string
  readonly nodeRole: string
  readonly queue: string
}

/** What AWS asks its policies about a call, from its documentation of actions, resources and condition keys. */
export function requestsOf(service: string, method: string, input: CallInput, scope: Scope): readonly IAMRequest[] {
  const action = `${service}:${method.charAt(0).toUpperCase()}${method.slice(1)}`
  const { region } = scope.account
  const ask = (resource: string, keys: IAMRequest['keys'] = {}): IAMRequest => ({
    action,
    resource,
    keys: { 'aws:RequestedRegion': region.name, ...keys },
  })
  const ec2 = (resource: string): string => `arn:aws:ec2:${region.name}:${scope.accountID}:${resource}`
  const profile = `arn:aws:iam::${scope.accountID}:instance-profile/${input.InstanceProfileName ?? ''}`
  const passed: IAMRequest = {
    action: 'iam:PassRole',
    resource: `arn:aws:iam::${scope.accountID}:role/${scope.nodeRole}`,
    keys: { 'iam:PassedToService': 'ec2.amazonaws.com' },
  }
  switch (action) {
    case 'ec2:CreateFleet':
    case 'ec2:RunInstances':
      return launchRequests(action, input, scope, { ask, ec2, passed })
    case 'ec2:CreateLaunchTemplate': {
      const keys = requestTags(tagsFor(input, 'launch-template'))
      const made = ask(ec2('launch-template/*'), keys)
      return [
        made,
        { ...made, action: 'ec2:CreateTags', keys: { ...made.keys, 'ec2:CreateAction': actionName(action) } },
      ]
    }
    case 'ec2:DeleteLaunchTemplate': {
      const template = scope.account.state.launchTemplates.find(
        ({ id, name }) => id === input.LaunchTemplateId || name === input.LaunchTemplateName,
      )
      return template === undefined ? [] : [ask(ec2(`launch-template/${template.id}`), resourceTags(template.tags))]
    }
    case 'ec2:TerminateInstances':
      return (input.InstanceIds ?? []).flatMap((id) => {
        const instance = scope.account.instance(id)
        return instance === undefined ? [] : [ask(ec2(`instance/${id}`), resourceTags(instance.tags))]
      })
    case 'ec2:CreateTags':
      return (input.Resources ?? []).map((id) =>
        ask(ec2(`instance/${id}`), {
          ...resourceTags(scope.account.instance(id)?.tags ?? {}),
          'aws:TagKeys': (input.Tags ?? []).map(({ Key = '' }) => Key),
        }),
      )
    case 'ssm:GetParameter':
      return [ask(`arn:aws:ssm:${region.name}::parameter${input.Name ?? ''}`)]
    case 'iam:CreateInstanceProfile': {
      const made = ask(profile, requestTags(toRecord(input.Tags)))
      return [made, { ...made, action: 'iam:TagInstanceProfile' }]
    }
    case 'iam:AddRoleToInstanceProfile':
      return [ask(profile, profileTags(input, scope)), passed]
    case 'iam:RemoveRoleFromInstanceProfile':
    case 'iam:DeleteInstanceProfile':
      return [ask(profile, profileTags(input, scope))]
    case 'iam:GetInstanceProfile':
      return [ask(profile)]
    case 'eks:DescribeCluster':
      return [ask(`arn:aws:eks:${region.name}:${scope.accountID}:cluster/${input.name ?? ''}`)]
    case 'sqs:GetQueueUrl':
    case 'sqs:ReceiveMessage':
    case 'sqs:DeleteMessage':
      return [ask(`arn:aws:sqs:${region.name}:${scope.accountID}:${scope.queue}`)]
    case 'sts:GetCallerIdentity':
      return []
    default:
      return [ask('*')]
  }
}

function actionName(action: string): string {
  return action.slice(action.indexOf(':') + 1)
}

interface Wording {
  readonly ask: (resource: string, keys?: IAMRequest['keys']) => IAMRequest
  readonly ec2: (resource: string) => string
  readonly passed: IAMRequest
}

/** A launch touches what it is made from, which has tags of its own, and what it makes, which gets those of the request or its template. */
function launchRequests(action: string, input: CallInput, { account }: Scope, { ask, ec2, passed }: Wording) {
  const names = [
    input.LaunchTemplate?.LaunchTemplateName,
    ...(input.LaunchTemplateConfigs ?? []).map((config) => config.LaunchTemplateSpecification?.LaunchTemplateName),
  ]
  const templates = account.state.launchTemplates.filter(({ name }) => names.includes(name))
  const overrides = (input.LaunchTemplateConfigs ?? []).flatMap(({ Overrides = [] }) => Overrides)
  const isSpot = input.TargetCapacitySpecification?.DefaultTargetCapacityType === 'spot'
  const made = [
    ...(action === 'ec2:CreateFleet' ? ['fleet'] : []),
    ...(isSpot ? ['spot-instances-request'] : []),
    'instance',
    'volume',
    'network-interface',
  ]
  const region = account.region.name
  const inherited = templates.map(({ data }) => data)
  return [
    ...templates.map(({ id, tags }) => ask(ec2(`launch-template/${id}`), resourceTags(tags))),
    ...overrides.flatMap(({ ImageId = '', SubnetId = '' }) => [
      ask(`arn:aws:ec2:${region}::image/${ImageId}`),
      ask(ec2(`subnet/${SubnetId}`)),
    ]),
    ...inherited
      .flatMap(({ NetworkInterfaces = [] }) => NetworkInterfaces.flatMap(({ Groups = [] }) => Groups))
      .map((group) => ask(ec2(`security-group/${group}`))),
    ...made.flatMap((kind) => {
      const tags = { ...Object.assign({}, ...inherited.map((data) => tagsFor(data, kind))), ...tagsFor(input, kind) }
      const request = ask(ec2(`${kind}/*`), requestTags(tags))
      return [
        request,
        { ...request, action: 'ec2:CreateTags', keys: { ...request.keys, 'ec2:CreateAction': actionName(action) } },
      ]
    }),
    ...(inherited.some(({ IamInstanceProfile }) => IamInstanceProfile !== undefined) ? [passed] : []),
  ]
}

function profileTags(input: CallInput, { account }: Scope): IAMRequest['keys'] {
  const known = account.state.instanceProfiles.find(({ name }) => name === input.InstanceProfileName)
  return resourceTags(known?.tags ?? {})
}

function tagsFor(input: { readonly TagSpecifications?: TagSpecifications }, kind: string): Record<string, string> {
  const found = (input.TagSpecifications ?? []).filter(({ ResourceType }) => ResourceType === kind)
  return toRecord(found.flatMap(({ Tags = [] }) => Tags))
}

function toRecord(tags: readonly TagInput[] = []): Record<string, string> {
  return Object.fromEntries(tags.map(({ Key = '', Value = '' }) => [Key, Value]))
}

function requestTags(tags: Readonly<Record<string, string>>): IAMRequest['keys'] {
  return Object.fromEntries(Object.entries(tags).map(([key, value]) => [`aws:RequestTag/${key}`, value]))
}

function resourceTags(tags: Readonly<Record<string, string>>): IAMRequest['keys'] {
  return Object.fromEntries(Object.entries(tags).map(([key, value]) => [`aws:ResourceTag/${key}`, value]))
}
