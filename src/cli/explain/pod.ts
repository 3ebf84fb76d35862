import type { Pod } from '../../api/kubernetes.ts'
import { podsOfDeletingNodes } from '../../disruption/what-if.ts'
import {
  isOwnedByDaemonSet,
  isOwnedByNode,
  isProvisionable,
  isTerminal,
  type PodInfo,
  podKey,
} from '../../model/pod.ts'
import { toResourceList } from '../../model/resources.ts'
import type { Snapshot, StateNode } from '../../model/snapshot.ts'
import { toPodInfo } from '../../model/to-pod-info.ts'
import {
  prepare,
  type Placement,
  promisedByNomination,
  type SchedulingSettings,
  solve,
} from '../../scheduling/index.ts'
import type { SolveContext } from '../../scheduling/index.ts'
import type { PodRefusal, RefusalReason } from '../../scheduling/placement.ts'
import { type PodRejectionCause, rejectionOf } from '../../scheduling/pod-validation.ts'
import { notReadyText } from '../simulate/left-out-pools.ts'
import { withoutBarredPools } from '../simulate/shown-breaker.ts'
import { untypedReason } from './untyped-pool.ts'
import { type Explanation, type Fact, reason as anyReason, type Reason } from './explanation.ts'
import { exclusiveVolumeHelp, poolHelp, rejectionHelp, retiredHelp, retiredText } from './help.ts'

/** Codes of this command's own; the others are the kinds of what the scheduler refuses a pod for. docs/troubleshooting.md lists them all. */
export const podCodes = [
  'WouldLaunch',
  'FitsNode',
  'NotYetUnschedulable',
  'SchedulingGated',
  'Preempting',
  'Deferred',
  'CircuitOpen',
  'DaemonSetPod',
  'StaticPod',
  'Finished',
  'Deleting',
  'resourceClaims',
  'NoNodePools',
  'noTemplates',
  'noInstanceTypes',
  'noCompatibleInstanceTypes',
  'static',
  'deleting',
  'retiring',
  'notReady',
] as const

type PodCode = (typeof podCodes)[number] | RefusalReason['kind'] | PodRejectionCause['kind']

const reason: (
  about: string,
  outcome: Reason['outcome'],
  code: PodCode,
  message: string,
  help?: string | null,
) => Reason = anyReason

/**
 * Why a pod waits and what would help; undefined when there is no such pod.
 * @param pods all there are: of those that have ended, or whose node is gone, a snapshot says nothing
 */
export function explainPod(
  wanted: { readonly namespace: string; readonly name: string },
  snapshot: Snapshot,
  pods: readonly Pod[],
  settings: SchedulingSettings,
): Explanation | undefined {
  const isWanted = (pod: PodInfo): boolean => pod.namespace === wanted.namespace && pod.name === wanted.name
  const home = snapshot.nodes.find(({ pods }) => pods.some(isWanted))
  const pod = snapshot.unboundPods.find(isWanted) ?? home?.pods.find(isWanted) ?? pods.map(toPodInfo).find(isWanted)
  if (pod === undefined) return undefined
  const nodeName = home?.name ?? pod.nodeName
  const facts: Fact[] = [
    { name: 'requests', value: requestsText(pod) },
    ...(nodeName === '' ? [] : [{ name: 'node', value: nodeName }]),
  ]
  const tell = (summary: string, reasons: readonly Reason[] = []): Explanation => ({
    kind: 'Pod',
    name: podKey(pod),
    summary,
    facts,
    reasons,
  })
  if (home !== undefined) {
    const leaving = home.markedForDeletion ? ', which is on its way out; the pod will be replaced' : ''
    return tell(`The pod does not wait: it is bound to node ${home.name}${leaving}.`)
  }
  if (nodeName !== '' && !isTerminal(pod)) {
    return tell(`The pod does not wait: it is bound to node ${nodeName}, of which nothing else is known.`)
  }
  const notOurs = notOursText(pod)
  if (notOurs !== undefined) return tell('No node is made for this pod.', [notOurs])
  const rejection = rejectionOf(pod, { ...snapshot, vocabulary: settings.vocabulary })
  if (rejection !== undefined) {
    return tell(
      'The pod is left out of scheduling: its own specification stands in the way.',
      rejection.causes.map((cause) => reason('pod', 'blocks', cause.kind, cause.text, rejectionHelp(cause))),
    )
  }
  return explainSolve(pod, snapshot, settings, tell)
}

