import type { NodeClaim } from '../../api/karpenter.ts'
import type { KubeObject, Node } from '../../api/kubernetes.ts'
import { annotationTerminationTimestamp, labelNodePool } from '../../api/labels.ts'
import type { AWSCloud } from '../../cloud/aws/create-aws-cloud.ts'
import { instanceIDOf } from '../../cloud/aws/instance/ec2-instance.ts'
import { capacityTypeKey, instanceTypeKey, reservationIDKey, zoneKey } from '../../cloud/aws/keys.ts'
import type { Cache, Caches } from '../../kube/controller.ts'
import { isNotFound } from '../../kube/errors.ts'
import { getIfPresent } from '../../kube/get-if-present.ts'
import { nodeClaims } from '../../kube/karpenter-kinds.ts'
import { nodes } from '../../kube/kinds.ts'
import type { Logger } from '../../kube/logger.ts'
import type { KubeClient } from '../../kube/port.ts'
import type { EventRecorder } from '../../kube/recorder.ts'
import { keyOf } from '../../kube/resource.ts'
import { type Clock, toTimestamp } from '../../model/clock.ts'
import { ExpiringMap } from '../../model/expiring-map.ts'
import { isOurClaim } from '../aws/deps.ts'
import { annotateClaim } from '../nodeclaim/annotate-claim.ts'
import { deleteClaim } from '../nodeclaim/delete-claim.ts'
import { hurryDrain } from '../nodeclaim/hurry-drain.ts'
import { noteInterruption } from '../nodeclaim/note-interruption.ts'
import { oneByOne } from '../one-by-one.ts'
import type { InterruptionKind } from './messages.ts'

export interface InterruptionDeps {
  readonly kube: KubeClient
  readonly caches: Caches
  readonly clock: Clock
  readonly recorder: EventRecorder
  readonly cloud: Pick<AWSCloud, 'unavailable' | 'reservations'> & {
    readonly instances: Pick<AWSCloud['instances'], 'launchedFor' | 'mayBeLaunched'>
  }
  /** Core's `karpenter_nodeclaims_disrupted_total`. */
  readonly disrupted: {
    increment(labels: { readonly reason: string; readonly nodepool: string; readonly capacity_type: string }): void
  }
}

interface Reaction {
  readonly event: { readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string }
  /** `forceful` also sets the deadline of the drain to now, where the claim has none. */
  readonly action: 'none' | 'delete' | 'forceful'
}

const unhealthy = {
  type: 'Warning',
  reason: 'InstanceUnhealthy',
  message: 'An unhealthy warning was triggered for the instance',
} as const

const reactions: Readonly<Record<Exclude<InterruptionKind, 'no_op'>, Reaction>> = {
  spot_interrupted: {
    event: { type: 'Warning', reason: 'SpotInterrupted', message: 'Spot interruption warning was triggered' },
    action: 'delete',
  },
  capacity_reservation_interrupted: {
    event: {
      type: 'Warning',
      reason: 'CapacityReservationInstanceInterrupted',
      message: 'Capacity Reservation interruption warning was triggered',
    },
    action: 'delete',
  },
  rebalance_recommendation: {
    event: {
      type: 'Normal',
      reason: 'SpotRebalanceRecommendation',
      message: 'Spot rebalance recommendation was triggered',
    },
    action: 'none',
  },
  scheduled_change: { event: unhealthy, action: 'delete' },
  event_status: { event: unhealthy, action: 'delete' },
  instance_status: { event: unhealthy, action: 'forceful' },
  system_status: { event: unhealthy, action: 'forceful' },
  instance_stopped: {
    event: { type: 'Warning', reason: 'InstanceStopping', message: 'Instance is stopping' },
    action: 'delete',
  },
  instance_terminated: {
    event: { type: 'Warning', reason: 'InstanceTerminating', message: 'Instance is terminating' },
    action: 'delete',
  },
}

/** The cloud's own doing, whatever the node was made of. An instance that stops may have been stopped by its image. */
const takenBack: ReadonlySet<InterruptionKind> = new Set([
  'spot_interrupted',
  'capacity_reservation_interrupted',
  'scheduled_change',
])

const byInstance = 'instanceID'

/** Longer than a launch may go without an answer, and as long as the queue keeps a message. */
const heardForMs = 300_000

/** Acts on what was said about instances; those that no claim of ours stands for are none of ours. */
export class InterruptionHandler {
  readonly #deps: InterruptionDeps
  readonly #claims: Cache<NodeClaim>
  readonly #nodes: Cache<Node>
  /** When each instance without a claim was first spoken of; monotonic, in milliseconds. */
  readonly #heard: ExpiringMap<string, number>

  constructor(deps: InterruptionDeps) {
    this.#deps = deps
    this.#heard = new ExpiringMap({ clock: deps.clock, ttlMs: heardForMs })
    this.#claims = deps.caches.of(nodeClaims)
    this.#nodes = deps.caches.of(nodes)
    this.#claims.addIndex(byInstance, instancesOfClaim)
    this.#nodes.addIndex(byInstance, instancesOfNode)
  }

  /** Whether the instance is one of this cluster's claims. */
  owns(instanceID: string): boolean {
    return this.#claimsOf(instanceID).length > 0
  }

