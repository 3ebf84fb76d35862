import { labelHostname, labelInstanceType, labelNodePool } from '../../api/labels.ts'
import type { Node } from '../../api/kubernetes.ts'
import {
  type Displaced,
  placeWithout,
  prepareWhatIf,
  type UnplacedPod,
  unplacedPods,
} from '../../disruption/what-if.ts'
import { runToEnd } from '../../disruption/simulation.ts'
import { allocatableOf, type InstanceType, type Offering } from '../../model/instance-type.ts'
import { availableOfferings } from '../../model/offering-price.ts'
import { compareText } from '../../model/order.ts'
import type { PodInfo } from '../../model/pod.ts'
import { Quantity } from '../../model/quantity.ts'
import { addResources, type Resources } from '../../model/resources.ts'
import type { Requirements } from '../../model/requirements.ts'
import type { Snapshot, StateNode } from '../../model/snapshot.ts'
import type { NodePlan, Placement, SchedulingSettings } from '../../scheduling/index.ts'

/** Where the pods of nodes that go would run. */
export interface Move {
  /** US dollars per hour of the new nodes. */
  readonly addedPrice: number
  readonly unplaced: readonly UnplacedPod[]
  readonly placement: Placement
}

/**
 * The cluster as a plan moves it on: nodes go, their pods land on others or on nodes that come. New nodes are the cheapest that the
 * solver would launch, as long as nobody knows what the cloud will have.
 */
export class PlanWorld {
  readonly #settings: SchedulingSettings
  readonly #base: Snapshot
  readonly #nodes: Map<string, StateNode>
  #prepared: ReturnType<typeof prepareNow> | undefined
  #made = 0
  #settled = false

  constructor(snapshot: Snapshot, settings: SchedulingSettings) {
    this.#settings = settings
    this.#base = snapshot
    this.#nodes = new Map(snapshot.nodes.map((node) => [node.key, node]))
  }

  /** As it is by now: a node that pods have moved to has these, too. */
  node(key: string): StateNode | undefined {
    return this.#nodes.get(key)
  }

  /**
   * Pods that wait for a place, and those of nodes that are on their way out, get one before anything is replaced. Those that find none
   * are no concern of a plan.
   */
  settle(): void {
    const leaving = this.#base.nodes.filter(({ markedForDeletion }) => markedForDeletion)
    if (this.#base.unboundPods.length > 0 || leaving.length > 0) {
      const gone = leaving.map((stateNode) => ({ stateNode, reschedulablePods: [] }))
      this.commit(gone, this.tryWithout([]))
    }
    this.#settled = true
  }

  /** What would become of the pods were these nodes gone. Changes nothing. */
  tryWithout(candidates: readonly Displaced[]): Move {
    this.#prepared ??= prepareNow(this.#snapshot(), this.#settings)
    const { markedPods } = this.#prepared
    const placement = runToEnd(placeWithout(this.#prepared, { candidates, destinations: 'any' }))
    return {
      addedPrice: placement.newNodePlans.reduce((sum, { price }) => sum + (price ?? 0), 0),
      unplaced: unplacedPods(placement, new Set(markedPods.map(({ uid }) => uid))),
      placement,
    }
  }

  /** Lets it happen. Returns the keys of the nodes that got pods. */
  commit(candidates: readonly Displaced[], { placement }: Move): readonly string[] {
    for (const { stateNode } of candidates) this.#nodes.delete(stateNode.key)
    const grown: string[] = []
    for (const { node, pods } of placement.existing) {
      const current = this.#nodes.get(node.key)
      if (current === undefined) continue
      this.#nodes.set(node.key, { ...current, pods: [...current.pods, ...pods.map((pod) => bound(pod, node))] })
      grown.push(node.key)
    }
    for (const plan of placement.newNodePlans) {
      this.#made += 1
      const node = toPlannedNode(plan, `planned-${String(this.#made).padStart(6, '0')}`, this.#settings)
      if (node !== undefined) this.#nodes.set(node.key, node)
    }
    this.#prepared = undefined
    return grown
  }

  #snapshot(): Snapshot {
    const nodes = [...this.#nodes.values()].toSorted((a, b) => compareText(a.name, b.name) || compareText(a.key, b.key))
    return { ...this.#base, nodes, unboundPods: this.#settled ? [] : this.#base.unboundPods }
  }
}

function prepareNow(snapshot: Snapshot, settings: SchedulingSettings) {
  return runToEnd(prepareWhatIf(snapshot, settings))
}

function bound(pod: PodInfo, { name }: Pick<StateNode, 'name'>): PodInfo {
  return { ...pod, nodeName: name, phase: 'Running', scheduledReason: '', nominatedNodeName: '' }
}

/** Undefined for a plan that has no type to launch. */
function toPlannedNode(plan: NodePlan, name: string, { vocabulary }: SchedulingSettings): StateNode | undefined {
  const [type] = plan.instanceTypes
  if (type === undefined) return undefined
  const offering = cheapestOffering(type, plan.requirements, vocabulary.wellKnown)
  const labels = {
    ...singleValues(type.requirements),
    ...singleValues(plan.requirements),
    ...(offering === undefined ? {} : singleValues(offering.requirements)),
    ...plan.labels,
    [labelInstanceType]: type.name,
    [labelHostname]: name,
    [labelNodePool]: plan.nodePool,
  }
  const taints = plan.pool.spec.template.spec.taints ?? []
  const node: Node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      uid: name,
      resourceVersion: '0',
      creationTimestamp: '1970-01-01T00:00:00Z',
      labels,
      annotations: { ...plan.annotations },
    },
    spec: { providerID: name, taints: [...taints] },
  }
  return {
    key: name,
    node,
    nodeClaim: undefined,
    name,
    hostname: name,
    labels,
    annotations: plan.annotations,
    taints,
    capacity: addResources(type.capacity, oneNode),
    allocatable: allocatableOf(type.capacity, type.overhead),
    managed: true,
    registered: true,
    initialized: true,
    markedForDeletion: false,
    nominatedUntil: 0,
    pods: plan.pods.map((pod) => bound(pod, { name })),
    volumeLimits: new Map(),
    nodePool: plan.nodePool,
  }
}

const oneNode: Resources = new Map([['nodes', Quantity.of(1)]])

function cheapestOffering(
  type: InstanceType,
  requirements: Requirements,
  wellKnown: ReadonlySet<string>,
): Offering | undefined {
  return availableOfferings(type, requirements, wellKnown).reduce<Offering | undefined>(
    (best, offering) => (best === undefined || offering.price < best.price ? offering : best),
    undefined,
  )
}

/** Requirements that leave just one value are what a node's label will say. */
function singleValues(requirements: Requirements): Record<string, string> {
  const labels: Record<string, string> = {}
  for (const { key, values, complement } of requirements.values()) {
    const [value] = values
    if (!complement && values.size === 1 && value !== undefined) labels[key] = value
  }
  return labels
}
