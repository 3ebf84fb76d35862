import type { PodClass } from '../pod-class.ts'
import type { StandingInverse } from './counting.ts'
import { GroupFinder } from './group-finder.ts'
import { type GroupOptions, type GroupSpec, inverseGroups, ordinaryGroups, selectsPods } from './group-spec.ts'

/** What a pod class asks for and has to bear, before anything is counted; what it asks for twice is there once. */
interface ClassGroups {
  readonly ordinary: readonly OwnGroup[]
  readonly inverse: readonly OwnInverse[]
  /** Anti-affinity of running pods that selects the class. */
  readonly standing: readonly StandingInverse[]
}

export interface OwnGroup {
  readonly spec: GroupSpec
  /** Whether the group counts pods of the class itself. */
  readonly selfSelecting: boolean
}

/** The group in which the class's own required anti-affinity shows. */
export interface OwnInverse {
  readonly spec: GroupSpec
  /** Running pods that ask for the same. */
  readonly standing: StandingInverse | undefined
}

/** The groups of pod classes, worked out once for all solves on a snapshot. */
export class GroupSpecs {
  /** Those that solves on the snapshot have created so far. */
  readonly created = { ordinary: new GroupFinder(), inverse: new GroupFinder() }
  readonly #options: GroupOptions
  readonly #standing: ReadonlyMap<string, StandingInverse>
  readonly #standingFinder = new GroupFinder<StandingInverse>()
  /** By id of the class. */
  readonly #ofClass: (ClassGroups | undefined)[] = []

  /** `standing`: of all running pods, by identity. */
  constructor(options: GroupOptions, standing: ReadonlyMap<string, StandingInverse>) {
    this.#options = options
    this.#standing = standing
    for (const group of standing.values()) this.#standingFinder.add(group)
  }

  of(podClass: PodClass): ClassGroups {
    return (this.#ofClass[podClass.id] ??= this.#groupsOf(podClass))
  }

  #groupsOf(podClass: PodClass): ClassGroups {
    const { example, constraints, labelClass } = podClass
    const { requiredAntiAffinity, tolerations } = constraints
    return {
      ordinary: onceEach(ordinaryGroups(example, constraints, this.#options)).map((spec) => ({
        spec,
        selfSelecting: selectsPods(spec, labelClass),
      })),
      inverse: onceEach(inverseGroups(example, requiredAntiAffinity, tolerations, this.#options)).map((spec) => ({
        spec,
        standing: this.#standing.get(spec.identity),
      })),
      standing: this.#standingFinder.selecting(labelClass),
    }
  }
}

function onceEach(specs: readonly GroupSpec[]): readonly GroupSpec[] {
  const seen = new Set<string>()
  return specs.filter(({ identity }) => seen.size < seen.add(identity).size)
}
