import { labelHostname } from '../api/labels.ts'
import { compareText } from '../model/order.ts'
import type { PodInfo } from '../model/pod.ts'
import { Quantity } from '../model/quantity.ts'
import { allows, effectiveOperator, oneValue } from '../model/requirement.ts'
import {
  type Incompatibility,
  incompatibilities,
  incompatibilitiesText,
  requirementsText,
} from '../model/requirements.ts'
import { addResources, maxResources, type Resources, toResourceList } from '../model/resources.ts'
import { taintText, untoleratedTaints } from '../model/taints.ts'
import { and, type Bits, isEmptyBits } from './bitset.ts'
import type { Claims, LimitsHeeded } from './claims.ts'
import type { SolveContext } from './context.ts'
import { type DeviceAllocator, type DeviceFit, type DeviceRefusal, isDeviceRefusal } from './devices/allocator.ts'
import type { PoolLimits } from './limits.ts'
import { nearestMiss } from './nearest-miss.ts'
import type { PoolRefusal, RefusalReason } from './placement.ts'
import type { PodClass, SplitRequirements } from './pod-class.ts'
import type { SetID } from './requirement-space.ts'
import { refused } from './settle.ts'
import { slotsWithRoom, type Template } from './template.ts'
import type { Topology } from './topology/topology.ts'

interface Explained {
  readonly reason: RefusalReason
  readonly text: string
}

export interface Explainer {
  readonly context: SolveContext
  readonly topology: Topology
  readonly claims: Claims
  readonly limits: ReadonlyMap<Template, PoolLimits>
  readonly devices: DeviceAllocator | undefined
}

/** A pod that a template refused. */
export interface Attempt {
  readonly template: Template
  readonly podClass: PodClass
  readonly pod: PodInfo
  readonly by: Explainer
}

/** Why the template opens no claim for the pod now: the first check that fails, in upstream's order and words. */
export function explainTemplate(template: Template, podClass: PodClass, pod: PodInfo, by: Explainer): PoolRefusal {
  const attempt = { template, podClass, pod, by }
  const { reason, text } = explain(attempt)
  return {
    nodePool: template.name,
    reason,
    text,
    nearestMiss: nearestMiss(attempt, reason, () => besidesLimits(attempt, 'lifted')),
  }
}

/** What comes of the checks that are not about limits. */
export type BesidesLimits = { readonly kind: 'refused'; readonly because: Explained } | Suiting

/** Slots that take the pod, by everything but limits and reservations. */
export interface Suiting {
  readonly kind: 'suits'
  readonly set: SetID
  readonly slots: Bits
}

function explain(attempt: Attempt): Explained {
  const found = limitRefusal(attempt)
  if (found !== undefined) return found
  const besides = besidesLimits(attempt, 'kept')
  return besides.kind === 'refused' ? besides.because : { reason: { kind: 'reserved' }, text: '' }
}

function limitRefusal({ template, by }: Attempt): Explained | undefined {
  const limits = by.limits.get(template)
  if (limits?.nodesExhausted === true) {
    const text = `node limits have been exhausted for nodepool (NodePool=${template.name})`
    return { reason: { kind: 'nodeLimit' }, text }
  }
  if (by.claims.draft(template, 'kept') !== undefined) return undefined
  const text = `all available instance types exceed limits for nodepool (NodePool=${template.name})`
  return { reason: { kind: 'limits' }, text }
}

/** With limits `lifted` every type of the pool is looked at, whatever its limits leave. */
function besidesLimits(attempt: Attempt, limits: LimitsHeeded): BesidesLimits {
  const { template, podClass, by } = attempt
  const taints = untoleratedTaints(template.taints, podClass.constraints.tolerations)
  if (taints.length > 0) {
    const text = taints.map((taint) => `did not tolerate taint (taint=${taintText(taint)})`).join('; ')
    return refusedFor({ kind: 'taints', taints }, text)
  }
  const merged = by.context.requirements.merge(template.set, podClass.full.set)
  const existing = { set: podClass.full.existing, hostname: undefined }
  const own = [...clashes(template.set, podClass.full, by), ...clashes(merged, existing, by)]
  if (own.length > 0) {
    return refusedFor(
      { kind: 'requirements', incompatibilities: own },
      `incompatible requirements, ${incompatibilitiesText(own)}`,
    )
  }
  const found = podClass.volumeAlternatives.map((alternative) =>
    explainAlternative(attempt, alternative, merged, limits),
  )
  // What is told of a refusal is that of the last alternative, as upstream has it; for lifted limits one that suits is enough.
  const suiting = limits === 'lifted' ? found.find(({ kind }) => kind === 'suits') : undefined
  return suiting ?? found.at(-1) ?? refusedFor({ kind: 'instanceTypes', lacking: [] }, '')
}

