import { labelCapacityType, labelZone } from '../api/labels.ts'
import { judgeMinValues, minValuesText } from '../model/min-values.ts'
import { roundedPrice, sumPrices } from '../model/instance-type.ts'
import { availableOfferings, cheapestFirst, worstLaunchPrice } from '../model/offering-price.ts'
import { isNonEmpty } from '../model/order.ts'
import { allows, toRequirement } from '../model/requirement.ts'
import { mergeRequirements, requirementFor, requirementsOf } from '../model/requirements.ts'
import { type Blocked, type BlockCode, type Candidate, isEmpty, isStatic, poolName } from './candidates.ts'
import type { Command, Replacement } from './command.ts'
import { capitalized } from './drift.ts'
import { type Filtered, isConsolidatable, isConsolidationDisabled } from './emptiness.ts'
import type { Simulate } from './simulation.ts'
import type { Sliced } from '../model/sliced.ts'

/** Fewer alternatives than this and a single spot node would be traded for one more likely to be interrupted. */
const spotToSpotTypesMin = 15

export interface ConsolidationOptions {
  readonly wellKnownLabels: ReadonlySet<string>
  /** Gate SpotToSpotConsolidation. */
  readonly spotToSpot: boolean
}

/** The nodes that multi- and single-node consolidation look at. */
export function filterConsolidation(candidates: readonly Candidate[]): Filtered {
  const eligible: Candidate[] = []
  const blocked: Blocked[] = []
  for (const candidate of candidates) {
    if (isStatic(candidate.pool)) continue
    const { stateNode } = candidate
    const refusal = refusalOf(candidate)
    if (refusal !== undefined) blocked.push({ stateNode, ...refusal, reported: 'Unconsolidatable' })
    else if (!isEmpty(candidate) && isConsolidatable(candidate)) eligible.push(candidate)
  }
  return { eligible, blocked }
}

function refusalOf(candidate: Candidate): { readonly code: BlockCode; readonly message: string } | undefined {
  if (candidate.instanceType === undefined && candidate.typesUnknown === undefined) {
    return { code: 'InstanceTypeNotFound', message: `Instance Type "${candidate.instanceTypeName}" not found` }
  }
  if (candidate.capacityType === '') {
    return { code: 'NoCapacityTypeLabel', message: `Node does not have label "${labelCapacityType}"` }
  }
  if (candidate.zone === '') {
    return { code: 'NoZoneLabel', message: `Node does not have label "${labelZone}"` }
  }
  if (isConsolidationDisabled(candidate)) {
    return { code: 'ConsolidationDisabled', message: `NodePool "${poolName(candidate)}" has consolidation disabled` }
  }
  if (!isEmpty(candidate) && candidate.pool.spec.disruption?.consolidationPolicy === 'WhenEmpty') {
    const message = `NodePool "${poolName(candidate)}" has consolidation policy WhenEmpty, but node is not empty`
    return { code: 'PolicyWhenEmpty', message }
  }
  if (!isEmpty(candidate) && candidate.typesUnknown !== undefined) {
    return { code: 'InstanceTypesUnknown', message: candidate.typesUnknown }
  }
  return undefined
}

export type ConsolidationResult<Plan extends Replacement> =
  | { readonly kind: 'command'; readonly command: Command<Plan> }
  /** `code` is absent where nothing is to be told, as when a candidate went away meanwhile. */
  | { readonly kind: 'nothing'; readonly code?: BlockCode; readonly message?: string }

/** Whether these nodes can go together, for nothing or for one cheaper node. */
export function* computeConsolidation<Plan extends Replacement>(
  method: 'multiNode' | 'singleNode',
  candidates: readonly Candidate[],
  simulate: Simulate<Plan>,
  options: ConsolidationOptions,
): Sliced<ConsolidationResult<Plan>> {
  if (!isNonEmpty(candidates)) return { kind: 'nothing' }
  const result = yield* simulate({ candidates, destinations: 'stable' })
  if (result.kind === 'candidateDeleting') return { kind: 'nothing' }
  if (result.unplaced !== undefined) return nothing('PodsWouldNotSchedule', capitalized(result.unplaced))
  const { destinations } = result
  const [plan, second] = result.replacements
  const command = { method, reason: 'Underutilized', candidates, destinations } as const
  if (plan === undefined) return { kind: 'command', command: { ...command, replacements: [] } }
  if (second !== undefined) {
    const message = `Can't remove without creating ${result.replacements.length} candidates`
    return nothing('NeedsSeveralReplacements', message)
  }
  const narrowed = narrowReplacement(plan, candidates, options)
  if (narrowed.kind === 'nothing') return narrowed
  return { kind: 'command', command: { ...command, replacements: [narrowed.plan] } }
}

type Narrowed<Plan> =
  | { readonly kind: 'plan'; readonly plan: Plan }
  | (ReturnType<typeof nothing> & { readonly kind: 'nothing' })

