import type { PlacementGroup as EC2PlacementGroup } from '@aws-sdk/client-ec2'
import type { EC2NodeClass } from '../../../api/karpenter.ts'
import type { Clock } from '../../../model/clock.ts'
import { ExpiringMap } from '../../../model/expiring-map.ts'
import type { EC2Client } from '../clients.ts'
import { isPlacementGroupUnknown } from '../errors.ts'
import type { PlacementGroup } from '../instance-types/type-settings.ts'
import { type NodeClassSpec, specOf } from '../wire.ts'

/** What the class and the claims of launches that wait for the group say. */
export const placementGroupUnresolved = {
  reason: 'PlacementGroupResolutionFailed',
  message: 'Failed to resolve placement group',
} as const

export function placementGroupNotFound({ id, name = '' }: PlacementGroupSelector): string {
  return `Placement group "${id ?? name}" not found`
}

type PlacementGroupSelector = NonNullable<NodeClassSpec['placementGroupSelector']>

const checkedTtlMs = 60_000
const valueTtlMs = 24 * 3_600_000

export class PlacementGroupProvider {
  readonly #ec2: Pick<EC2Client, 'describePlacementGroups'>
  readonly #checked: ExpiringMap<string, true>
  readonly #values: ExpiringMap<string, PlacementGroup>
  readonly #asking = new Map<string, Promise<PlacementGroup | undefined>>()

  constructor(options: { readonly ec2: Pick<EC2Client, 'describePlacementGroups'>; readonly clock: Clock }) {
    this.#ec2 = options.ec2
    this.#checked = new ExpiringMap({ clock: options.clock, ttlMs: checkedTtlMs })
    this.#values = new ExpiringMap({ clock: options.clock, ttlMs: valueTtlMs })
  }

  /** What is known without asking; a group found within a day counts although EC2 may not answer just now. */
  known(nodeClass: EC2NodeClass): PlacementGroup | undefined {
    const key = keyOf(nodeClass)
    return key === undefined ? undefined : this.#values.get(key)
  }

  /**
   * What is known, or else what EC2 says now: right after a start nobody has asked it, which does not mean that there is no group. Rejects as
   * `resolve` does.
   */
  async knownOrAsked(nodeClass: EC2NodeClass): Promise<PlacementGroup | undefined> {
    return this.known(nodeClass) ?? this.resolve(nodeClass)
  }

  /** Undefined when there is no such group. Rejects with what EC2 answered. */
  async resolve(nodeClass: EC2NodeClass): Promise<PlacementGroup | undefined> {
    const key = keyOf(nodeClass)
    if (key === undefined) return undefined
    if (this.#checked.has(key)) return this.#values.get(key)
    const asking = this.#asking.get(key) ?? this.#ask(nodeClass, key).finally(() => this.#asking.delete(key))
    this.#asking.set(key, asking)
    return asking
  }

  async #ask(nodeClass: EC2NodeClass, key: string): Promise<PlacementGroup | undefined> {
    const { id, name = '' } = specOf(nodeClass).placementGroupSelector ?? {}
    let answer: Awaited<ReturnType<EC2Client['describePlacementGroups']>>
    try {
      answer = await this.#ec2.describePlacementGroups({
        Filters: [{ Name: 'state', Values: ['available'] }],
        ...(id === undefined ? { GroupNames: [name] } : { GroupIds: [id] }),
      })
    } catch (error) {
      // A group in which machines run cannot be deleted: what was found within a day counts on, as when EC2 does not answer.
      if (isPlacementGroupUnknown(error)) return undefined
      throw error
    }
    this.#checked.set(key, true)
    const group = toPlacementGroup(answer.PlacementGroups?.[0])
    if (group === undefined) this.#values.delete(key)
    else this.#values.set(key, group)
    return group
  }

  clear(): void {
    this.#checked.clear()
    this.#values.clear()
  }
}

function keyOf(nodeClass: EC2NodeClass): string | undefined {
  const selector = specOf(nodeClass).placementGroupSelector
  return selector === undefined ? undefined : JSON.stringify([selector.id ?? '', selector.name ?? ''])
}

function toPlacementGroup(group: EC2PlacementGroup | undefined): PlacementGroup | undefined {
  const strategy = group?.Strategy
  if (group?.GroupId === undefined || strategy === undefined) return undefined
  if (strategy !== 'cluster' && strategy !== 'partition' && strategy !== 'spread') return undefined
  return { id: group.GroupId, name: group.GroupName ?? '', strategy, partitionCount: group.PartitionCount ?? 0 }
}
