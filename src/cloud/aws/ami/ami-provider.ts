import type { Image } from '@aws-sdk/client-ec2'
import type { ImageIdentity } from '../../../api/hash/index.ts'
import type { EC2NodeClass } from '../../../api/karpenter.ts'
import type { Logger } from '../../../kube/logger.ts'
import type { Clock } from '../../../model/clock.ts'
import { ExpiringMap } from '../../../model/expiring-map.ts'
import type { AWSClients } from '../clients.ts'
import { causeChainText, isAccessDenied, isNotFound } from '../errors.ts'
import { OnceADay } from '../once-a-day.ts'
import { readPages } from '../paginate.ts'
import type { SSMProvider } from '../ssm/ssm-provider.ts'
import { specOf } from '../wire.ts'
import { aliasParameters } from './alias.ts'
import { type AMI, chooseAMIs, type FoundImage } from './choose.ts'
import { type Alias, aliasOf } from './family.ts'
import { KnownImages } from './known-images.ts'
import { type ImageQuery, isAllowedOwner, queryOfIDs, queryOfTerm, saysSomething, termWarnings } from './queries.ts'
import type { RequirementSet } from './requirement-sets.ts'

export interface AMIOptions {
  readonly clients: Pick<AWSClients, 'ec2' | 'sts'>
  readonly ssm: SSMProvider
  readonly clock: Clock
  readonly refreshIntervalMs: number
  readonly log: Logger
  /** Kubernetes' major.minor. Rejects when it cannot be told now: images of another version would be drift of every node. */
  clusterVersion(): Promise<string>
}

/** The alias cannot be had on this cluster's version; only a change of the class or the cluster helps. */
export class UnsupportedAliasError extends Error {
  readonly code = 'UnsupportedAlias'
  constructor(reason: string) {
    super(`getting AMI queries, ${reason}`)
    this.name = 'UnsupportedAliasError'
  }
}

class AMIDiscoveryError extends Error {
  readonly code = 'AMIDiscovery'
  override readonly name = 'AMIDiscoveryError'
}

/** A VPC without a way to STS lets each question wait for its time-out, and the class with it. */
const accountRetryMs = 3_600_000

export class AMIProvider {
  readonly #options: AMIOptions
  readonly #cache: ExpiringMap<string, readonly AMI[]>
  readonly #known: KnownImages
  readonly #told: OnceADay
  #accountID: string | undefined
  #accountRefusedAt = Number.NEGATIVE_INFINITY

  constructor(options: AMIOptions) {
    this.#options = options
    this.#cache = new ExpiringMap({ clock: options.clock, ttlMs: options.refreshIntervalMs })
    this.#known = new KnownImages(options.clock, (ids) => this.describe(ids))
    this.#told = new OnceADay(options.clock)
  }

