import { DescribeSubnetsCommand } from '@aws-sdk/client-ec2'
import type { CapacityBuffer, EC2NodeClass, NodeClaim, NodeOverlay, NodePool } from '../../../src/api/karpenter.ts'
import type { Condition, Event } from '../../../src/api/kubernetes.ts'
import {
  capacityBuffers,
  ec2NodeClasses,
  nodeClaims,
  nodeOverlays,
  nodePools,
} from '../../../src/kube/karpenter-kinds.ts'
import { events } from '../../../src/kube/kinds.ts'
import type { KubeClient } from '../../../src/kube/port.ts'
import type { AWSEdge } from './aws-edge.ts'
import { distinctFleets, fleetRequests, poolOfFleet, templateRequest } from './ec2-requests.ts'
import type { MotoAccount } from './moto-account.ts'

/** What a controller decided, without what differs from run to run: names, times, and order where it means nothing. */
export interface Decisions {
  /** NodeClaims as they were asked for, by NodePool. */
  readonly claims: Grouped
  /** Conditions of NodeClaims, by NodePool. */
  readonly progress: Grouped
  /** What EC2 was asked for and gave an answer to, by NodePool. */
  readonly fleets: Grouped
  readonly templates: readonly unknown[]
  /** NodePools, EC2NodeClasses, NodeOverlays and CapacityBuffers, by kind and name. */
  readonly status: Readonly<Record<string, unknown>>
  /** What was told in events, by kind and name of the object; pods that are alike share a name. */
  readonly told: Grouped
}

type Grouped = Readonly<Record<string, readonly unknown[]>>

/** Where decisions are read from. */
export interface DecisionSource {
  readonly kube: KubeClient
  readonly account: MotoAccount
  /** Between the controller and the account. */
  readonly edge: AWSEdge
  /** Texts that are only this world's, with what stands for them. */
  readonly names: ReadonlyMap<string, string>
  /** When wishes of NodeClaims count no more: a timestamp. */
  readonly until: string | undefined
}

/** Conditions that only we have. */
const ownConditions: ReadonlySet<string> = new Set(['Reconciling', 'Stalled', 'AdmissionWarnings', 'PlannedChange'])
/** Events that only we have, and those of which more or fewer are left out because there are too many. */
const untoldReasons: ReadonlySet<string | undefined> = new Set(['AdmissionWarning', 'Nominated'])

export async function decisionsOf({ kube, account, edge, names, until }: DecisionSource): Promise<Decisions> {
  const [claims, pools, classes, overlays, buffers, told] = await Promise.all([
    kube.list(nodeClaims),
    kube.list(nodePools),
    kube.list(ec2NodeClasses),
    kube.list(nodeOverlays),
    kube.list(capacityBuffers),
    kube.list(events),
  ])
  const { Subnets = [] } = await account.ec2.send(new DescribeSubnetsCommand({}))
  const renamed = new Map(names)
  for (const claim of claims.items) renamed.set(claim.metadata.name, `claim of ${poolOf(claim)}`)
  for (const { SubnetId = '', AvailabilityZone = '' } of Subnets) renamed.set(SubnetId, `subnet of ${AvailabilityZone}`)
  for (const { metadata, status } of classes.items) {
    if (status?.instanceProfile !== undefined) renamed.set(status.instanceProfile, `profile of ${metadata.name}`)
  }
  const plain = (text: string): string => [...renamed].reduce((all, [each, name]) => all.replaceAll(each, name), text)
  const taken = edge.callsOf('CreateFleet').filter(({ status }) => status === 200)
  const fleets = distinctFleets(taken.map(({ body }) => body)).flatMap((body) =>
    fleetRequests(body).map((request) => ({ pool: poolOfFleet(body), request })),
  )
  const decisions: Decisions = {
    claims: grouped(
      claims.items.filter((claim) => until === undefined || isCreatedBefore(claim, until)),
      poolOf,
      wishOf,
    ),
    progress: grouped(claims.items, poolOf, ({ status }) => conditionTexts(status?.conditions)),
    fleets: grouped(
      fleets,
      ({ pool }) => pool,
      ({ request }) => request,
    ),
    templates: inOrder(edge.callsOf('CreateLaunchTemplate').map(({ body }) => templateRequest(body, plain))),
    status: Object.fromEntries(
      [...pools.items, ...classes.items, ...overlays.items, ...buffers.items].map((object) => [
        `${object.kind} ${object.metadata.name}`,
        statusOf(object),
      ]),
    ),
    told: grouped(
      told.items.filter(({ source, reason }) => source?.component === 'karpenter' && !untoldReasons.has(reason)),
      ({ involvedObject: { kind = '', name = '' } }) => `${kind} ${kind === 'Pod' ? name.replace(/-\d+$/, '') : name}`,
      ({ type, reason, message }: Event) => [type, reason, message].join(' '),
    ),
  }
  return JSON.parse(plain(JSON.stringify(decisions))) as Decisions
}

