import type { EC2NodeClass, NodeClaim } from '../../../api/karpenter.ts'
import type { Logger } from '../../../kube/logger.ts'
import type { Gauge } from '../../../kube/metrics.ts'
import type { Clock } from '../../../model/clock.ts'
import type { InstanceType } from '../../../model/instance-type.ts'
import { sortedValues } from '../../../model/requirement.ts'
import type { Requirements } from '../../../model/requirements.ts'
import { familyNameOf } from '../ami/family.ts'
import type { AWSClients } from '../clients.ts'
import type { ClusterCIDR, ClusterFacts } from '../eks-cluster/cluster.ts'
import { causeChainText } from '../errors.ts'
import type { InstanceTypeProvider } from '../instance-types/instance-type-provider.ts'
import { kubeletFor } from '../instance-types/resolve.ts'
import { type CapacityType, placementGroupPartitionKey, resourceNames } from '../keys.ts'
import { hasExpressions } from '../kubelet/resolve.ts'
import { OnceADay } from '../once-a-day.ts'
import type { Tags } from '../tags.ts'
import { droppedBottlerocketKeys } from '../userdata/bottlerocket.ts'
import { renderUserData } from '../userdata/user-data.ts'
import { specOf } from '../wire.ts'
import { groupTypes, type TemplateGroup } from './groups.ts'
import type { TemplateInputs } from './parameters.ts'
import { userDataInputs } from './user-data-inputs.ts'
import { userDataKey } from './user-data-key.ts'

/** CreateFleet refuses more configurations than these. Types come cheapest first, so what is left out is the dearest. */
const templatesMax = 50
/** EC2 takes 16384 bytes; 90 % of it is worth a line in the log. */
const largeUserDataBytes = 14_745

export interface TemplateContentsOptions {
  readonly clients: Pick<AWSClients, 'region'>
  readonly clock: Clock
  readonly log: Logger
  readonly cluster: ClusterFacts
  readonly cidr: ClusterCIDR
  readonly instanceTypes: InstanceTypeProvider
  readonly reservedCapacityGate: boolean
  readonly userDataBytes: Gauge
}

export interface TemplateRequest {
  readonly nodeClass: EC2NodeClass
  readonly nodeClaim: Pick<NodeClaim, 'metadata' | 'spec'>
  readonly types: readonly InstanceType[]
  readonly capacityType: CapacityType
  /** The claim's, narrowed to the capacity type. */
  readonly requirements: Requirements
  readonly tags: Tags
  readonly tenancy: 'default' | 'dedicated'
}

export class LaunchTemplateError extends Error {
  readonly code = 'LaunchTemplate'
  override readonly name = 'LaunchTemplateError'
}

/** The service network, which AL2023 nodes must be told, is not known: the class is not ready to launch from. */
export class ClusterCIDRUnknownError extends Error {
  readonly code = 'ClusterCIDRUnknown'
  override readonly name = 'ClusterCIDRUnknownError'
}

/** What the launch templates of a launch hold: which types share one, and what the machines of each are told. */
export class TemplateContents {
  readonly #options: TemplateContentsOptions
  readonly #told: OnceADay

  constructor(options: TemplateContentsOptions) {
    this.#options = options
    this.#told = new OnceADay(options.clock)
  }

