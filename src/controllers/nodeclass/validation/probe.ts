import type { TagSpecification } from '@aws-sdk/client-ec2'
import type { EC2NodeClass, NodeClaim, NodePool } from '../../../api/karpenter.ts'
import type { AWSClients } from '../../../cloud/aws/clients.ts'
import type { AWSCloud } from '../../../cloud/aws/create-aws-cloud.ts'
import {
  isDryRunSuccess,
  isImageMissing,
  isInstanceProfileMissing,
  isLaunchTemplateNotFound,
  isRateLimited,
  isServerFault,
  isUnauthorized,
  isUserDataTooLarge,
} from '../../../cloud/aws/errors.ts'
import { narrowedTo } from '../../../cloud/aws/instance/claim-requirements.ts'
import { fleetRequest, toSDKInstanceType } from '../../../cloud/aws/instance/fleet-request.ts'
import { tenancyKey } from '../../../cloud/aws/keys.ts'
import type { EnsuredTemplate } from '../../../cloud/aws/launch-template/launch-template-provider.ts'
import { LaunchTemplateError } from '../../../cloud/aws/launch-template/template-contents.ts'
import { toLaunchFailure } from '../../../cloud/aws/launch-errors.ts'
import { type Tags, toTagList } from '../../../cloud/aws/tags.ts'
import { UserDataError } from '../../../cloud/aws/userdata/inputs.ts'
import { specOf } from '../../../cloud/aws/wire.ts'
import type { InstanceType } from '../../../model/instance-type.ts'
import { allows } from '../../../model/requirement.ts'
import { noRequirements, requirementFor } from '../../../model/requirements.ts'
import { poolRequirements, zonesOf } from './probe-type.ts'
import { failed, passed, type ProbeOutcome, undecided } from './verdict.ts'

type ProbeCloud = Pick<AWSCloud, 'launchTemplates' | 'instanceProfiles'>

export interface ProbeInputs {
  readonly nodeClass: EC2NodeClass
  readonly pools: readonly NodePool[]
  readonly type: InstanceType
  readonly tags: Tags
}

const rejectedUserData = 'ec2:CreateLaunchTemplate rejected the rendered user data as too large'

/** Tries the three calls of a launch without launching: a real template, then dry runs with it. */
export async function probeLaunch(
  cloud: ProbeCloud,
  ec2: AWSClients['ec2'],
  inputs: ProbeInputs,
): Promise<ProbeOutcome> {
  let templates: readonly EnsuredTemplate[]
  try {
    templates = await createTemplate(cloud, inputs)
  } catch (error) {
    const cause = callErrorOf(error)
    if (isUserDataTooLarge(cause)) return refused('UserDataSizeLimitExceeded', rejectedUserData, cause)
    // Nothing but a change of the class helps, and nothing else tells what is wrong with it.
    if (cause instanceof UserDataError) return failed('InvalidUserData', cause.message)
    return judge(cause, 'CreateLaunchTemplate')
  }
  try {
    const fleet = await probeFleet(ec2, inputs, templates)
    if (fleet.kind !== 'passed') return fleet
    return await probeRunInstances(cloud, ec2, inputs, templates[0]?.name ?? '')
  } catch (error) {
    if (!isLaunchTemplateNotFound(error)) throw error
    // Somebody has deleted it, such as an earlier leader: the next try makes it anew.
    for (const { name } of templates) cloud.launchTemplates.invalidate(name)
    return undecided
  }
}

function createTemplate(
  cloud: Pick<AWSCloud, 'launchTemplates'>,
  { nodeClass, pools, type, tags }: ProbeInputs,
): Promise<readonly EnsuredTemplate[]> {
  const dedicated = pools.some((pool) => {
    const requirement = poolRequirements(pool).get(tenancyKey)
    return requirement !== undefined && allows(requirementFor(poolRequirements(pool), tenancyKey), 'dedicated')
  })
  return cloud.launchTemplates.ensureAll({
    nodeClass,
    nodeClaim: probeClaim(nodeClass),
    types: [type],
    capacityType: 'on-demand',
    requirements: narrowedTo(noRequirements, 'on-demand'),
    tags,
    tenancy: dedicated ? 'dedicated' : 'default',
  })
}

function probeClaim(nodeClass: EC2NodeClass): Pick<NodeClaim, 'metadata' | 'spec'> {
  return {
    metadata: { name: '', uid: '', resourceVersion: '', creationTimestamp: '' },
    spec: {
      nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: nodeClass.metadata.name },
      requirements: [],
    },
  }
}

