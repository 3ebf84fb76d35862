import { labelHostname } from '../api/labels.ts'
import { compareText } from '../model/order.ts'
import type { PodInfo } from '../model/pod.ts'
import { Quantity } from '../model/quantity.ts'
import { allows, oneValue } from '../model/requirement.ts'
import {
  type Incompatibility,
  incompatibilities,
  incompatibilitiesText,
  requirementsText,
} from '../model/requirements.ts'
import { addResources, maxResources, type Resources, toResourceList } from '../model/resources.ts'
import { taintText, untoleratedTaints } from '../model/taints.ts'
import { and, type Bits, isEmptyBits, sharesBits } from './bitset.ts'
import type { Claims } from './claims.ts'
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
interface Attempt {
  readonly template: Template
  readonly podClass: PodClass
  readonly pod: PodInfo
  readonly by: Explainer
}

/** Why the template opens no claim for the pod now: the first check that fails, in upstream's order and words. */
export function explainTemplate(template: Template, podClass: PodClass, pod: PodInfo, by: Explainer): PoolRefusal {
  const { reason, text } = explain({ template, podClass, pod, by })
  return {
    nodePool: template.name,
    reason,
    text,
    nearestMiss: nearestMiss(template, podClass, reason, by),
  }
}

function explain(attempt: Attempt): Explained {
  const { template, podClass, by } = attempt
  const limits = by.limits.get(template)
  if (limits?.nodesExhausted === true) {
    const text = `node limits have been exhausted for nodepool (NodePool=${template.name})`
    return { reason: { kind: 'nodeLimit' }, text }
  }
  const draft = by.claims.draft(template)
  if (draft === undefined) {
    const text = `all available instance types exceed limits for nodepool (NodePool=${template.name})`
    return { reason: { kind: 'limits' }, text }
  }
  const taints = untoleratedTaints(template.taints, podClass.constraints.tolerations)
  if (taints.length > 0) {
    const text = taints.map((taint) => `did not tolerate taint (taint=${taintText(taint)})`).join('; ')
    return { reason: { kind: 'taints', taints }, text }
  }
  const own = clashes(template.set, podClass.full, by)
  if (own.length > 0) {
    return {
      reason: { kind: 'requirements', incompatibilities: own },
      text: `incompatible requirements, ${incompatibilitiesText(own)}`,
    }
  }
  const merged = by.context.requirements.merge(template.set, podClass.full.set)
  let last: Explained | undefined
  for (const alternative of podClass.volumeAlternatives) {
    last = explainAlternative(attempt, alternative, merged)
  }
  return last ?? { reason: { kind: 'instanceTypes', lacking: [] }, text: '' }
}

/** `merged`: what the template and the pod ask for, before this alternative of the pod's volumes does. */
function explainAlternative(attempt: Attempt, alternative: SplitRequirements, merged: SetID): Explained {
  const { podClass, by } = attempt
  const { requirements } = by.context
  const found = clashes(merged, alternative, by)
  if (found.length > 0) {
    return {
      reason: { kind: 'volumeRequirements', incompatibilities: found },
      text: `incompatible volume requirements, ${incompatibilitiesText(found)}`,
    }
  }
  const withVolumes = requirements.merge(merged, alternative.set)
  const devices = devicesOn(attempt, withVolumes)
  if (devices !== undefined && isDeviceRefusal(devices)) {
    const what =
      devices.kind === 'allocation' ? 'allocating dynamic resources' : 'incompatible dynamic resource requirements'
    return { reason: { kind: 'devices' }, text: `${what}, ${devices.text}` }
  }
  const withDevices = devices?.set ?? withVolumes
  const failure = by.topology.failure(podClass, withDevices, by.claims.nextHost)
  if (failure !== undefined) {
    const { kind, key } = failure.group.spec
    return { reason: { kind: 'topology', constraint: kind, key }, text: by.topology.failureText(failure) }
  }
  const tightened = by.topology.tighten(podClass, withDevices)
  const narrowed = tightened === refused ? [] : clashes(withDevices, { set: tightened, hostname: undefined }, by)
  if (narrowed.length > 0) {
    return {
      reason: { kind: 'topologyRequirements', incompatibilities: narrowed },
      text: incompatibilitiesText(narrowed),
    }
  }
  return explainTypes(attempt, tightened === refused ? withDevices : tightened, devices)
}

/** Undefined when the pod wants none. */
function devicesOn({ template, podClass, pod, by }: Attempt, set: SetID): DeviceFit | DeviceRefusal | undefined {
  const draft = podClass.hasResourceClaims ? by.claims.draft(template) : undefined
  return draft === undefined ? undefined : by.devices?.onDraft(pod, { ...draft, target: by.claims.nextHost }, set)
}

/** Texts by which of requirements, resources and offering no type meets, alone and in pairs. */
function explainTypes({ template, podClass, pod, by }: Attempt, set: SetID, devices: DeviceFit | undefined): Explained {
  const { catalog } = template
  const allowed = by.limits.get(template)?.allowed()
  const ports = by.claims.portFreeSlots(podClass, pod, { template, ports: [] })
  let candidates: Bits = allowed === undefined ? template.candidates : and(template.candidates, allowed)
  if (ports !== undefined) candidates = and(candidates, ports)
  const compatible = and(candidates, catalog.compatible(set))
  const offered = and(candidates, catalog.offered(set))
  const fitting = and(offered, slotsWithRoom(template, podClass.requests))
  const suffix = `, requirements=${requirementsText(by.context.requirements.get(set))}, resources=${resourcesText(template, pod)}`
  const kept = and(compatible, fitting)
  if (!isEmptyBits(kept)) {
    const short = by.claims
      .minValuesOf(set)
      .filter(({ key, least }) => catalog.distinctValues(key, kept) < least)
      .map(({ key }) => key)
      .toSorted(compareText)
    if (short.length === 0 && devices?.slots !== undefined && isEmptyBits(and(kept, devices.slots))) {
      const text = 'no instance type satisfies both scheduling and dynamic resource requirements'
      return { reason: { kind: 'devices' }, text }
    }
    if (short.length === 0) return { reason: { kind: 'reserved' }, text: '' }
    return {
      reason: { kind: 'minValues', keys: short },
      text: `minValues requirement is not met for label(s) (label(s)=[${short.join(' ')}])${suffix}`,
    }
  }
  const lacking: ('requirements' | 'resources' | 'offering')[] = []
  if (isEmptyBits(compatible)) lacking.push('requirements')
  if (isEmptyBits(fitting)) lacking.push('resources')
  if (isEmptyBits(offered)) lacking.push('offering')
  const typo = lacking.length === 1 && lacking[0] === 'resources' ? typoHint(pod) : ''
  return {
    reason: { kind: 'instanceTypes', lacking },
    text: `${typesText(lacking, { compatible, fitting, offered })}${suffix}${typo}`,
  }
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

function typesText(
  lacking: readonly string[],
  { compatible, fitting, offered }: { compatible: Bits; fitting: Bits; offered: Bits },
): string {
  const text = lackingTexts[lacking.join()]
  if (text !== undefined) return text
  if (!isEmptyBits(fitting)) {
    return 'no instance type which had enough resources and the required offering met the scheduling requirements'
  }
  return sharesBits(compatible, offered)
    ? 'no instance type which met the scheduling requirements and the required offering had the required resources'
    : 'no instance type met the requirements/resources/offering tuple'
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
