import { firstEquality } from '../cluster-index.ts'
import type { LabelClass } from '../pod-class.ts'
import { type GroupSpec, selectsPods } from './group-spec.ts'

/** Finds the groups that select a pod without asking all of them: most selectors name a label with its value. */
export class GroupFinder<T extends { readonly spec: GroupSpec }> {
  readonly #all: T[] = []
  readonly #byLabel = new Map<string, number[]>()
  readonly #others: number[] = []
  readonly #found = new Map<LabelClass, { groups: T[]; asked: number }>()

  add(group: T): void {
    const position = this.#all.length
    this.#all.push(group)
    const { selector } = group.spec
    const pin = selector === undefined ? undefined : firstEquality(selector)
    if (pin === undefined) {
      this.#others.push(position)
      return
    }
    for (const value of pin.values) {
      const key = `${pin.key}\n${value}`
      const known = this.#byLabel.get(key)
      if (known === undefined) this.#byLabel.set(key, [position])
      else known.push(position)
    }
  }

  /** In the order in which they were added. */
  selecting(labelClass: LabelClass): readonly T[] {
    let found = this.#found.get(labelClass)
    if (found === undefined) {
      const candidates = [...this.#others]
      for (const [key, value] of Object.entries(labelClass.labels)) {
        const positions = this.#byLabel.get(`${key}\n${value}`)
        if (positions !== undefined) candidates.push(...positions)
      }
      candidates.sort((a, b) => a - b)
      found = { groups: candidates.flatMap((position) => this.#ask(position, labelClass)), asked: this.#all.length }
      this.#found.set(labelClass, found)
    }
    // Relaxation adds groups now and then.
    for (; found.asked < this.#all.length; found.asked += 1) found.groups.push(...this.#ask(found.asked, labelClass))
    return found.groups
  }

  get groups(): readonly T[] {
    return this.#all
  }

  #ask(position: number, labelClass: LabelClass): T[] {
    const group = this.#all[position]
    return group !== undefined && selectsPods(group.spec, labelClass) ? [group] : []
  }
}
