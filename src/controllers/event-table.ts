import { patternOf } from './event-pattern.ts'

/** One kind of event as data: what its reference page says and what a test compares emitted events with. */
export interface EventRow {
  /** `<ConditionType>` where each condition type is a reason; empty where the event has none. */
  readonly reason: string
  readonly type: 'Normal' | 'Warning'
  /** Kinds of the objects that it is published on. */
  readonly objects: readonly string[]
  /** As the page shows it, `<…>` for what varies. */
  readonly message: string
  /** What every message of this row matches. */
  readonly pattern: RegExp
  /** Time in which a repeat is dropped, in minutes; undefined: repeats are only counted. */
  readonly dedupeMinutes: number | undefined
}

interface RowOptions {
  /** What messages look like where `message` only sums them up. */
  readonly variants?: readonly string[]
  /** How parts in angle brackets look, where not as usual. */
  readonly parts?: Readonly<Record<string, RegExp>>
  readonly dedupeMinutes?: number | 'counted'
}

const defaultDedupeMinutes = 2

const policy = ['RolloutPolicy']
const both = ['Node', 'NodeClaim']
/** What `joinery rollout` steers by annotations. */
const bothSteered = ['NodePool', 'EC2NodeClass']
const steered = [...bothSteered, 'RolloutPolicy']
/** Kinds whose conditions and ends are told. */
const watched = ['NodeClaim', 'NodePool', 'Node', 'EC2NodeClass', 'CapacityBuffer']

const rfc3339 = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/
const disruptionReason = /(Empty|Drifted|Underutilized)/
const consolidation = /(delete|replace): \[\S+\].*/
const savings = /-?\$\d+\.\d\d/

