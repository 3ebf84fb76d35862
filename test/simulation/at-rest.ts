import { isConditionTrue } from '../../src/api/conditions.ts'
import { nillableDurationMs } from '../../src/api/duration.ts'
import type { NodeClaim } from '../../src/api/karpenter.ts'
import type { Pod } from '../../src/api/kubernetes.ts'
import { labelNodePool } from '../../src/api/labels.ts'
import { catalogue } from '../../src/embedded/aws/catalogue.ts'
import { nodeClaims, nodePools } from '../../src/kube/karpenter-kinds.ts'
import { pods } from '../../src/kube/kinds.ts'
import { fleetComplaints } from './fleet-at-rest.ts'
import { minute, type World } from './world.ts'

interface Complaint {
  readonly invariant: string
  readonly message: string
}

/** How long a fleet is watched at first. */
const watchedMs = 20 * minute
/** No move is made again within an hour (I23). */
const betweenMovesMs = 60 * minute
/** A fleet that gets cheaper with each move is let go on, but not for ever. */
const movesMax = 8
/** For so long no node came or goes. */
const calmMs = 4 * minute
const calmLooksMax = 30

/** The end of a run: every pod runs (I18), no more nodes than they need are left (I16), and a fleet that nobody disturbs comes to rest (I23). `run` passes virtual time. */
export async function complaintsAtRest(
  world: World,
  run: (ms: number) => Promise<void>,
): Promise<readonly Complaint[]> {
  await untilCalm(world, run)
  const waiting = (await world.stack.cluster.client.list(pods)).items.filter(isWaiting)
  const complaints: Complaint[] = fleetComplaints(world).map((message) => ({ invariant: 'I16', message }))
  const restless = await restlessness(world, run)
  if (waiting.length > 0) {
    const example = waiting[0]?.metadata.name ?? ''
    const message = `${waiting.length} pods wait at the end, long after the last fault, e.g. ${example}`
    complaints.push({ invariant: 'I18', message })
  }
  if (restless !== undefined) complaints.push({ invariant: 'I23', message: restless })
  return complaints
}

function isWaiting({ spec }: Pod): boolean {
  return (spec.nodeName ?? '') === '' && (spec.schedulingGates ?? []).length === 0
}

/** A consolidation may be on its way at any moment, and nodes go whose time is over: what is half done is no state to judge. */
async function untilCalm({ stack }: World, run: (ms: number) => Promise<void>): Promise<void> {
  const { client, clock } = stack.cluster
  for (let looks = 0; looks < calmLooksMax; looks += 1) {
    const { items } = await client.list(nodeClaims)
    const isMoving = items.some(
      ({ metadata }) =>
        metadata.deletionTimestamp !== undefined || clock.now() - Date.parse(metadata.creationTimestamp) < calmMs,
    )
    if (!isMoving) return
    await run(calmMs)
  }
}

/**
 * A move that leaves the fleet cheaper is progress. One that does not may be a consolidation that kube-scheduler undid, tried again once its
 * hold is over: then an hour has to pass before the next.
 */
async function restlessness(world: World, run: (ms: number) => Promise<void>): Promise<string | undefined> {
  let before = await fleetOf(world)
  const first = before
  await run(watchedMs)
  let after = await fleetOf(world)
  let isOneMove = true
  for (let moves = 0; after.names !== before.names; moves += 1) {
    // Nodes whose time is over go, and their pods move others.
    if (before.expiresAt <= world.stack.cluster.clock.now()) return undefined
    const isCheaper = after.price < before.price
    if (moves === movesMax || !(isCheaper || isOneMove)) {
      return `the fleet does not come to rest: ${first.names} became ${after.names}`
    }
    isOneMove = isCheaper
    before = after
    for (let left = betweenMovesMs; left > 0 && after.names === before.names; left -= watchedMs) {
      await run(watchedMs)
      after = await fleetOf(world)
    }
  }
  return undefined
}

interface Fleet {
  readonly names: string
  readonly price: number
  /** When the first of its nodes expires, in milliseconds since the epoch. */
  readonly expiresAt: number
}

/** Without the nodes that an open circuit breaker has try, one after the other for as long as none of them joins. */
async function fleetOf({ stack }: World): Promise<Fleet> {
  const { client, aws } = stack.cluster
  const pools = (await client.list(nodePools)).items.filter((pool) => isConditionTrue(pool, 'CircuitOpen'))
  const broken = new Set(pools.map(({ metadata }) => metadata.name))
  const isTry = (claim: NodeClaim): boolean =>
    broken.has(claim.metadata.labels?.[labelNodePool] ?? '') && !isConditionTrue(claim, 'Initialized')
  const { items } = await client.list(nodeClaims)
  const names = items.flatMap((claim) => (isTry(claim) ? [] : [claim.metadata.name])).join(' ')
  let price = 0
  for (const { type, zone, state, lifecycle } of aws.state.instances) {
    const facts = catalogue().get(type)
    if (state === 'terminated' || facts === undefined) continue
    price += (lifecycle === 'spot' ? aws.account.spotPrice(facts, zone) : aws.account.onDemandPrice(facts)) ?? 0
  }
  return { names, price, expiresAt: Math.min(...items.map(expiryOf)) }
}

function expiryOf({ metadata, spec }: NodeClaim): number {
  const lifeMs = nillableDurationMs(spec.expireAfter ?? 'Never')
  return lifeMs === undefined ? Number.POSITIVE_INFINITY : Date.parse(metadata.creationTimestamp) + lifeMs
}
