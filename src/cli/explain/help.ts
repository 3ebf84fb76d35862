import type { BlockCode } from '../../disruption/candidates.ts'
import type { RefusalReason } from '../../scheduling/placement.ts'
import type { PodRejectionCause } from '../../scheduling/pod-validation.ts'

/** Prices are per region, and not every region's are built in. */
const unknownTypesHelp =
  'give an InstanceTypeCatalog with the input, or --region of a built-in region; docs/troubleshooting.md lists them'

/** What a person can do about a node that a rule holds; the reference list is docs/troubleshooting.md. */
export const nodeHelp: Readonly<Record<BlockCode | 'BudgetIsZero', string>> = {
  InQueue: 'nothing: its disruption is under way',
  NotManaged: 'nothing: only nodes with a NodeClaim are ever disrupted',
  NoNode:
    'wait until the node joins; a claim that does not register within its timeout is removed by itself, and one that is registered ' +
    'has lost its Node while its machine runs on: delete the NodeClaim',
  NotInitialized:
    'see the conditions of its NodeClaim: readiness, startup taints and requested resources must be there; where it is Initialized, ' +
    'somebody took the label karpenter.sh/initialized: "true" off the node: restore it',
  Deleting: 'nothing: it is on its way out; `joinery explain node` lists the pods that it still waits for',
  Nominated: 'wait: a pending pod was promised a place here; see `joinery explain pod` if it is not bound soon',
  NodeDoNotDisrupt: 'remove the annotation karpenter.sh/do-not-disrupt from the node',
  NoNodePoolLabel: 'restore the label karpenter.sh/nodepool on the node',
  NodePoolNotFound:
    'restore the NodePool or mend its instance types; a node whose NodePool was deleted goes with its claim',
  PodDoNotDisrupt:
    'remove the annotation karpenter.sh/do-not-disrupt from the pod, or let the pod finish; drift also proceeds when the NodeClaim has a terminationGracePeriod',
  PDBBlocked:
    'wait until the PodDisruptionBudget allows a disruption, or loosen it; drift also proceeds when the NodeClaim has a terminationGracePeriod',
  MultiplePDBs:
    'make the selectors of the PodDisruptionBudgets disjoint: the eviction API refuses pods that two of them match',
  ConsolidationDisabled: 'set spec.disruption.consolidateAfter of the NodePool to a duration instead of Never',
  BufferPods: 'lower the CapacityBuffer that holds room here',
  InstanceTypeNotFound: 'the NodePool can no longer launch this type: drift will replace the node once it is marked',
  NoCapacityTypeLabel: 'restore the label karpenter.sh/capacity-type on the node',
  NoZoneLabel: 'restore the label topology.kubernetes.io/zone on the node',
  PolicyWhenEmpty: 'set spec.disruption.consolidationPolicy of the NodePool to WhenEmptyOrUnderutilized or Balanced',
  NotConsolidatable: 'wait: the node has to be without pod changes for consolidateAfter',
  BudgetExhausted: 'wait for the disruptions under way, or raise spec.disruption.budgets of the NodePool',
  BudgetIsZero: 'raise spec.disruption.budgets of the NodePool, or give the budget of zero a schedule and a duration',
  NodeLimit:
    'raise spec.limits.nodes of the NodePool above its replicas: a replacement comes before the node that it replaces goes',
  ExcessNodes:
    'switch on the feature gate StaticCapacity, without which nobody scales the NodePool down, or raise its spec.replicas',
  PodsWouldNotSchedule:
    'make room for the pods elsewhere: see `joinery explain pod` for what refuses them, and the limits of the NodePools',
  NeedsSeveralReplacements:
    'nothing: its pods do not fit one new node, and consolidation never trades one node for several',
  NoCheaperReplacement:
    'nothing: no allowed instance type that holds its pods is cheaper; more types or zones in the NodePool would widen the choice',
  MinValues: 'lower minValues of the NodePool, or allow more instance types',
  SpotToSpotDisabled: 'switch on the feature gate SpotToSpotConsolidation',
  SpotToSpotFlexibility: 'allow at least 15 cheaper spot instance types in the NodePool',
  ScoreTooLow: 'nothing: under the Balanced policy the saving is not worth the pods it would move',
  Paused: 'wait, or take the annotation joinery.dev/pause-until off the object that pauses',
  RolloutHeld: 'look at the RolloutPolicy of the NodePool: its status says what the rollout waits for',
  CircuitOpen: 'mend what keeps new nodes from becoming ready; one node is tried now and then',
  LaunchRefused:
    'raise spec.limits of the NodePool, where they refuse: a replacement has to fit beside the node that it replaces; it is tried again in some minutes',
  MarkingRefused:
    'the message says who refuses that the node is tainted: let the operator write nodes and NodeClaims; it is tried again in some minutes',
  DeletionRefused:
    'the message says who refuses that the NodeClaim is deleted: let the operator delete it; it is tried again after an hour',
  PodsAwaited:
    'explain the pod: what keeps it from the node, say a spread over zones of which one has no capacity; after an hour the node goes',
  LateReplacement:
    'nothing: the old node goes next, or this one in half an hour; machines that come up within ten minutes are waited for',
  Braked: 'wait, or raise --disruption-brake of the operator',
  InstanceTypesUnknown: unknownTypesHelp,
  ConsolidationUndone: 'nothing: it is tried again later; a longer consolidateAfter makes such moves rarer',
}