  /**
   * In order of the types given, as many as a launch may have.
   * @throws LaunchTemplateError, UserDataError, ClusterCIDRUnknownError
   */
  async resolve(
    request: TemplateRequest,
  ): Promise<readonly { readonly group: TemplateGroup; readonly inputs: TemplateInputs }[]> {
    const status = request.nodeClass.status
    const amis = status?.amis ?? []
    if ((status?.securityGroups ?? []).length === 0) {
      throw new LaunchTemplateError('no security groups are present in the status')
    }
    if (amis.length === 0) throw new LaunchTemplateError('no amis exist given constraints')
    const groups = this.#groups(request)
    if (groups.length === 0) {
      throw new LaunchTemplateError(
        `no instance types satisfy requirements of amis ${amis.map((ami) => ami.id).join(', ')}`,
      )
    }
    const cidr = await this.#clusterCIDR(request.nodeClass)
    return groups.map((group) => ({ group, inputs: this.#inputs(request, group, cidr) }))
  }

  #groups(request: TemplateRequest): TemplateGroup[] {
    const { instanceTypes } = this.#options
    const settings = instanceTypes.settingsOf(request.nodeClass)
    const expressions = hasExpressions(settings.kubelet)
    const requests = request.nodeClaim.spec.resources?.requests ?? {}
    const groups = groupTypes({
      types: request.types,
      amis: request.nodeClass.status?.amis ?? [],
      capacityType: request.capacityType,
      requirements: request.requirements,
      requestsEFA: Object.hasOwn(requests, resourceNames.efa),
      networkCards: (type) => instanceTypes.info(type.name)?.NetworkInfo?.NetworkCards?.length ?? 0,
      resolvedKubelet: (type) => {
        const info = expressions ? instanceTypes.info(type.name) : undefined
        return info === undefined ? undefined : kubeletFor(info, settings).resolved
      },
    })
    return groups.slice(0, templatesMax)
  }

  async #clusterCIDR(nodeClass: EC2NodeClass): Promise<string | undefined> {
    const { cidr } = this.#options
    if (familyNameOf(specOf(nodeClass)) !== 'AL2023') return cidr.known
    try {
      return await cidr.resolve()
    } catch (error) {
      throw new ClusterCIDRUnknownError(`resolving cluster CIDR, ${causeChainText(error)}`, { cause: error })
    }
  }

  #inputs(request: TemplateRequest, group: TemplateGroup, clusterCIDR: string | undefined): TemplateInputs {
    const { clients, cluster, instanceTypes, reservedCapacityGate } = this.#options
    const { nodeClass, nodeClaim, capacityType, tags, tenancy } = request
    const settings = instanceTypes.settingsOf(nodeClass)
    const bootstrap = userDataInputs({
      nodeClass,
      nodeClaim,
      cluster,
      clusterCIDR,
      kubelet: settings.kubelet,
      capacityType,
      group,
    })
    const requests = nodeClaim.spec.resources?.requests ?? {}
    const placementGroup = settings.placementGroup
    return {
      spec: specOf(nodeClass),
      nodeClassName: nodeClass.metadata.name,
      region: clients.region,
      clusterName: cluster.name,
      clusterEndpoint: cluster.endpoint,
      clusterCIDR,
      dnsIP: cluster.dnsIP,
      ipFamily: cluster.ipFamily,
      instanceProfile: nodeClass.status?.instanceProfile ?? '',
      securityGroupIDs: (nodeClass.status?.securityGroups ?? []).map((it) => it.id),
      tags,
      amiID: group.ami.id,
      userData: this.#render(nodeClass, bootstrap),
      userDataKey: userDataKey(bootstrap, renderUserData),
      capacityType,
      tenancy,
      efaCount: group.efaCount,
      plainFirstCard: group.plainFirstCard,
      enclaves: Object.hasOwn(requests, resourceNames.nitroSandbox),
      reservation: group.reservation,
      reservedCapacityGate,
      placementGroup,
      partition: placementGroup?.strategy === 'partition' ? firstPartition(request.requirements) : undefined,
    }
  }

  #render(nodeClass: EC2NodeClass, bootstrap: Parameters<typeof renderUserData>[0]): string {
    const { userDataBytes, log } = this.#options
    const { name, uid, generation } = nodeClass.metadata
    if (bootstrap.family === 'Bottlerocket') {
      const dropped = droppedBottlerocketKeys(bootstrap.customUserData)
      if (dropped.length > 0 && this.#told.isDue(uid, generation, 'dropped')) {
        log.warn({ EC2NodeClass: { name }, keys: dropped }, 'dropping unknown keys of settings.kubernetes')
      }
    }
    const userData = renderUserData(bootstrap)
    const bytes = Buffer.byteLength(userData, 'utf8')
    userDataBytes.set({ nodeclass: name }, bytes)
    if (bytes >= largeUserDataBytes && this.#told.isDue(uid, generation, 'large')) {
      log.info({ EC2NodeClass: { name }, bytes }, 'user data is close to the size limit of EC2')
    }
    return userData
  }
}

function firstPartition(requirements: Requirements): number | undefined {
  const wanted = requirements.get(placementGroupPartitionKey)
  if (wanted === undefined || wanted.complement) return undefined
  const first = sortedValues(wanted)[0]
  return first === undefined ? undefined : Number(first)
}