/** API servers cut off fractions of a second. */
function isCreatedBefore({ metadata }: NodeClaim, time: string): boolean {
  return Date.parse(metadata.creationTimestamp ?? '') < Math.floor(Date.parse(time) / 1000) * 1000
}

function poolOf({ metadata }: NodeClaim): string {
  return metadata.labels?.['karpenter.sh/nodepool'] ?? 'none'
}

/** What the solver asked for; what the launch adds is left out, and comes from moto's choice. */
export function wishOf({ metadata, spec }: NodeClaim): unknown {
  return {
    labels: Object.entries(metadata.labels ?? {})
      .filter(([key]) => !isOfMachine.test(key))
      .map(([key, value]) => `${key}=${value}`)
      .toSorted(),
    annotations: Object.entries(metadata.annotations ?? {})
      .filter(([key]) => !key.startsWith('joinery.dev/'))
      .map(([key, value]) => (isOfClassHash.test(key) ? key : `${key}=${value}`))
      .toSorted(),
    ...spec,
    requirements: spec.requirements
      .map(({ key, operator, values = [], minValues = 0 }) =>
        [key, operator, ...values.toSorted(), ...(minValues > 0 ? [`at least ${minValues}`] : [])].join(' '),
      )
      .toSorted(),
  }
}

/** Hashes of EC2NodeClasses are of different versions. */
const isOfClassHash = /^karpenter\.k8s\.aws\/ec2nodeclass-hash/
const isOfMachine =
  /^(?:karpenter\.k8s\.aws\/(?!ec2nodeclass)|karpenter\.sh\/capacity-type|topology\.|kubernetes\.io\/|node\.kubernetes\.io\/)/

function statusOf({ kind, metadata, status = {} }: NodePool | EC2NodeClass | NodeOverlay | CapacityBuffer): unknown {
  const conditions = conditionTexts(status.conditions)
  // moto picks the machines whose resources a pool sums up.
  if (kind === 'NodePool') return { hashes: metadata.annotations, conditions, nodes: 'nodes' in status && status.nodes }
  // Subnets are in the order of free addresses, then of their names, which moto draws.
  return { ...status, subnets: inOrder(('subnets' in status && status.subnets) || []), conditions }
}

export function conditionTexts(conditions: readonly Partial<Condition>[] = []): readonly string[] {
  return conditions
    .filter(({ type = '' }) => !ownConditions.has(type))
    .map(({ type, status, reason, message }) => [type, status, reason, message].join(' ').trim())
    .toSorted()
}

function grouped<T>(items: readonly T[], nameOf: (item: T) => string, valueOf: (item: T) => unknown): Grouped {
  const groups = new Map<string, unknown[]>()
  for (const item of items) groups.set(nameOf(item), [...(groups.get(nameOf(item)) ?? []), valueOf(item)])
  return Object.fromEntries([...groups].map(([name, group]) => [name, inOrder(group)]))
}

const zone = /\b[a-z]+-[a-z]+-\d[a-z]\b/g

/** How many of them name a zone, for each zone that is named, the most first: what counts of a choice among equals. */
export function countsByZone(values: readonly unknown[] = []): readonly number[] {
  const named = values.flatMap((value) => [...new Set(JSON.stringify(value).match(zone) ?? [])])
  return [...Map.groupBy(named, (each) => each).values()].map(({ length }) => length).toSorted((a, b) => b - a)
}

/** The same with zones that are all called the same, and said once, for those who chose among equals. */
export function withoutZones(values: readonly unknown[] | undefined): readonly unknown[] | undefined {
  const once = (_key: string, value: unknown): unknown => {
    if (Array.isArray(value)) return [...new Set<unknown>(value)]
    return typeof value === 'string' ? value.replaceAll(/a zone(?: a zone)+/g, 'a zone') : value
  }
  return values && inOrder(values.map((value) => JSON.parse(JSON.stringify(value).replaceAll(zone, 'a zone'), once)))
}

/** By their text, since the world has no order for them. */
export function inOrder(values: readonly unknown[]): readonly unknown[] {
  return values
    .map((value) => [JSON.stringify(value), value] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, value]) => value)
}