  /** @throws UnsupportedAliasError, AMIDiscoveryError */
  async list(nodeClass: EC2NodeClass): Promise<readonly AMI[]> {
    const queries = await this.#queries(nodeClass)
    const key = versionOf(nodeClass)
    const known = this.#cache.get(key)
    if (known !== undefined) return known
    const { log, clock } = this.#options
    for (const warning of termWarnings(specOf(nodeClass).amiSelectorTerms)) {
      if (!this.#told.isDue(key, warning)) continue
      log.warn({ EC2NodeClass: { name: nodeClass.metadata.name }, warning }, 'risky ami selector term')
    }
    const found: FoundImage[] = []
    for (const query of queries) {
      for (const image of await this.#describe(query)) {
        found.push({ image, sets: query.sets.get(image.ImageId ?? '') ?? [] })
      }
    }
    const amis = chooseAMIs(found, clock.now())
    this.#cache.set(key, amis)
    this.#known.remember(amis)
    return amis
  }

  /** Name and date of an image as far as they have been seen. */
  known(id: string): ImageIdentity {
    return this.#known.known(id)
  }

  /** Name and date of an image as far as they can be had; never fails. */
  identify(id: string): Promise<ImageIdentity> {
    return this.#known.identify(id)
  }

  /** Asks EC2 past the cache; images that are gone are left out. */
  async describe(ids: readonly string[]): Promise<AMI[]> {
    if (ids.length === 0) return []
    const images = await this.#describe(queryOfIDs(ids))
    return chooseEach(images, this.#options.clock.now())
  }

  clear(): void {
    this.#cache.clear()
  }

  async #queries(nodeClass: EC2NodeClass): Promise<ImageQuery[]> {
    const { log } = this.#options
    const spec = specOf(nodeClass)
    const alias = aliasOf(spec)
    if (alias !== undefined) return [await this.#aliasQuery(alias)]
    const queries: ImageQuery[] = []
    const ids: string[] = []
    for (const term of spec.amiSelectorTerms) {
      if (term.id !== undefined) ids.push(term.id)
      else if (term.ssmParameter !== undefined) {
        const id = await this.#parameterImage(term.ssmParameter)
        if (id !== undefined) ids.push(id)
      } else if (saysSomething(term)) queries.push(queryOfTerm(term))
      else if (this.#told.isDue(versionOf(nodeClass), 'empty term')) {
        // EC2 would take it for every image that anybody has published, and the newest of them would run with the role of the nodes.
        log.warn(
          { EC2NodeClass: { name: nodeClass.metadata.name } },
          'ignoring an ami selector term that selects nothing',
        )
      }
    }
    if (ids.length > 0) queries.push(queryOfIDs(ids))
    return queries
  }

  /**
   * A parameter that is missing or not for us is left out. Whatever else keeps it from being read, a time-out among it, may pass: an image
   * that goes from the status for a minute is drift of every node that runs it.
   */
  async #aliasQuery(alias: Alias): Promise<ImageQuery> {
    const { ssm, log } = this.#options
    const lookup = aliasParameters(alias, await this.#options.clusterVersion())
    if (lookup.kind === 'unsupported') throw new UnsupportedAliasError(lookup.reason)
    const sets = new Map<string, readonly RequirementSet[]>()
    const answers = await Promise.allSettled(lookup.parameters.map((parameter) => ssm.get(parameter)))
    for (const [index, parameter] of lookup.parameters.entries()) {
      const answer = answers[index]
      if (answer?.status === 'fulfilled' && answer.value !== undefined) sets.set(answer.value, parameter.sets)
      else if (answer?.status === 'rejected' && !isNotFound(answer.reason)) {
        if (!isAccessDenied(answer.reason)) throw answer.reason
        log.debug({ parameter: parameter.name, err: causeChainText(answer.reason) }, 'skipping ami parameter')
      }
    }
    if (sets.size === 0) throw new AMIDiscoveryError('failed to discover any AMIs for alias')
    return queryOfIDs([...sets.keys()], sets)
  }

  async #parameterImage(name: string): Promise<string | undefined> {
    const { ssm, log } = this.#options
    let value: string | undefined
    try {
      value = await ssm.get({ name, kind: 'user', mutable: true })
    } catch (error) {
      if (!isNotFound(error)) throw error
      log.error({ parameter: name }, 'ssm parameter not found, ignoring ami selector term')
      return undefined
    }
    if (value?.startsWith('ami-')) return value
    log.error({ parameter: name }, 'ssm parameter does not hold an ami id, ignoring ami selector term')
    return undefined
  }

  async #describe(query: ImageQuery): Promise<Image[]> {
    const { clients, log } = this.#options
    const images = await readPages(
      (token) =>
        clients.ec2.describeImages({
          Filters: [...query.filters, { Name: 'state', Values: ['available'] }],
          IncludeDeprecated: true,
          MaxResults: 1_000,
          ...(query.owners.length === 0 ? {} : { Owners: [...query.owners] }),
          ...token,
        }),
      (page) => page.Images,
    )
    if (query.owners.length === 0 || images.length === 0) return images
    const accountID = query.owners.includes('self') ? await this.#account() : undefined
    return images.filter((image) => {
      const owner = { ownerID: image.OwnerId, ownerAlias: image.ImageOwnerAlias }
      if (isAllowedOwner(query.owners, owner, accountID)) return true
      log.warn({ id: image.ImageId, name: image.Name, 'owner-id': image.OwnerId }, 'ignoring ami of another owner')
      return false
    })
  }

  async #account(): Promise<string | undefined> {
    const now = this.#options.clock.monotonicMs()
    if (this.#accountID !== undefined || now - this.#accountRefusedAt < accountRetryMs) return this.#accountID
    try {
      this.#accountID = (await this.#options.clients.sts.getCallerIdentity({})).Account
    } catch (error) {
      this.#accountRefusedAt = this.#options.clock.monotonicMs()
      this.#options.log.debug({ err: causeChainText(error) }, 'could not find out the account id')
    }
    return this.#accountID
  }
}

function versionOf({ metadata }: EC2NodeClass): string {
  return `${metadata.uid}-${metadata.generation ?? 0}`
}

function chooseEach(images: readonly Image[], now: number): AMI[] {
  return images.flatMap((image) => chooseAMIs([{ image, sets: [] }], now))
}
