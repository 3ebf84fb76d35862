import type { LabelSelector } from '../api/kubernetes.ts'
import { byIdentity } from './by-identity.ts'
import { firstEquality, type Labels } from './label-selector.ts'

/**
 * Positions of selectors in a list, so that those which may match a set of labels are found without asking all: most name a label with its
 * value. Lists of positions ascend, are live, and grow with what is added.
 */
export class SelectorIndex {
  readonly #byPin = new Map<string, number[]>()
  readonly #others: number[] = []

  /** Positions are added in ascending order. */
  add(position: number, selector: LabelSelector | undefined): void {
    const pins = selector === undefined ? undefined : selectorPins(selector)
    if (pins === undefined) this.#others.push(position)
    else for (const pin of pins) this.#pinned(pin).push(position)
  }

  /** The lists in which every selector stands that may match the labels. */
  candidates(labels: Labels): readonly (readonly number[])[] {
    return [this.#others, ...labelPins(labels).map((pin) => this.#pinned(pin))]
  }

  #pinned(pin: string): number[] {
    let positions = this.#byPin.get(pin)
    if (positions === undefined) {
      positions = []
      this.#byPin.set(pin, positions)
    }
    return positions
  }
}

/** One text for each label with its value. */
const labelPins = byIdentity((labels: Labels): readonly string[] =>
  Object.entries(labels).map(([key, value]) => pinText(key, value)),
)

/** What is selected has one of these among its `labelPins`; undefined when the selector names no label with its values. */
const selectorPins = byIdentity((selector: LabelSelector): readonly string[] | undefined => {
  const wanted = firstEquality(selector)
  return wanted?.values.map((value) => pinText(wanted.key, value))
})

function pinText(key: string, value: string): string {
  return `${key}\n${value}`
}
