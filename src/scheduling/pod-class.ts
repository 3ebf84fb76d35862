import type { Toleration } from '../api/kubernetes.ts'
import { labelHostname } from '../api/labels.ts'
import type { HostPort, PodInfo } from '../model/pod.ts'
import type { Requirement } from '../model/requirement.ts'
import type { LabelAliases, Requirements } from '../model/requirements.ts'
import type { AmountSpace, RequestVector } from './amounts.ts'
import {
  constraintsOf,
  fullRequirements,
  type PodConstraints,
  type PreferencePolicy,
  relax,
  strictRequirements,
  termRequirements,
} from './pod-constraints.ts'
import { podSize, type PodSize } from './pod-queue.ts'
import { labelsText, shapeText } from './pod-shape.ts'
import type { RequirementSpace, SetID } from './requirement-space.ts'

/**
 * A requirement set without its hostname part. Every target has exactly one hostname, so that part is judged by itself and sets
 * that differ only in it share what was worked out.
 */
export interface SplitRequirements {
  readonly set: SetID
  readonly hostname: Requirement | undefined
}

/** Pods that are alike in everything that scheduling looks at. */
export interface PodClass {
  readonly id: number
  /** Any of its pods: they differ in name, uid and age only. */
  readonly example: PodInfo
  readonly labelClass: LabelClass
  readonly requests: RequestVector
  readonly size: PodSize
  readonly strict: SplitRequirements
  readonly full: SplitRequirements
  readonly constraints: PodConstraints
  /** Equal toleration lists have equal ids. */
  readonly tolerationsID: number
  readonly hostPorts: readonly HostPort[]
  /** Alternatives from volumes, at least one; a single unconstrained one without volumes. */
  readonly volumeAlternatives: readonly SplitRequirements[]
  readonly hasResourceClaims: boolean
}

/** A pod of a solve with its class. */
export interface ClassedPod {
  readonly pod: PodInfo
  readonly podClass: PodClass
}

/** Pods of one namespace with the same labels: to selectors they are the same. */
export interface LabelClass {
  readonly id: number
  readonly namespace: string
  readonly labels: Readonly<Record<string, string>>
}

export interface PodClassesOptions {
  readonly requirements: RequirementSpace
  readonly amounts: AmountSpace
  readonly aliases: LabelAliases
  readonly preferencePolicy: PreferencePolicy
  /** Whether some candidate pool has a PreferNoSchedule taint, which makes tolerating those the last relaxation. */
  readonly softTaints: boolean
  /** Requirements that the pod's volumes bring, in the order to try; undefined when it has none. */
  readonly volumeRequirements: (pod: PodInfo) => readonly Requirements[] | undefined
  /** The pod as the solve should see it: default spread constraints are added here. */
  readonly inject: (pod: PodInfo) => PodInfo
}

interface Relaxed {
  readonly podClass: PodClass
  readonly reason: string
}

/** Interns pods into classes, and knows what each class becomes when it is relaxed. */
export class PodClasses {
  readonly #options: PodClassesOptions
  readonly #classes = new Map<string, PodClass>()
  /** What solves see in the place of a pod, where that is not the pod. */
  readonly #seen = new Map<PodInfo, PodInfo>()
  readonly #labelClasses = new Map<string, LabelClass>()
  readonly #tolerations = new Map<string, number>()
  readonly #tolerationLists: (readonly Toleration[])[] = []
  readonly #relaxed = new Map<PodClass, Relaxed | undefined>()
  readonly #selectors = new Map<string, SplitRequirements>()
  readonly #requirementKeys = new Map<PodClass, ReadonlySet<string>>()

  constructor(options: PodClassesOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#classes.size
  }

  classOf(pod: PodInfo): PodClass {
    const seen = this.#seen.get(pod) ?? this.#see(pod)
    const key = shapeText(seen)
    let found = this.#classes.get(key)
    if (found === undefined) {
      found = this.#make(seen, constraintsOf(seen))
      this.#classes.set(key, found)
    }
    return found
  }

