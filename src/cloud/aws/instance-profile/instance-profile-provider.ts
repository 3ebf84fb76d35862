import type { InstanceProfile } from '@aws-sdk/client-iam'
import type { EC2NodeClass } from '../../../api/karpenter.ts'
import { clusterOwnedTagKey, tagClusterOwnedValue } from '../../../api/labels.ts'
import type { Logger } from '../../../kube/logger.ts'
import type { Clock } from '../../../model/clock.ts'
import { ExpiringMap } from '../../../model/expiring-map.ts'
import type { Random } from '../../../model/random.ts'
import { compareText } from '../../../model/order.ts'
import type { IAMClient } from '../clients.ts'
import { causeChainText, isNotFound, isRoleMissing } from '../errors.ts'
import { clusterNameTag, nodeClassKey, regionKey } from '../keys.ts'
import { readPages } from '../paginate.ts'
import { type Tags, toTagList } from '../tags.ts'
import { specOf } from '../wire.ts'
import { newProfileName, profilePath } from './instance-profile-names.ts'

export interface InstanceProfileOptions {
  readonly iam: IAMClient
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly region: string
  readonly clusterName: string
}

/** IAM does not know the role; asking again at once would only repeat the failed creation. */
class RoleNotFoundError extends Error {
  readonly code = 'RoleNotFound'
  constructor(cause: unknown) {
    super(`role not found, ${causeChainText(cause)}`, { cause })
    this.name = 'RoleNotFoundError'
  }
}

const profileTtlMs = 15 * 60_000
const missingRoleTtlMs = 60_000
/** As long as an instance of the old profile may still be launching. */
const protectedTtlMs = 3_600_000
/** Until the status that names a new profile has surely been written, and IAM shows it to all who ask, with its role. */
const recreationTtlMs = 60_000

/** Instance profiles that carry the roles of node classes. */
export class InstanceProfileProvider {
  readonly #options: InstanceProfileOptions
  readonly #profiles: ExpiringMap<string, InstanceProfile>
  readonly #missingRoles: ExpiringMap<string, unknown>
  readonly #protected: ExpiringMap<string, true>
  readonly #recreations: ExpiringMap<string, string>

  constructor(options: InstanceProfileOptions) {
    const { clock } = options
    this.#options = options
    this.#profiles = new ExpiringMap({ clock, ttlMs: profileTtlMs })
    this.#missingRoles = new ExpiringMap({ clock, ttlMs: missingRoleTtlMs })
    this.#protected = new ExpiringMap({ clock, ttlMs: protectedTtlMs })
    this.#recreations = new ExpiringMap({ clock, ttlMs: recreationTtlMs })
  }

  /**
   * Name of the profile to launch with: the class's own, or one that carries its role, made when there is none.
   * @throws RoleNotFoundError, and what IAM answered
   */
  async ensure(nodeClass: EC2NodeClass): Promise<string> {
    const spec = specOf(nodeClass)
    const previous = nodeClass.status?.instanceProfile
    if (spec.instanceProfile !== undefined) {
      if (previous !== undefined && previous !== '' && previous !== spec.instanceProfile) this.protect(previous)
      return spec.instanceProfile
    }
    const role = spec.role ?? ''
    const recreationKey = `${role}/${nodeClass.metadata.uid}`
    const made = this.#recreations.get(recreationKey)
    if (made !== undefined) return made
    const current = previous === undefined || previous === '' ? undefined : await this.get(previous)
    if (previous !== undefined && current?.Roles?.[0]?.RoleName === roleName(role)) return previous
    const created = await this.#createFor(nodeClass, role)
    this.#recreations.set(recreationKey, created)
    if (previous !== undefined && previous !== '' && previous !== created) this.protect(previous)
    return created
  }