function explainSolve(
  pod: PodInfo,
  snapshot: Snapshot,
  settings: SchedulingSettings,
  tell: (summary: string, reasons?: readonly Reason[]) => Explanation,
): Explanation {
  const pending = snapshot.unboundPods.filter(
    (other) =>
      isProvisionable(other) && rejectionOf(other, { ...snapshot, vocabulary: settings.vocabulary }) === undefined,
  )
  const pods = [...pending, ...podsOfDeletingNodes(snapshot)]
  const context = prepare(withoutBarredPools(snapshot), settings, pods)
  const leftOut = poolReasons(context)
  const promised = promisedByNomination(pods, snapshot.nodes)
  const placement = solve(context, { pods, reservedMode: 'strict', promised })
  const place = placeOf(pod, placement)
  if (place !== undefined) return tell(place.summary, place.reasons)
  const failure = placement.failures.find(({ pod: failed }) => failed.uid === pod.uid)
  if (failure === undefined) {
    return tell('The pod waits for the next pass.', [
      reason('pod', 'idle', 'Deferred', 'reserved capacity is being taken up, the pod is looked at again at once'),
    ])
  }
  if (context.pools.length === 0) {
    const summary = 'The pod waits: no NodePool can launch nodes, and no node there is has room for it.'
    const none = reason(
      'cluster',
      'blocks',
      'NoNodePools',
      'no dynamic NodePool is ready',
      'create a NodePool or mend one below',
    )
    return tell(summary, [none, ...leftOut])
  }
  const isUnknown = [...snapshot.instanceTypes.values()].some(({ kind }) => kind === 'unknown')
  const summary = isUnknown
    ? 'The pod waits: no node there is has room for it; whether a new one would run it cannot be told.'
    : 'The pod waits: no node there is has room for it, and every NodePool refuses it.'
  const told = isUnknown && failure.because.kind === 'noTemplates' ? [] : refusals(failure.because, failure.text)
  return tell(summary, [...told, ...leftOut])
}

interface Place {
  readonly summary: string
  readonly reasons: readonly Reason[]
}

function placeOf(pod: PodInfo, placement: Placement): Place | undefined {
  const holds = ({ pods }: { readonly pods: readonly PodInfo[] }): boolean => pods.some(({ uid }) => uid === pod.uid)
  const existing = placement.existing.find(holds)
  if (existing !== undefined) return placeOn(existing.node)
  const plan = placement.newNodePlans.find(holds)
  if (plan === undefined) return undefined
  const [first] = plan.instanceTypes
  const others = plan.instanceTypes.length - 1
  const types = `${first?.name ?? 'no type'}${others > 0 ? ` or one of ${others} others` : ''}`
  const cost = plan.price === undefined ? '' : ` from $${plan.price.toFixed(4)} per hour`
  const message = `a node of ${types}${cost}, shared with ${plan.pods.length - 1} other pending pods`
  const help =
    'if no NodeClaim appears, look at the events of the pod and of the NodePool, and at the log of the controller'
  return {
    summary: `A new node of NodePool ${plan.nodePool} would run the pod.`,
    reasons: [reason(`nodepool ${plan.nodePool}`, 'allows', 'WouldLaunch', message, help)],
  }
}

/** Until a node is registered there is only its claim, of another name. */
function placeOn({ name, nodeClaim, registered, initialized }: StateNode): Place {
  const about = registered ? `node ${name}` : `nodeclaim ${name}`
  if (initialized || nodeClaim === undefined) {
    const help = 'the Kubernetes scheduler binds it; if it does not, its log says why'
    return {
      summary: `The pod fits ${about}, no new node is needed.`,
      reasons: [reason(about, 'allows', 'FitsNode', `${about} has room for it`, help)],
    }
  }
  const message = `${about} has room for it, and is still on its way up`
  const help = `wait until it is up: \`joinery explain nodeclaim ${nodeClaim.metadata.name}\` says what it lacks`
  return {
    summary: `The pod fits ${about}, which is on its way up; no other node is needed.`,
    reasons: [reason(about, 'allows', 'FitsNode', message, help)],
  }
}

