import { BoundedMemo } from '../api/bounded-memo.ts'
import {
  annotationCapacityOverlayApplied,
  annotationMinValuesRelaxed,
  annotationPriceOverlayApplied,
  annotationRequestedDRADrivers,
  capacityTypeReserved,
  labelCapacityType,
} from '../api/labels.ts'
import { isRestrictedLabel, simulationOnlyLabels } from '../api/label-rules.ts'
import { goSort } from '../model/go-sort.ts'
import type { InstanceType } from '../model/instance-type.ts'
import { judgeMinValues, minValuesText } from '../model/min-values.ts'
import type { PodInfo } from '../model/pod.ts'
import { oneOf, oneValue, type Requirement } from '../model/requirement.ts'
import type { Requirements } from '../model/requirements.ts'
import { noResources, type Resources, sumResources } from '../model/resources.ts'
import { forEachBit, hasBit } from './bitset.ts'
import type { Claim } from './claims.ts'
import type { SolveContext } from './context.ts'
import type { DeviceAllocator } from './devices/allocator.ts'
import type { NodePlan, PodRefusal } from './placement.ts'
import type { SetID } from './requirement-space.ts'
import { type Template, typesOf } from './template.ts'

/** More types than a launch request can name. */
const instanceTypesMax = 600

export type Finalized =
  | { readonly kind: 'plan'; readonly plan: NodePlan }
  | { readonly kind: 'givenUp'; readonly because: PodRefusal; readonly text: string }

/** What claims with the same slots and requirements have in common. */
interface Outcome {
  readonly requirements: Requirements
  readonly instanceTypes: readonly InstanceType[]
  readonly price: number
  readonly shortOfMinValues: string | undefined
  readonly labels: Readonly<Record<string, string>>
  readonly overlays: Readonly<Record<string, string>>
  readonly daemons: Resources
}

/** Outcomes kept at once; each may list all types. */
const outcomesMax = 500

/** Memo: claims with equal template, slots, requirements and reservations are finalized once per snapshot. */
export class ClaimOutcomes {
  readonly #known = new BoundedMemo<string, Outcome>(outcomesMax)

  of(claim: Claim, context: SolveContext): Outcome {
    const key = `${claim.template.index}|${claim.set}|${claim.slots.join()}|${claim.reservations.join()}`
    return this.#known.of(key, () => outcomeOf(claim, context))
  }
}

/** Turns the claims of a solve into plans. */
export class Finalizer {
  readonly #context: SolveContext
  readonly #devices: DeviceAllocator | undefined

  /** `devices`: undefined when no pod wanted any. */
  constructor(context: SolveContext, devices?: DeviceAllocator) {
    this.#context = context
    this.#devices = devices
  }

  /** What a claim becomes when no more pods come. */
  planOf(claim: Claim, minValuesRelaxed: boolean): Finalized {
    const { template } = claim
    const outcome = this.#context.outcomes.of(claim, this.#context)
    const drivers = this.#devices?.driversOf(claim.host) ?? []
    if (outcome.shortOfMinValues !== undefined) {
      return {
        kind: 'givenUp',
        because: { kind: 'truncatedBelowMinValues', nodePool: template.name },
        text:
          'pod didn’t schedule because NodePool couldn’t meet minValues requirements, validating minValues, ' +
          `${outcome.shortOfMinValues} (NodePool=${template.name})`,
      }
    }
    return {
      kind: 'plan',
      plan: {
        nodePool: template.name,
        pool: template.pool,
        requirements: outcome.requirements,
        instanceTypes: outcome.instanceTypes,
        pods: claim.pods,
        requests: totalRequests(claim.pods, outcome.daemons),
        labels: outcome.labels,
        annotations: {
          ...template.annotations,
          [annotationMinValuesRelaxed]: String(minValuesRelaxed),
          ...outcome.overlays,
          ...(drivers.length === 0 ? {} : { [annotationRequestedDRADrivers]: drivers.join(',') }),
        },
        reservations: claim.reservations,
        minValuesRelaxed,
        price: Number.isFinite(outcome.price) ? outcome.price : undefined,
      },
    }
  }
}

function outcomeOf(claim: Claim, context: SolveContext): Outcome {
  const { template } = claim
  const { settings } = context
  const requirements = finalRequirements(claim, context)
  const { types, price } = cheapestTypes(claim, context.requirements.intern(requirements))
  const instanceTypes = types.slice(0, instanceTypesMax)
  const verdict = judgeMinValues(instanceTypes, requirements)
  return {
    requirements,
    instanceTypes,
    price,
    shortOfMinValues:
      settings.minValuesPolicy === 'Strict' && verdict.kind === 'unmet' ? minValuesText(verdict) : undefined,
    labels: { ...template.labels, ...customLabels(requirements, context) },
    overlays: overlayAnnotations(instanceTypes),
    daemons: daemonMinimum(template, claim),
  }
}