  /** Undefined when there is none of that name. */
  async get(name: string): Promise<InstanceProfile | undefined> {
    const known = this.#profiles.get(name)
    if (known !== undefined) return known
    try {
      const profile = (await this.#options.iam.getInstanceProfile({ InstanceProfileName: name })).InstanceProfile
      if (profile !== undefined) this.#profiles.set(name, profile)
      return profile
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  /** What is known of it, when EC2 does not know it: IAM is asked the next time. */
  forget(name: string): void {
    this.#profiles.delete(name)
  }

  /** Takes its role off first; one that is gone already is fine. */
  async delete(name: string): Promise<void> {
    const { iam } = this.#options
    this.#profiles.delete(name)
    const profile = await this.get(name)
    if (profile !== undefined) {
      for (const { RoleName } of profile.Roles ?? []) {
        if (RoleName === undefined) continue
        await iam.removeRoleFromInstanceProfile({ InstanceProfileName: name, RoleName })
      }
      try {
        await iam.deleteInstanceProfile({ InstanceProfileName: name })
      } catch (error) {
        if (!isNotFound(error)) throw error
      }
    }
    this.#profiles.delete(name)
    this.#protected.delete(name)
  }

  /** All profiles below the path, by name. Some IAM implementations ignore the prefix, so it is checked here, too. */
  async list(pathPrefix: string): Promise<readonly InstanceProfile[]> {
    const found = await readPages(
      async ({ NextToken }) => {
        const page = await this.#options.iam.listInstanceProfiles({
          PathPrefix: pathPrefix,
          ...(NextToken === undefined ? {} : { Marker: NextToken }),
        })
        return { profiles: page.InstanceProfiles, NextToken: page.IsTruncated === true ? page.Marker : undefined }
      },
      ({ profiles }) => profiles,
    )
    return found
      .filter((profile) => profile.Path?.startsWith(pathPrefix) ?? false)
      .toSorted((a, b) => compareText(a.InstanceProfileName ?? '', b.InstanceProfileName ?? ''))
  }

  /** Keeps garbage collection away for an hour. */
  protect(name: string): void {
    this.#protected.set(name, true)
  }

  isProtected(name: string): boolean {
    return this.#protected.has(name)
  }

  clear(): void {
    this.#profiles.clear()
    this.#missingRoles.clear()
    this.#recreations.clear()
  }

  async #createFor(nodeClass: EC2NodeClass, role: string): Promise<string> {
    const { iam, random, region, clusterName, log } = this.#options
    const missing = this.#missingRoles.get(role)
    if (missing !== undefined) throw new RoleNotFoundError(missing)
    const name = newProfileName(clusterName, region, nodeClass.metadata.name, random.uuid())
    // Garbage collection sees it before any class names it.
    this.protect(name)
    await iam.createInstanceProfile({
      InstanceProfileName: name,
      Path: profilePath(region, clusterName, nodeClass.metadata.uid),
      Tags: toTagList(this.#tags(nodeClass)).map(({ Key, Value }) => ({ Key: Key ?? '', Value: Value ?? '' })),
    })
    try {
      await iam.addRoleToInstanceProfile({ InstanceProfileName: name, RoleName: roleName(role) })
    } catch (error) {
      if (isRoleMissing(error)) this.#missingRoles.set(role, error)
      await this.delete(name).catch((failure: unknown) => {
        log.error({ 'instance-profile': name, err: failure }, 'failed to delete instance profile that was just created')
      })
      throw isRoleMissing(error) ? new RoleNotFoundError(error) : error
    }
    log.debug({ 'instance-profile': name, role }, 'created instance profile')
    return name
  }

  #tags(nodeClass: EC2NodeClass): Tags {
    const { region, clusterName } = this.#options
    return {
      ...specOf(nodeClass).tags,
      [clusterOwnedTagKey(clusterName)]: tagClusterOwnedValue,
      [clusterNameTag]: clusterName,
      [nodeClassKey]: nodeClass.metadata.name,
      [regionKey]: region,
    }
  }
}

/** IAM's calls take a role's name without its path. */
function roleName(role: string): string {
  return role.slice(role.lastIndexOf('/') + 1)
}
