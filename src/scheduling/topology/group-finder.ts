import { SelectorIndex } from '../../model/selector-index.ts'
import type { LabelClass } from '../pod-class.ts'
import { appended } from './appended.ts'
import { type GroupSpec, selectsPods } from './group-spec.ts'

/** Finds the groups that select a pod without asking all of them: most selectors name a label with its value. */
export class GroupFinder<T extends { readonly spec: GroupSpec } = { readonly spec: GroupSpec }> {
  readonly #all: T[] = []
  readonly #specs = new Set<GroupSpec>()
  readonly #index = new SelectorIndex()
  /** By id of the label class. */
  readonly #found: (Found<T> | undefined)[] = []

  has(spec: GroupSpec): boolean {
    return this.#specs.has(spec)
  }

  /** The second one of the same spec is not added. */
  add(group: T): void {
    const { spec } = group
    if (this.#specs.has(spec)) return
    this.#specs.add(spec)
    this.#index.add(this.#all.length, spec.selector)
    this.#all.push(group)
  }

  /** In the order in which they were added, but for those that were added since it was last asked: they follow. */
  selecting(labelClass: LabelClass): readonly T[] {
    const found = (this.#found[labelClass.id] ??= {
      groups: [],
      among: this.#index.candidates(labelClass.labels),
      asked: 0,
    })
    if (found.asked < this.#all.length) this.#askOthers(labelClass, found)
    return found.groups
  }

  #askOthers(labelClass: LabelClass, found: Found<T>): void {
    let candidates: number[] = []
    for (const positions of found.among) {
      for (let index = positions.length - 1; index >= 0; index -= 1) {
        const position = positions[index] ?? 0
        if (position < found.asked) break
        candidates = appended(candidates, position)
      }
    }
    found.asked = this.#all.length
    if (candidates.length > 1) candidates.sort((a, b) => a - b)
    for (const position of candidates) {
      const group = this.#all[position]
      if (group !== undefined && selectsPods(group.spec, labelClass)) {
        found.groups = appended(found.groups, group)
      }
    }
  }
}

interface Found<T> {
  groups: T[]
  /** Where groups that select the class may be; they grow. */
  readonly among: readonly (readonly number[])[]
  /** How many groups there were when it was last asked. */
  asked: number
}
