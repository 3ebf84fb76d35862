import { nodePoolHash } from '../../api/hash/index.ts'
import type { EC2NodeClass } from '../../api/karpenter.ts'
import { labelCapacityReservationID } from '../../api/labels.ts'
import { type FleetObjects, propose } from '../../rollout/plan/proposal.ts'
import { type Plan } from '../../rollout/plan/plan.ts'
import { planChange } from '../../rollout/plan/plan-change.ts'
import type { ReplacementTiming } from '../../rollout/plan/input.ts'
import { defaultSettings } from '../../scheduling/index.ts'
import { resolveInstanceTypes } from '../simulate/instance-types.ts'
import type { SimulationObjects } from '../simulate/objects.ts'
import { overlaid } from '../simulate/overlays.ts'
import { buildWorld } from '../simulate/world.ts'
import { digestOf } from '../snapshot/redact.ts'
import type { ResolvedClass } from './images.ts'
import { offlineProviderDrift } from './provider-drift.ts'

export interface MakePlanOptions {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly region: string
  readonly prune: boolean
  readonly featureGates: Readonly<Record<string, boolean>>
  readonly resolved: ReadonlyMap<string, ResolvedClass>
  readonly timing: ReplacementTiming
}

/** The pure heart of the command: what applying the manifests to the cluster would do. */
export function makePlan(cluster: SimulationObjects, manifests: SimulationObjects, options: MakePlanOptions): Plan {
  const present = fleetOf(cluster)
  const proposal = propose(unredacted(present, fleetOf(manifests)), fleetOf(manifests), options)
  const before = view(cluster, options)
  const { proposed } = proposal
  const nodeClasses = proposed.nodeClasses.map((nodeClass) => withResolved(nodeClass, options.resolved))
  const after = view(
    {
      ...cluster,
      ...manifestKinds(manifests),
      ...proposed,
      nodePools: [...proposed.nodePools],
      nodeClasses,
      nodeOverlays: [...proposed.nodeOverlays],
      rolloutPolicies: [...proposed.rolloutPolicies],
    },
    options,
  )
  return planChange({
    present: unredacted(present, fleetOf(manifests)),
    proposal,
    snapshot: after.snapshot,
    presentTypes: before.snapshot.instanceTypes,
    settings: after.settings,
    providerDrift: offlineProviderDrift({
      presentClasses: present.nodeClasses,
      resolved: options.resolved,
      instanceTypes: after.snapshot.instanceTypes,
    }),
    timing: options.timing,
  })
}

function fleetOf({ nodePools, nodeClasses, nodeOverlays, rolloutPolicies }: SimulationObjects): FleetObjects {
  return { nodePools, nodeClasses, nodeOverlays, rolloutPolicies }
}

/** Catalogues may come with the manifests as well as with the snapshot. */
function manifestKinds({ catalogues }: SimulationObjects): Partial<SimulationObjects> {
  return catalogues.length === 0 ? {} : { catalogues }
}

function view(objects: SimulationObjects, { now, region, featureGates }: MakePlanOptions) {
  const { instanceTypes, vocabulary } = resolveInstanceTypes(objects, region)
  const plain = buildWorld(objects, { now, instanceTypes })
  return {
    snapshot: featureGates['NodeOverlay'] === true ? overlaid(plain, objects, vocabulary) : plain,
    settings: {
      ...defaultSettings,
      vocabulary,
      reservationLabel: featureGates['ReservedCapacity'] === false ? '' : labelCapacityReservationID,
      nodePoolHash,
    },
  }
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
  return known === undefined ? nodeClass : { ...nodeClass, status: { ...nodeClass.status, ...known } }
}
