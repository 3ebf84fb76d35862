import type { LabelClass } from '../pod-class.ts'
import type { TopologyGroup } from './group.ts'
import type { GroupFinder } from './group-finder.ts'
import { selectsPods, type GroupSpec } from './group-spec.ts'

/** The groups of one solve. Which of them select a pod is looked up among all that solves on the snapshot have ever created. */
export class SolveGroups {
  readonly #created: GroupFinder
  readonly #all: TopologyGroup[] = []
  readonly #bySpec = new Map<GroupSpec, TopologyGroup>()
  readonly #selecting = new Map<LabelClass, { readonly groups: readonly TopologyGroup[]; readonly among: number }>()

  constructor(created: GroupFinder) {
    this.#created = created
  }

  add(group: TopologyGroup): void {
    this.#created.add({ spec: group.spec })
    this.#all.push(group)
    this.#bySpec.set(group.spec, group)
  }

  get all(): readonly TopologyGroup[] {
    return this.#all
  }

  selecting(labelClass: LabelClass): readonly TopologyGroup[] {
    const created = this.#created.selecting(labelClass)
    if (created.length === 0) return none
    const known = this.#selecting.get(labelClass)
    // Relaxation adds groups now and then.
    if (known?.among === this.#all.length) return known.groups
    const groups = this.#find(labelClass, created)
    this.#selecting.set(labelClass, { groups, among: this.#all.length })
    return groups
  }

  #find(labelClass: LabelClass, created: readonly { readonly spec: GroupSpec }[]): readonly TopologyGroup[] {
    if (created.length > this.#all.length) return this.#all.filter(({ spec }) => selectsPods(spec, labelClass))
    const groups: TopologyGroup[] = []
    for (const { spec } of created) {
      const group = this.#bySpec.get(spec)
      if (group !== undefined) groups.push(group)
    }
    return groups
  }
}

const none: readonly TopologyGroup[] = []
