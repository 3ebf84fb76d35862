import { isConditionTrue } from '../../../src/api/conditions.ts'
import { labelZone } from '../../../src/api/labels.ts'
import { allocatableOf } from '../../../src/model/instance-type.ts'
import type { PodInfo } from '../../../src/model/pod.ts'
import type { Resources } from '../../../src/model/resources.ts'
import type { NodePlan } from '../../../src/scheduling/index.ts'
import { hour, minute } from '../world.ts'
import { ClaimPlans, type Planned, zonesOf } from './claim-plans.ts'
import type { Look, Watcher } from './look.ts'
import { type Amounts, less, nodesAllowed } from './node-bound.ts'

const resources = ['cpu', 'memory', 'pods', 'ephemeral-storage']
/** What a fault has left, such as machines that never join, is made up for by then. */
const recoveredMs = 20 * minute

interface Launched {
  readonly claim: string
  readonly at: number
  readonly planned: Planned
}

/**
 * I16: nodes for pods that wait stay within 1.25 times the least that hold them, in each plan, and, while no fault is at work, in all that
 * is launched within an hour: whatever is launched again for the same pods counts, but asks for no more room.
 */
export function fleetSizeWatcher(look: Look): Watcher {
  const claimPlans = new ClaimPlans()
  const byClaim = new Map<string, Planned>()
  let launched: Launched[] = []

  function isDisturbed(): boolean {
    return look.faultAtWork || look.elapsed - look.allowances.healedAt < recoveredMs
  }

  function judge(): void {
    launched = launched.filter(({ at }) => look.elapsed - at < hour)
    const seen = new Set<string>()
    const fresh: PodInfo[] = []
    const parts = new Set<string>()
    for (const { planned } of launched) {
      // A stand-in wants its room anew whenever somebody has taken it.
      const mine = planned.plan.pods.filter(({ uid, virtualBuffer }) => virtualBuffer !== undefined || !seen.has(uid))
      for (const pod of mine) seen.add(pod.uid)
      fresh.push(...mine)
      if (mine.length > 0) parts.add(`${planned.pass} ${partOf(planned.plan)}`)
    }
    const plans = launched.map(({ planned }) => planned.plan)
    const asked = fresh.map(({ requests }) => amountsOf(requests))
    const allowed = nodesAllowed(asked, plans.map(roomOf), { parts: parts.size, resources })
    if (plans.length <= allowed) return
    const example = launched.at(-1)?.planned.plan.pods[0]?.name ?? ''
    look.report(
      'I16',
      example,
      `${plans.length} nodes were launched in an hour for ${fresh.length} pods, ${allowed} would do`,
    )
  }

  return {
    onPlacement({ placement }) {
      const plans = placement.newNodePlans
      claimPlans.decided(plans)
      if (plans.length === 0) return
      const parts = new Set(plans.map(partOf)).size + plans.filter(holdsLoners).length
      const asked = plans.flatMap(({ pods }) => pods.map(({ requests }) => amountsOf(requests)))
      const allowed = nodesAllowed(asked, plans.map(roomOf), { parts, resources })
      const example = plans[0]?.pods[0]?.name ?? ''
      if (plans.length > allowed) look.report('I16', example, `${plans.length} nodes are planned, ${allowed} would do`)
    },
    onClaim(type, claim) {
      const { name } = claim.metadata
      const made = type === 'ADDED' ? claimPlans.take(claim) : undefined
      if (isDisturbed()) {
        launched = []
        byClaim.clear()
        return
      }
      if (made !== undefined) byClaim.set(name, made)
      const planned = byClaim.get(name)
      if (type === 'DELETED') {
        byClaim.delete(name)
        // What never came up is another attempt, which the launches of a pod are counted for.
        if (!isConditionTrue(claim, 'Registered')) launched = launched.filter((each) => each.claim !== name)
      } else if (planned !== undefined && isConditionTrue(claim, 'Launched')) {
        byClaim.delete(name)
        launched.push({ claim: name, at: look.elapsed, planned })
        judge()
      }
    },
  }
}

/** Pods of other pools, or bound to another zone, share no node. */
function partOf(plan: NodePlan): string {
  const isBound = plan.pods.some(
    ({ topologySpreadConstraints, volumes }) => topologySpreadConstraints.length > 0 || volumes.length > 0,
  )
  return `${plan.nodePool} ${isBound ? zonesOf(plan).join(',') : ''}`
}

/** Pods that want a node for themselves leave it with room. */
function holdsLoners({ pods }: NodePlan): boolean {
  return pods.some(
    ({ affinity, hostPorts, topologySpreadConstraints }) =>
      affinity?.podAntiAffinity !== undefined ||
      hostPorts.length > 0 ||
      topologySpreadConstraints.some(({ topologyKey }) => topologyKey !== labelZone),
  )
}

/** For its pods, on the smallest type that it may become. */
function roomOf({ instanceTypes, requests, pods }: NodePlan): Amounts {
  const each = instanceTypes.map(({ capacity, overhead }) => amountsOf(allocatableOf(capacity, overhead)))
  const size = new Map(resources.map((name) => [name, Math.min(...each.map((amounts) => amounts.get(name) ?? 0))]))
  const daemons = less(
    amountsOf(requests),
    pods.map((pod) => amountsOf(pod.requests)),
  )
  return less(size, [daemons])
}

function amountsOf(list: Resources): Amounts {
  return new Map([...list].map(([name, { nano }]) => [name, Number(nano) / 1e9]))
}
