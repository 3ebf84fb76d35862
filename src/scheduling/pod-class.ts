import type { Toleration } from '../api/kubernetes.ts'
import { labelHostname } from '../api/labels.ts'
import type { HostPort, PodInfo } from '../model/pod.ts'
import { anyValue, type Requirement } from '../model/requirement.ts'
import type { LabelAliases, Requirements } from '../model/requirements.ts'
import type { AmountSpace, RequestVector } from './amounts.ts'
import {
  constraintsOf,
  fullRequirements,
  neededDespite,
  type PodConstraints,
  type PreferencePolicy,
  strictRequirements,
  strictSelection,
  termRequirements,
} from './pod-constraints.ts'
import { podSize, type PodSize } from './pod-queue.ts'
import { labelsText, shapeText } from './pod-shape.ts'
import { Relaxations } from './relaxations.ts'
import type { RequirementSpace, SetID } from './requirement-space.ts'

/**
 * A requirement set without its hostname part. Every target has exactly one hostname, so that part is judged by itself and sets
 * that differ only in it share what was worked out.
 */
export interface SplitRequirements {
  readonly set: SetID
  readonly hostname: Requirement | undefined
}

export interface NodeRequirements extends SplitRequirements {
  /** Labels that a node must have, though the set says only what they must not be. */
  readonly needed: readonly string[]
  /** That they exist. */
  readonly existing: SetID
}

/** Pods that are alike in everything that scheduling looks at. */
export interface PodClass {
  /** Classes with the same topology groups may share it: those that a pod becomes by giving up node preferences. */
  readonly id: number
  /** Any of its pods: they differ in name, uid and age only. */
  readonly example: PodInfo
  readonly labelClass: LabelClass
  readonly requests: RequestVector
  readonly size: PodSize
  readonly strict: NodeRequirements
  readonly full: NodeRequirements
  /** Of a relaxed class put together when asked for: each of thousands would keep what all of them have in common. */
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

/** Interns pods into classes, and knows what each class becomes when it is relaxed. */
export class PodClasses {
  readonly #options: PodClassesOptions
  readonly #classes = new Map<string, PodClass>()
  /** What solves see in the place of a pod, where that is not the pod. */
  readonly #seen = new Map<PodInfo, PodInfo>()
  readonly #labelClasses = new Map<string, LabelClass>()
  readonly #tolerations = new Map<string, number>()
  readonly #tolerationLists: (readonly Toleration[])[] = []
  readonly #relaxations = new Map<PodClass, Relaxations>()
  /** By how many things were given up. */
  readonly #relaxed = new Map<PodClass, Map<number, PodClass>>()
  #ids = 0
  readonly #selectors = new Map<string, NodeRequirements>()
  readonly #requirementKeys = new Map<PodClass, ReadonlySet<string>>()

  constructor(options: PodClassesOptions) {
    this.#options = options
  }

  classOf(pod: PodInfo): PodClass {
    const seen = this.#seen.get(pod) ?? this.#see(pod)
    const key = shapeText(seen)
    let found = this.#classes.get(key)
    if (found === undefined) {
      const constraints = constraintsOf(seen)
      found = this.#make(seen, constraints, { id: this.#nextID(), strict: this.#strict(seen, constraints) })
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

  /** What pods of the class can do without. */
  relaxations(podClass: PodClass): Relaxations {
    let found = this.#relaxations.get(podClass)
    if (found === undefined) {
      found = new Relaxations(podClass.constraints, { softTaints: this.#options.softTaints })
      this.#relaxations.set(podClass, found)
    }
    return found
  }

  /** What the class becomes after so many steps of its relaxations. */
  relaxed(podClass: PodClass, dropped: number): PodClass {
    if (dropped === 0) return podClass
    let steps = this.#relaxed.get(podClass)
    if (steps === undefined) {
      steps = new Map()
      this.#relaxed.set(podClass, steps)
    }
    let found = steps.get(dropped)
    if (found === undefined) {
      found = this.#relax(podClass, dropped)
      steps.set(dropped, found)
    }
    return found
  }

  #relax(podClass: PodClass, dropped: number): PodClass {
    const relaxations = this.relaxations(podClass)
    const { wishes, nodeWishes } = relaxations
    const constraints = relaxations.after(dropped)
    const pod = podClass.example
    const inNodeWishes = dropped > nodeWishes.from && dropped <= nodeWishes.to
    const made = this.#make(pod, constraints, {
      id: inNodeWishes ? this.relaxed(podClass, nodeWishes.from).id : this.#nextID(),
      strict:
        dropped > wishes.from && dropped <= relaxations.count
          ? this.relaxed(podClass, wishes.from).strict
          : this.#strict(pod, constraints),
    })
    return new RelaxedClass(made, relaxations, dropped)
  }

  #nextID(): number {
    this.#ids += 1
    return this.#ids - 1
  }