/** All events. */
export const eventTable: readonly EventRow[] = [
  normal('DisruptionBlocked', both, '<why the node cannot be disrupted now>', {
    variants: [
      'Nodeclaim does not have an associated node',
      "Node isn't initialized",
      'Node is deleting or marked for deletion',
      'Node is nominated for a pending pod',
      'Disruption is blocked through the "karpenter.sh/do-not-disrupt" annotation',
      "Node doesn't have required label (label=karpenter.sh/nodepool)",
      'NodePool not found (NodePool=<name>)',
      'Pod has "karpenter.sh/do-not-disrupt" annotation (Pod=<name>)',
      'Pdb prevents pod evictions (PodDisruptionBudget=<budget>)',
      'Eviction does not support multiple PDBs (PodDisruptionBudget(s)=<budgets>)',
      'Not all pods would schedule, <why>',
      'Launching replacement nodeclaim, <why>',
      'Marking disrupted, <why>',
      'A consolidation <what>; what came of it is not consolidated for <time>',
      'The consolidation of a node like this one <what>; nodes of its pool and type with pods of the same workloads are not consolidated for <time>',
      'Pod <name> is to run here and still waits',
      'The command that it came for was given up, and node <name> is still to go for it',
      'Nodeclaim is expired, and no more than <n> node(s) within <window> are removed as expired (--disruption-brake); the next may go at <time>',
    ],
    parts: { budget: /\[\S+\]/, budgets: /\[.+\]/ },
  }),
  normal(
    'DisruptionBlocked',
    ['NodePool'],
    'No allowed disruptions for disruption reason <Empty|Drifted|Underutilized> due to blocking budget',
    { dedupeMinutes: 1 },
  ),
  warning('CircuitOpened', ['NodePool'], 'Circuit breaker opened: <what failed, why, and when one node tries again>', {
    parts: { 'what failed, why, and when one node tries again': /[^]+; one node tries again at \S+/ },
  }),
  normal('RolloutStarted', policy, 'rollout <revision> of <n> node(s) begins in <pools>'),
  normal('RolloutStepStarted', policy, 'step <n> of <n> begins: <n> of <n> node(s)'),
  normal('RolloutStepReached', policy, 'step <n> of <n> is reached and soaks until <time>'),
  normal('RolloutStepPassed', policy, 'step <n> of <n> is passed'),
  normal('RolloutCompleted', policy, 'rollout <revision> is complete: <n> node(s) replaced'),
  warning('RolloutHalted', policy, 'rollout <revision> has failed in step <n> of <n>: <why>', {
    variants: ['rollout <revision> has failed in step <n> of <n>: <why>', '[<why>]the rollback has failed too: <why>'],
  }),
  warning('RolloutRollingBack', policy, 'rolling back <class> to <images>'),
  normal('RolloutRolledBack', policy, 'rollout <revision> is rolled back'),
  normal('RolloutSuperseded', policy, 'rollout <revision> is superseded: the target moved on'),
  normal(
    'RolloutNodeDeleted',
    policy,
    'NodeClaim <name> is deleted: its node <never came up|is not ready any more> and makes room for others',
  ),
  warning('RolloutDeadlineExceeded', policy, 'the deadline has passed, it goes on; <how far it is>'),
  normal('RolloutApproved', policy, '<kind> <name>: <target> approved by <field manager>', {
    parts: { kind: /(NodePool|EC2NodeClass)/ },
  }),
  normal('RolloutWaiting', policy, '<what it waits for, and until when>'),
  normal('RolloutPaused', policy, 'Paused until <time> by <object>'),
  normal('CircuitClosed', ['NodePool'], 'Nodes of the pool come up again'),
  normal('DisruptionPaused', steered, 'No voluntary disruption until <time>'),
  normal('DisruptionResumed', steered, 'Voluntary disruption goes on'),
  normal('TargetApproved', bothSteered, 'Target <target> is approved'),
  warning(
    'TargetApproved',
    bothSteered,
    'Target <target> is approved, but the target now is <target>: the approval has no effect',
  ),
  normal('RestartRequested', bothSteered, 'Nodes made before <time> are to be replaced'),
  normal('UndoRequested', ['EC2NodeClass'], 'Back to revision <number> of the images'),
  normal('UndoEnded', ['EC2NodeClass'], 'Images are again those that the selector finds'),
  normal(
    'RetireRequested',
    ['NodePool'],
    'NodePool <name> is retired: it gets no new nodes, and present ones are drained',
  ),
  normal('RetireCancelled', ['NodePool'], 'NodePool <name> is no longer retired'),
  warning('AnnotationUnreadable', steered, '<annotation>: <what is wrong with it>', {
    parts: { annotation: /metadata\.annotations\[joinery\.dev\/[a-z-]+\]/ },
  }),
  warning(
    'AdmissionWarning',
    ['NodePool', 'EC2NodeClass', 'NodeOverlay', 'RolloutPolicy'],
    '<rule>: <field>: <what the admission webhook warns about>',
    { parts: { rule: /JN-\d+/ }, dedupeMinutes: 24 * 60 },
  ),
  normal('DisruptionLaunching', ['NodeClaim'], 'Launching NodeClaim: <reason>', {
    parts: { reason: disruptionReason },
  }),
  normal('DisruptionWaitingReadiness', ['NodeClaim'], 'Waiting on readiness to continue disruption'),
  normal('DisruptionTerminating', both, 'Disrupting <Node|NodeClaim>: <reason>', {
    parts: { reason: disruptionReason },
  }),
  normal('Unconsolidatable', both, '<why consolidation leaves the node alone>', {
    variants: [
      'NodePool "<name>" has consolidation disabled',
      'Node "<name>" has buffer pods',
      'Instance Type "[<name>]" not found',
      'Node does not have label "<name>"',
      'NodePool "<name>" has consolidation policy WhenEmpty, but node is not empty',
      'Not all pods would schedule, <why>',
      "Can't remove without creating <n> candidates",
      "SpotToSpotConsolidation is disabled, can't replace a spot node with a spot node",
      'SpotToSpotConsolidation requires 15 cheaper instance type options than the current candidate to consolidate, got <n>',
      'Filtering by price: <why>',
      "Can't replace with a cheaper node",
    ],
    dedupeMinutes: 15,
  }),
  normal('ConsolidationCandidate', both, 'Consolidation candidate: <command> (savings: $<amount>)', {
    variants: ['Consolidation candidate: <command> (savings: <savings>)'],
    parts: { command: consolidation, savings: savings },
  }),
  normal(
    'ConsolidationRejected',
    both,
    'Consolidation rejected: <command>, reason: <budget|scheduling|churn|unknown> (savings: $<amount>)',
    {
      variants: ['Consolidation rejected: <command>, reason: <budget|scheduling|churn|unknown> (savings: <savings>)'],
      parts: { command: consolidation, savings: savings },
    },
  ),
  normal(
    'ConsolidationApproved',
    ['Node', 'NodeClaim', 'NodePool'],
    'score <score> >= threshold 0.50 (k: 2, savings <share>%, disruption <share>%)',
    { parts: { score: /(\d+\.\d\d|Infinity|\+Inf)/ } },
  ),
  warning('FailedScheduling', ['Pod'], 'Failed to schedule pod, <why>', { dedupeMinutes: 5 }),
  warning(
    'LaunchedInVain',
    ['NodeClaim'],
    'Node <name> was launched for pod <namespace>/<name> and did not take it: <why>',
    {
      variants: [
        'Node <name> was launched for pod <namespace>/<name> and did not take it[: <why>]',
        'The node was launched for pod <namespace>/<name> and did not take it[: <why>]',
      ],
    },
  ),
  warning(
    'PlannedNodeRefused',
    ['Pod'],
    'Node <name> is ready and was planned for the pod, but kube-scheduler does not place it there: <why, as it says>',
    {
      variants: [
        'Node <name> is ready and was planned for the pod, but kube-scheduler does not place it there[: <why>]',
      ],
      dedupeMinutes: 15,
    },
  ),
  warning(
    'NoCompatibleInstanceTypes',
    ['NodePool'],
    'NodePool requirements filtered out all compatible available instance types[ due to minValues incompatibility]',
    { dedupeMinutes: 1 },
  ),
  normal('Nominated', ['Pod'], 'Pod should schedule on: nodeclaim/<name>, node/<name>', {
    variants: [
      'Pod should schedule on: nodeclaim/<name>, node/<name>',
      'Pod should schedule on: nodeclaim/<name>',
      'Pod should schedule on: node/<name>',
    ],
  }),
  warning('NodeRepairBlocked', ['Node'], 'more than 20% nodes are unhealthy in the nodepool', {
    variants: [
      'more than 20% nodes are unhealthy in the nodepool',
      'more then 20% nodes are unhealthy in the cluster',
      'no more than <n> node(s) within <window> are repaired (--disruption-brake); the next may go at <time>',
    ],
    dedupeMinutes: 15,
  }),
  normal('Evicted', ['Pod'], 'Evicted pod: <reason>', { parts: { reason: /([A-Z][A-Za-z]*( [A-Z][a-z]+)*)?/ } }),
  normal('Disrupted', ['Pod'], 'Deleting the pod to accommodate the terminationTime <time> of the node. …', {
    variants: [
      'Deleting the pod to accommodate the terminationTime <time> of the node. The pod was granted <n> seconds of grace-period of its <n> terminationGracePeriodSeconds. This bypasses the PDB of the pod and the do-not-disrupt annotation.',
    ],
    parts: { time: /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000 UTC/ },
  }),
  warning('FailedDraining', ['Node'], 'Failed to drain node, <why>', {
    variants: [
      'Failed to drain node, <n> pods are waiting to be evicted',
      'Failed to drain node, evicting pod violates a PDB (Pod=<name>)',
      'Failed to drain node, eviction was refused, <why> (Pod=<name>)',
      'Failed to drain node, deletion was refused, <why> (Pod=<name>)',
      'Failed to drain node, eviction does not support multiple PDBs[<pod>]',
      'Failed to drain node, tainting it was refused, <why>',
    ],
  }),
  normal('AwaitingVolumeDetachment', ['Node'], 'Awaiting deletion of bound volumeattachments (<names>)'),
  warning('TerminationGracePeriodExpiring', both, 'All pods will be deleted by <time>', { parts: { time: rfc3339 } }),
  warning(
    'InvalidTerminationTimestamp',
    both,
    'annotation karpenter.sh/nodeclaim-termination-timestamp of nodeclaim <name>: <value> is no RFC 3339 time, and the node is not drained until it is mended or removed',
  ),
  warning(
    'InstanceNotOwned',
    ['NodeClaim'],
    "instance <id> lacks what instances of this cluster's NodeClaims are tagged with (<tags>) and is left alone: <what to do>",
  ),
  warning(
    'FailedConsistencyCheck',
    ['NodeClaim'],
    'expected <amount> of resource <name>, but found <amount> (<share>% of expected)',
  ),
  warning('InsufficientCapacityError', ['NodeClaim'], 'NodeClaim <name> event: <error, at most 300 characters>', {
    parts: { 'error, at most 300 characters': /[^]{0,303}/ },
  }),
  warning(
    'UnregisteredTaintMissing',
    ['NodeClaim'],
    'Missing karpenter.sh/unregistered taint which prevents registration related race conditions on Karpenter-managed nodes',
  ),
  warning(
    'InvalidDoNotDisruptAnnotation',
    ['Pod'],
    'Invalid karpenter.sh/do-not-disrupt annotation: <why>, ignoring annotation',
  ),
  normal('DoNotDisruptUntil', ['Pod'], 'The karpenter.sh/do-not-disrupt grace period will elapse at <time>', {
    parts: { time: rfc3339 },
  }),
  normal(
    'DoNotDisruptGracePeriodElapsed',
    ['Pod'],
    'The karpenter.sh/do-not-disrupt grace period has elapsed, pod is now disruptable',
  ),
  normal(
    '<ConditionType>',
    watched,
    'Status condition transitioned, Type: <type>, Status: <before> -> <after>, Reason: <reason>[, Message: <message>]',
    { parts: { reason: /\S*/ }, dedupeMinutes: 'counted' },
  ),
  normal('Finalized', watched, 'Finalized <finalizer>', { parts: { finalizer: /\S*/ }, dedupeMinutes: 'counted' }),
  warning('', ['NodePool', 'NodeClaim'], 'Failed resolving NodeClass'),
  warning(
    '',
    ['NodeClaim'],
    'Attempted to launch a spot instance but failed due to "AuthFailure.ServiceLinkedRoleCreationNotPermitted"',
  ),
  warning('SpotInterrupted', both, 'Spot interruption warning was triggered'),
  warning('CapacityReservationInstanceInterrupted', both, 'Capacity Reservation interruption warning was triggered'),
  normal('SpotRebalanceRecommendation', both, 'Spot rebalance recommendation was triggered'),
  warning('InstanceStopping', both, 'Instance is stopping'),
  warning('InstanceTerminating', both, 'Instance is terminating'),
  warning('InstanceUnhealthy', both, 'An unhealthy warning was triggered for the instance'),
  warning('TerminatingOnInterruption', both, 'Interruption triggered termination for the <NodeClaim|Node>'),
  warning('ResolutionFailed', ['EC2NodeClass'], '<condition> cannot be told, <error, at most 300 characters>', {
    parts: { condition: /[A-Za-z]+/, 'error, at most 300 characters': /[^]{0,303}/ },
  }),
  normal('WaitingOnNodeClaimTermination', ['EC2NodeClass'], 'Waiting on NodeClaim termination for <names>'),
  warning(
    'ZonalShiftActive',
    ['NodePool'],
    'Zonal shift detected: offerings in zone <zone> (<id>) are unavailable for this NodePool',
  ),
  normal(
    'ZonalShiftCleared',
    ['NodePool'],
    'Zonal shift cleared: offerings in zone <zone> (<id>) are restored for this NodePool',
  ),
]

