import { isConditionTrue } from '../../../src/api/conditions.ts'
import type { Look, Watcher } from './look.ts'
import { hour, minute } from '../world.ts'

/** Launches that fail in an hour without one that succeeds. */
const failedLaunchesMax = 60

/** I20: without capacity claims come and go slowly. */
export function stormWatcher(look: Look): Watcher {
  const failed: number[] = []
  return {
    onClaim(type, claim, previous) {
      // The bound is on launches in vain; where some succeed there is capacity.
      if (type === 'MODIFIED' && isConditionTrue(claim, 'Launched')) {
        if (previous === undefined || !isConditionTrue(previous, 'Launched')) failed.length = 0
      }
      if (type !== 'DELETED' || isConditionTrue(claim, 'Launched')) return
      failed.push(look.elapsed)
      while ((failed[0] ?? look.elapsed) < look.elapsed - hour) failed.shift()
      if (failed.length > failedLaunchesMax) {
        look.report('I20', 'launches', `${failed.length} claims ended unlaunched within an hour`)
      }
    },
  }
}

/** Calls of one action in a minute: a burst of launches or terminations is batched or spread, a poll comes every few seconds. */
const cloudCallsPerMinuteMax = 300
/** Writes in a minute, beside events and leases: 200 a second is the client's own bound, this is what twenty nodes may need. */
const writesPerMinuteMax = 3_000
/** I22: calls stay within bounds. */
export function callWatcher(look: Look): Watcher {
  const inMinute = new Map<string, { minute: number; calls: number }>()

  function count(key: string, max: number): void {
    const now = Math.floor(look.elapsed / minute)
    const known = inMinute.get(key)
    const calls = known?.minute === now ? known.calls + 1 : 1
    inMinute.set(key, { minute: now, calls })
    if (calls > max) look.report('I22', key, `more than ${max} times in a minute`)
  }

  return {
    onCall({ verb, resource }) {
      if (verb === 'get' || verb === 'list' || verb === 'watch') return
      if (resource.plural !== 'events' && resource.plural !== 'leases') count('writes', writesPerMinuteMax)
    },
    onCloudCall({ service, action }) {
      count(`${service}:${action}`, cloudCallsPerMinuteMax)
    },
  }
}

/** I33: a node goes for an interruption only if its own machine was named in a message. */
export function interruptionWatcher(look: Look): Watcher {
  const noticed = new Set<string>()
  const reasons = new Set([
    'SpotInterrupted',
    'SpotRebalanceRecommendation',
    'InstanceTerminating',
    'InstanceStopping',
    'InstanceUnhealthy',
  ])
  /** What is in flight is still there until it is deleted. */
  function readQueues(): void {
    for (const queue of look.cluster.aws.state.queues) {
      // Every machine is told of when it starts.
      const bodies = queue.messages.map(({ body }) => body).filter((body) => !/"state":"(pending|running)"/.test(body))
      for (const body of bodies) for (const [id] of body.matchAll(/i-[0-9a-f]{17}/g)) noticed.add(id)
    }
  }

  return {
    onEvent({ reason = '', involvedObject, source }) {
      if (source?.component !== 'karpenter' || !reasons.has(reason) || involvedObject.kind !== 'NodeClaim') return
      const claim = look.claim(involvedObject.name ?? '')
      if (claim === undefined || claim.metadata.uid !== involvedObject.uid) return
      readQueues()
      const id = claim.status?.providerID?.split('/').at(-1) ?? ''
      if (!noticed.has(id)) look.report('I33', claim.metadata.name, `${reason}, but no message named ${id}`)
    },
    onCloudCall: readQueues,
    tick() {
      for (const { id, events, state, impaired } of look.cluster.aws.state.instances) {
        if (events.length > 0 || impaired.length > 0 || state !== 'running') noticed.add(id)
      }
    },
  }
}
