import type { NodeClaim, NodePool } from '../../../src/api/karpenter.ts'
import type { KubeObject, Node, Pod } from '../../../src/api/kubernetes.ts'
import type { ClientCall } from '../../../src/embedded/apiserver/index.ts'
import type { AWSCall } from '../../../src/embedded/aws/faults.ts'
import type { InstanceRecord } from '../../../src/embedded/aws/state.ts'
import type { EmbeddedCluster } from '../../../src/embedded/index.ts'
import type { PlacementObserver } from '../../../src/operator/solver/index.ts'
import { parseTimestamp } from '../../../src/model/clock.ts'
import { minute, type World } from '../world.ts'

export interface Violation {
  readonly invariant: string
  readonly message: string
  readonly step: number
  /** Virtual time. */
  readonly at: string
}

/** What faults make untrue for a while; the invariants that rest on it are not judged meanwhile. */
export interface Allowances {
  /** Somebody edits limits or budgets: what was started under the old ones stands. */
  policyEditedAt: number
  /** The cloud shows what is no longer, or hides what is. */
  cloudIsStale: boolean
  /** Every answer of the API server is of the past: what it does not have twice is taken for gone, and writes meet conflicts. */
  readsAreStale: boolean
  /** Two processes lead, for as long as an election lets them: a claim that both made is the handover's price. */
  twoLead: boolean
  /** The fault at work sets the clock, and hides nothing from the operator. */
  clockOnly: boolean
  /** Until then liveness is not judged; infinite while a fault is at work. */
  healedAt: number
  /** When the process was killed: what it had just written, it may not have told. */
  readonly crashes: number[]
}

/** Grace on top of a deadline: controllers look again every few minutes. */
export const slackMs = 5 * minute
/** Timestamps are whole seconds, and sending takes a moment. */
const toldLateMs = 3_000

export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED'

/** One invariant, or a few that look at the same things. Every hook is optional; none may change the cluster. */
export interface Watcher {
  onClaim?(type: ChangeType, claim: NodeClaim, previous: NodeClaim | undefined): void
  onNode?(type: ChangeType, node: Node, previous: Node | undefined): void
  onPod?(type: ChangeType, pod: Pod, previous: Pod | undefined): void
  onPool?(type: ChangeType, pool: NodePool): void
  onEvent?(event: RecordedEvent): void
  /** A call of the operator, before it has any effect. */
  onCall?(call: ClientCall): void
  onCloudCall?(call: AWSCall): void
  /** How it ended for the operator; undefined when it went well. */
  onOutcome?(call: ClientCall, error: unknown): void
  onCloudOutcome?(call: AWSCall, error: unknown): void
  /** A plan of the operator, before any of it is carried out. */
  onPlacement?(decided: Parameters<PlacementObserver>[0]): void
  /** A line that the operator logged. */
  onLog?(line: LogLine, text: string): void
  /** Once a virtual minute. */
  tick?(): void
}

export interface RecordedEvent extends KubeObject {
  readonly reason?: string
  readonly message?: string
  readonly lastTimestamp?: string
  readonly involvedObject: {
    readonly kind?: string
    readonly name?: string
    readonly uid?: string
    readonly namespace?: string
  }
  readonly source?: { readonly component?: string }
}

export type LogLine = Readonly<Record<string, unknown>>

/** The cluster as it stands, read from its store: invariants keep no copy of it. */
export class Look {
  readonly violations: Violation[] = []
  readonly allowances: Allowances = {
    policyEditedAt: -Infinity,
    cloudIsStale: false,
    clockOnly: false,
    twoLead: false,
    readsAreStale: false,
    healedAt: 0,
    crashes: [],
  }
  readonly world: World
  readonly cluster: EmbeddedCluster
  steps = 0
  readonly #reported = new Set<string>()
  readonly #first = new Map<string, number>()
  #seen = new Seen(0)

  constructor(world: World) {
    this.world = world
    this.cluster = world.stack.cluster
  }

  get now(): number {
    return this.cluster.clock.now()
  }

  /** Never jumps. */
  get elapsed(): number {
    return this.cluster.clock.monotonicMs()
  }

  get faultAtWork(): boolean {
    return this.allowances.healedAt === Number.POSITIVE_INFINITY
  }

  /** An event that waited for the API server to come back: what it tells of may have passed. */
  isToldLate({ lastTimestamp }: RecordedEvent): boolean {
    return this.now - (parseTimestamp(lastTimestamp) ?? this.now) > toldLateMs
  }

