import type { PodClass } from '../pod-class.ts'
import { GroupFinder } from './group-finder.ts'
import { type GroupOptions, type GroupSpec, inverseGroups, ordinaryGroups, selectsPods } from './group-spec.ts'

/** What a pod class asks for, before anything is counted; what it asks for twice is there once. */
interface ClassGroups {
  readonly ordinary: readonly OwnGroup[]
  readonly inverse: readonly GroupSpec[]
}

export interface OwnGroup {
  readonly spec: GroupSpec
  /** Whether the group counts pods of the class itself. */
  readonly selfSelecting: boolean
}

/** The groups of pod classes, worked out once for all solves on a snapshot. */
export class GroupSpecs {
  /** Those that solves on the snapshot have created so far. */
  readonly created = { ordinary: new GroupFinder(), inverse: new GroupFinder() }
  readonly #options: GroupOptions
  readonly #ofClass = new Map<PodClass, ClassGroups>()

  constructor(options: GroupOptions) {
    this.#options = options
  }

  of(podClass: PodClass): ClassGroups {
    let found = this.#ofClass.get(podClass)
    if (found === undefined) {
      found = this.#groupsOf(podClass)
      this.#ofClass.set(podClass, found)
    }
    return found
  }

  #groupsOf(podClass: PodClass): ClassGroups {
    const { example, constraints, labelClass } = podClass
    const { requiredAntiAffinity, tolerations } = constraints
    return {
      ordinary: onceEach(ordinaryGroups(example, constraints, this.#options)).map((spec) => ({
        spec,
        selfSelecting: selectsPods(spec, labelClass),
      })),
      inverse: onceEach(inverseGroups(example, requiredAntiAffinity, tolerations, this.#options)),
    }
  }
}

function onceEach(specs: readonly GroupSpec[]): readonly GroupSpec[] {
  const seen = new Set<string>()
  return specs.filter(({ identity }) => seen.size < seen.add(identity).size)
}