export interface EmittedEvent {
  readonly reason: string
  readonly type: string
  /** Kind of the object. */
  readonly kind: string
  readonly message: string
}

/** The row that an event belongs to; undefined for one that no row describes. */
export function rowOf(event: EmittedEvent): EventRow | undefined {
  return eventTable.find(
    ({ reason, type, objects, pattern }) =>
      (reason === event.reason || isTransition(reason, event)) &&
      type === event.type &&
      objects.includes(event.kind) &&
      pattern.test(event.message),
  )
}

function normal(reason: string, objects: readonly string[], message: string, options?: RowOptions): EventRow {
  return { reason, type: 'Normal', objects, message, ...derived(message, options) }
}

function warning(reason: string, objects: readonly string[], message: string, options?: RowOptions): EventRow {
  return { reason, type: 'Warning', objects, message, ...derived(message, options) }
}

function derived(
  message: string,
  { variants = [message], parts, dedupeMinutes = defaultDedupeMinutes }: RowOptions = {},
): Pick<EventRow, 'pattern' | 'dedupeMinutes'> {
  return {
    pattern: patternOf(variants, parts),
    dedupeMinutes: dedupeMinutes === 'counted' ? undefined : dedupeMinutes,
  }
}

function isTransition(reason: string, event: EmittedEvent): boolean {
  return (
    reason === '<ConditionType>' && event.message.startsWith(`Status condition transitioned, Type: ${event.reason},`)
  )
}