  /** The same list until something is written: one look asks for it again for each node and claim. */
  list<T extends KubeObject>(table: string): readonly T[] {
    const { lists } = this.#now()
    const list =
      lists.get(table) ?? (this.cluster.apiServer.context.store.list(table) as unknown as readonly KubeObject[])
    lists.set(table, list)
    return list as readonly T[]
  }

  get claims(): readonly NodeClaim[] {
    return this.list<NodeClaim>('karpenter.sh/nodeclaims')
  }

  get nodes(): readonly Node[] {
    return this.list<Node>('/nodes')
  }

  get pods(): readonly Pod[] {
    return this.list<Pod>('/pods')
  }

  get pools(): readonly NodePool[] {
    return this.list<NodePool>('karpenter.sh/nodepools')
  }

  claim(name: string): NodeClaim | undefined {
    const { store } = this.cluster.apiServer.context
    return store.get('karpenter.sh/nodeclaims', name) as unknown as NodeClaim | undefined
  }

  node(name: string): Node | undefined {
    return this.cluster.apiServer.context.store.get('/nodes', name) as unknown as Node | undefined
  }

  pod(namespace: string, name: string): Pod | undefined {
    return this.cluster.apiServer.context.store.get('/pods', `${namespace}/${name}`) as unknown as Pod | undefined
  }

  pool(name: string): NodePool | undefined {
    return this.cluster.apiServer.context.store.get('karpenter.sh/nodepools', name) as unknown as NodePool | undefined
  }

  podsOn(nodeName: string): readonly Pod[] {
    return this.pods.filter(({ spec }) => spec.nodeName === nodeName)
  }

  instance(providerID: string | undefined): InstanceRecord | undefined {
    return this.cluster.aws.account.instance(idOf(providerID) ?? '')
  }

  nodeOf(claim: NodeClaim): Node | undefined {
    const { providerID = '' } = claim.status ?? {}
    if (providerID === '') return undefined
    const seen = this.#now()
    seen.nodes ??= firstBy(this.nodes, ({ spec }) => spec.providerID)
    return seen.nodes.get(providerID)
  }

  claimOf({ spec }: Node): NodeClaim | undefined {
    const { providerID = '' } = spec
    if (providerID === '') return undefined
    const seen = this.#now()
    seen.claims ??= firstBy(this.claims, ({ status }) => status?.providerID)
    return seen.claims.get(providerID)
  }

  /** What was read since the last write. */
  #now(): Seen {
    const { revision } = this.cluster.apiServer.context.store
    if (this.#seen.revision !== revision) this.#seen = new Seen(revision)
    return this.#seen
  }

  report(invariant: string, subject: string, message: string): void {
    const key = `${invariant} ${subject}`
    if (this.#reported.has(key)) return
    this.#reported.add(key)
    const at = new Date(this.now).toISOString()
    this.violations.push({ invariant, message: `${subject}: ${message}`, step: this.steps, at })
  }

  /** Reports when `holds` has been true at every look for so long since the last fault. */
  since(invariant: string, subject: string, holds: boolean, limitMs: number, message: string): void {
    const key = `${invariant} ${subject}`
    if (!holds) {
      this.#first.delete(key)
      return
    }
    const first = this.#first.get(key) ?? this.elapsed
    this.#first.set(key, first)
    const from = Math.max(first, this.allowances.healedAt)
    if (this.elapsed - from > limitMs + slackMs) this.report(invariant, subject, message)
  }
}

/** Of one revision of the store. */
class Seen {
  readonly revision: number
  readonly lists = new Map<string, readonly KubeObject[]>()
  /** By provider ID. */
  nodes: ReadonlyMap<string, Node> | undefined
  claims: ReadonlyMap<string, NodeClaim> | undefined

  constructor(revision: number) {
    this.revision = revision
  }
}

function firstBy<T>(list: readonly T[], keyOf: (item: T) => string | undefined): ReadonlyMap<string, T> {
  const found = new Map<string, T>()
  for (const item of list) {
    const key = keyOf(item)
    if (key !== undefined && !found.has(key)) found.set(key, item)
  }
  return found
}

export function idOf(providerID: string | undefined): string | undefined {
  return providerID?.split('/').at(-1)
}

export function isReadyNode(node: Node): boolean {
  return node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true
}

export function isActivePod(pod: Pod): boolean {
  return pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed'
}

export function isDaemonPod({ metadata }: Pod): boolean {
  return metadata.ownerReferences?.some(({ kind }) => kind === 'DaemonSet') === true
}

export function taintKeys(node: Node | undefined): ReadonlySet<string> {
  return new Set((node?.spec.taints ?? []).map(({ key }) => key))
}