  #see(pod: PodInfo): PodInfo {
    const seen = this.#options.inject(pod)
    if (seen !== pod) this.#seen.set(pod, seen)
    return seen
  }

  labelClassOf(pod: PodInfo): LabelClass {
    const key = labelsText(pod)
    let found = this.#labelClasses.get(key)
    if (found === undefined) {
      found = { id: this.#labelClasses.size, namespace: pod.namespace, labels: pod.labels }
      this.#labelClasses.set(key, found)
    }
    return found
  }

  tolerations(id: number): readonly Toleration[] {
    return this.#tolerationLists[id] ?? []
  }

  tolerationsID(tolerations: readonly Toleration[]): number {
    const text = tolerations.length === 0 ? '' : JSON.stringify(tolerations)
    let id = this.#tolerations.get(text)
    if (id === undefined) {
      id = this.#tolerationLists.length
      this.#tolerationLists.push(tolerations)
      this.#tolerations.set(text, id)
    }
    return id
  }

  /** Undefined when the class insists on all that is left. */
  relaxed(podClass: PodClass): Relaxed | undefined {
    if (this.#relaxed.has(podClass)) return this.#relaxed.get(podClass)
    const step = relax(podClass.constraints, { softTaints: this.#options.softTaints })
    let result: Relaxed | undefined
    if (step !== undefined) {
      const key = `${shapeText(podClass.example)}relaxed${JSON.stringify(step.constraints)}`
      let next = this.#classes.get(key)
      if (next === undefined) {
        next = this.#make(podClass.example, step.constraints)
        this.#classes.set(key, next)
      }
      result = { podClass: next, reason: step.reason }
    }
    this.#relaxed.set(podClass, result)
    return result
  }

  split(requirements: Requirements): SplitRequirements {
    const hostname = requirements.get(labelHostname)
    if (hostname === undefined) return { set: this.#options.requirements.intern(requirements), hostname: undefined }
    const rest = new Map(requirements)
    rest.delete(labelHostname)
    return { set: this.#options.requirements.intern(rest), hostname }
  }

  #make(pod: PodInfo, constraints: PodConstraints): PodClass {
    const { amounts, aliases, preferencePolicy, volumeRequirements } = this.#options
    const selectorKey = JSON.stringify([pod.nodeSelector, constraints.requiredNodeTerms[0]])
    let strict = this.#selectors.get(selectorKey)
    if (strict === undefined) {
      strict = this.split(strictRequirements(pod.nodeSelector, constraints, aliases))
      this.#selectors.set(selectorKey, strict)
    }
    const preferred = preferencePolicy === 'Respect' && constraints.preferredNodeTerms.length > 0
    const full = preferred
      ? this.split(
          fullRequirements(
            strictRequirements(pod.nodeSelector, constraints, aliases),
            constraints,
            preferencePolicy,
            aliases,
          ),
        )
      : strict
    const alternatives = pod.volumes.length === 0 ? undefined : volumeRequirements(pod)
    return {
      id: this.#classes.size,
      example: pod,
      labelClass: this.labelClassOf(pod),
      requests: amounts.vector(pod.requests),
      size: podSize(pod),
      strict,
      full,
      constraints,
      tolerationsID: this.tolerationsID(constraints.tolerations),
      hostPorts: pod.hostPorts,
      volumeAlternatives:
        alternatives === undefined || alternatives.length === 0
          ? this.#unconstrained
          : alternatives.map((alternative) => this.split(alternative)),
      hasResourceClaims: pod.hasResourceClaims,
    }
  }

  get #unconstrained(): readonly SplitRequirements[] {
    return [{ set: this.#options.requirements.empty, hostname: undefined }]
  }

  /** Keys that the class, however far relaxed, may compare or bring to a target. */
  requirementKeys(podClass: PodClass): ReadonlySet<string> {
    let keys = this.#requirementKeys.get(podClass)
    if (keys === undefined) {
      keys = this.#requirementKeysOf(podClass)
      this.#requirementKeys.set(podClass, keys)
    }
    return keys
  }

  #requirementKeysOf(podClass: PodClass): ReadonlySet<string> {
    const { aliases, requirements } = this.#options
    const keys = new Set<string>()
    const { constraints, volumeAlternatives, strict } = podClass
    for (const key of requirements.get(strict.set).keys()) keys.add(key)
    for (const term of constraints.requiredNodeTerms) addKeys(keys, termRequirements(term, aliases))
    for (const { preference } of constraints.preferredNodeTerms) addKeys(keys, termRequirements(preference, aliases))
    for (const { set } of volumeAlternatives) addKeys(keys, requirements.get(set))
    return keys
  }
}

function addKeys(into: Set<string>, requirements: Requirements): void {
  for (const key of requirements.keys()) into.add(key)
}
