import type { LabelSelector } from '../../api/kubernetes.ts'
import { selects } from '../../model/label-selector.ts'
import { isActive, type PodInfo } from '../../model/pod.ts'
import { labelPins, selectorPins } from './label-pins.ts'

export interface MovedPod {
  readonly pod: PodInfo
  /** Position of the node that it runs on now. */
  readonly node: number
}

/** Pods of a solve that run already: they are about to be placed elsewhere, and count nowhere until they are. */
export class MovedPods {
  /** Positions of the nodes that they run on. */
  readonly nodes: ReadonlySet<number>
  readonly #all: readonly MovedPod[]
  readonly #pods: ReadonlySet<PodInfo>
  #byPin: ReadonlyMap<string, readonly MovedPod[]> | undefined

  constructor(moved: readonly MovedPod[]) {
    this.#all = moved
    this.#pods = new Set(moved.map(({ pod }) => pod))
    this.nodes = new Set(moved.map(({ node }) => node))
  }

  has(pod: PodInfo): boolean {
    return this.#pods.has(pod)
  }

  /** Those active that the selector lists: all of the namespaces when there is none. */
  selected(namespaces: ReadonlySet<string>, selector: LabelSelector | undefined): readonly MovedPod[] {
    const pins = selector === undefined ? undefined : selectorPins(selector)
    const found: MovedPod[] = []
    const list = (candidates: readonly MovedPod[]): void => {
      for (const moved of candidates) {
        const { pod } = moved
        if (!namespaces.has(pod.namespace) || !isActive(pod)) continue
        if (selector === undefined || selects(selector, pod.labels)) found.push(moved)
      }
    }
    if (pins === undefined) list(this.#all)
    else for (const pin of pins) list(this.#pinned(pin))
    return found
  }

  #pinned(pin: string): readonly MovedPod[] {
    this.#byPin ??= indexed(this.#all)
    return this.#byPin.get(pin) ?? []
  }
}

function indexed(moved: readonly MovedPod[]): ReadonlyMap<string, readonly MovedPod[]> {
  const byPin = new Map<string, MovedPod[]>()
  for (const each of moved) {
    for (const pin of labelPins(each.pod.labels)) {
      const known = byPin.get(pin)
      if (known === undefined) byPin.set(pin, [each])
      else known.push(each)
    }
  }
  return byPin
}
