import { allows } from '../model/requirement.ts'
import type { PodClass } from './pod-class.ts'
import type { RequirementSpace, SetID } from './requirement-space.ts'
import type { Prospects, Topology } from './topology/topology.ts'

/** No requirement set: the pod cannot go there. */
export const refused = -1

interface SettleTarget {
  readonly set: SetID
  readonly hostname: string
  readonly lenient: boolean
}

type VolumeAlternative = PodClass['volumeAlternatives'][number]

interface SettleContext {
  readonly requirements: RequirementSpace
  readonly topology: Topology
  /** Adds what the devices of resource claims require; `refused` when there are none. */
  readonly devices?: (set: SetID) => SetID
}

/**
 * What a target's requirements become with a pod of the class and one of its volume alternatives, topology included; `refused` when
 * they do not go together. `lenient`: well-known keys may be undefined on the target, as on nodes that do not exist yet.
 */
export function settle(
  podClass: PodClass,
  target: SettleTarget,
  alternative: VolumeAlternative,
  context: SettleContext,
): SetID {
  const { requirements, topology } = context
  const before = beforeTopology(podClass, target, alternative, context)
  if (before === refused || (!target.lenient && lacksLabels(podClass, target, alternative, context))) return refused
  const tightened = topology.tighten(podClass, before)
  if (tightened === refused) return refused
  const isAccepted = accepts(requirements, target, before, tightened)
  if (isAccepted && topology.conflict(podClass, before, tightened) === undefined) return tightened
  // The labels of a node that is there leave topology no choice.
  if (!target.lenient) return refused
  for (const other of settlements(podClass, target, before, { ...context, prospects: anything })) return other
  return refused
}

const anything: Prospects = { admits: () => true, values: () => undefined }

/**
 * All that `settle` may come to, for a target that cannot be what it came to: topology has a choice at times. In the order to try them, so
 * many at most.
 */
export function* otherSettlements(
  podClass: PodClass,
  target: SettleTarget,
  alternative: VolumeAlternative,
  context: SettleContext & { readonly prospects: Prospects },
): Generator<SetID, void, undefined> {
  const before = beforeTopology(podClass, target, alternative, context)
  if (before !== refused && context.prospects.admits(before)) yield* settlements(podClass, target, before, context)
}

/** Far more than there are zones, capacity types and architectures together. */
const settlementsMax = 200

function* settlements(
  podClass: PodClass,
  target: SettleTarget,
  before: SetID,
  { requirements, topology, prospects }: SettleContext & { readonly prospects: Prospects },
): Generator<SetID, void, undefined> {
  let tried = 0
  for (const tightened of topology.alternatives(podClass, before, prospects)) {
    if (tried >= settlementsMax) return
    tried += 1
    if (accepts(requirements, target, before, tightened)) yield tightened
  }
}

function beforeTopology(
  { full }: PodClass,
  target: SettleTarget,
  alternative: VolumeAlternative,
  { requirements, devices }: SettleContext,
): SetID {
  if (full.hostname !== undefined && !allows(full.hostname, target.hostname)) return refused
  if (!accepts(requirements, target, target.set, full.set)) return refused
  const withPod = requirements.merge(target.set, full.set)
  if (alternative.hostname !== undefined && !allows(alternative.hostname, target.hostname)) return refused
  if (!accepts(requirements, target, withPod, alternative.set)) return refused
  const withVolumes = requirements.merge(withPod, alternative.set)
  return devices === undefined ? withVolumes : devices(withVolumes)
}

/**
 * Whether a node that is there lacks a label of which the pod's volumes or its topology want a value. That the pod itself rules out some
 * values of it, for which the node will do, does not give the node the label.
 */
function lacksLabels(
  podClass: PodClass,
  { set }: SettleTarget,
  alternative: VolumeAlternative,
  { requirements, topology }: SettleContext,
): boolean {
  return !requirements.strictlyCompatible(set, alternative.set) || topology.needsMore(podClass, set)
}

function accepts(
  requirements: RequirementSpace,
  { lenient }: Pick<SettleTarget, 'lenient'>,
  existing: SetID,
  incoming: SetID,
): boolean {
  return lenient ? requirements.compatible(existing, incoming) : requirements.strictlyCompatible(existing, incoming)
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
