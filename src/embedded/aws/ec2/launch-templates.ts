import type * as ec2 from '@aws-sdk/client-ec2'
import type { EC2Client } from '../../../cloud/aws/clients.ts'
import type { Account } from '../account.ts'
import { AWSError, dryRunOperation, notFound } from '../errors.ts'
import { fromTags, matchesFilters, page, toTags } from '../filters.ts'
import type { Handlers } from '../service.ts'
import type { LaunchTemplateRecord } from '../state.ts'

type LaunchTemplateCalls = Pick<EC2Client, 'describeLaunchTemplates' | 'createLaunchTemplate' | 'deleteLaunchTemplate'>

/** EC2 limits user data to 16 KiB before base64. */
const userDataBytesMax = 16_384

export function launchTemplateHandlers(account: Account): Handlers<LaunchTemplateCalls> {
  return {
    describeLaunchTemplates: (input) => describeLaunchTemplates(account, input),
    createLaunchTemplate: (input) => createLaunchTemplate(account, input),
    deleteLaunchTemplate: (input) => deleteLaunchTemplate(account, input),
  }
}

/** By id or name, whichever the specification has. */
export function findLaunchTemplate(
  account: Account,
  specification: { LaunchTemplateId?: string | undefined; LaunchTemplateName?: string | undefined } | undefined,
): LaunchTemplateRecord {
  const { LaunchTemplateId: id, LaunchTemplateName: name } = specification ?? {}
  const found = account.state.launchTemplates.find(
    (template) => (id !== undefined && template.id === id) || (name !== undefined && template.name === name),
  )
  if (found !== undefined && isVisible(account, found)) return found
  throw id === undefined ? notFound.launchTemplateName(name ?? '') : notFound.launchTemplateID(id)
}

function isVisible(account: Account, { createdAt }: LaunchTemplateRecord): boolean {
  return account.clock.now() >= createdAt + account.timings.visibilityMs
}

function describeLaunchTemplates(
  account: Account,
  input: ec2.DescribeLaunchTemplatesRequest,
): ec2.DescribeLaunchTemplatesResult {
  if (input.DryRun === true) throw dryRunOperation()
  const { LaunchTemplateNames: names, LaunchTemplateIds: ids } = input
  const named =
    names !== undefined
      ? names.map((name) => findLaunchTemplate(account, { LaunchTemplateName: name }))
      : ids !== undefined
        ? ids.map((id) => findLaunchTemplate(account, { LaunchTemplateId: id }))
        : account.state.launchTemplates.filter((template) => isVisible(account, template))
  const found = named.filter((template) =>
    matchesFilters(input.Filters, template.tags, (name) =>
      name === 'launch-template-name' ? [template.name] : undefined,
    ),
  )
  const { items, nextToken } = page(found, input.MaxResults, input.NextToken)
  return { LaunchTemplates: items.map((template) => toLaunchTemplate(account, template)), ...nextToken }
}

function createLaunchTemplate(
  account: Account,
  input: ec2.CreateLaunchTemplateRequest,
): ec2.CreateLaunchTemplateResult {
  const name = input.LaunchTemplateName ?? ''
  const data = input.LaunchTemplateData ?? {}
  if (!/^[a-zA-Z0-9().\-/_]{3,128}$/.test(name)) {
    throw new AWSError('InvalidLaunchTemplateName.MalformedException', `Launch template name ${name} is malformed.`)
  }
  if (account.state.launchTemplates.some((template) => template.name === name)) {
    throw new AWSError('InvalidLaunchTemplateName.AlreadyExistsException', 'Launch template name already in use.')
  }
  assertUserData(data.UserData)
  if (input.DryRun === true) throw dryRunOperation()
  const specification = input.TagSpecifications?.find(({ ResourceType: type }) => type === 'launch-template')
  const template: LaunchTemplateRecord = {
    id: account.newID('lt'),
    name,
    createdAt: account.clock.now(),
    tags: fromTags(specification?.Tags),
    data,
  }
  account.state.launchTemplates.push(template)
  return { LaunchTemplate: toLaunchTemplate(account, template) }
}

function deleteLaunchTemplate(
  account: Account,
  input: ec2.DeleteLaunchTemplateRequest,
): ec2.DeleteLaunchTemplateResult {
  const template = findLaunchTemplate(account, input)
  if (input.DryRun === true) throw dryRunOperation()
  account.state.launchTemplates = account.state.launchTemplates.filter(({ id }) => id !== template.id)
  return { LaunchTemplate: toLaunchTemplate(account, template) }
}

function assertUserData(base64: string | undefined): void {
  if (base64 === undefined || base64 === '') return
  if (!/^[A-Za-z0-9+/\s]*=*\s*$/.test(base64)) {
    throw new AWSError('InvalidUserData.Malformed', 'Invalid BASE64 encoding of user data.')
  }
  if (Buffer.from(base64, 'base64').byteLength > userDataBytesMax) {
    throw new AWSError('InvalidUserData.Malformed', `User data is limited to ${userDataBytesMax} bytes`)
  }
}

function toLaunchTemplate(account: Account, template: LaunchTemplateRecord): ec2.LaunchTemplate {
  return {
    LaunchTemplateId: template.id,
    LaunchTemplateName: template.name,
    CreateTime: new Date(template.createdAt),
    CreatedBy: account.arn('iam', 'root'),
    DefaultVersionNumber: 1,
    LatestVersionNumber: 1,
    Tags: toTags(template.tags),
  }
}