function narrowReplacement<Plan extends Replacement>(
  plan: Plan,
  candidates: readonly Candidate[],
  options: ConsolidationOptions,
): Narrowed<Plan> {
  const { wellKnownLabels } = options
  const capacityTypes = requirementFor(plan.requirements, labelCapacityType)
  // A launch leaves out types without an image: onto these alone it fails, and would be planned again as soon as it has.
  const launchable = plan.instanceTypes.filter(({ lacksImage }) => lacksImage !== true)
  const ordered = { ...plan, instanceTypes: cheapestFirst(launchable, plan.requirements, wellKnownLabels) }
  const allSpot = candidates.every((candidate) => candidate.capacityType === 'spot')
  if (allSpot && allows(capacityTypes, 'spot')) return spotToSpot(ordered, candidates, options)
  const cheaper = keepCheaper(ordered, candidates, wellKnownLabels)
  if (cheaper.kind === 'nothing') return cheaper
  const mixesSpot = allows(capacityTypes, 'spot') && allows(capacityTypes, 'on-demand')
  return mixesSpot ? { kind: 'plan', plan: asJudged(cheaper.plan, wellKnownLabels) } : cheaper
}

function spotToSpot<Plan extends Replacement>(
  plan: Plan,
  candidates: readonly Candidate[],
  { wellKnownLabels, spotToSpot: enabled }: ConsolidationOptions,
): Narrowed<Plan> {
  if (!enabled) {
    const message = "SpotToSpotConsolidation is disabled, can't replace a spot node with a spot node"
    return nothing('SpotToSpotDisabled', message)
  }
  const cheaper = keepCheaper(onlyOf('spot', plan), candidates, wellKnownLabels)
  if (cheaper.kind === 'nothing' || candidates.length > 1) return cheaper
  const { instanceTypes, requirements } = cheaper.plan
  if (instanceTypes.length < spotToSpotTypesMin) {
    const message = `SpotToSpotConsolidation requires ${spotToSpotTypesMin} cheaper instance type options than the current candidate to consolidate, got ${instanceTypes.length}`
    return nothing('SpotToSpotFlexibility', message)
  }
  const verdict = judgeMinValues(instanceTypes, requirements)
  const needed = verdict.kind === 'met' ? verdict.typesNeeded : instanceTypes.length
  return {
    kind: 'plan',
    plan: { ...cheaper.plan, instanceTypes: instanceTypes.slice(0, Math.max(spotToSpotTypesMin, needed)) },
  }
}

/** Types whose worst launch price is strictly below what the candidates cost now. */
function keepCheaper<Plan extends Replacement>(
  plan: Plan,
  candidates: readonly Candidate[],
  wellKnownLabels: ReadonlySet<string>,
): Narrowed<Plan> {
  const currentPrice = sumPrices(candidates.map((candidate) => candidate.price))
  return keepBelow(plan, currentPrice, wellKnownLabels)
}

/** `price`: a sum of prices. */
function keepBelow<Plan extends Replacement>(
  plan: Plan,
  price: number,
  wellKnownLabels: ReadonlySet<string>,
): Narrowed<Plan> {
  const kept = plan.instanceTypes.filter(
    (type) => roundedPrice(worstLaunchPrice(type, plan.requirements, wellKnownLabels)) < price,
  )
  const verdict = judgeMinValues(kept, plan.requirements)
  if (verdict.kind === 'unmet') return nothing('MinValues', `Filtering by price: ${minValuesText(verdict)}`)
  if (kept.length === 0) return nothing('NoCheaperReplacement', "Can't replace with a cheaper node")
  return { kind: 'plan', plan: { ...plan, instanceTypes: kept } }
}

/**
 * The launch then fails rather than buying something dearer than was judged. Where none of the types has spot capacity left, all were
 * judged at their on-demand prices, and a claim for spot would fail again and again.
 */
function asJudged<Plan extends Replacement>(plan: Plan, wellKnownLabels: ReadonlySet<string>): Plan {
  const spot = onlyOf('spot', plan)
  const hasSpot = spot.instanceTypes.some(
    (type) => availableOfferings(type, spot.requirements, wellKnownLabels).length > 0,
  )
  return hasSpot ? spot : onlyOf('on-demand', plan)
}

function onlyOf<Plan extends Replacement>(capacityType: 'spot' | 'on-demand', plan: Plan): Plan {
  const only = requirementsOf(toRequirement(labelCapacityType, 'In', [capacityType]))
  return { ...plan, requirements: mergeRequirements(plan.requirements, only) }
}

function nothing(
  code: BlockCode,
  message: string,
): {
  readonly kind: 'nothing'
  readonly code: BlockCode
  readonly message: string
} {
  return { kind: 'nothing', code, message }
}
