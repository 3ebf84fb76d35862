import { conditionOf, isConditionTrue } from '../../../src/api/conditions.ts'
import { durationMs, nillableDurationMs } from '../../../src/api/duration.ts'
import type { NodeClaim, RolloutPolicy } from '../../../src/api/karpenter.ts'
import type { Node, Pod } from '../../../src/api/kubernetes.ts'
import { annotationTerminationTimestamp, labelNodePool } from '../../../src/api/labels.ts'
import type { ClientCall } from '../../../src/embedded/apiserver/index.ts'
import { currentController } from '../../../src/kube/current-controller.ts'
import { minute } from '../world.ts'
import { Deadlines } from './deadlines.ts'
import { idOf, isActivePod, isDaemonPod, isReadyNode, type Look, type Watcher } from './look.ts'
import { instanceIDsOf } from './ownership.ts'

/** Timestamps are whole seconds, which a condition and the moment it is measured to may both lose. */
const roundingMs = 2_000

/**
 * I31: what may not happen before its time does not, by the clock that never jumps: giving up a machine that has not joined, deleting pods
 * before their node's grace period is over, repairing a node that its policy still tolerates, ending a machine that nobody claims.
 * Expiry follows the wall clock by definition.
 */
export function clockWatcher(look: Look): Watcher {
  const bornAt = new Map<string, number>()
  const machineBornAt = new Map<string, number>()
  const deadlines = new Deadlines(look)
  /** By the node's UID and the condition's type. */
  const unhealthySince = new Map<string, { readonly text: string; readonly at: number }>()

  /** The time limit of lifecycle-disruption.md; a rollout policy may give its new nodes less, and a rollback none to the image that failed. */
  function givenUp(claim: NodeClaim): void {
    if (isConditionTrue(claim, 'Registered') || !isConditionTrue(claim, 'Launched')) return
    const instance = look.instance(claim.status?.providerID)
    if (instance?.state !== 'running' || look.allowances.cloudIsStale) return
    const age = look.elapsed - (bornAt.get(claim.metadata.uid) ?? look.elapsed)
    const policies = look.list<RolloutPolicy>('joinery.dev/rolloutpolicies')
    if (policies.some(({ status }) => status?.failure?.state === 'RollingBack')) return
    // So it is in the very look that finds the rollback failed, too.
    const isOfOtherImage = conditionOf(claim, 'Drifted')?.reason === 'AMIDrift'
    if (isOfOtherImage && policies.some(({ status }) => status?.failure?.reason === 'RollbackFailed')) return
    const patience = policies.map(({ spec }) => durationMs(spec.gates?.nodeReadyTimeout ?? '15m'))
    if (age >= Math.min(registrationMs, ...patience) - roundingMs) return
    const seconds = Math.round(age / 1000)
    look.report('I31', claim.metadata.name, `is given up ${seconds} s after its creation, before it could register`)
  }

  function repaired(claim: NodeClaim): void {
    const node = look.nodeOf(claim)
    if (node === undefined) return
    const isDue = (node.status?.conditions ?? []).some(({ type = '', status }) => {
      const tolerationMs = type === 'AcceleratedHardwareReady' ? hardwareTolerationMs : tolerationOfOthersMs
      const since = unhealthySince.get(`${node.metadata.uid}/${type}`)
      // Of the conditions that mean health; the others, such as MemoryPressure, are False on a healthy node.
      return (
        type.endsWith('Ready') &&
        status !== 'True' &&
        since !== undefined &&
        look.elapsed - since.at >= tolerationMs - roundingMs
      )
    })
    if (!isDue) look.report('I31', claim.metadata.name, 'is repaired before any of its conditions has lasted that long')
  }

  function expired({ metadata, spec }: NodeClaim): void {
    const lifetimeMs = nillableDurationMs(spec.expireAfter)
    if (lifetimeMs !== undefined && look.now >= Date.parse(metadata.creationTimestamp) + lifetimeMs) return
    look.report('I31', metadata.name, 'expires before its time')
  }

  function claimGoes(name: string): void {
    const claim = look.claim(name)
    if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return
    const controller = currentController()
    if (controller === 'node.health') repaired(claim)
    else if (controller === 'nodeclaim.expiration') expired(claim)
    else if (!regardless.has(controller)) givenUp(claim)
  }

  /** A pod is deleted, not evicted: its own grace period then ends with that of its node. */
  function podGoes({ namespace = '', name = '' }: ClientCall): void {
    const pod = look.pod(namespace, name)
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return
    const node = look.node(pod.spec.nodeName ?? '')
    const deadline = deadlines.of(node === undefined ? undefined : look.claimOf(node))
    if (deadline === undefined || hasRestartedSince(deadline.writtenAt)) return
    const graceMs = (pod.spec.terminationGracePeriodSeconds ?? 30) * 1000
    const earlyMs = deadline.dueAt - graceMs - look.elapsed
    if (earlyMs > roundingMs) look.report('I31', name, `is deleted ${Math.round(earlyMs / 1000)} s before its time`)
  }

  /** Another process takes a moment that it finds as it stands. */
  function hasRestartedSince(at: number): boolean {
    return look.allowances.crashes.some((crash) => crash >= at)
  }

  return {
    onClaim(type, claim) {
      const { uid } = claim.metadata
      deadlines.onClaim(type, claim)
      if (type === 'DELETED') bornAt.delete(uid)
      else if (!bornAt.has(uid)) bornAt.set(uid, look.elapsed)
    },
    onNode(type, { metadata, status }) {
      for (const { type: condition = '', status: value = '', lastTransitionTime = '' } of status?.conditions ?? []) {
        const key = `${metadata.uid}/${condition}`
        const text = `${value} ${lastTransitionTime}`
        if (type === 'DELETED') unhealthySince.delete(key)
        else if (unhealthySince.get(key)?.text !== text) unhealthySince.set(key, { text, at: look.elapsed })
      }
    },
    onCall(call) {
      const { resource, verb, name = '' } = call
      if (verb !== 'delete') return
      if (resource.plural === 'nodeclaims') claimGoes(name)
      if (resource.plural === 'pods') podGoes(call)
    },
    onCloudCall({ action, input }) {
      if (action !== 'TerminateInstances' || currentController() !== 'instance.garbagecollection') return
      for (const id of instanceIDsOf(input)) {
        const age = look.elapsed - (machineBornAt.get(id) ?? Number.NEGATIVE_INFINITY)
        if (age < unclaimedMs - roundingMs)
          look.report('I31', id, `is ended as nobody's ${Math.round(age / 1000)} s after its launch`)
      }
    },
    onCloudOutcome({ action }) {
      if (action !== 'CreateFleet') return
      for (const { id } of look.cluster.aws.state.instances) {
        if (!machineBornAt.has(id)) machineBornAt.set(id, look.elapsed)
      }
    },
  }
}

