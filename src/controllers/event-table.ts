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

const both = ['Node', 'NodeClaim']
/** What `joinery rollout` steers by annotations. */
const bothSteered = ['NodePool', 'EC2NodeClass']
const steered = [...bothSteered, 'RolloutPolicy']
const defaultDedupe = 2

/** All events (lifecycle-disruption.md §8.2). */
export const eventTable: readonly EventRow[] = [
  row('DisruptionBlocked', 'Normal', both, '<why the node cannot be disrupted now>', disruptionBlocked()),
  row(
    'DisruptionBlocked',
    'Normal',
    ['NodePool'],
    'No allowed disruptions for disruption reason <Empty|Drifted|Underutilized> due to blocking budget',
    /^No allowed disruptions for disruption reason (Empty|Drifted|Underutilized) due to blocking budget$/,
    1,
  ),
  row(
    'CircuitOpened',
    'Warning',
    ['NodePool'],
    'Circuit breaker opened: <what failed, why, and when one node tries again>',
    /^Circuit breaker opened: [^]+; one node tries again at \S+$/,
  ),
  rollout(
    'Started',
    'Normal',
    'rollout <revision> of <n> node(s) begins in <pools>',
    /^rollout \S+ of \d+ node\(s\) begins in .+$/,
  ),
  rollout(
    'StepStarted',
    'Normal',
    'step <n> of <n> begins: <n> of <n> node(s)',
    /^step \d+ of \d+ begins: \d+ of \d+ node\(s\)$/,
  ),
  rollout(
    'StepReached',
    'Normal',
    'step <n> of <n> is reached and soaks until <time>',
    /^step \d+ of \d+ is reached and soaks until \S+$/,
  ),
  rollout('StepPassed', 'Normal', 'step <n> of <n> is passed', /^step \d+ of \d+ is passed$/),
  rollout(
    'Completed',
    'Normal',
    'rollout <revision> is complete: <n> node(s) replaced',
    /^rollout \S+ is complete: \d+ node\(s\) replaced$/,
  ),
  rollout(
    'Halted',
    'Warning',
    'rollout <revision> has failed in step <n> of <n>: <why>',
    /^(rollout \S+ has failed in step \d+ of \d+: |.*the rollback has failed too: )[^]+$/,
  ),
  rollout('RollingBack', 'Warning', 'rolling back <class> to <images>', /^rolling back .+ to .+$/),
  rollout('RolledBack', 'Normal', 'rollout <revision> is rolled back', /^rollout \S+ is rolled back$/),
  rollout(
    'Superseded',
    'Normal',
    'rollout <revision> is superseded: the target moved on',
    /^rollout \S+ is superseded: the target moved on$/,
  ),
  rollout(
    'DeadlineExceeded',
    'Warning',
    'the deadline has passed, it goes on; <how far it is>',
    /^the deadline has passed, it goes on; .+$/,
  ),
  rollout(
    'Approved',
    'Normal',
    '<kind> <name>: <target> approved by <field manager>',
    /^(NodePool|EC2NodeClass) \S+: \S+ approved by .+$/,
  ),
  rollout('Waiting', 'Normal', '<what it waits for, and until when>', /^[^]+$/),
  rollout('Paused', 'Normal', 'Paused until <time> by <object>', /^Paused until \S+ by \S+$/),
  row('CircuitClosed', 'Normal', ['NodePool'], 'Nodes of the pool come up again', /^Nodes of the pool come up again$/),
  row(
    'DisruptionPaused',
    'Normal',
    steered,
    'No voluntary disruption until <time>',
    /^No voluntary disruption until \S+$/,
  ),
  row('DisruptionResumed', 'Normal', steered, 'Voluntary disruption goes on', /^Voluntary disruption goes on$/),
  row('TargetApproved', 'Normal', bothSteered, 'Target <target> is approved', /^Target \S+ is approved$/),
  row(
    'TargetApproved',
    'Warning',
    bothSteered,
    'Target <target> is approved, but the target now is <target>: the approval has no effect',
    /^Target \S+ is approved, but the target now is \S+: the approval has no effect$/,
  ),
  row(
    'RestartRequested',
    'Normal',
    bothSteered,
    'Nodes made before <time> are to be replaced',
    /^Nodes made before \S+ are to be replaced$/,
  ),
  row(
    'UndoRequested',
    'Normal',
    ['EC2NodeClass'],
    'Back to revision <number> of the images',
    /^Back to revision \d+ of the images$/,
  ),
  row(
    'UndoEnded',
    'Normal',
    ['EC2NodeClass'],
    'Images are again those that the selector finds',
    /^Images are again those that the selector finds$/,
  ),
  row(
    'RetireRequested',
    'Normal',
    ['NodePool'],
    'NodePool <name> is retired: it gets no new nodes, and present ones are drained',
    /^NodePool \S+ is retired: it gets no new nodes, and present ones are drained$/,
  ),
  row(
    'RetireCancelled',
    'Normal',
    ['NodePool'],
    'NodePool <name> is no longer retired',
    /^NodePool \S+ is no longer retired$/,
  ),
  row(
    'AnnotationUnreadable',
    'Warning',
    steered,
    '<annotation>: <what is wrong with it>',
    /^metadata\.annotations\[joinery\.dev\/[a-z-]+\]: .+$/,
  ),
  row(
    'AdmissionWarning',
    'Warning',
    ['NodePool', 'EC2NodeClass', 'NodeOverlay', 'RolloutPolicy'],
    '<rule>: <field>: <what the admission webhook warns about>',
    /^JN-\d+: .+$/,
    24 * 60,
  ),
  row(
    'DisruptionLaunching',
    'Normal',
    ['NodeClaim'],
    'Launching NodeClaim: <reason>',
    /^Launching NodeClaim: (Empty|Drifted|Underutilized)$/,
  ),
  row(
    'DisruptionWaitingReadiness',
    'Normal',
    ['NodeClaim'],
    'Waiting on readiness to continue disruption',
    /^Waiting on readiness to continue disruption$/,
  ),
  row(
    'DisruptionTerminating',
    'Normal',
    both,
    'Disrupting <Node|NodeClaim>: <reason>',
    /^Disrupting (Node|NodeClaim): (Empty|Drifted|Underutilized)$/,
  ),
  row('Unconsolidatable', 'Normal', both, '<why consolidation leaves the node alone>', unconsolidatable(), 15),
  row(
    'ConsolidationCandidate',
    'Normal',
    both,
    'Consolidation candidate: <command> (savings: $<amount>)',
    /^Consolidation candidate: (delete|replace): \[\S+\].* \(savings: -?\$\d+\.\d\d\)$/,
  ),
  row(
    'ConsolidationRejected',
    'Normal',
    both,
    'Consolidation rejected: <command>, reason: <budget|scheduling|churn|unknown> (savings: $<amount>)',
    /^Consolidation rejected: (delete|replace): \[\S+\].*, reason: (budget|scheduling|churn|unknown) \(savings: -?\$\d+\.\d\d\)$/,
  ),
  row(
    'ConsolidationApproved',
    'Normal',
    ['Node', 'NodeClaim', 'NodePool'],
    'score <score> >= threshold 0.50 (k: 2, savings <share>%, disruption <share>%)',
    /^score (\d+\.\d\d|Infinity|\+Inf) >= threshold 0\.50 \(k: 2, savings -?\d+\.\d%, disruption \d+\.\d%\)$/,
  ),
  row('FailedScheduling', 'Warning', ['Pod'], 'Failed to schedule pod, <why>', /^Failed to schedule pod, [^]+$/, 5),
  row(
    'LaunchedInVain',
    'Warning',
    ['NodeClaim'],
    'Node <name> was launched for pod <namespace>/<name> and did not take it: <why>',
    /^(The node|Node \S+) was launched for pod \S+\/\S+ and did not take it(: [^]+)?$/,
  ),
  row(
    'PlannedNodeRefused',
    'Warning',
    ['Pod'],
    'Node <name> is ready and was planned for the pod, but kube-scheduler does not place it there: <why, as it says>',
    /^Node \S+ is ready and was planned for the pod, but kube-scheduler does not place it there(: [^]+)?$/,
    15,
  ),
  row(
    'NoCompatibleInstanceTypes',
    'Warning',
    ['NodePool'],
    'NodePool requirements filtered out all compatible available instance types[ due to minValues incompatibility]',
    /^NodePool requirements filtered out all compatible available instance types( due to minValues incompatibility)?$/,
    1,
  ),
  row(
    'Nominated',
    'Normal',
    ['Pod'],
    'Pod should schedule on: nodeclaim/<name>, node/<name>',
    /^Pod should schedule on: (nodeclaim\/\S+, node\/\S+|nodeclaim\/[^\s,]+|node\/[^\s,]+)$/,
  ),
  row(
    'NodeRepairBlocked',
    'Warning',
    ['Node'],
    'more than 20% nodes are unhealthy in the nodepool',
    /^(more than 20% nodes are unhealthy in the nodepool|more then 20% nodes are unhealthy in the cluster)$/,
    15,
  ),
  row('Evicted', 'Normal', ['Pod'], 'Evicted pod: <reason>', /^Evicted pod: ([A-Z][A-Za-z]*( [A-Z][a-z]+)*)?$/),
  row(
    'Disrupted',
    'Normal',
    ['Pod'],
    'Deleting the pod to accommodate the terminationTime <time> of the node. …',
    /^Deleting the pod to accommodate the terminationTime \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000 UTC of the node\. The pod was granted \d+ seconds of grace-period of its \d+ terminationGracePeriodSeconds\. This bypasses the PDB of the pod and the do-not-disrupt annotation\.$/,
  ),
  row(
    'FailedDraining',
    'Warning',
    ['Node'],
    'Failed to drain node, <why>',
    /^Failed to drain node, (\d+ pods are waiting to be evicted|evicting pod violates a PDB \(Pod=\S+\)|eviction was refused, [^]+ \(Pod=\S+\)|eviction does not support multiple PDBs.*)$/,
  ),
  row(
    'AwaitingVolumeDetachment',
    'Normal',
    ['Node'],
    'Awaiting deletion of bound volumeattachments (<names>)',
    /^Awaiting deletion of bound volumeattachments \(.+\)$/,
  ),
  row(
    'TerminationGracePeriodExpiring',
    'Warning',
    both,
    'All pods will be deleted by <time>',
    /^All pods will be deleted by \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  ),
  row(
    'InvalidTerminationTimestamp',
    'Warning',
    both,
    'annotation karpenter.sh/nodeclaim-termination-timestamp of nodeclaim <name>: "<value>" is no RFC 3339 time, and the node is not drained until it is mended or removed',
    /^annotation karpenter\.sh\/nodeclaim-termination-timestamp of nodeclaim \S+: .+ is no RFC 3339 time, and the node is not drained until it is mended or removed$/,
  ),
  row(
    'InstanceNotOwned',
    'Warning',
    ['NodeClaim'],
    "instance <id> lacks what instances of this cluster's NodeClaims are tagged with (<tags>) and is left alone: <what to do>",
    /^instance \S+ lacks what instances of this cluster's NodeClaims are tagged with \(.+\) and is left alone: .+$/,
  ),
  row(
    'FailedConsistencyCheck',
    'Warning',
    ['NodeClaim'],
    'expected <amount> of resource <name>, but found <amount> (<share>% of expected)',
    /^expected \S+ of resource \S+, but found \S+ \(\d+\.\d% of expected\)$/,
  ),
  row(
    'InsufficientCapacityError',
    'Warning',
    ['NodeClaim'],
    'NodeClaim <name> event: <error, at most 300 characters>',
    /^NodeClaim \S+ event: [^]{0,303}$/,
  ),
  row(
    'UnregisteredTaintMissing',
    'Warning',
    ['NodeClaim'],
    'Missing karpenter.sh/unregistered taint which prevents registration related race conditions on Karpenter-managed nodes',
    /^Missing karpenter\.sh\/unregistered taint which prevents registration related race conditions on Karpenter-managed nodes$/,
  ),
  row(
    'InvalidDoNotDisruptAnnotation',
    'Warning',
    ['Pod'],
    'Invalid karpenter.sh/do-not-disrupt annotation: <why>, ignoring annotation',
    /^Invalid karpenter\.sh\/do-not-disrupt annotation: .+, ignoring annotation$/,
  ),
  row(
    'DoNotDisruptUntil',
    'Normal',
    ['Pod'],
    'The karpenter.sh/do-not-disrupt grace period will elapse at <time>',
    /^The karpenter\.sh\/do-not-disrupt grace period will elapse at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  ),
  row(
    'DoNotDisruptGracePeriodElapsed',
    'Normal',
    ['Pod'],
    'The karpenter.sh/do-not-disrupt grace period has elapsed, pod is now disruptable',
    /^The karpenter\.sh\/do-not-disrupt grace period has elapsed, pod is now disruptable$/,
  ),
  {
    reason: '<ConditionType>',
    type: 'Normal',
    objects: ['NodeClaim', 'NodePool', 'Node', 'EC2NodeClass', 'CapacityBuffer'],
    message:
      'Status condition transitioned, Type: <type>, Status: <before> -> <after>, Reason: <reason>[, Message: <message>]',
    pattern:
      /^Status condition transitioned, Type: \S+, Status: (True|False|Unknown) -> (True|False|Unknown), Reason: \S*(, Message: [^]+)?$/,
    dedupeMinutes: undefined,
  },
  {
    reason: 'Finalized',
    type: 'Normal',
    objects: ['NodeClaim', 'NodePool', 'Node', 'EC2NodeClass', 'CapacityBuffer'],
    message: 'Finalized <finalizer>',
    pattern: /^Finalized \S*$/,
    dedupeMinutes: undefined,
  },
  row('', 'Warning', ['NodePool', 'NodeClaim'], 'Failed resolving NodeClass', /^Failed resolving NodeClass$/),
  row(
    '',
    'Warning',
    ['NodeClaim'],
    'Attempted to launch a spot instance but failed due to "AuthFailure.ServiceLinkedRoleCreationNotPermitted"',
    /^Attempted to launch a spot instance but failed due to "AuthFailure\.ServiceLinkedRoleCreationNotPermitted"$/,
  ),
  interruption('SpotInterrupted', 'Warning', 'Spot interruption warning was triggered'),
  interruption(
    'CapacityReservationInstanceInterrupted',
    'Warning',
    'Capacity Reservation interruption warning was triggered',
  ),
  interruption('SpotRebalanceRecommendation', 'Normal', 'Spot rebalance recommendation was triggered'),
  interruption('InstanceStopping', 'Warning', 'Instance is stopping'),
  interruption('InstanceTerminating', 'Warning', 'Instance is terminating'),
  interruption('InstanceUnhealthy', 'Warning', 'An unhealthy warning was triggered for the instance'),
  row(
    'TerminatingOnInterruption',
    'Warning',
    both,
    'Interruption triggered termination for the <NodeClaim|Node>',
    /^Interruption triggered termination for the (NodeClaim|Node)$/,
  ),
  row(
    'WaitingOnNodeClaimTermination',
    'Normal',
    ['EC2NodeClass'],
    'Waiting on NodeClaim termination for <names>',
    /^Waiting on NodeClaim termination for .+$/,
  ),
  row(
    'ZonalShiftActive',
    'Warning',
    ['NodePool'],
    'Zonal shift detected: offerings in zone <zone> (<id>) are unavailable for this NodePool',
    /^Zonal shift detected: offerings in zone \S* \(\S+\) are unavailable for this NodePool$/,
  ),
  row(
    'ZonalShiftCleared',
    'Normal',
    ['NodePool'],
    'Zonal shift cleared: offerings in zone <zone> (<id>) are restored for this NodePool',
    /^Zonal shift cleared: offerings in zone \S* \(\S+\) are restored for this NodePool$/,
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

/** What a rollout does next, on the policy that governs it. */
function rollout(transition: string, type: EventRow['type'], message: string, pattern: RegExp): EventRow {
  return row(`Rollout${transition}`, type, ['RolloutPolicy'], message, pattern)
}

function isTransition(reason: string, event: EmittedEvent): boolean {
  return (
    reason === '<ConditionType>' && event.message.startsWith(`Status condition transitioned, Type: ${event.reason},`)
  )
}

/** The reference page of all events. */
export function eventsPage(): string {
  return [
    '# Events',
    '',
    'Events come from source `karpenter`, with the reasons, types and messages of Karpenter, so that alerts and runbooks carry over. A repeat',
    'of an event for the same object is dropped for the time given; of several messages in that time only the first one is seen.',
    '',
    '| reason | type | on | message | repeats dropped for |',
    '| --- | --- | --- | --- | --- |',
    ...eventTable.map(tableRow),
    '',
    '`joinery explain` tells what can be done about `DisruptionBlocked`, `Unconsolidatable` and `FailedScheduling`; see',
    '[troubleshooting](troubleshooting.md).',
    '',
  ].join('\n')
}

function tableRow({ reason, type, objects, message, dedupeMinutes }: EventRow): string {
  const name = reason === '' ? '(none)' : `\`${reason}\``
  const text = `\`${message.replaceAll('|', '\\|')}\``
  const window = dedupeMinutes === undefined ? 'never, they are counted' : `${dedupeMinutes} min`
  return `| ${name} | ${type} | ${objects.join(', ')} | ${text} | ${window} |`
}

function row(
  reason: string,
  type: EventRow['type'],
  objects: readonly string[],
  message: string,
  pattern: RegExp,
  dedupeMinutes: number = defaultDedupe,
): EventRow {
  return { reason, type, objects, message, pattern, dedupeMinutes }
}

function interruption(reason: string, type: EventRow['type'], message: string): EventRow {
  return row(reason, type, both, message, new RegExp(`^${message}$`))
}

function disruptionBlocked(): RegExp {
  return oneOf(
    'Nodeclaim does not have an associated node',
    "Node isn't initialized",
    'Node is deleting or marked for deletion',
    'Node is nominated for a pending pod',
    'Disruption is blocked through the "karpenter\\.sh/do-not-disrupt" annotation',
    "Node doesn't have required label \\(label=karpenter\\.sh/nodepool\\)",
    'NodePool not found \\(NodePool=\\S+\\)',
    'Pod has "karpenter\\.sh/do-not-disrupt" annotation \\(Pod=\\S+\\)',
    'Pdb prevents pod evictions \\(PodDisruptionBudget=\\[\\S+\\]\\)',
    'Eviction does not support multiple PDBs \\(PodDisruptionBudget\\(s\\)=\\[.+\\]\\)',
    'Not all pods would schedule, [^]+',
  )
}

function unconsolidatable(): RegExp {
  return oneOf(
    'NodePool "\\S+" has consolidation disabled',
    'Node "\\S+" has buffer pods',
    'Instance Type "\\S*" not found',
    'Node does not have label "\\S+"',
    'NodePool "\\S+" has consolidation policy WhenEmpty, but node is not empty',
    'Not all pods would schedule, [^]+',
    "Can't remove without creating \\d+ candidates",
    "SpotToSpotConsolidation is disabled, can't replace a spot node with a spot node",
    'SpotToSpotConsolidation requires 15 cheaper instance type options than the current candidate to consolidate, got \\d+',
    'Filtering by price: [^]+',
    "Can't replace with a cheaper node",
  )
}

function oneOf(...patterns: readonly string[]): RegExp {
  return new RegExp(`^(${patterns.join('|')})$`)
}
