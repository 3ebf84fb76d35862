import { isConditionTrue } from '../api/conditions.ts'
import type { Node, Pod } from '../api/kubernetes.ts'
import type { NodeClaim, NodePool } from '../api/karpenter.ts'
import { labelNodePool } from '../api/labels.ts'
import type { CloudProvider } from '../cloud/provider.ts'
import { isSpecChange } from '../kube/changes.ts'
import type { Caches, Change } from '../kube/controller.ts'
import type { Logger } from '../kube/logger.ts'
import type { Clock } from '../model/clock.ts'
import { isClaimDeleting } from '../model/deleting-claim.ts'
import { compareText } from '../model/order.ts'
import type { PodInfo } from '../model/pod.ts'
import { Quantity } from '../model/quantity.ts'
import { type Resources, sumResources } from '../model/resources.ts'
import type { Sliced } from '../model/sliced.ts'
import type { InstanceTypeList, Snapshot, StateNode } from '../model/snapshot.ts'
import { ChangeToken } from './change-token.ts'
import { type Derived, derivedFrom, devicesFrom, type WatchedCaches, watchedCaches } from './cluster-caches.ts'
import { gatherInstanceTypes, type InstanceTypeSource } from './instance-types.ts'
import { nodeDisruptionCost } from './node-disruption-cost.ts'
import { Nominations } from './nominations.ts'
import { NodePoolCounts } from './node-pool-counts.ts'
import { PlanLedger } from './plan-ledger.ts'
import { PodIndex, type PodMoved } from './pod-index.ts'
import { PodTimesBook } from './pod-times.ts'
import { isInitialized, isOlder, stateKeyOf } from './state-key.ts'
import { toStateNode } from './state-node.ts'
import { UnlaunchedClaims } from './unlaunched-claims.ts'

export interface ClusterStateOptions {
  readonly caches: Caches
  readonly clock: Clock
  readonly log: Logger
  readonly cloud: Pick<CloudProvider, 'nodeClassKinds'>
  readonly instanceTypes: InstanceTypeSource
  /** How long a nomination protects a node: max(2 × BATCH_MAX_DURATION, 10 s). */
  readonly nominationMs: number
  /** Eviction cost of a pod, for the pool totals of the Balanced policy. */
  readonly evictionCost: (pod: PodInfo) => number
  /** Whether services, ReplicaSets and StatefulSets are watched, which only default spread constraints need. */
  readonly spreadOwners?: boolean
}

