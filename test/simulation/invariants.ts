import { isConditionTrue } from '../../src/api/conditions.ts'
import type { NodeClaim, NodePool } from '../../src/api/karpenter.ts'
import type { KubeObject, Node, Pod, VolumeAttachment } from '../../src/api/kubernetes.ts'
import {
  annotationDoNotDisrupt,
  annotationTerminationTimestamp,
  clusterOwnedTagKey,
  finalizerTermination,
  labelNodePool,
  tagNodeClaim,
  tagNodePool,
  taintDisruptedKey,
} from '../../src/api/labels.ts'
import { allowedDisruptions } from '../../src/disruption/budgets.ts'
import type { ClientCall } from '../../src/embedded/apiserver/index.ts'
import type { AWSCall } from '../../src/embedded/aws/faults.ts'
import type { InstanceRecord } from '../../src/embedded/aws/state.ts'
import type { EmbeddedCluster } from '../../src/embedded/index.ts'
import { parseQuantity } from './quantities.ts'
import { hour, minute, type World } from './world.ts'
import type { ApiHooks } from './hooks.ts'

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
  /** Until then liveness is not judged. */
  healedAt: number
}

/** Grace on top of a deadline: controllers look again every few minutes. */
const slackMs = 5 * minute
/** Launches that fail in an hour without one that succeeds (I20). */
const failedLaunchesMax = 60

/**
 * Watches a cluster from outside: every committed change, every call of the operator, every minute. It keeps no copy of the cluster; it
 * reads the store where it stands.
 */
export class Invariants {
  readonly violations: Violation[] = []
  readonly allowances: Allowances = { policyEditedAt: -Infinity, cloudIsStale: false, healedAt: 0 }
  steps = 0
  readonly #cluster: EmbeddedCluster
  readonly #world: World
  readonly #first = new Map<string, number>()
  readonly #voluntary = new Map<string, string>()
  readonly #allowed = new Map<string, { at: number; nodes: number }[]>()
  readonly #failedLaunches: number[] = []
  readonly #foreignTaints = new Map<string, Set<string>>()
  readonly #reported = new Set<string>()

