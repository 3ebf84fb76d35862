import type { LaunchTemplate } from '@aws-sdk/client-ec2'
import type { EC2NodeClass, NodeClaim } from '../../../api/karpenter.ts'
import { isHeldBack } from '../../../kube/fenced-client.ts'
import type { Logger } from '../../../kube/logger.ts'
import type { Gauge } from '../../../kube/metrics.ts'
import type { Clock, Timer } from '../../../model/clock.ts'
import { combineErrors } from '../../../model/combine-errors.ts'
import { ExpiringMap } from '../../../model/expiring-map.ts'
import type { InstanceType } from '../../../model/instance-type.ts'
import { sortedValues } from '../../../model/requirement.ts'
import type { Requirements } from '../../../model/requirements.ts'
import { familyNameOf } from '../ami/family.ts'
import type { AWSClients } from '../clients.ts'
import type { ClusterCIDR, ClusterFacts } from '../eks-cluster/cluster.ts'
import {
  causeChainText,
  isLaunchTemplateNotFound,
  isLaunchTemplateTaken,
  isNotFound,
  isRefused,
  isUnauthorized,
} from '../errors.ts'
import type { InstanceTypeProvider } from '../instance-types/instance-type-provider.ts'
import { kubeletFor } from '../instance-types/resolve.ts'
import {
  type CapacityType,
  clusterNameTag,
  launchTemplatePrefix,
  nodeClassKey,
  placementGroupPartitionKey,
  resourceNames,
} from '../keys.ts'
import { hasExpressions } from '../kubelet/resolve.ts'
import { Mutex } from '../mutex.ts'
import { OnceADay } from '../once-a-day.ts'
import { readPages } from '../paginate.ts'
import { fromTagList, missingOwnership, type Tags } from '../tags.ts'
import { renderUserData } from '../userdata/user-data.ts'
import { droppedBottlerocketKeys } from '../userdata/bottlerocket.ts'
import { specOf } from '../wire.ts'
import { groupTypes, type TemplateGroup } from './groups.ts'
import { createTemplateRequest, type TemplateInputs, templateName } from './parameters.ts'
import { userDataInputs } from './user-data-inputs.ts'
import { userDataKey } from './user-data-key.ts'

/** Templates live little longer than the launches that use them, so what nobody needs is soon gone from the account. */
const cacheTtlMs = 60_000
/**
 * What EC2 refused for what it says, for want of a permission or with expired credentials, it refuses again, and the claims of one batch
 * ask for the same template, each in its turn and several times. Longer, and a permission that is granted would be noticed late.
 */
const refusedTtlMs = 5_000
/** CreateFleet refuses more configurations than these. Types come cheapest first, so what is left out is the dearest. */
const templatesMax = 50
/** EC2 takes 16384 bytes; 90 % of it is worth a line in the log. */
const largeUserDataBytes = 14_745

export interface LaunchTemplateOptions {
  readonly clients: Pick<AWSClients, 'region' | 'ec2'>
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

export interface EnsuredTemplate {
  readonly name: string
  readonly amiID: string
  readonly types: readonly InstanceType[]
  readonly reservationID: string | undefined
}

class LaunchTemplateError extends Error {
  readonly code = 'LaunchTemplate'
  override readonly name = 'LaunchTemplateError'
}

/** The service network, which AL2023 nodes must be told, is not known: the class is not ready to launch from. */
export class ClusterCIDRUnknownError extends Error {
  readonly code = 'ClusterCIDRUnknown'
  override readonly name = 'ClusterCIDRUnknownError'
}

/** Makes the launch templates that launches need, one for each distinct content, and clears them away when nobody uses them. */
export class LaunchTemplateProvider {
  readonly #options: LaunchTemplateOptions
  readonly #cache: ExpiringMap<string, { readonly id: string }>
  /** The errors with which templates were refused just now. */
  readonly #refused: ExpiringMap<string, unknown>
  readonly #told: OnceADay
  readonly #lock = new Mutex()
  readonly #deletionLock = new Mutex()
  /** The name that a launch looks for or makes just now. */
  #ensuring: string | undefined
  #deleting: { readonly name: string; readonly done: Promise<void> } | undefined
  #deletions: Promise<void> = Promise.resolve()
  #nextHydration: Timer | undefined
  #isStopped = false