function finalRequirements(claim: Claim, { requirements, settings }: SolveContext): Requirements {
  const result = new Map(requirements.get(claim.set))
  for (const key of simulationOnlyLabels) result.delete(key)
  if (claim.reservations.length > 0) {
    result.set(labelCapacityType, oneValue(labelCapacityType, capacityTypeReserved))
    result.set(settings.reservationLabel, oneOf(settings.reservationLabel, claim.reservations))
  }
  return result
}

/** By the cheapest available compatible offering; equal prices stay as upstream's sort leaves them. */
function cheapestTypes(
  { template, slots }: Claim,
  set: SetID,
): { readonly types: readonly InstanceType[]; readonly price: number } {
  const { catalog } = template
  const { prices, order } = catalog.byPrice(set)
  const kept = new Uint8Array(catalog.types.length)
  forEachBit(slots, (slot) => {
    kept[catalog.slots[slot]?.typeIndex ?? 0] = 1
  })
  const types: InstanceType[] = []
  let before = -1
  let ties = false
  for (const index of order) {
    const type = catalog.types[index]
    if (kept[index] !== 1 || type === undefined) continue
    const price = prices[index] ?? Number.POSITIVE_INFINITY
    if (price === before) ties = true
    before = price
    types.push(type)
  }
  const priceOf = new Map(ties ? catalog.types.map((type, index) => [type, prices[index] ?? 0]) : [])
  if (ties) {
    types.splice(0, types.length, ...typesOf(template, slots))
    goSort(types, (a, b) => (priceOf.get(a) ?? 0) < (priceOf.get(b) ?? 0))
  }
  const cheapest = order.find((index) => kept[index] === 1)
  return { types, price: cheapest === undefined ? Number.POSITIVE_INFINITY : (prices[cheapest] ?? 0) }
}

function totalRequests(pods: readonly PodInfo[], daemons: Resources): Resources {
  const [only] = pods
  if (only !== undefined && pods.length === 1 && daemons.size === 0) return only.requests
  return sumResources([...pods.map(({ requests }) => requests), daemons])
}

/** Nothing when any kept type would host no daemon. */
function daemonMinimum(template: Template, claim: Claim): Resources {
  const overheads = template.groups.flatMap(({ overhead }, group) => {
    const isKept = template.groupOf.some((of, slot) => of === group && hasBit(claim.slots, slot))
    return isKept ? [overhead] : []
  })
  const [first, ...others] = overheads
  if (first === undefined || overheads.some(({ size }) => size === 0)) return noResources
  const least = new Map(first)
  for (const other of others) {
    for (const [name, quantity] of least) {
      const theirs = other.get(name)
      if (theirs === undefined) least.delete(name)
      else if (theirs.compare(quantity) < 0) least.set(name, theirs)
    }
  }
  return least
}

/** A label for every requirement that is the pool's own business. */
function customLabels(requirements: Requirements, { settings }: SolveContext): Record<string, string> {
  const { vocabulary } = settings
  const labels: Record<string, string> = {}
  for (const [key, requirement] of requirements) {
    if (vocabulary.wellKnown.has(key) || isRestrictedLabel(key, vocabulary) || simulationOnlyLabels.has(key)) continue
    const value = anyLabelValue(requirement)
    if (value !== undefined) labels[key] = value
  }
  return labels
}

/**
 * Upstream takes any; the first in byte order is one of them, and for open requirements the lowest number allowed. An empty value is one, too,
 * where there is no other: a node without the label would not do for the pod that asks for it, nor would the next one. Undefined where the
 * label must be absent.
 */
export function anyLabelValue(requirement: Requirement): string | undefined {
  if (!requirement.complement) {
    const values = [...requirement.values].toSorted()
    return values.find((value) => value !== '') ?? values[0]
  }
  const { values, lowest = 0, highest = Number.POSITIVE_INFINITY } = requirement
  let number = BigInt(lowest)
  while (values.has(String(number)) && number < highest) number += 1n
  return String(number)
}

function overlayAnnotations(types: readonly InstanceType[]): Record<string, string> {
  return {
    ...(types.some(({ offerings }) => offerings.some(({ priceOverlaid }) => priceOverlaid === true))
      ? { [annotationPriceOverlayApplied]: 'true' }
      : {}),
    ...(types.some(({ capacityOverlaid }) => capacityOverlaid === true)
      ? { [annotationCapacityOverlayApplied]: 'true' }
      : {}),
  }
}