function refusedFor(reason: RefusalReason, text: string): BesidesLimits {
  return { kind: 'refused', because: { reason, text } }
}

/** `merged`: what the template and the pod ask for, before this alternative of the pod's volumes does. */
function explainAlternative(
  attempt: Attempt,
  alternative: SplitRequirements,
  merged: SetID,
  limits: LimitsHeeded,
): BesidesLimits {
  const { podClass, by } = attempt
  const { requirements } = by.context
  const keys = exclusiveKeys(alternative, by)
  if (keys !== undefined) {
    const text = `incompatible volume requirements, its volumes exclude each other by ${keys.join(', ')}`
    return refusedFor({ kind: 'exclusiveVolumes', keys }, text)
  }
  const found = clashes(merged, alternative, by)
  if (found.length > 0) {
    return refusedFor(
      { kind: 'volumeRequirements', incompatibilities: found },
      `incompatible volume requirements, ${incompatibilitiesText(found)}`,
    )
  }
  const withVolumes = requirements.merge(merged, alternative.set)
  const devices = devicesOn(attempt, withVolumes, limits)
  if (devices !== undefined && isDeviceRefusal(devices)) {
    const what =
      devices.kind === 'allocation' ? 'allocating dynamic resources' : 'incompatible dynamic resource requirements'
    return refusedFor({ kind: 'devices' }, `${what}, ${devices.text}`)
  }
  const withDevices = devices?.set ?? withVolumes
  const failure = by.topology.failure(podClass, withDevices, by.claims.nextHost)
  if (failure !== undefined) {
    const { kind, key } = failure.group.spec
    return refusedFor({ kind: 'topology', constraint: kind, key }, by.topology.failureText(failure))
  }
  const tightened = by.topology.tighten(podClass, withDevices)
  const narrowed = tightened === refused ? [] : clashes(withDevices, { set: tightened, hostname: undefined }, by)
  if (narrowed.length > 0) {
    return refusedFor({ kind: 'topologyRequirements', incompatibilities: narrowed }, incompatibilitiesText(narrowed))
  }
  const conflict = tightened === refused ? undefined : by.topology.conflict(podClass, withDevices, tightened)
  // Of a label that all types have it comes out with these, in upstream's words.
  if (conflict !== undefined && !by.context.settings.vocabulary.wellKnown.has(conflict.incoming.key)) {
    const incompatibilities = [{ kind: 'noOverlap' as const, ...conflict }]
    return refusedFor({ kind: 'topologyRequirements', incompatibilities }, incompatibilitiesText(incompatibilities))
  }
  return explainTypes(attempt, tightened === refused ? withDevices : tightened, devices, limits)
}

/** Undefined when the pod wants none. */
function devicesOn(
  { template, podClass, pod, by }: Attempt,
  set: SetID,
  limits: LimitsHeeded,
): DeviceFit | DeviceRefusal | undefined {
  const draft = podClass.hasResourceClaims ? by.claims.draft(template, limits) : undefined
  return draft === undefined ? undefined : by.devices?.onDraft(pod, { ...draft, target: by.claims.nextHost }, set)
}

/** The labels by which volumes exclude each other, where no node can have them together: every node has a name. */
function exclusiveKeys({ set, hostname }: SplitRequirements, by: Explainer): readonly string[] | undefined {
  if (hostname === undefined || effectiveOperator(hostname) !== 'DoesNotExist') return undefined
  const keys = [...by.context.requirements.get(set).values()]
    .filter((requirement) => effectiveOperator(requirement) === 'DoesNotExist')
    .map(({ key }) => key)
  return keys.length === 0 ? [labelHostname] : keys.toSorted(compareText)
}