/** Of a node that nothing holds which can be seen from outside the operator. */
export const stayHelp =
  'if it stays, see its events: the operator leaves nodes alone for a while whose command was refused, or like which a consolidation did not hold; ' +
  'where nothing but time has passed since it last found nothing to do, it looks again after five minutes'

const topologyHelp = {
  spread: (key) => `let nodes have more values of ${key}, raise maxSkew, or use ScheduleAnyway`,
  affinity: (key) =>
    `a pod that the affinity selects must have its place first, where nodes of this NodePool can share its ${key}; or prefer instead of requiring`,
  antiAffinity: (key) =>
    `every ${key} that is left has a pod that this one keeps away from, or that keeps away from it: let nodes have more values of it, or prefer instead of requiring`,
} as const satisfies Record<Extract<RefusalReason, { kind: 'topology' }>['constraint'], (key: string) => string>

/** What a person can do about a pool that takes part in no solve for want of instance types. */
export function noTypesHelp(list: { readonly kind: string } | undefined): string {
  return list?.kind === 'unknown' ? unknownTypesHelp : 'see the conditions of its EC2NodeClass'
}

/** What a person can do about a rollout that does not go on; `code` as the condition Stalled has it. */
export function stalledHelp(code: string): string {
  switch (code) {
    case 'Halted':
      return 'mend what the message names, then let the manifests ask for something else or change the RolloutPolicy: the same is not tried again by itself'
    case 'RolledBack':
      return 'let the selector of the EC2NodeClass that failed find other images: the same are not tried again, by an edited RolloutPolicy neither'
    default:
      return 'mend what the message names: the rollout goes on by itself then'
  }
}

export const retiredText = 'the NodePool is retired: it gets no new nodes'

export function retiredHelp(pool: string): string {
  return `to take that back: \`joinery rollout retire ${pool} --cancel\``
}

/** What a person can do about a pod that is left out because of what it says itself; it is looked at again once that has changed. */
export function rejectionHelp(cause: PodRejectionCause): string | null {
  switch (cause.kind) {
    case 'keepsAway':
      return null
    case 'requirement':
      return `select nodes by a label that NodePools may define, with an operator and values that fit it, instead of by ${cause.key} as it stands`
    case 'matchFields':
      return 'select nodes by their labels, with matchExpressions'
    case 'emptyTerms':
      return 'give its node affinity terms with matchExpressions, or none'
    case 'contradiction':
      return 'leave of its node selector and its node affinity the one that is meant'
    case 'volume':
      if (cause.isInUse) return exclusiveVolumeHelp
      return 'mend the PersistentVolumeClaim, its PersistentVolume or its StorageClass, whichever the message names'
  }
}

export const exclusiveVolumeHelp =
  'wait until the pod that the message names is gone, or give this one a volume of its own'

/** What a person can do when a NodePool refuses a pod and no single change came near. */
export function poolHelp(reason: RefusalReason): string {
  switch (reason.kind) {
    case 'taints':
      return "add a toleration to the pod, or remove the taint from the NodePool's template"
    case 'requirements':
      return "align the pod's node selector or affinity with the NodePool's requirements and labels"
    case 'volumeRequirements':
      return "let the NodePool launch in the zones of the pod's volumes"
    case 'exclusiveVolumes':
      return 'give the pod volumes that one node can have: no node can have these together'
    case 'devices':
      return 'have a node of a type with such devices and their DRA driver in the cluster, or ask for fewer devices'
    case 'topology':
      return topologyHelp[reason.constraint](reason.key)
    case 'topologyRequirements':
      return "the topology domains left over are not among the NodePool's: widen its requirements"
    case 'nodeLimit':
      return 'raise spec.limits.nodes of the NodePool'
    case 'limits':
      return 'raise spec.limits of the NodePool'
    case 'instanceTypes':
      return "allow larger or other instance types in the NodePool, or lower the pod's requests"
    case 'minValues':
      return 'lower minValues of the NodePool, or allow more instance types'
    case 'reserved':
      return 'wait: reserved capacity is being taken up'
  }
}
