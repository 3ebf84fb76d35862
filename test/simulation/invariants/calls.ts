import { isConditionTrue } from '../../../src/api/conditions.ts'
import type { Look, Watcher } from './look.ts'
import { hour } from '../world.ts'

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
