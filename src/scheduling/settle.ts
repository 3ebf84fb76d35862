import { allows } from '../model/requirement.ts'
import type { PodClass } from './pod-class.ts'
import type { RequirementSpace, SetID } from './requirement-space.ts'
import type { Topology } from './topology/topology.ts'

/** No requirement set: the pod cannot go there. */
export const refused = -1

/**
 * What a target's requirements become with a pod of the class and one of its volume alternatives, topology included; `refused` when
 * they do not go together. `lenient`: well-known keys may be undefined on the target, as on nodes that do not exist yet.
 */
export function settle(
  podClass: PodClass,
  target: { readonly set: SetID; readonly hostname: string; readonly lenient: boolean },
  alternative: PodClass['volumeAlternatives'][number],
  {
    requirements,
    topology,
    devices,
  }: {
    readonly requirements: RequirementSpace
    readonly topology: Topology
    /** Adds what the devices of resource claims require; `refused` when there are none. */
    readonly devices?: (set: SetID) => SetID
  },
): SetID {
  const accepts = (existing: SetID, incoming: SetID): boolean =>
    target.lenient ? requirements.compatible(existing, incoming) : requirements.strictlyCompatible(existing, incoming)
  const { full } = podClass
  if (full.hostname !== undefined && !allows(full.hostname, target.hostname)) return refused
  if (!accepts(target.set, full.set)) return refused
  const withPod = requirements.merge(target.set, full.set)
  if (alternative.hostname !== undefined && !allows(alternative.hostname, target.hostname)) return refused
  if (!accepts(withPod, alternative.set)) return refused
  const withVolumes = requirements.merge(withPod, alternative.set)
  const withDevices = devices === undefined ? withVolumes : devices(withVolumes)
  if (withDevices === refused) return refused
  const tightened = topology.tighten(podClass, withDevices)
  return tightened !== refused && accepts(withDevices, tightened) ? tightened : refused
}

/** Whether the class names hostnames or wants devices, so that targets with equal sets are not equal to it. */
export function tellsTargetsApart({ full, volumeAlternatives, hasResourceClaims }: PodClass): boolean {
  return (
    hasResourceClaims ||
    full.hostname !== undefined ||
    volumeAlternatives.some(({ hostname }) => hostname !== undefined)
  )
}

/**
 * What was worked out per requirement set during one attempt to place one pod. An attempt is never interrupted, so that one memo does for
 * all solves on a snapshot: a large one is dear to make.
 */
export class AttemptMemo {
  #stamps = new Int32Array(64)
  #values = new Int32Array(64)
  #attempt = 0

  begin(): void {
    this.#attempt += 1
  }

  /** Undefined when the set has not been asked for in this attempt. */
  get(set: SetID): SetID | undefined {
    return set < this.#stamps.length && this.#stamps[set] === this.#attempt ? this.#values[set] : undefined
  }

  put(set: SetID, value: SetID): void {
    if (set >= this.#stamps.length) {
      const size = Math.max(set + 1, this.#stamps.length * 2)
      const stamps = new Int32Array(size)
      stamps.set(this.#stamps)
      const values = new Int32Array(size)
      values.set(this.#values)
      this.#stamps = stamps
      this.#values = values
    }
    this.#stamps[set] = this.#attempt
    this.#values[set] = value
  }
}

/** Verdicts of toleration lists on taint lists, by their ids. */
export class TolerationMemo {
  readonly #verdicts = new Map<number, boolean>()
  readonly #judge: (tolerations: number, taints: number) => boolean

  constructor(judge: (tolerationsID: number, taintsID: number) => boolean) {
    this.#judge = judge
  }

  tolerates(tolerationsID: number, taintsID: number): boolean {
    const key = tolerationsID * 2 ** 20 + taintsID
    let verdict = this.#verdicts.get(key)
    if (verdict === undefined) {
      verdict = this.#judge(tolerationsID, taintsID)
      this.#verdicts.set(key, verdict)
    }
    return verdict
  }
}
