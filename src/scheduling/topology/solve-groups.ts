import type { LabelClass } from '../pod-class.ts'
import { appended } from './appended.ts'
import type { TopologyGroup } from './group.ts'
import type { GroupFinder } from './group-finder.ts'
import { selectsPods } from './group-spec.ts'

/** The groups of one solve. Which of them select a pod is looked up among all that solves on the snapshot have ever created. */
export class SolveGroups {
  readonly #created: GroupFinder
  readonly #byIdentity = new Map<string, TopologyGroup>()
  readonly #selecting = new Map<LabelClass, { readonly groups: readonly TopologyGroup[]; readonly among: number }>()

  constructor(created: GroupFinder) {
    this.#created = created
  }

  get(identity: string): TopologyGroup | undefined {
    return this.#byIdentity.get(identity)
  }

  add(group: TopologyGroup): TopologyGroup {
    if (!this.#created.has(group.spec)) this.#created.add({ spec: group.spec })
    this.#byIdentity.set(group.spec.identity, group)
    return group
  }

  get size(): number {
    return this.#byIdentity.size
  }

  /** In the order in which they were added. */
  all(): Iterable<TopologyGroup> {
    return this.#byIdentity.values()
  }

  /** The same, remembered until groups are added: for pods of which many are placed. */
  selectingOften(labelClass: LabelClass): readonly TopologyGroup[] {
    const known = this.#selecting.get(labelClass)
    // Relaxation adds groups now and then.
    if (known?.among === this.#byIdentity.size) return known.groups
    const groups = this.selecting(labelClass)
    if (groups.length > 0) this.#selecting.set(labelClass, { groups, among: this.#byIdentity.size })
    return groups
  }

  selecting(labelClass: LabelClass): readonly TopologyGroup[] {
    if (this.#byIdentity.size === 0) return none
    const created = this.#created.selecting(labelClass)
    if (created.length > this.#byIdentity.size) {
      return [...this.all()].filter(({ spec }) => selectsPods(spec, labelClass))
    }
    let groups: TopologyGroup[] = none
    for (const { spec } of created) {
      const group = this.#byIdentity.get(spec.identity)
      if (group?.spec === spec) groups = appended(groups, group)
    }
    return groups
  }
}

const none: TopologyGroup[] = []