  split(requirements: Requirements): SplitRequirements {
    const hostname = requirements.get(labelHostname)
    if (hostname === undefined) return { set: this.#options.requirements.intern(requirements), hostname: undefined }
    const rest = new Map(requirements)
    rest.delete(labelHostname)
    return { set: this.#options.requirements.intern(rest), hostname }
  }

  #strict(pod: PodInfo, constraints: PodConstraints): NodeRequirements {
    const key = JSON.stringify([pod.nodeSelector, constraints.requiredNodeTerms[0]])
    let strict = this.#selectors.get(key)
    if (strict === undefined) {
      const { requirements, needed } = strictSelection(pod.nodeSelector, constraints, this.#options.aliases)
      strict = this.#nodeRequirements(requirements, needed)
      this.#selectors.set(key, strict)
    }
    return strict
  }

  #full(pod: PodInfo, constraints: PodConstraints, { needed }: NodeRequirements): NodeRequirements {
    const { aliases, preferencePolicy } = this.#options
    const strict = strictRequirements(pod.nodeSelector, constraints, aliases)
    const full = fullRequirements(strict, constraints, preferencePolicy, aliases)
    return this.#nodeRequirements(full, [...new Set([...needed, ...neededDespite(strict, full)])])
  }

  #nodeRequirements(requirements: Requirements, needed: readonly string[]): NodeRequirements {
    const { set: existing } = this.split(new Map(needed.map((label) => [label, anyValue(label)])))
    return { ...this.split(requirements), needed, existing }
  }

  #make(
    pod: PodInfo,
    constraints: PodConstraints,
    { id, strict }: { readonly id: number; readonly strict: NodeRequirements },
  ): PodClass {
    const { amounts, preferencePolicy, volumeRequirements } = this.#options
    const preferred = preferencePolicy === 'Respect' && constraints.preferredNodeTerms.length > 0
    const full = preferred ? this.#full(pod, constraints, strict) : strict
    const alternatives = pod.volumes.length === 0 ? undefined : volumeRequirements(pod)
    return {
      id,
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

/** What a class becomes when it gives things up. */
class RelaxedClass implements PodClass {
  readonly id: number
  readonly example: PodInfo
  readonly labelClass: LabelClass
  readonly requests: RequestVector
  readonly size: PodSize
  readonly strict: NodeRequirements
  readonly full: NodeRequirements
  readonly tolerationsID: number
  readonly hostPorts: readonly HostPort[]
  readonly volumeAlternatives: readonly SplitRequirements[]
  readonly hasResourceClaims: boolean
  readonly #relaxations: Relaxations
  readonly #dropped: number

  constructor(like: PodClass, relaxations: Relaxations, dropped: number) {
    this.id = like.id
    this.example = like.example
    this.labelClass = like.labelClass
    this.requests = like.requests
    this.size = like.size
    this.strict = like.strict
    this.full = like.full
    this.tolerationsID = like.tolerationsID
    this.hostPorts = like.hostPorts
    this.volumeAlternatives = like.volumeAlternatives
    this.hasResourceClaims = like.hasResourceClaims
    this.#relaxations = relaxations
    this.#dropped = dropped
  }

  get constraints(): PodConstraints {
    return this.#relaxations.after(this.#dropped)
  }
}

function addKeys(into: Set<string>, requirements: Requirements): void {
  for (const key of requirements.keys()) into.add(key)
}
