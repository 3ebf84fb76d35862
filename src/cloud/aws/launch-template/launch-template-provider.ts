import type { LaunchTemplate } from '@aws-sdk/client-ec2'
import type { EC2NodeClass } from '../../../api/karpenter.ts'
import { isHeldBack } from '../../../kube/fenced-client.ts'
import type { Timer } from '../../../model/clock.ts'
import { combineErrors } from '../../../model/combine-errors.ts'
import { ExpiringMap } from '../../../model/expiring-map.ts'
import type { InstanceType } from '../../../model/instance-type.ts'
import type { AWSClients } from '../clients.ts'
import {
  causeChainText,
  isLaunchTemplateNotFound,
  isLaunchTemplateTaken,
  isNotFound,
  isRefused,
  isUnauthorized,
} from '../errors.ts'
import { clusterNameTag, launchTemplatePrefix, nodeClassKey } from '../keys.ts'
import { Mutex } from '../mutex.ts'
import { readPages } from '../paginate.ts'
import { fromTagList, missingOwnership } from '../tags.ts'
import { createTemplateRequest, type TemplateInputs, templateName } from './parameters.ts'
import {
  LaunchTemplateError,
  TemplateContents,
  type TemplateContentsOptions,
  type TemplateRequest,
} from './template-contents.ts'

/** Templates live little longer than the launches that use them, so what nobody needs is soon gone from the account. */
const cacheTtlMs = 60_000
/**
 * What EC2 refused for what it says, for want of a permission or with expired credentials, it refuses again, and the claims of one batch
 * ask for the same template, each in its turn and several times. Longer, and a permission that is granted would be noticed late.
 */
const refusedTtlMs = 5_000

export interface LaunchTemplateOptions extends TemplateContentsOptions {
  readonly clients: Pick<AWSClients, 'region' | 'ec2'>
}

export interface EnsuredTemplate {
  readonly name: string
  readonly amiID: string
  readonly types: readonly InstanceType[]
  readonly reservationID: string | undefined
}

/** Makes the launch templates that launches need, one for each distinct content, and clears them away when nobody uses them. */
export class LaunchTemplateProvider {
  readonly #options: LaunchTemplateOptions
  readonly #contents: TemplateContents
  readonly #cache: ExpiringMap<string, { readonly id: string }>
  /** The errors with which templates were refused just now. */
  readonly #refused: ExpiringMap<string, unknown>
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
    this.#contents = new TemplateContents(options)
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
      for (const { group, inputs } of await this.#contents.resolve(request)) {
        const name = templateName(inputs)
        await this.#ensure(name, inputs)
        ensured.push({ name, amiID: group.ami.id, types: group.types, reservationID: group.reservation?.id })
      }
      return ensured
    })
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