  /**
   * Each instance is handled on its own; the log's lines say of which message. `again`: the same should be said once more, since nobody can
   * tell yet whose instance it is. @throws what failed, combined
   */
  async handle(kind: InterruptionKind, instanceIDs: readonly string[], log: Logger): Promise<'done' | 'again'> {
    if (kind === 'no_op') return 'done'
    const claims = new Map(instanceIDs.map((id) => [id, this.#claimsOf(id)]))
    await oneByOne(instanceIDs, async (id) => {
      const node = this.#nodes.by(byInstance, id)[0]
      await oneByOne(claims.get(id) ?? [], (claim) => this.#handleClaim(kind, claim, node, log))
    })
    if (reactions[kind].action === 'none') return 'done'
    return instanceIDs.some((id) => claims.get(id)?.length === 0 && this.#mayBeLaunched(id)) ? 'again' : 'done'
  }

  #claimsOf(instanceID: string): readonly NodeClaim[] {
    const named = this.#claims.by(byInstance, instanceID)
    return (named.length > 0 ? named : asList(this.#launchedFor(instanceID))).filter(isOurClaim)
  }

  /** An instance that ends as soon as it is launched may be spoken of before its claim names it, and not again. */
  #launchedFor(instanceID: string): NodeClaim | undefined {
    const launched = this.#deps.cloud.instances.launchedFor(instanceID)
    if (launched === undefined) return undefined
    const claim = this.#claims.get({ name: launched.name })
    const isIts = claim?.metadata.uid === launched.uid && (claim.status?.providerID ?? '') === ''
    return isIts ? claim : undefined
  }

  /** One that ends at once may even be spoken of before EC2 has answered the launch. */
  #mayBeLaunched(instanceID: string): boolean {
    const { clock, cloud } = this.#deps
    const heardAt = this.#heard.get(instanceID) ?? clock.monotonicMs()
    if (!cloud.instances.mayBeLaunched(heardAt)) return false
    this.#heard.set(instanceID, heardAt)
    return true
  }

  async #handleClaim(
    kind: Exclude<InterruptionKind, 'no_op'>,
    claim: NodeClaim,
    node: Node | undefined,
    log: Logger,
  ): Promise<void> {
    const { event, action } = reactions[kind]
    this.#publish([claim, ...asList(node)], event)
    this.#markUnavailable(kind, claim)
    if (action === 'none') return
    if (action === 'forceful') return this.#end(kind, claim, node, log)
    if (claim.metadata.deletionTimestamp !== undefined) return
    // The machine goes in two minutes: a rollout that waits for the node is not to take it for one whose image does not come up.
    if (takenBack.has(kind)) await noteInterruption(this.#deps, claim, kind, log)
    await this.#delete(kind, claim, node, log)
  }

  /** Nobody on a machine that fails answers its drain, also of a claim that is being deleted. A deadline that it has already stays. */
  async #end(kind: InterruptionKind, claim: NodeClaim, node: Node | undefined, log: Logger): Promise<void> {
    const { kube, clock } = this.#deps
    const present = await getIfPresent(kube, nodeClaims, keyOf(claim))
    if (present?.metadata.uid !== claim.metadata.uid) return
    const { annotations, deletionTimestamp } = present.metadata
    const hasDeadline = annotations?.[annotationTerminationTimestamp] !== undefined
    if (deletionTimestamp !== undefined) {
      if (!hasDeadline) await annotateClaim(this.#deps, claim, annotationTerminationTimestamp, toTimestamp(clock.now()))
      return
    }
    await this.#delete(kind, claim, node, log)
    if (!hasDeadline) await this.#hurry(claim)
  }

  async #hurry(claim: NodeClaim): Promise<void> {
    try {
      await hurryDrain(claim, this.#deps)
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  #publish(objects: readonly KubeObject[], event: Reaction['event']): void {
    this.#deps.recorder.publish(...objects.map((object) => ({ object, ...event, dedupeValues: [object.metadata.uid] })))
  }

  #markUnavailable(kind: InterruptionKind, claim: NodeClaim): void {
    const { unavailable, reservations } = this.#deps.cloud
    const labels = claim.metadata.labels ?? {}
    if (kind === 'spot_interrupted') {
      const [instanceType, zone] = [labels[instanceTypeKey], labels[zoneKey]]
      if (instanceType !== undefined && zone !== undefined) {
        unavailable.markInterrupted({ instanceType, zone, capacityType: 'spot' }, kind)
      }
    }
    const reservation = labels[reservationIDKey]
    if (kind === 'capacity_reservation_interrupted' && reservation !== undefined) {
      reservations.markExhausted(reservation)
    }
  }

  async #delete(kind: InterruptionKind, claim: NodeClaim, node: Node | undefined, log: Logger): Promise<void> {
    const { kube, disrupted } = this.#deps
    if (!(await deleteClaim(kube, claim))) return
    log.info(
      {
        NodeClaim: { name: claim.metadata.name },
        ...(node === undefined ? {} : { Node: { name: node.metadata.name } }),
        action: 'CordonAndDrain',
      },
      'initiating delete from interruption message',
    )
    const event = { type: 'Warning', reason: 'TerminatingOnInterruption' } as const
    this.#publish([claim], { ...event, message: 'Interruption triggered termination for the NodeClaim' })
    if (node !== undefined) {
      this.#publish([node], { ...event, message: 'Interruption triggered termination for the Node' })
    }
    disrupted.increment({
      reason: kind,
      nodepool: claim.metadata.labels?.[labelNodePool] ?? '',
      capacity_type: claim.metadata.labels?.[capacityTypeKey] ?? '',
    })
  }
}

function asList<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value]
}

function instancesOfClaim({ status }: NodeClaim): readonly string[] {
  return asList(instanceIDOf(status?.providerID))
}

function instancesOfNode({ spec }: Node): readonly string[] {
  return asList(instanceIDOf(spec.providerID))
}
