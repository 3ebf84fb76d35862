import type { NodeClaim } from '../../../api/karpenter.ts'
import type { Logger } from '../../../kube/logger.ts'
import type { Counter } from '../../../kube/metrics.ts'
import type { Clock } from '../../../model/clock.ts'
import { ExpiringMap } from '../../../model/expiring-map.ts'
import { compareText } from '../../../model/order.ts'
import { InstanceNotOwnedError, NodeClaimNotFoundError } from '../../provider.ts'
import type { EC2Client } from '../clients.ts'
import { isNotFound } from '../errors.ts'
import { clusterNameTag, nodeClassKey, nodePoolKey } from '../keys.ts'
import { readPages } from '../paginate.ts'
import { missingOwnership, type Tags, toTagList } from '../tags.ts'
import type { ZonalShiftProvider } from '../zonal-shift/zonal-shift-provider.ts'
import { type EC2Batchers, liveStates } from './ec2-batchers.ts'
import { type EC2Instance, toInstance } from './ec2-instance.ts'

export interface InstanceOptions {
  readonly ec2: Pick<EC2Client, 'describeInstances' | 'createTags'>
  readonly batchers: EC2Batchers
  readonly clock: Clock
  readonly log: Logger
  readonly clusterName: string
  readonly reservedCapacityGate: boolean
  readonly zonalShift: ZonalShiftProvider
  readonly terminationFailures: Counter
}

/** The claim of an instance may take so long to name it. */
const freshLaunchMs = 30_000
/** As long as the result of a launch waits to be written to its claim. */
const launchMemoryMs = 3_600_000

/** A launch that EC2 has not answered. */
interface Pending {
  /** Monotonic, in milliseconds. */
  readonly since: number
}

/** A claim that an instance was launched for. */
type LaunchedClaim = Pick<NodeClaim['metadata'], 'name' | 'uid'>

interface Launch {
  readonly claim: LaunchedClaim
  /** Monotonic, in milliseconds. */
  readonly at: number
}

/** Instances in a zone that traffic was shifted away from are left alone. */
class ZoneShiftedError extends Error {
  readonly code = 'ZoneShifted'
  override readonly name = 'ZoneShiftedError'
}

/** Reads, ends and tags instances. What it has seen it keeps until EC2 no longer lists it. */
export class InstanceProvider {
  readonly #options: InstanceOptions
  readonly #instances = new Map<string, EC2Instance>()
  readonly #launches: ExpiringMap<string, Launch>
  readonly #pending = new Set<Pending>()
  /** When each instance of the last list was first listed; monotonic, in milliseconds. */
  #listedSince: ReadonlyMap<string, number> = new Map()

  constructor(options: InstanceOptions) {
    this.#options = options
    this.#launches = new ExpiringMap({ clock: options.clock, ttlMs: launchMemoryMs })
  }

  /** Puts a freshly launched instance where `get` finds it: EC2's own answers lag behind. */
  remember(instance: EC2Instance, claim: LaunchedClaim): void {
    this.#instances.set(instance.id, instance)
    this.#launches.set(instance.id, { claim, at: this.#options.clock.monotonicMs() })
  }