function refusals(because: PodRefusal, text: string): readonly Reason[] {
  switch (because.kind) {
    case 'pools':
      return because.pools.map((refusal) => {
        const near = refusal.nearestMiss
        const help = near === undefined ? poolHelp(refusal.reason) : near.text
        return reason(`nodepool ${refusal.nodePool}`, 'blocks', refusal.reason.kind, refusal.text, help)
      })
    case 'truncatedBelowMinValues':
      return [reason(`nodepool ${because.nodePool}`, 'blocks', 'minValues', text, 'lower minValues of the NodePool')]
    case 'resourceClaims':
      return [
        reason(
          'pod',
          'blocks',
          'resourceClaims',
          text,
          'let the operator look at resource claims with --ignore-dra-requests=false, or use extended resources',
        ),
      ]
    case 'unresolvedClaims':
      return [
        reason(
          'pod',
          'blocks',
          'resourceClaims',
          text,
          'create or mend the claim; the pod is looked at again by itself',
        ),
      ]
    case 'exclusiveVolume':
      return [reason('pod', 'blocks', 'volume', text, exclusiveVolumeHelp)]
    case 'noTemplates':
      return [reason('cluster', 'blocks', 'noTemplates', text, 'every NodePool is left out, see below')]
  }
}

/** Pools that take part in no solve, each with its reason. */
function poolReasons(context: SolveContext): readonly Reason[] {
  const excludedTexts = {
    static: ['static pools make a fixed number of nodes, none for pods', 'raise spec.replicas of the NodePool'],
    deleting: ['the NodePool is being deleted', null],
    retiring: [retiredText, null],
    notReady: ['the NodePool is not ready', 'see `joinery explain nodepool`'],
  } as const
  // A pool without instance types has none left after filtering either: report the cause only.
  const filtered = context.filteredPools.filter(
    ({ nodePool }) => !context.unresolvedPools.some((found) => found.nodePool === nodePool.metadata.name),
  )
  return [
    ...context.excludedPools.map(({ pool, because: { kind } }) => {
      const [message, help] = excludedTexts[kind]
      const { name } = pool.metadata
      const notReady = kind === 'notReady' ? notReadyText(pool) : undefined
      const why = notReady === undefined ? '' : `: ${notReady}`
      const told = kind === 'retiring' ? retiredHelp(name) : help
      return reason(`nodepool ${name}`, 'blocks', kind, `${message}${why}`, told)
    }),
    ...context.unresolvedPools.map((found) => untypedReason(`nodepool ${found.nodePool}`, found, context)),
    ...filtered.map(({ nodePool, message }) =>
      reason(
        `nodepool ${nodePool.metadata.name}`,
        'blocks',
        'noCompatibleInstanceTypes',
        message,
        "widen the NodePool's requirements",
      ),
    ),
  ]
}

/** Pods that nodes are never made for, or not yet. */
function notOursText(pod: PodInfo): Reason | undefined {
  if (isTerminal(pod)) return reason('pod', 'idle', 'Finished', `the pod has ended (${pod.phase})`)
  if (pod.deletedAt !== undefined) return reason('pod', 'idle', 'Deleting', 'the pod is being deleted')
  if (isOwnedByDaemonSet(pod)) {
    return reason('pod', 'idle', 'DaemonSetPod', 'pods of DaemonSets belong to nodes that are there already')
  }
  if (isOwnedByNode(pod)) return reason('pod', 'idle', 'StaticPod', 'static pods belong to their node')
  if (pod.nominatedNodeName !== '' && pod.ownNomination !== true) {
    const message = `the scheduler is making room for it on node ${pod.nominatedNodeName} by preemption`
    return reason('pod', 'idle', 'Preempting', message)
  }
  if (pod.scheduledReason !== 'Unschedulable') {
    const gated = pod.scheduledReason === 'SchedulingGated'
    return gated
      ? reason(
          'pod',
          'idle',
          'SchedulingGated',
          'a scheduling gate holds the pod',
          'whoever set the gate has to remove it',
        )
      : reason(
          'pod',
          'idle',
          'NotYetUnschedulable',
          'the Kubernetes scheduler has not marked the pod as Unschedulable',
          "look at the pod's PodScheduled condition and schedulerName; nodes are made only after the scheduler found none",
        )
  }
  return undefined
}

function requestsText(pod: PodInfo): string {
  return Object.entries(toResourceList(pod.requests))
    .map(([name, amount]) => `${name} ${amount}`)
    .join(', ')
}