  constructor(options: LaunchTemplateOptions) {
    this.#options = options
    this.#told = new OnceADay(options.clock)
    this.#refused = new ExpiringMap({ clock: options.clock, ttlMs: refusedTtlMs })
    this.#cache = new ExpiringMap({
      clock: options.clock,
      ttlMs: cacheTtlMs,
      onExpired: (name, template) => {
        const deletion = this.#deleteExpired(name, template.id)
        this.#deletions = Promise.all([this.#deletions, deletion]).then(() => undefined)
      },
    })
  }

  /** @throws LaunchTemplateError, UserDataError, ClusterCIDRUnknownError, and what EC2 answered */
  ensureAll(request: TemplateRequest): Promise<readonly EnsuredTemplate[]> {
    return this.#lock.run(async () => {
      const ensured: EnsuredTemplate[] = []
      for (const { group, inputs } of await this.resolve(request)) {
        const name = templateName(inputs)
        await this.#ensure(name, inputs)
        ensured.push({ name, amiID: group.ami.id, types: group.types, reservationID: group.reservation?.id })
      }
      return ensured
    })
  }

  /** What the templates of a launch would hold, without making any. */
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

  /** Forgets the name without touching EC2: the template turned out to be gone. */
  invalidate(name: string): void {
    this.#options.log.debug(
      { 'launch-template-name': name },
      'invalidating launch template in the cache because it no longer exists',
    )
    this.#cache.delete(name)
  }

  /** Deletes every template of a class. @throws when any could not be deleted */
  async deleteAll(nodeClass: EC2NodeClass): Promise<void> {
    const { clients, cluster, userDataBytes } = this.#options
    const templates = await this.#list([
      { Name: `tag:${clusterNameTag}`, Values: [cluster.name] },
      { Name: `tag:${nodeClassKey}`, Values: [nodeClass.metadata.name] },
    ])
    const errors: unknown[] = []
    for (const { LaunchTemplateId, LaunchTemplateName } of templates) {
      if (LaunchTemplateId === undefined) continue
      try {
        await clients.ec2.deleteLaunchTemplate({ LaunchTemplateId })
        if (LaunchTemplateName !== undefined) this.#cache.delete(LaunchTemplateName)
      } catch (error) {
        if (!isNotFound(error)) errors.push(error)
      }
    }
    userDataBytes.remove({ nodeclass: nodeClass.metadata.name })
    if (errors.length > 0) throw combineErrors(errors)
  }

  /**
   * On winning leadership: takes over what an earlier leader left, so that it expires, too. That can wait: while EC2 refuses it, it is
   * tried again every minute, and nodes are launched meanwhile.
   */
  async hydrate(): Promise<void> {
    const { clock, log } = this.#options
    try {
      await this.#takeOver()
    } catch (error) {
      log.error({ err: error }, 'failed to hydrate launch template cache')
      if (!this.#isStopped) this.#nextHydration = clock.schedule(cacheTtlMs, () => void this.hydrate())
    }
  }

  async #takeOver(): Promise<void> {
    const { name } = this.#options.cluster
    const tagged = await this.#list([{ Name: `tag:${clusterNameTag}`, Values: [name] }])
    const templates = tagged.filter((template) => isOurs(template, name))
    for (const { LaunchTemplateId, LaunchTemplateName } of templates) {
      if (LaunchTemplateId !== undefined && LaunchTemplateName !== undefined) {
        this.#cache.set(LaunchTemplateName, { id: LaunchTemplateId })
      }
    }
    this.#options.log.debug({ count: templates.length }, 'hydrated launch template cache')
  }

  /** Stops clearing away; the next leader will. */
  stop(): void {
    this.#isStopped = true
    this.#nextHydration?.cancel()
    this.#cache.stop()
  }

  /** Resolves when no deletion is under way. */
  async settled(): Promise<void> {
    await this.#deletions
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

  async #ensure(name: string, inputs: TemplateInputs): Promise<void> {
    if (this.#cache.renewed(name) !== undefined) return
    const refused = this.#refused.get(name)
    if (refused !== undefined) throw refused
    this.#ensuring = name
    try {
      if (this.#deleting?.name === name) await this.#deleting.done
      const id = (await this.#find(name)) ?? (await this.#create(name, inputs))
      // By its name it can be launched from all the same. Who wants it next looks for it again.
      if (id !== undefined) this.#cache.set(name, { id })
    } catch (error) {
      if (isRefused(error)) this.#refused.set(name, error)
      throw error
    } finally {
      this.#ensuring = undefined
    }
  }

  /**
   * EC2 may not show for a while what it has: a template of an instant ago, or of another leader. One of the same name says the same.
   * Undefined while it does not tell which it is.
   */
  async #create(name: string, inputs: TemplateInputs): Promise<string | undefined> {
    const { clients, log } = this.#options
    try {
      const made = await clients.ec2.createLaunchTemplate(createTemplateRequest(name, inputs))
      const id = made.LaunchTemplate?.LaunchTemplateId
      log.debug({ 'launch-template-name': name, id }, 'created launch template')
      return id
    } catch (error) {
      if (!isLaunchTemplateTaken(error)) throw error
      return await this.#find(name)
    }
  }

  async #find(name: string): Promise<string | undefined> {
    let templates: readonly LaunchTemplate[]
    try {
      const answer = await this.#options.clients.ec2.describeLaunchTemplates({ LaunchTemplateNames: [name] })
      templates = answer.LaunchTemplates ?? []
    } catch (error) {
      if (isLaunchTemplateNotFound(error)) return undefined
      throw new LaunchTemplateError(`describing launch templates, ${causeChainText(error)}`, { cause: error })
    }
    if (templates.length !== 1) {
      throw new LaunchTemplateError(`expected to find one launch template, but found ${templates.length}`)
    }
    return templates[0]?.LaunchTemplateId ?? ''
  }

  #list(filters: { Name: string; Values: string[] }[]): Promise<LaunchTemplate[]> {
    return readPages(
      (token) => this.#options.clients.ec2.describeLaunchTemplates({ Filters: filters, MaxResults: 200, ...token }),
      (page) => page.LaunchTemplates,
    )
  }

  /** One after the other, but past the launches: EC2 takes five a second, and after a burst, or from an earlier leader, hundreds expire together. */
  #deleteExpired(name: string, id: string): Promise<void> {
    return this.#deletionLock.run(async () => {
      if (this.#cache.has(name)) return
      if (this.#ensuring === name) {
        // A launch is about to find it. Should that fail, it expires once more.
        this.#cache.set(name, { id })
        return
      }
      const done = this.#delete(name, id)
      this.#deleting = { name, done }
      await done
      this.#deleting = undefined
    })
  }

  async #delete(name: string, id: string): Promise<void> {
    const { clients, log } = this.#options
    try {
      await clients.ec2.deleteLaunchTemplate({ LaunchTemplateId: id })
      log.debug({ id, name }, 'deleted launch template')
    } catch (error) {
      if (isNotFound(error) || isHeldBack(error)) return
      log.error({ id, name, err: error }, 'failed to delete launch template')
      // Nobody else looks for it before the next leader does. Without permission another try would only say so again.
      if (!this.#isStopped && !isUnauthorized(error)) this.#cache.set(name, { id })
    }
  }
}

/** The tag of the cluster alone does not say so: EKS Auto Mode puts it on its own templates, and people may. */
function isOurs({ LaunchTemplateName, Tags }: LaunchTemplate, clusterName: string): boolean {
  const isNamed = LaunchTemplateName?.startsWith(launchTemplatePrefix) ?? false
  return isNamed && missingOwnership(fromTagList(Tags), clusterName).length === 0
}

function firstPartition(requirements: Requirements): number | undefined {
  const wanted = requirements.get(placementGroupPartitionKey)
  if (wanted === undefined || wanted.complement) return undefined
  const first = sortedValues(wanted)[0]
  return first === undefined ? undefined : Number(first)
}