  constructor(world: World, hooks: ApiHooks) {
    this.#world = world
    this.#cluster = world.stack.cluster
    const { store } = this.#cluster.apiServer.context
    store.subscribe('all', ({ type, table, object, previous }) => {
      this.steps += 1
      if (table === 'karpenter.sh/nodeclaims') this.#onClaim(type, asClaim(object))
      if (table === '/nodes') this.#onNode(type, asNode(object), previous && asNode(previous))
    })
    hooks.observe((call) => this.#onCall(call))
    this.#cluster.aws.faults.add((call) => {
      this.#onCloudCall(call)
      return undefined
    })
  }

  /** Once a virtual minute. */
  tick(): void {
    this.#liveness()
    this.#budgets()
  }

  get #now(): number {
    return this.#cluster.clock.now()
  }

  #list<T extends KubeObject>(table: string): readonly T[] {
    return this.#cluster.apiServer.context.store.list(table) as unknown as readonly T[]
  }

  get #claims(): readonly NodeClaim[] {
    return this.#list<NodeClaim>('karpenter.sh/nodeclaims')
  }

  get #nodes(): readonly Node[] {
    return this.#list<Node>('/nodes')
  }

  #report(invariant: string, subject: string, message: string): void {
    const key = `${invariant} ${subject}`
    if (this.#reported.has(key)) return
    this.#reported.add(key)
    const at = new Date(this.#now).toISOString()
    this.violations.push({ invariant, message: `${subject}: ${message}`, step: this.steps, at })
  }

  #onClaim(type: string, claim: NodeClaim): void {
    const pool = claim.metadata.labels?.[labelNodePool] ?? ''
    if (type === 'DELETED') {
      this.#voluntary.delete(claim.metadata.name)
      this.#claimGone(claim)
      return
    }
    if (type === 'ADDED') this.#limits(pool)
  }

  /** I6: the finalizer goes only after the cloud has said that the machine is gone. */
  #claimGone(claim: NodeClaim): void {
    if (!isConditionTrue(claim, 'Launched')) {
      const hourAgo = this.#now - hour
      this.#failedLaunches.push(this.#now)
      while ((this.#failedLaunches[0] ?? this.#now) < hourAgo) this.#failedLaunches.shift()
      if (this.#failedLaunches.length > failedLaunchesMax) {
        this.#report('I20', 'launches', `${this.#failedLaunches.length} claims ended unlaunched within an hour`)
      }
    }
    if (this.allowances.cloudIsStale) return
    const instance = this.#instanceOf(claim)
    if (instance !== undefined && instance.state !== 'terminated') {
      this.#report('I6', claim.metadata.name, `is gone while ${instance.id} is ${instance.state}`)
    }
  }

  /** I17: at each creation, all that exist or are promised stay within the pool's limits. */
  #limits(poolName: string): void {
    if (this.#now - this.allowances.policyEditedAt < hour) return
    const pool = this.#pool(poolName)
    const limits = pool?.spec.limits
    if (limits === undefined) return
    const claims = this.#claims.filter(
      ({ metadata }) =>
        metadata.labels?.[labelNodePool] === poolName &&
        metadata.deletionTimestamp === undefined &&
        // What is about to be replaced does not count any more when its replacement is made.
        !this.#voluntary.has(metadata.name),
    )
    const cpu = claims.reduce((sum, { status }) => sum + parseQuantity(status?.capacity?.['cpu'] ?? 0), 0)
    if (limits['cpu'] !== undefined && cpu > parseQuantity(limits['cpu'])) {
      this.#report('I17', poolName, `${cpu} CPUs, limit ${limits['cpu']}`)
    }
  }

  #onNode(type: string, node: Node, previous: Node | undefined): void {
    const before = new Set((previous?.spec.taints ?? []).map(({ key }) => key))
    const after = new Set((node.spec.taints ?? []).map(({ key }) => key))
    if (type === 'DELETED') {
      this.#foreignTaints.delete(node.metadata.name)
      return
    }
    if (after.has(taintDisruptedKey) && !before.has(taintDisruptedKey)) this.#disruptionStarts(node)
    this.#startupTaints(node, before, after)
  }

  /** I25: a startup taint that its owner has removed stays away. */
  #startupTaints(node: Node, before: ReadonlySet<string>, after: ReadonlySet<string>): void {
    const removed = this.#foreignTaints.get(node.metadata.uid) ?? new Set<string>()
    for (const key of before) if (!after.has(key) && key.startsWith('startup.')) removed.add(key)
    for (const key of after) {
      if (!before.has(key) && removed.has(key)) this.#report('I25', node.metadata.name, `${key} is back`)
    }
    if (removed.size > 0) this.#foreignTaints.set(node.metadata.uid, removed)
  }

  /** I7: what is started voluntarily stays within the widest budget that held while it was decided. */
  #disruptionStarts(node: Node): void {
    const claim = this.#claimOfNode(node)
    if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return
    const pool = claim.metadata.labels?.[labelNodePool] ?? ''
    this.#voluntary.set(claim.metadata.name, pool)
    this.#budgets()
    const inFlight = [...this.#voluntary.values()].filter((name) => name === pool).length
    const widest = Math.max(0, ...(this.#allowed.get(pool) ?? []).map(({ nodes }) => nodes))
    if (inFlight > widest && this.#now - this.allowances.policyEditedAt > hour) {
      this.#report('I7', `${pool}/${node.metadata.name}`, `${inFlight} disrupted at once, budget ${widest}`)
    }
  }

  /** Remembers what each pool's budget has allowed in the last two minutes: a decision is carried out a little later. */
  #budgets(): void {
    for (const pool of this.#list<NodePool>('karpenter.sh/nodepools')) {
      const { name } = pool.metadata
      const total = this.#claims.filter(
        (claim) => claim.metadata.labels?.[labelNodePool] === name && isConditionTrue(claim, 'Initialized'),
      ).length
      const value = allowedDisruptions(pool, 'Empty', total, this.#now)
      const recent = (this.#allowed.get(name) ?? []).filter(({ at }) => Math.abs(this.#now - at) <= 2 * minute)
      recent.push({ at: this.#now, nodes: value.kind === 'allowed' ? value.nodes : 0 })
      this.#allowed.set(name, recent)
    }
    for (const name of this.#voluntary.keys()) {
      const claim = this.#claims.find(({ metadata }) => metadata.name === name)
      const node = claim === undefined ? undefined : this.#nodeOf(claim)
      const isTainted = node?.spec.taints?.some(({ key }) => key === taintDisruptedKey) === true
      // A machine that is being terminated is out of the count, as it is for budgets.
      const isOver = claim === undefined || isConditionTrue(claim, 'InstanceTerminating')
      if (isOver || (!isTainted && claim.metadata.deletionTimestamp === undefined)) {
        this.#voluntary.delete(name)
      }
    }
  }

  #onCall(call: ClientCall): void {
    if (call.resource.plural === 'pods' && (call.verb === 'evict' || call.verb === 'delete')) this.#podGoes(call)
    const isIntent = call.resource.plural === 'nodepools' || call.resource.plural === 'ec2nodeclasses'
    if (isIntent && call.subresource === undefined && hasSpec(call.body) && call.verb === 'patch') {
      this.#report('I29', `${call.resource.plural}/${call.name ?? ''}`, 'the operator writes a spec')
    }
  }

  /** I10, I11: pods that said no, and deletions past a PDB, wait for the deadline that was declared. */
  #podGoes(call: ClientCall): void {
    const { store } = this.#cluster.apiServer.context
    const pod = store.get('/pods', `${call.namespace ?? ''}/${call.name ?? ''}`) as unknown as Pod | undefined
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return
    const node = this.#nodes.find(({ metadata }) => metadata.name === pod.spec.nodeName)
    const claim = node === undefined ? undefined : this.#claimOfNode(node)
    const deadline = Date.parse(claim?.metadata.annotations?.[annotationTerminationTimestamp] ?? '')
    const graceMs = (pod.spec.terminationGracePeriodSeconds ?? 30) * 1000
    // Clocks may have been set since the deadline was written down.
    const isPast = !Number.isNaN(deadline) && this.#now + graceMs + slackMs >= deadline
    if (isPast) return
    const name = `${call.namespace ?? ''}/${call.name ?? ''}`
    if (call.verb === 'delete') this.#report('I10', name, 'is deleted, not evicted, before any deadline')
    if (pod.metadata.annotations?.[annotationDoNotDisrupt] === 'true' && isActive(pod)) {
      this.#report('I11', name, 'is evicted although it said do-not-disrupt')
    }
  }

  #onCloudCall({ service, action, input }: AWSCall): void {
    if (service !== 'ec2' || action !== 'TerminateInstances') return
    for (const id of instanceIDsOf(input)) {
      const instance = this.#cluster.aws.account.instance(id)
      if (instance === undefined) continue
      this.#mayTerminate(instance)
    }
  }

  /** I21: only what carries our tags. I5: a healthy machine only when somebody said so. I26: volumes first. */
  #mayTerminate(instance: InstanceRecord): void {
    if (!this.#isOurs(instance)) this.#report('I21', instance.id, 'is terminated though it is not ours')
    const claim = this.#claims.find(({ status }) => status?.providerID?.endsWith(`/${instance.id}`) === true)
    if (claim === undefined || this.allowances.cloudIsStale) return
    const node = this.#nodeOf(claim)
    if (claim.metadata.deletionTimestamp === undefined && node !== undefined && isReadyNode(node)) {
      this.#report('I5', instance.id, `is terminated while claim ${claim.metadata.name} wants it and its node is Ready`)
    }
    if (node === undefined || instance.state !== 'running') return
    if (claim.metadata.annotations?.[annotationTerminationTimestamp] !== undefined || !isReadyNode(node)) return
    const attached = this.#list<VolumeAttachment>('storage.k8s.io/volumeattachments').filter(
      ({ spec }) => spec.nodeName === node.metadata.name,
    )
    if (attached.length > 0) this.#report('I26', instance.id, `is terminated with ${attached.length} volumes attached`)
  }

  #liveness(): void {
    const claims = this.#claims
    const byProvider = new Map(claims.map((claim) => [idOf(claim.status?.providerID), claim]))
    const owned = this.#cluster.aws.state.instances.filter((instance) => this.#isOurs(instance))
    const live = owned.filter(({ state }) => state === 'running' || state === 'pending')
    for (const instance of live) {
      this.#since('I1', instance.id, !byProvider.has(instance.id), 10 * minute, 'runs without a NodeClaim')
    }
    const named = live.map(({ tags }) => tags[tagNodeClaim]).filter((name) => name !== undefined && name !== '')
    for (const name of new Set(named)) {
      const count = named.filter((other) => other === name).length
      if (count > 1) this.#report('I2', String(name), `owns ${count} running instances`)
    }
    for (const claim of claims) this.#claimLiveness(claim)
    for (const node of this.#nodes) this.#nodeLiveness(node)
    const { state, lifecycle } = this.#world.stack.operator
    const leads = lifecycle.state === 'running'
    // A claim whose launch is under way holds decisions back by design.
    const launching = claims.some(({ status }) => (status?.providerID ?? '') === '')
    this.#since('I13', 'cluster state', leads && !launching && !state.synced(), 2 * minute, 'is not synced')
  }

  #claimLiveness(claim: NodeClaim): void {
    const instance = this.#instanceOf(claim)
    const gone = instance === undefined || instance.state === 'terminated'
    const deleting = claim.metadata.deletionTimestamp !== undefined
    const launched = claim.status?.providerID !== undefined && claim.status.providerID !== ''
    const node = this.#nodeOf(claim)
    const drained = node === undefined
    this.#since('I12', claim.metadata.name, deleting && launched && gone && drained, 10 * minute, 'keeps its finalizer')
  }

  /** I4: a Node whose machine is gone goes. I15: no node stays tainted without a command. */
  #nodeLiveness(node: Node): void {
    if (!(node.metadata.finalizers ?? []).includes(finalizerTermination)) return
    const instance = this.#cluster.aws.account.instance(idOf(node.spec.providerID) ?? '')
    const gone = instance === undefined || instance.state === 'terminated'
    this.#since('I4', node.metadata.name, gone, 10 * minute, 'is there although its machine is gone')
    const claim = this.#claimOfNode(node)
    const tainted = node.spec.taints?.some(({ key }) => key === taintDisruptedKey) === true
    const idle = tainted && claim !== undefined && claim.metadata.deletionTimestamp === undefined
    this.#since('I15', node.metadata.name, idle, 70 * minute, 'is tainted and nothing happens')
  }

  /** Reports when `holds` has been true at every look for so long since the last fault. */
  #since(invariant: string, subject: string, holds: boolean, limitMs: number, message: string): void {
    const key = `${invariant} ${subject}`
    if (!holds) {
      this.#first.delete(key)
      return
    }
    const now = this.#cluster.clock.monotonicMs()
    const first = this.#first.get(key) ?? now
    this.#first.set(key, first)
    const from = Math.max(first, this.allowances.healedAt)
    if (now - from > limitMs + slackMs) this.#report(invariant, subject, message)
  }

  #isOurs({ tags }: InstanceRecord): boolean {
    return tags[clusterOwnedTagKey(this.#cluster.clusterName)] === 'owned' && tags[tagNodePool] !== undefined
  }

  #pool(name: string): NodePool | undefined {
    return this.#list<NodePool>('karpenter.sh/nodepools').find(({ metadata }) => metadata.name === name)
  }

  #instanceOf(claim: NodeClaim): InstanceRecord | undefined {
    return this.#cluster.aws.account.instance(idOf(claim.status?.providerID) ?? '')
  }

  #nodeOf(claim: NodeClaim): Node | undefined {
    const { providerID = '' } = claim.status ?? {}
    return providerID === '' ? undefined : this.#nodes.find(({ spec }) => spec.providerID === providerID)
  }

  #claimOfNode({ spec }: Node): NodeClaim | undefined {
    const { providerID = '' } = spec
    return providerID === '' ? undefined : this.#claims.find(({ status }) => status?.providerID === providerID)
  }
}

function asClaim(object: unknown): NodeClaim {
  return object as NodeClaim
}

function asNode(object: unknown): Node {
  return object as Node
}

function idOf(providerID: string | undefined): string | undefined {
  return providerID?.split('/').at(-1)
}

function isReadyNode(node: Node): boolean {
  return node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true
}

function isActive(pod: Pod): boolean {
  return pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed'
}

function hasSpec(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'spec' in body
}

function instanceIDsOf(input: unknown): readonly string[] {
  if (typeof input !== 'object' || input === null || !('InstanceIds' in input)) return []
  return Array.isArray(input.InstanceIds) ? input.InstanceIds.filter((id) => typeof id === 'string') : []
}
