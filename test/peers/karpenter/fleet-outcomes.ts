import type { Instance } from '@aws-sdk/client-ec2'
import type { EC2NodeClass, NodeClaim, NodePool } from '../../../src/api/karpenter.ts'
import type { Event, Node } from '../../../src/api/kubernetes.ts'
import { conditionTexts, inOrder, wishOf } from '../support/decisions.ts'
import type { LogLine } from '../support/joinery-process.ts'

/** What became of a fleet, without what differs from run to run: names, times, how often something was told. */
export interface Outcome {
  /** What was logged of commands, in order. */
  readonly commands: readonly unknown[]
  /** NodeClaims that it had before and has still, by what they say of themselves. */
  readonly kept: readonly unknown[]
  /** NodeClaims that came in the course of it, as they were asked for. */
  readonly fresh: readonly unknown[]
  /** Of these, how far they have come. */
  readonly progress: readonly unknown[]
  readonly nodes: readonly unknown[]
  readonly pool: unknown
  readonly nodeClass: unknown
  /** Tags of the instances that run. */
  readonly instances: readonly unknown[]
  /** Events. */
  readonly told: readonly string[]
}

/** Everything that is known of a fleet at the end. */
export interface OutcomeSource {
  readonly fleet: string
  readonly kept: readonly NodeClaim[]
  readonly fresh: readonly NodeClaim[]
  readonly nodes: readonly Node[]
  readonly pool: NodePool | undefined
  /** Its own. */
  readonly nodeClass: EC2NodeClass | undefined
  readonly instances: readonly Instance[]
  readonly events: readonly Event[]
  readonly lines: readonly LogLine[]
  /** Of claims, nodes and instance profiles of all fleets, with what stands for them. */
  readonly names: ReadonlyMap<string, string>
}

export function outcomeOf(source: OutcomeSource): Outcome {
  const { fleet, kept, fresh, nodes, pool, nodeClass, instances, events, lines, names } = source
  const plain = (value: unknown): unknown => JSON.parse(plainText(JSON.stringify(value), names))
  const texts = events
    .filter(({ source, reason }) => source?.component === 'karpenter' && !untoldReasons.has(reason))
    .filter(({ involvedObject: { kind }, message = '' }) => kind !== 'NodePool' || !message.startsWith(transition))
    .map(({ involvedObject: { kind = '', name = '' }, type, reason, message }) =>
      plainText(`${kind} ${name}: ${type} ${reason} ${message}`, names),
    )
  return {
    commands: lines
      .filter(({ message }) => message === 'disrupting node(s)')
      .filter(({ command }) => String(command).includes(`nodepools=[${fleet}]`))
      .map((line) => plain(commandFieldsOf(line))),
    kept: inOrder(kept.map((claim) => plain(progressOf(claim)))),
    fresh: inOrder(fresh.map((claim) => plain(wishOf(claim)))),
    progress: inOrder(fresh.map((claim) => plain(progressOf(claim)))),
    nodes: inOrder(nodes.map((node) => plain(nodeText(node)))),
    pool: pool && plain(objectText(pool)),
    nodeClass: nodeClass && plain(objectText(nodeClass)),
    instances: inOrder(instances.map(tagsOf)),
    told: [...new Set(texts.filter((text) => isOf(text, fleet) && !passing.test(text)))].toSorted(),
  }
}

/**
 * How many different lines with each message were logged, and with which fields. What is written again because of a conflict is logged
 * again, with either side.
 */
export function loggedOf(
  lines: readonly LogLine[],
): ReadonlyMap<string, { count: number; fields: ReadonlySet<string> }> {
  const logged = new Map<string, { distinct: Set<string>; fields: Set<string> }>()
  for (const line of lines) {
    const known = logged.get(line.message) ?? { distinct: new Set<string>(), fields: new Set<string>() }
    logged.set(line.message, known)
    const { time: _time, reconcileID: _reconcileID, ...said } = line
    known.distinct.add(JSON.stringify(said))
    for (const field of Object.keys(line)) known.fields.add(field)
  }
  return new Map([...logged].map(([message, { distinct, fields }]) => [message, { count: distinct.size, fields }]))
}

/**
 * Series of what was done, with their values, and of what is timed, without; labels in the order of their names. Zones, which moto draws,
 * are added up; the labels of 1.15 are left out.
 */
export function countedOf(metrics: string): readonly string[] {
  const values = new Map<string, number>()
  for (const [, name = '', labels = '', value = ''] of metrics.matchAll(/^karpenter_(\w+)\{(.*)\} (\S+)$/gm)) {
    if (!counted.has(name) && !timed.has(name)) continue
    const shown = labels.split(',').filter((label) => !/^(?:zone|consolidation_policy|termination_mode)=/.test(label))
    const series = `${name}{${shown.toSorted().join()}}`
    values.set(series, (values.get(series) ?? 0) + (timed.has(name) ? Number.NaN : Number(value)))
  }
  return [...values].map(([series, value]) => `${series} ${value}`).toSorted()
}

const counted: ReadonlySet<string> = new Set([
  'cloudprovider_instance_type_cpu_cores',
  'cloudprovider_instance_type_memory_bytes',
  'consolidation_moves_total',
  'consolidation_score_count',
  'interruption_received_messages_total',
  'nodeclaims_created_total',
  'nodeclaims_disrupted_total',
  'nodeclaims_terminated_total',
  'nodes_drained_total',
  'nodes_terminated_total',
  'voluntary_disruption_consolidation_timeouts_total',
  'voluntary_disruption_decisions_by_nodepool_total',
  'voluntary_disruption_decisions_total',
])