/** Live state of the cluster, fed by the caches' events; hands out immutable snapshots. Everything here is synchronous. */
export class ClusterState {
  /** Claims per pool, and room under `limits.nodes`. */
  readonly counts = new NodePoolCounts()
  /** Tracked claims that the cloud has not answered for yet. */
  readonly unlaunched = new UnlaunchedClaims()
  /** Which plans still hold. */
  readonly plans = new PlanLedger(() => this.unlaunched.pools())
  readonly podTimes = new PodTimesBook((key) => this.#hasPod(key))
  readonly pods: PodIndex
  readonly #options: ClusterStateOptions
  readonly #nominations: Nominations
  readonly #token: ChangeToken
  readonly #entries = new Map<string, Entry>()
  readonly #keyOfNode = new Map<string, string>()
  readonly #keyOfClaim = new Map<string, string>()
  /** By UID, claims as they would be were their launch not refused. */
  readonly #unwritten = new Map<string, NodeClaim>()
  readonly #caches: WatchedCaches
  readonly #derived: Derived
  #devices: ReturnType<typeof devicesFrom> | undefined
  #sorted: readonly StateNode[] | undefined
  /** Of those nodes: whatever changes a cost makes the list of nodes anew. */
  #costs: { readonly nodes: readonly StateNode[]; readonly costs: ReadonlyMap<string, number> } | undefined
  #poolResources = new Map<string, Resources>()
  #everSynced = false
  #untrackedSetAside = false

  constructor(options: ClusterStateOptions) {
    this.#options = options
    this.#token = new ChangeToken(options.clock)
    this.#nominations = new Nominations(options.clock, options.nominationMs, (key) => this.#touchKey(key))
    this.#caches = watchedCaches(options.caches)
    this.pods = new PodIndex(
      this.#caches.pods,
      (moved, change) => this.#onPod(moved, change),
      (pod, error) =>
        options.log.error({ err: error, Pod: podField(pod) }, 'ignoring pod, its resources cannot be read'),
    )
    this.#derived = derivedFrom(options, this.#caches, this.pods)
    for (const claim of this.#caches.nodeClaims.list()) this.#onClaim({ kind: 'added', after: claim })
    for (const node of this.#caches.nodes.list()) this.#onNode({ kind: 'added', after: node })
    this.#caches.nodeClaims.subscribe((change) => this.#onClaim(change))
    this.#caches.nodes.subscribe((change) => this.#onNode(change))
    this.#caches.nodePools.subscribe((change) => {
      if (isSpecChange(change)) this.#token.bump()
    })
    this.#caches.csiNodes.subscribe((change) => this.#touchNode((change.after ?? change.before)?.metadata.name ?? ''))
  }

  /** Parses all nodes and pods, with pauses: the first snapshot after a start would do it in one go, and hold up everything else. */
  *readAll(): Sliced<void> {
    let parsed = 0
    for (const entry of [...this.#entries.values()]) {
      parsed += 1 + this.#build(entry).pods.length
      if (parsed < parsedPerSlice) continue
      parsed = 0
      yield
    }
    yield* this.pods.readUnbound(parsedPerSlice)
  }

  /** The cluster now, with whatever instance types the caller has at hand. Unchanged parts are shared with earlier snapshots. */
  snapshot(instanceTypes: ReadonlyMap<string, InstanceTypeList> = new Map()): Snapshot {
    this.#nominations.followClock()
    return {
      now: this.#options.clock.now(),
      nodes: this.nodes(),
      unboundPods: this.pods.unbound(),
      nodePools: this.#derived.nodePools(),
      instanceTypes,
      daemonSets: this.#derived.daemonSets(),
      namespaces: this.#derived.namespaces(),
      podDisruptionBudgets: this.#caches.podDisruptionBudgets.list(),
      volumes: this.#derived.volumes(),
      ...(this.#devices === undefined ? {} : { devices: this.#devices.objects() }),
      spreadOwners: this.#derived.spreadOwners(),
    }
  }

  /** Those whose class is of a kind that the cloud serves; the same list until one of the pools has changed. */
  nodePools(): readonly NodePool[] {
    return this.#derived.nodePools()
  }

  /** From now on snapshots hold what Dynamic Resource Allocation works with. Its API group has to be served. */
  watchDevices(): void {
    this.#devices ??= devicesFrom(this.#options.caches)
  }

  /** Takes the nodes first, then lists the pools' instance types: pods that bind meanwhile only make the view pessimistic. */
  async takeSnapshot(): Promise<Snapshot> {
    const snapshot = this.snapshot()
    return { ...snapshot, instanceTypes: await gatherInstanceTypes(snapshot.nodePools, this.#options.instanceTypes) }
  }

  /** By name, then by key. */
  nodes(): readonly StateNode[] {
    this.#sorted ??= [...this.#entries.values()]
      .map((entry) => this.#build(entry))
      .toSorted((a, b) => compareText(a.name, b.name) || compareText(a.key, b.key))
    return this.#sorted
  }

  node(key: string): StateNode | undefined {
    const entry = this.#entries.get(key)
    return entry === undefined ? undefined : this.#build(entry)
  }

  byNodeName(name: string): StateNode | undefined {
    return this.node(this.#keyOfNode.get(name) ?? '')
  }

  byClaimName(name: string): StateNode | undefined {
    return this.node(this.#keyOfClaim.get(name) ?? '')
  }

  /** Whether the claim is known, launched or not. */
  hasClaim(name: string): boolean {
    return this.#keyOfClaim.has(name) || this.unlaunched.has(name)
  }

  /** Nodes of pools that cannot be told apart yet, say without a provider ID: until the first success they keep the state from being synced. */
  get untrackedNodes(): readonly string[] {
    if (this.#everSynced || this.#untrackedSetAside) return []
    const names = this.#caches.nodes.list().map(({ metadata }) => metadata.name)
    return names.filter((name) => !this.#keyOfNode.has(name)).toSorted(compareText)
  }

  /** From now on nobody waits until they can be told apart, as nobody does after the first success. */
  setUntrackedNodesAside(): void {
    this.#untrackedSetAside = true
  }

  /** Puts a claim that was just written into state before the watch brings it. */
  observeNodeClaim(claim: NodeClaim): void {
    const cached = this.#caches.nodeClaims.get({ name: claim.metadata.name })
    if (cached === undefined) this.#onClaim({ kind: 'added', after: claim })
  }

  /** Counts with the instance of a claim whose status somebody refuses, for as long as the claim is there and does not name one itself. */
  observeLaunch(claim: NodeClaim): void {
    const cached = this.#caches.nodeClaims.get({ name: claim.metadata.name })
    if (cached?.metadata.uid !== claim.metadata.uid || this.#unwritten.has(claim.metadata.uid)) return
    this.#unwritten.set(claim.metadata.uid, claim)
    this.#onClaim({ kind: 'added', after: cached })
  }

  /** Drops a claim that the API server does not have and that no watch will ever delete. Launched ones stay. */
  forgetUnlaunchedClaim(name: string): boolean {
    if (!this.unlaunched.delete(name)) return false
    this.counts.remove(name)
    return true
  }

  /** A pending pod was promised a place on the node. */
  nominate(key: string): void {
    if (this.#entries.has(key)) this.#nominations.nominate(key)
  }

  isNominated(key: string): boolean {
    return this.#nominations.isNominated(key)
  }

  markForDeletion(...keys: readonly string[]): void {
    this.#mark(keys, true)
  }

  unmarkForDeletion(...keys: readonly string[]): void {
    this.#mark(keys, false)
  }

  /** Everything that the pool's nodes hold, those marked for deletion left out; `nodes` counts them. */
  nodePoolResources(pool: string): Resources {
    const known = this.#poolResources.get(pool)
    if (known !== undefined) return known
    const members = this.nodes().filter((node) => node.nodePool === pool && !node.markedForDeletion)
    const sum = sumResources([emptyPool, ...members.map((node) => node.capacity)])
    this.#poolResources.set(pool, sum)
    return sum
  }

  /** Disruption cost by state-node key: 1 for the node and what evicting its pods costs, DaemonSet pods left out. */
  trackedDisruptionCosts(): ReadonlyMap<string, number> {
    const nodes = this.nodes()
    if (this.#costs?.nodes !== nodes) {
      this.#costs = { nodes, costs: new Map(nodes.map((node) => [node.key, this.#disruptionCost(node)])) }
    }
    return this.#costs.costs
  }

  /** An opaque token: as long as it is the same, nothing has changed that disruption looks at. */
  changeToken(): number {
    return this.#token.current()
  }

  /** Something outside the caches changed, e.g. NodeOverlays were evaluated. */
  markUnconsolidated(): void {
    this.#token.bump()
  }

  /**
   * Whether decisions may be made. Before the first success every claim and node of the API must be tracked; always, every tracked
   * claim must have a provider ID. Nobody waits for those that were set aside.
   */
  synced(): boolean {
    if (!this.#caches.all.every(isSynced) || this.#devices?.caches.every(isSynced) === false) return false
    if (this.untrackedNodes.length > 0 || this.unlaunched.areAwaited) return false
    this.#everSynced = true
    return true
  }

  /** Whether `synced` was ever true. */
  get everSynced(): boolean {
    return this.#everSynced
  }

  isManaged(object: NodeClaim | NodePool): boolean {
    const reference = 'template' in object.spec ? object.spec.template.spec.nodeClassRef : object.spec.nodeClassRef
    return this.#options.cloud.nodeClassKinds.some(
      ({ group, kind }) => group === reference.group && kind === reference.kind,
    )
  }

  #onClaim(change: Change<NodeClaim>): void {
    if (change.before !== undefined && change.before.metadata.uid !== change.after?.metadata.uid) {
      this.#unwritten.delete(change.before.metadata.uid)
    }
    if (change.after === undefined) {
      if (change.before !== undefined) this.#removeClaim(change.before.metadata.name)
      return
    }
    const claim = this.#asLaunched(change.after)
    if (!this.isManaged(claim)) return
    const { name } = claim.metadata
    const providerID = claim.status?.providerID ?? ''
    const before = this.#keyOfClaim.get(name)
    if (before !== undefined && before !== providerID) this.#removeClaim(name)
    if (providerID === '') {
      if (this.unlaunched.put(claim)) this.#token.bump()
      this.#classify(claim, false)
      return
    }
    this.unlaunched.delete(name)
    const entry = this.#entry(providerID)
    const deleting = entry.claim !== undefined && isClaimDeleting(entry.claim)
    if (entry.claim === undefined || deleting !== isClaimDeleting(claim)) this.#token.bump()
    entry.claim = claim
    if (change.kind === 'updated') entry.costForgotten = true
    this.#keyOfClaim.set(name, providerID)
    this.#classify(claim, entry.marked)
    this.#touch(entry)
  }

  #asLaunched(claim: NodeClaim): NodeClaim {
    const launched = this.#unwritten.get(claim.metadata.uid)
    if (launched?.status === undefined) return claim
    if ((claim.status?.providerID ?? '') !== '') {
      this.#unwritten.delete(claim.metadata.uid)
      return claim
    }
    const labels = { ...launched.metadata.labels, ...claim.metadata.labels }
    return { ...claim, metadata: { ...claim.metadata, labels }, status: launched.status }
  }

  #removeClaim(name: string): void {
    this.unlaunched.delete(name)
    this.counts.remove(name)
    this.#token.bump()
    const key = this.#keyOfClaim.get(name) ?? ''
    const entry = this.#entries.get(key)
    this.#keyOfClaim.delete(name)
    if (entry?.claim?.metadata.name !== name) return
    entry.claim = this.#anyClaim(key)
    this.#touch(entry)
  }

  /** Two claims may name one machine, as after a backup was restored: the one that is left stands for it. */
  #anyClaim(key: string): NodeClaim | undefined {
    for (const [name, other] of this.#keyOfClaim) {
      const claim = other === key ? this.#caches.nodeClaims.get({ name }) : undefined
      if (claim !== undefined) return this.#asLaunched(claim)
    }
    return undefined
  }

  #classify(claim: NodeClaim, marked: boolean): void {
    const { name, labels } = claim.metadata
    const pool = labels?.[labelNodePool]
    if (pool === undefined) return
    if (isClaimDeleting(claim)) this.counts.setDeleted(pool, name)
    else if (marked) this.counts.setDeleting(pool, name)
    // Otherwise the replacement of a static pool's node would be one too many as soon as the claim it replaces changes, and go again.
    else if (isConditionTrue(claim, 'DisruptionReason')) this.counts.setPendingDisruption(pool, name)
    else this.counts.setActive(pool, name)
  }

  #onNode(change: Change<Node>): void {
    const node = change.after
    const name = (node ?? change.before)?.metadata.name ?? ''
    const key = node === undefined ? undefined : stateKeyOf(node)
    const before = this.#keyOfNode.get(name)
    if (before !== undefined && before !== key) this.#removeNode(name)
    if (node === undefined || key === undefined) return
    this.#keyOfNode.set(name, key)
    const entry = this.#entry(key)
    if (entry.node !== undefined && entry.node.metadata.name !== name && isOlder(node, entry.node)) return
    if (before !== key || isInitialized(entry.node) !== isInitialized(node)) this.#token.bump()
    if ((entry.node?.metadata.deletionTimestamp === undefined) !== (node.metadata.deletionTimestamp === undefined)) {
      this.#token.bump()
    }
    entry.node = node
    entry.costForgotten = false
    this.#touch(entry)
  }

  #removeNode(name: string): void {
    const key = this.#keyOfNode.get(name) ?? ''
    const entry = this.#entries.get(key)
    this.#keyOfNode.delete(name)
    this.#token.bump()
    if (entry?.node?.metadata.name !== name) return
    entry.node = this.#newestNode(key)
    this.#touch(entry)
  }

  /** A machine that came back under another name has two Nodes until the old one is gone; what runs there is on the newer one. */
  #newestNode(key: string): Node | undefined {
    let newest: Node | undefined
    for (const [name, other] of this.#keyOfNode) {
      const node = other === key ? this.#caches.nodes.get({ name }) : undefined
      if (node !== undefined && (newest === undefined || !isOlder(node, newest))) newest = node
    }
    return newest
  }

  #onPod(moved: PodMoved, change: Change<Pod>): void {
    for (const name of moved.nodeNames) {
      const entry = this.#entries.get(this.#keyOfNode.get(name) ?? '')
      if (entry === undefined) continue
      entry.costForgotten = false
      this.#touch(entry)
    }
    if (moved.usageChanged) this.#token.bump()
    const gone = change.kind === 'deleted' ? change.before : undefined
    if (gone !== undefined) this.podTimes.forget(`${gone.metadata.namespace ?? ''}/${gone.metadata.name}`)
  }

  #hasPod(key: string): boolean {
    const [namespace = '', name = ''] = key.split('/')
    return this.#caches.pods.get({ namespace, name }) !== undefined
  }

  #mark(keys: readonly string[], marked: boolean): void {
    for (const key of keys) {
      const entry = this.#entries.get(key)
      if (entry === undefined || entry.marked === marked) continue
      entry.marked = marked
      if (!marked) this.plans.markTakenBack()
      if (entry.claim !== undefined) this.#classify(entry.claim, marked)
      this.#token.bump()
      this.#touch(entry)
    }
  }

  #entry(key: string): Entry {
    let entry = this.#entries.get(key)
    if (entry === undefined) {
      entry = {
        key,
        node: undefined,
        claim: undefined,
        marked: false,
        costForgotten: false,
        built: undefined,
      }
      this.#entries.set(key, entry)
    }
    return entry
  }