async function probeFleet(
  ec2: AWSClients['ec2'],
  { nodeClass, tags }: ProbeInputs,
  templates: readonly EnsuredTemplate[],
): Promise<ProbeOutcome> {
  const subnets = nodeClass.status?.subnets ?? []
  const request = fleetRequest({
    capacityType: 'on-demand',
    reservation: undefined,
    configs: templates.map((template) => ({
      LaunchTemplateSpecification: { LaunchTemplateName: template.name, Version: '$Latest' },
      Overrides: template.types.flatMap((type) =>
        subnets.map((subnet) => ({ InstanceType: toSDKInstanceType(type.name), SubnetId: subnet.id })),
      ),
    })),
    tags,
    context: specOf(nodeClass).context,
    annotations: {},
  })
  try {
    await ec2.createFleet({ ...request, DryRun: true }, { retry: 'never' })
    return passed
  } catch (error) {
    return isDryRunSuccess(error) ? passed : judge(error, 'CreateFleet')
  }
}

/** One subnet in which it works is enough; else the first one's refusal counts, of those whose zone has the type. Throttling says nothing of any. */
async function probeRunInstances(
  cloud: ProbeCloud,
  ec2: AWSClients['ec2'],
  inputs: ProbeInputs,
  templateName: string,
): Promise<ProbeOutcome> {
  const { nodeClass, type, tags } = inputs
  let first: unknown
  const subnets = nodeClass.status?.subnets ?? []
  const offering = subnets.filter(({ zone }) => zonesOf(type).has(zone))
  for (const subnet of offering.length > 0 ? offering : subnets) {
    try {
      await ec2.runInstances(
        {
          DryRun: true,
          LaunchTemplate: { LaunchTemplateName: templateName, Version: '$Latest' },
          MinCount: 1,
          MaxCount: 1,
          InstanceType: toSDKInstanceType(type.name),
          NetworkInterfaces: interfacesIn(nodeClass, subnet.id),
          TagSpecifications: launchTagSpecifications(tags),
        },
        { retry: 'never' },
      )
      return passed
    } catch (error) {
      if (isDryRunSuccess(error)) return passed
      // The next subnet draws on the same bucket, and a refused call costs as much as any.
      if (isRateLimited(error)) return undecided
      first ??= error
      // Profiles, images and templates are no subnet's matter.
      if (isInstanceProfileMissing(error) || isImageMissing(error) || isLaunchTemplateNotFound(error)) break
    }
  }
  return isInstanceProfileMissing(first) ? missingProfile(cloud, nodeClass) : judge(first, 'RunInstances')
}

/** One of ours was made a moment ago, and EC2 does not see it yet, or somebody has deleted it: the next look asks IAM, and makes another. */
function missingProfile({ instanceProfiles }: ProbeCloud, nodeClass: EC2NodeClass): ProbeOutcome {
  const given = specOf(nodeClass).instanceProfile
  if (given !== undefined) return failed('InstanceProfileNotFound', `Instance profile "${given}" not found`, false)
  const made = nodeClass.status?.instanceProfile
  if (made !== undefined) instanceProfiles.forget(made)
  return undecided
}

function interfacesIn(nodeClass: EC2NodeClass, SubnetId: string) {
  const configured = specOf(nodeClass).networkInterfaces ?? []
  if (configured.length === 0) return [{ DeviceIndex: 0, SubnetId }]
  return configured.map(({ networkCardIndex, deviceIndex, interfaceType }) => ({
    NetworkCardIndex: networkCardIndex,
    DeviceIndex: deviceIndex,
    InterfaceType: interfaceType,
    SubnetId,
  }))
}

function launchTagSpecifications(tags: Tags): TagSpecification[] {
  const Tags = toTagList(tags)
  return [
    { ResourceType: 'instance', Tags },
    { ResourceType: 'volume', Tags },
    { ResourceType: 'network-interface', Tags },
  ]
}

/** @throws what cannot be read as a lack of permission */
function judge(error: unknown, action: 'CreateLaunchTemplate' | 'CreateFleet' | 'RunInstances'): ProbeOutcome {
  if (isRateLimited(error) || isServerFault(error)) return undecided
  if (!isUnauthorized(error)) throw error
  return refused(`${action}AuthCheckFailed`, `Controller isn't authorized to call ec2:${action}`, error)
}

function refused(reason: string, text: string, error: unknown): ProbeOutcome {
  return failed(reason, `${text}: ${toLaunchFailure(error).message}`)
}

/** What EC2 answered, below what the template provider made of it. */
function callErrorOf(error: unknown): unknown {
  return error instanceof LaunchTemplateError && error.cause !== undefined ? error.cause : error
}