/** And of what a write that has to be repeated counts again. */
const timed: ReadonlySet<string> = new Set([
  'nodes_created_total',
  'nodeclaims_instance_termination_duration_seconds_count',
  'nodeclaims_termination_duration_seconds_count',
  'nodes_lifetime_duration_seconds_count',
  'nodes_termination_duration_seconds_count',
  'scheduler_scheduling_duration_seconds_count',
  'voluntary_disruption_decision_evaluation_duration_seconds_count',
])

const transition = 'Status condition transitioned'

/**
 * Karpenter's `Finalized` names no object; of `Nominated` some are left out when there are too many; the others are ours alone.
 */
const untoldReasons: ReadonlySet<string | undefined> = new Set([
  'Finalized',
  'Nominated',
  'AdmissionWarning',
  'Reconciling',
])

/** What one look sees and the next one does not; of what keeps a pod Karpenter tells when it is its turn, the operator always. */
const passing =
  /evicting pod violates a PDB|Node isn't initialized|NodePool not found|would schedule against uninitialized|does not have an associated node|is nominated for a pending pod|is deleting or marked|^ConsistentStateFound|^Consolidatable/

function progressOf({ metadata, status }: NodeClaim): unknown {
  return {
    conditions: conditionTexts(status?.conditions)
      .filter((text) => !passing.test(text))
      .map(withoutFields),
    finalizers: metadata.finalizers,
    isLeaving: metadata.deletionTimestamp !== undefined,
  }
}

/** Without what moto draws, zones and addresses, and without a label of 1.15. */
function nodeText({ metadata, spec }: Node): unknown {
  const passedOver =
    /^(?:karpenter\.k8s\.aws\/nitro-sandbox|topology\.|failure-domain\.beta\.kubernetes\.io\/zone|kubernetes\.io\/hostname|node\.alpha|volumes\.)/
  return {
    labels: pairs(metadata.labels, passedOver),
    annotations: pairs(metadata.annotations, passedOver),
    finalizers: metadata.finalizers,
    owners: metadata.ownerReferences?.map(({ uid: _uid, ...owner }) => owner),
    isLeaving: metadata.deletionTimestamp !== undefined,
    isUnschedulable: spec.unschedulable,
    taints: spec.taints?.map(({ key, value, effect }) => `${key}=${value ?? ''}:${effect}`).toSorted(),
  }
}

/** Those of the launch: a second later each the others come, unless the machine has to go before. */
function tagsOf({ Tags = [] }: Instance): readonly string[] {
  const late = new Set(['Name', 'karpenter.sh/nodeclaim'])
  return Tags.filter(({ Key = '' }) => !late.has(Key))
    .map(({ Key, Value }) => `${Key}=${Value}`)
    .toSorted()
}

function objectText({ metadata, status }: NodePool | EC2NodeClass): unknown {
  return {
    annotations: pairs(metadata.annotations, ofOurClassHash),
    finalizers: metadata.finalizers,
    isLeaving: metadata.deletionTimestamp !== undefined,
    conditions: conditionTexts(status?.conditions),
    ...(status !== undefined && 'resources' in status ? { nodes: status.nodes, cpu: status.resources?.['cpu'] } : {}),
  }
}

function pairs(map: Readonly<Record<string, string>> = {}, but: RegExp): readonly string[] {
  return Object.entries(map)
    .filter(([key]) => !key.startsWith('joinery.dev/') && !but.test(key))
    .map(([key, value]) => (ofOurClassHash.test(key) ? key : `${key}=${value}`))
    .toSorted()
}

/** Hashes of EC2NodeClasses are of different versions. */
const ofOurClassHash = /ec2nodeclass-hash/

function isOf(text: string, fleet: string): boolean {
  const [object = ''] = text.split(':')
  const pod = object.startsWith(`Pod ${fleet}-`) ? object.slice(`Pod ${fleet}-`.length) : '-'
  return object === `NodePool ${fleet}` || object.endsWith(` of ${fleet}`) || !pod.includes('-')
}

function commandFieldsOf(line: LogLine): unknown {
  const known = /^(?:command|decision|pod-count|disrupted-.*|replacement-.*)$/
  return Object.fromEntries(Object.entries(line).filter(([key]) => known.test(key)))
}

/** Which fields differ stands after the reason, and only with us. */
function withoutFields(text: string): string {
  return text.replace(/^(Drifted True \w+ \w+):.*$/, '$1')
}

function plainText(text: string, names: ReadonlyMap<string, string>): string {
  return (
    [...names]
      .reduce((all, [name, alias]) => all.replaceAll(name, alias), text)
      .replaceAll(/-[a-z0-9]{6,10}-[a-z0-9]{5}\b/g, ' pod')
      .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(Z| \+0000 UTC)/g, 'a time$1')
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'an id')
      // Of the pools of other fleets, of which some may be judged anew just then.
      .replaceAll(/incompatible requirements, key fleet, fleet In \[\S+\] not in fleet In \[\S+\](?:; )?/g, '')
  )
}