  #touchNode(name: string): void {
    this.#touchKey(this.#keyOfNode.get(name) ?? '')
  }

  #touchKey(key: string): void {
    const entry = this.#entries.get(key)
    if (entry !== undefined) this.#touch(entry)
  }

  #touch(entry: Entry): void {
    entry.built = undefined
    this.#sorted = undefined
    this.#poolResources = new Map()
    if (entry.node !== undefined || entry.claim !== undefined) return
    this.#entries.delete(entry.key)
    this.#nominations.forget(entry.key)
  }

  #build(entry: Entry): StateNode {
    const nodeName = entry.node?.metadata.name
    entry.built ??= toStateNode({
      key: entry.key,
      node: entry.node,
      nodeClaim: entry.claim,
      csiNode: nodeName === undefined ? undefined : this.#caches.csiNodes.get({ name: nodeName }),
      pods: nodeName === undefined ? [] : this.pods.onNode(nodeName),
      nominatedUntil: this.#nominations.until(entry.key),
      marked: entry.marked,
    })
    return entry.built
  }

  #disruptionCost(node: StateNode): number {
    if (this.#entries.get(node.key)?.costForgotten === true) return 1
    return nodeDisruptionCost(node.pods, this.#options.evictionCost)
  }
}

interface Entry {
  readonly key: string
  node: Node | undefined
  claim: NodeClaim | undefined
  marked: boolean
  /** After a claim's update the costs of its pods are unknown until the next event of the node or its pods, as in Karpenter. */
  costForgotten: boolean
  built: StateNode | undefined
}

/** Nodes and pods parsed between two pauses: some milliseconds. */
const parsedPerSlice = 500

const emptyPool: Resources = new Map(
  ['cpu', 'memory', 'pods', 'ephemeral-storage', 'nodes'].map((name) => [name, Quantity.zero]),
)

function isSynced({ synced }: { readonly synced: boolean }): boolean {
  return synced
}

function podField(pod: Pod): object {
  return { name: pod.metadata.name, namespace: pod.metadata.namespace ?? '' }
}