/** The cloud takes the machine back, or a static pool has one too many: whatever it has come to. */
const regardless: ReadonlySet<string> = new Set(['interruption', 'static.deprovisioning'])

const registrationMs = 15 * minute
const hardwareTolerationMs = 10 * minute
const tolerationOfOthersMs = 30 * minute
/** A launch takes this long to be written down. */
const unclaimedMs = 30_000

/** A pod event within ten seconds of another is not told again. */
const eventsTogetherMs = 10_000
/** From the last look at a node to its taint. */
const taintMs = 2_000
/** Pods past the end of their grace period by this much are not waited for. */
const stuckMs = minute
/** Caches have caught up with what was held back from them. */
const caughtUpMs = 3 * minute

/**
 * I31: no node is consolidated before it was without pod events for `consolidateAfter`, and no machine ends while its pods may still be
 * stopping. Both are decided on what the operator sees, so other faults than the clock's suspend them.
 */
export function quietWatcher(look: Look): Watcher {
  /** By node name. */
  const lastEventAt = new Map<string, { readonly at: number; readonly before: number }>()
  const initializedAt = new Map<string, number>()
  const goingSince = new Map<string, number>()

  function seesAll(): boolean {
    const { clockOnly, healedAt } = look.allowances
    return clockOnly || look.elapsed - healedAt > caughtUpMs
  }

  function consolidated(claim: NodeClaim): void {
    const { metadata, status } = claim
    const pool = look.pool(metadata.labels?.[labelNodePool] ?? '')
    const consolidateAfterMs = nillableDurationMs(pool?.spec.disruption?.consolidateAfter ?? '0s') ?? 0
    const event = lastEventAt.get(status?.nodeName ?? '') ?? { at: 0, before: 0 }
    // What happens while the node is being tainted is looked at after the taint (I14).
    const eventAt = look.elapsed - event.at < taintMs ? event.before : event.at
    const last = Math.max(eventAt, initializedAt.get(metadata.uid) ?? 0)
    const quietMs = look.elapsed - last
    if (quietMs >= consolidateAfterMs - eventsTogetherMs - roundingMs) return
    const seconds = Math.round(quietMs / 1000)
    look.report('I31', metadata.name, `is consolidated ${seconds} s after the last change of its pods`)
  }

  function ends(node: Node): void {
    const claim = look.claimOf(node)
    if (claim === undefined || !isReadyNode(node) || look.allowances.cloudIsStale) return
    if (claim.metadata.annotations?.[annotationTerminationTimestamp] !== undefined) return
    for (const pod of look.podsOn(node.metadata.name)) {
      const since = goingSince.get(pod.metadata.uid)
      if (since === undefined || isDaemonPod(pod) || !isActivePod(pod)) continue
      const waitedMs = look.elapsed - since
      const graceMs = (pod.spec.terminationGracePeriodSeconds ?? 30) * 1000
      if (waitedMs < graceMs + stuckMs - roundingMs)
        look.report(
          'I31',
          node.metadata.name,
          `ends ${Math.round(waitedMs / 1000)} s after ${pod.metadata.name} was told to stop`,
        )
    }
  }

  return {
    onPod(type, pod, previous) {
      const { uid, deletionTimestamp } = pod.metadata
      if (type === 'DELETED') {
        goingSince.delete(uid)
        return
      }
      if (deletionTimestamp !== undefined && !goingSince.has(uid)) goingSince.set(uid, look.elapsed)
      if (isDaemonPod(pod) || !isPodEvent(pod, previous)) return
      const name = pod.spec.nodeName ?? ''
      const { at, before } = lastEventAt.get(name) ?? { at: 0, before: 0 }
      lastEventAt.set(name, { at: look.elapsed, before: look.elapsed - at < taintMs ? before : at })
    },
    onClaim(type, claim, previous) {
      const { uid } = claim.metadata
      if (type === 'DELETED') {
        initializedAt.delete(uid)
        return
      }
      if (isConditionTrue(claim, 'Initialized') && !initializedAt.has(uid)) initializedAt.set(uid, look.elapsed)
      const reason = conditionOf(claim, 'DisruptionReason')
      const before = previous === undefined ? undefined : conditionOf(previous, 'DisruptionReason')
      const isConsolidation = reason?.reason === 'Empty' || reason?.reason === 'Underutilized'
      if (isConsolidation && reason.status === 'True' && before?.status !== 'True' && seesAll()) consolidated(claim)
    },
    onCloudCall({ action, input }) {
      if (action !== 'TerminateInstances' || !seesAll()) return
      const ids = new Set(instanceIDsOf(input))
      for (const node of look.nodes) if (ids.has(idOf(node.spec.providerID) ?? '')) ends(node)
    },
  }
}

/** Bound, ended, or told to go. */
function isPodEvent(pod: Pod, previous: Pod | undefined): boolean {
  const has = (each: Pod | undefined) => ({
    bound: (each?.spec.nodeName ?? '') !== '',
    ended: each !== undefined && !isActivePod(each),
    going: each?.metadata.deletionTimestamp !== undefined,
  })
  const [now, before] = [has(pod), has(previous)]
  return now.bound && (!before.bound || now.ended !== before.ended || now.going !== before.going)
}