/** Texts by which of requirements, resources and offering no type meets, alone and in pairs. */
function explainTypes(
  { template, podClass, pod, by }: Attempt,
  set: SetID,
  devices: DeviceFit | undefined,
  limits: LimitsHeeded,
): BesidesLimits {
  const { catalog } = template
  const allowed = limits === 'lifted' ? undefined : by.limits.get(template)?.allowed()
  const ports = by.claims.portFreeSlots(podClass, pod, { template, ports: [] })
  let candidates: Bits = allowed === undefined ? template.candidates : and(template.candidates, allowed)
  if (ports !== undefined) candidates = and(candidates, ports)
  const compatible = and(candidates, and(catalog.compatible(set), catalog.compatible(podClass.full.existing)))
  const offered = and(candidates, catalog.offered(set))
  const fitting = and(offered, slotsWithRoom(template, podClass.requests))
  const suffix = `, requirements=${requirementsText(by.context.requirements.get(set))}, resources=${resourcesText(template, pod)}`
  const kept = and(compatible, fitting)
  if (!isEmptyBits(kept)) {
    // Where minValues may be lowered, they keep no pod from a new node.
    const least = by.context.settings.minValuesPolicy === 'Strict' ? by.claims.minValuesOf(set) : []
    const short = shortOfValues(least, catalog, kept)
    if (short.length > 0) {
      const text = `minValues requirement is not met for label(s) (label(s)=[${short.join(' ')}])${suffix}`
      return refusedFor({ kind: 'minValues', keys: short }, text)
    }
    const slots = devices?.slots === undefined ? kept : and(kept, devices.slots)
    if (isEmptyBits(slots)) {
      const text = 'no instance type satisfies both scheduling and dynamic resource requirements'
      return refusedFor({ kind: 'devices' }, text)
    }
    return { kind: 'suits', set, slots }
  }
  const lacking: ('requirements' | 'resources' | 'offering')[] = []
  if (isEmptyBits(compatible)) lacking.push('requirements')
  if (isEmptyBits(fitting)) lacking.push('resources')
  if (isEmptyBits(offered)) lacking.push('offering')
  const typo = lacking.length === 1 && lacking[0] === 'resources' ? typoHint(pod) : ''
  return refusedFor({ kind: 'instanceTypes', lacking }, `${typesText(lacking)}${suffix}${typo}`)
}

function shortOfValues(
  wanted: readonly { readonly key: string; readonly least: number }[],
  catalog: Template['catalog'],
  slots: Bits,
): readonly string[] {
  return wanted
    .filter(({ key, least }) => catalog.distinctValues(key, slots) < least)
    .map(({ key }) => key)
    .toSorted(compareText)
}

const lackingTexts: Readonly<Record<string, string>> = {
  'requirements,resources,offering':
    'no instance type met the scheduling requirements or had enough resources or had a required offering',
  'requirements,resources': 'no instance type met the scheduling requirements or had enough resources',
  'requirements,offering': 'no instance type met the scheduling requirements or had a required offering',
  'resources,offering': 'no instance type had enough resources or had a required offering',
  requirements: 'no instance type met all requirements',
  resources: 'no instance type has enough resources',
  offering: 'no instance type has the required offering',
}

/** Whatever has room has an offering, too: where none of them is lacking, it is the requirements that rule out all that has room. */
function typesText(lacking: readonly string[]): string {
  return (
    lackingTexts[lacking.join()] ??
    'no instance type which had enough resources and the required offering met the scheduling requirements'
  )
}

/** The pod's requests with the daemons' beside them; a range when types would host different daemons. */
function resourcesText(template: Template, pod: PodInfo): string {
  const overheads = template.groups.map(({ overhead }) => overhead)
  const texts = new Set(overheads.map((overhead) => json(addResources(pod.requests, overhead))))
  const [only] = texts
  if (only !== undefined && texts.size === 1) return only
  const least = addResources(pod.requests, minimumOf(overheads))
  const most = addResources(pod.requests, maxResources(...overheads))
  return `min=${json(least)}, max=${json(most)}`
}

function minimumOf(lists: readonly Resources[]): Resources {
  const [first, ...others] = lists
  const result = new Map<string, Quantity>()
  for (const [name, quantity] of first ?? []) {
    let least = quantity
    for (const list of others) {
      const other = list.get(name) ?? Quantity.zero
      if (other.compare(least) < 0) least = other
    }
    if (!least.isZero) result.set(name, least)
  }
  return result
}

function json(resources: Resources): string {
  return JSON.stringify(toResourceList(resources))
}

const millionCPU = Quantity.of(1_000_000)

function typoHint(pod: PodInfo): string {
  const cpu = pod.requests.get('cpu')
  return cpu !== undefined && cpu.compare(millionCPU) >= 0 ? ' (CPU request >= 1 Million, m vs M typo?)' : ''
}

/** What keeps a new node from being compatible; its hostname is a placeholder. */
function clashes(existing: SetID, incoming: SplitRequirements, by: Explainer): readonly Incompatibility[] {
  const { requirements, settings } = by.context
  const found = incompatibilities(
    requirements.get(existing),
    requirements.get(incoming.set),
    settings.vocabulary.wellKnown,
  )
  const { hostname } = incoming
  if (hostname === undefined || allows(hostname, by.claims.nextHostname)) return found
  return [
    ...found,
    { kind: 'noOverlap', incoming: hostname, existing: oneValue(labelHostname, by.claims.nextHostname) },
  ]
}
