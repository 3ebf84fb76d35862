import { nodePoolHash } from '../../api/hash/index.ts'
import type { EC2NodeClass, NodeClaim } from '../../api/karpenter.ts'
import { labelCapacityReservationID } from '../../api/labels.ts'
import { noHeldRoom } from '../../disruption/held-room.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import { type FleetObjects, propose } from '../../rollout/plan/proposal.ts'
import type { Plan } from '../../rollout/plan/plan.ts'
import { planChange } from '../../rollout/plan/plan-change.ts'
import type { PlanInput, ReplacementTiming } from '../../rollout/plan/input.ts'
import { defaultSettings, type SchedulingSettings } from '../../scheduling/index.ts'
import { operatorPacking, packingOf, type SchedulingOptions } from '../scheduling-options.ts'
import { heldRoomIn } from '../simulate/buffers.ts'
import { resolveInstanceTypes } from '../simulate/instance-types.ts'
import { isManaged } from '../simulate/managed.ts'
import type { SimulationObjects } from '../simulate/objects.ts'
import { overlaid } from '../simulate/overlays.ts'
import { withQueuedMarked } from '../simulate/under-way.ts'
import { buildWorld } from '../simulate/world.ts'
import { digestOf } from '../snapshot/redact.ts'
import { expectedImages } from './expected-images.ts'
import type { ResolvedClass } from './images.ts'
import { offlineProviderDrift, unresolvedImages } from './provider-drift.ts'
import { readyAnew } from './readiness.ts'

/** Settings of the operator that are left out are its defaults. */
export interface MakePlanOptions extends Partial<SchedulingOptions> {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly region: string
  readonly prune: boolean
  readonly featureGates: Readonly<Record<string, boolean>>
  readonly resolved: ReadonlyMap<string, ResolvedClass>
  readonly timing: ReplacementTiming
  readonly exactMax?: number
  /** Kinds of the cluster that could not be read, by their plural names. */
  readonly unread?: readonly string[]
}

/** Milliseconds or so: a plan is waited for, so it looks for cheaper nodes for a shorter time than the operator may. */
const packingSlicesMax = 500

/** The pure heart of the command: what applying the manifests to the cluster would do. */
export function makePlan(cluster: SimulationObjects, manifests: SimulationObjects, options: MakePlanOptions): Plan {
  return planChange(toPlanInput(cluster, manifests, options))
}

/** Of what it is given, the result holds on to little: a large cluster's objects can be forgotten before the planning begins. */
export function toPlanInput(
  cluster: SimulationObjects,
  manifests: SimulationObjects,
  options: MakePlanOptions,
): PlanInput {
  const wanted = fleetOf(manifests)
  const present = unredacted(fleetOf(cluster), wanted)
  const proposal = propose(present, wanted, options)
  const { nodeOverlays, rolloutPolicies } = proposal.proposed
  const resolved = expectedImages(options.resolved, present.nodeClasses, proposal.proposed.nodeClasses, options.now)
  const nodeClasses = proposal.proposed.nodeClasses.map((nodeClass) => withResolved(nodeClass, resolved))
  const ready = readyAnew({ ...proposal.proposed, nodeClasses }, present)
  const after: SimulationObjects = {
    ...cluster,
    // Catalogues may come with the manifests as well as with the snapshot.
    ...(manifests.catalogues.length === 0 ? {} : { catalogues: manifests.catalogues }),
    nodePools: [...ready.nodePools],
    nodeClasses: [...ready.nodeClasses],
    nodeOverlays: [...nodeOverlays],
    rolloutPolicies: [...rolloutPolicies],
  }
  const { instanceTypes, vocabulary } = resolveInstanceTypes(after, options.region)
  const priced = (unpriced: Snapshot, objects: SimulationObjects): Snapshot =>
    options.featureGates['NodeOverlay'] === true ? overlaid(unpriced, objects, vocabulary) : unpriced
  const world = withQueuedMarked(buildWorld(after, { now: options.now, instanceTypes }))
  const snapshot = priced(world, after)
  const typesNow = resolveInstanceTypes(cluster, options.region).instanceTypes
  const before = priced(
    {
      ...snapshot,
      nodePools: present.nodePools,
      instanceTypes: new Map(present.nodePools.map((pool) => [pool.metadata.name, typesNow(pool)])),
    },
    cluster,
  )
  const settings: SchedulingSettings = {
    ...defaultSettings,
    vocabulary,
    reservationLabel: options.featureGates['ReservedCapacity'] === false ? '' : labelCapacityReservationID,
    nodePoolHash,
    preferencePolicy: options.preferencePolicy ?? defaultSettings.preferencePolicy,
    minValuesPolicy: options.minValuesPolicy ?? defaultSettings.minValuesPolicy,
  }
  return {
    present,
    proposal: { ...proposal, proposed: { ...proposal.proposed, nodeClasses } },
    snapshot,
    starting: cluster.nodeClaims.filter(isStarting),
    presentTypes: before.instanceTypes,
    settings,
    held: options.featureGates['CapacityBuffer'] === true ? heldRoomIn(before, settings, cluster) : noHeldRoom,
    packing: packingOf(options.packing ?? operatorPacking, { slicesMax: packingSlicesMax }),
    providerDrift: offlineProviderDrift({
      presentClasses: present.nodeClasses,
      resolved,
      instanceTypes: snapshot.instanceTypes,
    }),
    unresolvedClasses: unresolvedImages(present.nodeClasses, nodeClasses, resolved),
    timing: options.timing,
    keepsReplicas: options.featureGates['StaticCapacity'] === true,
    ...(options.unread === undefined ? {} : { unread: options.unread }),
    ...(options.exactMax === undefined ? {} : { exactMax: options.exactMax }),
  }
}

function fleetOf({ nodePools, nodeClasses, nodeOverlays, rolloutPolicies }: SimulationObjects): FleetObjects {
  return { nodePools: nodePools.filter(isManaged), nodeClasses, nodeOverlays, rolloutPolicies }
}

/** A claim without a machine is no capacity, and no node of a plan. */
function isStarting(claim: NodeClaim): boolean {
  return isManaged(claim) && (claim.status?.providerID ?? '') === '' && claim.metadata.deletionTimestamp === undefined
}

/** A snapshot holds digests of user data: where the manifest's text has that digest, it is the same text. */
function unredacted(present: FleetObjects, manifests: FleetObjects): FleetObjects {
  const texts = new Map(
    manifests.nodeClasses.flatMap(({ spec }) =>
      spec?.userData === undefined ? [] : [[digestOf(spec.userData), spec.userData]],
    ),
  )
  return {
    ...present,
    nodeClasses: present.nodeClasses.map((nodeClass) => {
      const userData = texts.get(nodeClass.spec?.userData ?? '')
      return userData === undefined || nodeClass.spec === undefined
        ? nodeClass
        : { ...nodeClass, spec: { ...nodeClass.spec, userData } }
    }),
  }
}

function withResolved(nodeClass: EC2NodeClass, resolved: ReadonlyMap<string, ResolvedClass>): EC2NodeClass {
  const known = resolved.get(nodeClass.metadata.name)
  if (known === undefined) return nodeClass
  // Whatever a rollback pinned, it ends with other images to be found.
  const { pinnedImages, ...status } = nodeClass.status ?? {}
  const isKept = pinnedImages !== undefined && known.amis === undefined
  return { ...nodeClass, status: { ...status, ...(isKept ? { pinnedImages } : {}), ...known } }
}
