import {
  annotationCapacityOverlayApplied,
  annotationMinValuesRelaxed,
  annotationPriceOverlayApplied,
  capacityTypeReserved,
  labelCapacityType,
  labelInstanceType,
} from '../api/labels.ts'
import { isRestrictedLabel, simulationOnlyLabels } from '../api/label-rules.ts'
import { goSort } from '../model/go-sort.ts'
import type { InstanceType } from '../model/instance-type.ts'
import { judgeMinValues, minValuesText } from '../model/min-values.ts'
import type { PodInfo } from '../model/pod.ts'
import { oneOf, oneValue, type Requirement } from '../model/requirement.ts'
import type { Requirements } from '../model/requirements.ts'
import { addResources, noResources, type Resources } from '../model/resources.ts'
import { hasBit } from './bitset.ts'
import type { Claim } from './claims.ts'
import type { SolveContext } from './context.ts'
import type { NodePlan, PodRefusal } from './placement.ts'
import type { SetID } from './requirement-space.ts'
import { type Template, typesOf } from './template.ts'

/** More types than a launch request can name. */
export const instanceTypesMax = 600

export type Finalized =
  | { readonly kind: 'plan'; readonly plan: NodePlan }
  | { readonly kind: 'givenUp'; readonly because: PodRefusal; readonly text: string }

/** What a claim of the solve becomes when no more pods come. */
export function planOf(claim: Claim, context: SolveContext, minValuesRelaxed: boolean): Finalized {
  const { template } = claim
  const { settings, requirements: space } = context
  const requirements = finalRequirements(claim, context)
  const priced = priceOrder(typesOf(template, claim.slots), space.intern(requirements), context)
  const instanceTypes = priced.slice(0, instanceTypesMax).map(({ type }) => type)
  if (settings.minValuesPolicy === 'Strict') {
    const verdict = judgeMinValues(instanceTypes, requirements)
    if (verdict.kind === 'unmet') {
      return {
        kind: 'givenUp',
        because: { kind: 'truncatedBelowMinValues', nodePool: template.name },
        text:
          'pod didn’t schedule because NodePool couldn’t meet minValues requirements, validating minValues, ' +
          `${minValuesText(verdict)} (NodePool=${template.name})`,
      }
    }
  }
  const lowest = priced[0]?.price ?? Number.POSITIVE_INFINITY
  return {
    kind: 'plan',
    plan: {
      nodePool: template.name,
      pool: template.pool,
      requirements,
      instanceTypes,
      pods: claim.pods,
      requests: addResources(podRequests(claim.pods), daemonMinimum(template, claim)),
      labels: { ...template.labels, ...customLabels(requirements, context) },
      annotations: {
        ...template.annotations,
        [annotationMinValuesRelaxed]: String(minValuesRelaxed),
        ...overlayAnnotations(instanceTypes),
      },
      reservations: claim.reservations,
      minValuesRelaxed,
      price: Number.isFinite(lowest) ? lowest : undefined,
    },
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
function priceOrder(
  types: readonly InstanceType[],
  set: SetID,
  { requirements }: SolveContext,
): readonly { readonly type: InstanceType; readonly price: number }[] {
  const accepted = new Map<Requirements, boolean>()
  const priced = types.map((type) => {
    let price = Number.POSITIVE_INFINITY
    for (const offering of type.offerings) {
      if (!offering.available || offering.price >= price) continue
      let compatible = accepted.get(offering.requirements)
      if (compatible === undefined) {
        compatible = requirements.compatible(set, requirements.intern(offering.requirements))
        accepted.set(offering.requirements, compatible)
      }
      if (compatible) price = offering.price
    }
    return { type, price }
  })
  goSort(priced, (a, b) => a.price < b.price)
  return priced
}

function podRequests(pods: readonly PodInfo[]): Resources {
  return addResources(...pods.map(({ requests }) => requests))
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
    if (value !== '') labels[key] = value
  }
  return labels
}

/** Upstream takes any; the first in byte order is one of them, and for open requirements the lowest number allowed. */
export function anyLabelValue(requirement: Requirement): string {
  if (!requirement.complement) return [...requirement.values].toSorted()[0] ?? ''
  let number = requirement.lowest ?? 0
  const highest = requirement.highest ?? Number.MAX_SAFE_INTEGER
  while (requirement.values.has(String(number)) && number < highest) number += 1
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

/** The key under which a plan's types are listed on its claim. */
export const instanceTypeKey = labelInstanceType
