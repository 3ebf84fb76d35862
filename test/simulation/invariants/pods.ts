import { conditionOf } from '../../../src/api/conditions.ts'
import type { Pod, PodDisruptionBudget } from '../../../src/api/kubernetes.ts'
import { annotationDoNotDisrupt, annotationTerminationTimestamp, taintDisruptedKey } from '../../../src/api/labels.ts'
import type { ClientCall } from '../../../src/embedded/apiserver/index.ts'
import { minute } from '../world.ts'
import { Deadlines } from './deadlines.ts'
import { isActivePod, isDaemonPod, isReadyNode, type Look, slackMs, taintKeys, type Watcher } from './look.ts'

/** Watches lag, and a decision is validated a while before it is carried out. */
const noticedMs = 2 * minute

/** I10, I11, I14, I19: what pods were promised. */
export function promiseWatcher(look: Look): Watcher {
  /** Since when a pod has asked to be left alone, by UID. */
  const protectedSince = new Map<string, number>()
  const taintedAt = new Map<string, number>()
  const boundAt = new Map<string, number>()
  const deadlines = new Deadlines(look)

  function asks(pod: Pod): boolean {
    return pod.metadata.annotations?.[annotationDoNotDisrupt] === 'true' && isActivePod(pod)
  }

  /** I10, I11: pods that said no, and deletions past a PDB, wait for the deadline that was declared. */
  function podGoes(call: ClientCall): void {
    const pod = look.pod(call.namespace ?? '', call.name ?? '')
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return
    const node = look.node(pod.spec.nodeName ?? '')
    const claim = node === undefined ? undefined : look.claimOf(node)
    const deadline = Date.parse(claim?.metadata.annotations?.[annotationTerminationTimestamp] ?? '')
    const graceMs = (pod.spec.terminationGracePeriodSeconds ?? 30) * 1000
    // Clocks may have been set since the deadline was written down: either its text or what it meant then counts.
    const leftMs = Math.min(
      deadline - look.now,
      (deadlines.of(claim)?.dueAt ?? Number.POSITIVE_INFINITY) - look.elapsed,
    )
    if (leftMs <= graceMs + slackMs) return
    const name = `${call.namespace ?? ''}/${call.name ?? ''}`
    if (call.verb === 'delete') look.report('I10', name, 'is deleted, not evicted, before any deadline')
    // What is said in this very moment, between the last look and the call, nobody can have heard.
    const since = protectedSince.get(pod.metadata.uid) ?? look.elapsed
    if (asks(pod) && since < look.elapsed) look.report('I11', name, 'is evicted although it said do-not-disrupt')
  }

  /** I10, I19: a node whose pods cannot leave is not disrupted for our own reasons. */
  function disruptionStarts(nodeName: string): void {
    const node = look.node(nodeName)
    const claim = node === undefined ? undefined : look.claimOf(node)
    if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return
    if (claim.spec.terminationGracePeriod !== undefined) return
    for (const pod of look.podsOn(nodeName)) {
      if (!isActivePod(pod) || isDaemonPod(pod) || pod.metadata.deletionTimestamp !== undefined) continue
      const since = protectedSince.get(pod.metadata.uid)
      const bound = boundAt.get(pod.metadata.uid) ?? look.elapsed
      if (since !== undefined && look.elapsed - Math.max(since, bound) > noticedMs) {
        look.report('I11', nodeName, `is disrupted although ${pod.metadata.name} says do-not-disrupt`)
      }
      const budget = pdbsOf(pod).find((each) => isFullyBlocking(each) && look.elapsed - blockingSince(each) > noticedMs)
      if (budget !== undefined && look.elapsed - bound > noticedMs) {
        look.report(
          'I10',
          nodeName,
          `is disrupted although PDB ${budget.metadata.name} never lets ${pod.metadata.name} go`,
        )
      }
    }
  }

  const blocking = new Map<string, number>()

  function blockingSince(budget: PodDisruptionBudget): number {
    return blocking.get(budget.metadata.uid) ?? look.elapsed
  }

  function pdbsOf(pod: Pod): readonly PodDisruptionBudget[] {
    return look.list<PodDisruptionBudget>('policy/poddisruptionbudgets').filter(({ metadata, spec }) => {
      const wanted = Object.entries(spec.selector?.matchLabels ?? {})
      const matches = wanted.every(([key, value]) => pod.metadata.labels?.[key] === value)
      return metadata.namespace === pod.metadata.namespace && wanted.length > 0 && matches
    })
  }

  /** I14: before the first irreversible write the node is tainted, and an empty one is looked at again. */
  function claimGoes(name: string): void {
    const claim = look.claim(name)
    const reason = claim === undefined ? undefined : conditionOf(claim, 'DisruptionReason')
    const node = claim === undefined ? undefined : look.nodeOf(claim)
    if (claim?.metadata.deletionTimestamp !== undefined || reason?.status !== 'True' || node === undefined) return
    if (!isReadyNode(node)) return
    if (!taintKeys(node).has(taintDisruptedKey)) {
      look.report('I14', name, 'is deleted for disruption while its node is not tainted')
      return
    }
    const tainted = taintedAt.get(node.metadata.uid)
    if (reason.reason !== 'Empty' || tainted === undefined || node.metadata.deletionTimestamp !== undefined) return
    const early = look
      .podsOn(node.metadata.name)
      .filter((pod) => isActivePod(pod) && !isDaemonPod(pod) && pod.metadata.deletionTimestamp === undefined)
      .find(({ metadata }) => tainted - (boundAt.get(metadata.uid) ?? tainted) > noticedMs)
    if (early !== undefined) look.report('I14', name, `goes as empty although ${early.metadata.name} runs on it`)
  }

  /** I19: whoever cannot leave gets no place made for it elsewhere. */
  function nominated(uid: string, name: string, namespace: string): void {
    const pod = look.pod(namespace, name)
    if (pod === undefined || pod.metadata.uid !== uid || (pod.spec.nodeName ?? '') === '') return
    const bound = boundAt.get(uid) ?? look.elapsed
    const since = protectedSince.get(uid)
    if (since !== undefined && look.elapsed - Math.max(since, bound) > noticedMs && asks(pod)) {
      look.report('I19', name, 'says do-not-disrupt, and a place was made for it elsewhere')
    }
    const budget = pdbsOf(pod).find((each) => isFullyBlocking(each) && look.elapsed - blockingSince(each) > noticedMs)
    if (budget !== undefined && look.elapsed - bound > noticedMs) {
      look.report('I19', name, `is held by PDB ${budget.metadata.name}, and a place was made for it elsewhere`)
    }
  }

  return {
    onClaim: (type, claim) => deadlines.onClaim(type, claim),
    onPod(type, pod) {
      const { uid } = pod.metadata
      if (type === 'DELETED') {
        protectedSince.delete(uid)
        boundAt.delete(uid)
        return
      }
      if ((pod.spec.nodeName ?? '') !== '' && !boundAt.has(uid)) boundAt.set(uid, look.elapsed)
      if (!asks(pod)) protectedSince.delete(uid)
      else if (!protectedSince.has(uid)) protectedSince.set(uid, look.elapsed)
    },
    onNode(type, node, previous) {
      if (type === 'DELETED') {
        taintedAt.delete(node.metadata.uid)
        return
      }
      const isTainted = taintKeys(node).has(taintDisruptedKey)
      if (!isTainted) taintedAt.delete(node.metadata.uid)
      if (!isTainted || taintKeys(previous).has(taintDisruptedKey)) return
      taintedAt.set(node.metadata.uid, look.elapsed)
      disruptionStarts(node.metadata.name)
    },
    onEvent(event) {
      const { reason, involvedObject, source } = event
      if (reason !== 'Nominated' || source?.component !== 'karpenter' || look.isToldLate(event)) return
      nominated(involvedObject.uid ?? '', involvedObject.name ?? '', involvedObject.namespace ?? '')
    },
    onCall(call) {
      const { plural } = call.resource
      if (plural === 'pods' && (call.verb === 'evict' || call.verb === 'delete')) podGoes(call)
      if (plural === 'nodeclaims' && call.verb === 'delete') claimGoes(call.name ?? '')
    },
    tick() {
      for (const budget of look.list<PodDisruptionBudget>('policy/poddisruptionbudgets')) {
        const { uid } = budget.metadata
        if (!isFullyBlocking(budget)) blocking.delete(uid)
        else if (!blocking.has(uid)) blocking.set(uid, look.elapsed)
      }
    },
  }
}

/** It never lets a pod go, whatever the state of the others. */
function isFullyBlocking({ spec }: PodDisruptionBudget): boolean {
  return spec.maxUnavailable === 0 || spec.maxUnavailable === '0%' || spec.minAvailable === '100%'
}