  /** Remembers what is launched, and meanwhile that what EC2 begins to list may be just that. */
  async launch(claim: LaunchedClaim, start: () => Promise<EC2Instance>): Promise<EC2Instance> {
    const pending = { since: this.#options.clock.monotonicMs() }
    this.#pending.add(pending)
    try {
      const instance = await start()
      this.remember(instance, claim)
      return instance
    } finally {
      this.#pending.delete(pending)
    }
  }

  /** Whether this process launched it a moment ago, or may yet be told that it did, by a clock that nobody can set. */
  isFreshLaunch(id: string): boolean {
    const listedAt = this.#listedSince.get(id)
    if (listedAt !== undefined && this.mayBeLaunched(listedAt)) return true
    const launch = this.#launches.get(id)
    return launch !== undefined && this.#options.clock.monotonicMs() - launch.at < freshLaunchMs
  }

  /** Whether an instance that was first heard of at `heardAt` may come from a launch that is not answered. Monotonic, in milliseconds. */
  mayBeLaunched(heardAt: number): boolean {
    return this.#pending.values().some(({ since }) => since <= heardAt)
  }

  /** The claim that this process launched it for, within the last hour. */
  launchedFor(id: string): LaunchedClaim | undefined {
    return this.#launches.get(id)?.claim
  }

  /** @throws NodeClaimNotFoundError */
  async get(id: string, cache: 'cached' | 'fresh' = 'cached'): Promise<EC2Instance> {
    const known = this.#instances.get(id)
    if (known !== undefined && (cache === 'cached' || this.#isShifted(known))) return known
    let described: Awaited<ReturnType<EC2Batchers['describeInstance']>>
    try {
      described = await this.#options.batchers.describeInstance(id)
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
    if (described === undefined) {
      this.#instances.delete(id)
      throw new NodeClaimNotFoundError(`instance ${id} not found`)
    }
    const instance = this.#toInstance(described)
    this.#instances.set(id, instance)
    return instance
  }

  /** All live instances of the cluster, by id. */
  async list(): Promise<readonly EC2Instance[]> {
    const { ec2, clusterName } = this.#options
    const found = await readPages(
      (token) =>
        ec2.describeInstances({
          Filters: [
            { Name: 'tag-key', Values: [nodePoolKey] },
            { Name: 'tag-key', Values: [nodeClassKey] },
            { Name: `tag:${clusterNameTag}`, Values: [clusterName] },
            { Name: 'instance-state-name', Values: [...liveStates] },
          ],
          MaxResults: 1_000,
          ...token,
        }),
      (page) => page.Reservations?.flatMap((reservation) => reservation.Instances ?? []),
    )
    const instances = found.map((instance) => this.#toInstance(instance)).toSorted((a, b) => compareText(a.id, b.id))
    const now = this.#options.clock.monotonicMs()
    const listed = new Map(instances.map(({ id }) => [id, this.#listedSince.get(id) ?? now]))
    this.#listedSince = listed
    for (const [id, known] of this.#instances) {
      if (!listed.has(id) && !this.#isShifted(known)) this.#instances.delete(id)
    }
    for (const instance of instances) this.#instances.set(instance.id, instance)
    return instances
  }

  /** @throws NodeClaimNotFoundError once it is gone, ZoneShiftedError, InstanceNotOwnedError */
  async delete(id: string): Promise<void> {
    const instance = await this.get(id, 'fresh')
    if (this.#isShifted(instance)) {
      throw new ZoneShiftedError(
        `instance ${id} is in zonally shifted availability zone ${instance.zone} (${instance.zoneID ?? ''}), skipping termination`,
      )
    }
    if (instance.state === 'shutting-down') return
    this.#assertOwned(instance)
    try {
      await this.#options.batchers.terminateInstance(id)
    } catch (error) {
      this.#options.terminationFailures.increment({ zone: instance.zone, zone_id: instance.zoneID ?? '' })
      throw error
    }
  }

  /** @throws NodeClaimNotFoundError, ZoneShiftedError, InstanceNotOwnedError */
  async createTags(id: string, tags: Tags): Promise<void> {
    const instance = await this.get(id)
    if (this.#isShifted(instance)) {
      throw new ZoneShiftedError(
        `instance ${id} is in zonally shifted availability zone ${instance.zone} (${instance.zoneID ?? ''}), skipping tagging`,
      )
    }
    this.#assertOwned(instance)
    try {
      await this.#options.ec2.createTags({ Resources: [id], Tags: toTagList(tags) })
    } catch (error) {
      if (isNotFound(error)) throw new NodeClaimNotFoundError(`tagging instance ${id}`, { cause: error })
      throw error
    }
  }

  clear(): void {
    this.#instances.clear()
  }

  #toInstance(described: Parameters<typeof toInstance>[0]): EC2Instance {
    return toInstance(described, this.#options.reservedCapacityGate, this.#options.clock.now())
  }

  /** A claim's provider ID may come out of a backup or an editor: it alone does not make an instance ours. */
  #assertOwned({ id, tags }: EC2Instance): void {
    const missing = missingOwnership(tags, this.#options.clusterName)
    if (missing.length > 0) throw new InstanceNotOwnedError(id, missing)
  }

  #isShifted(instance: EC2Instance): boolean {
    return instance.zoneID !== undefined && this.#options.zonalShift.isShifted(instance.zoneID)
  }
}
