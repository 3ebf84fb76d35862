import { internalError } from '../../../src/embedded/aws/errors.ts'
import { KubeError } from '../../../src/kube/errors.ts'
import { leases } from '../../../src/kube/kinds.ts'
import type { Resource } from '../../../src/kube/resource.ts'
import type { Scenario } from '../incidents/scenario.ts'
import type { PatternCase, ReentrancyCase, StaleCase, UnobservedCase } from './cases.ts'
import { isCloudWrite, isRecorded, keyOf, revisionOf } from './record.ts'

/** As long as a lease is valid, and a little more: a write that was under way arrives when the next leader works. */
const lateMs = 20_000
const staleMs = 30_000
/** How much longer than in the reference a state that takes another back may take to come. */
const graceMs = 5_000

const lost = (): KubeError => new KubeError('Network', 0, 'connection reset')

/** Whether the case was met. */
export type Fired = () => boolean

/** Makes one case happen in a run that is the same as the reference until then. */
export function inject(scenario: Scenario, each: PatternCase): Fired {
  switch (each.pattern) {
    case 'intermediate':
      return atWrite(scenario, each.write.index, () => {
        if (each.how === 'answer lost') muteFor(scenario, 1_000)
        else scenario.crash()
        return each.how === 'killed before' ? 'failBefore' : 'failAfter'
      })
    case 'reentrancy':
      return twoLeaders(scenario, each)
    case 'stale':
      return each.how === 'frozen' ? frozen(scenario, each) : travel(scenario, each)
    case 'unobserved':
      return unobserved(scenario, each)
  }
}

/** What was written without an answer could not be told (I34). */
function muteFor({ invariants, world }: Scenario, ms: number): void {
  const { clock } = world.stack.cluster
  invariants.allowances.healedAt = Number.POSITIVE_INFINITY
  clock.schedule(ms, () => {
    invariants.allowances.healedAt = clock.monotonicMs()
  })
}

type Outcome = 'failBefore' | 'failAfter' | 'late' | undefined

/** Decides what becomes of the write with this index, counted from now on; its operator is told. */
function atWrite(scenario: Scenario, index: number, decide: (operator: number) => Outcome): Fired {
  const { hooks, world } = scenario
  let left = index
  hooks.addCall((call, operator) => {
    if (!isRecorded(call)) return undefined
    left -= 1
    if (left !== -1) return undefined
    const outcome = decide(operator)
    if (outcome === undefined) return undefined
    return outcome === 'late' ? { lateMs } : { [outcome]: lost() }
  })
  world.stack.cluster.aws.faults.add((call) => {
    if (!isCloudWrite(call)) return undefined
    left -= 1
    if (left !== -1) return undefined
    // AWS does not say who calls; up to here there was one operator.
    const outcome = decide(1)
    if (outcome === undefined) return undefined
    if (outcome === 'late') return { kind: 'delay', ms: lateMs }
    return { kind: outcome === 'failBefore' ? 'fail' : 'failAfterEffect', error: internalError() }
  })
  return () => left < 0
}

/** Somebody deletes the lease, and the old leader, whose calls for it hang, holds on to its belief as long as it may. */
function twoLeaders(scenario: Scenario, { write }: ReentrancyCase): Fired {
  const { hooks, world } = scenario
  return atWrite(scenario, write.index, (old) => {
    hooks.addCall(({ resource }, operator) =>
      resource.plural === 'leases' && operator === old ? { delayMs: 10 * lateMs } : undefined,
    )
    dropLease(scenario)
    world.stack.startOperator()
    return 'late'
  })
}

function dropLease({ world }: Scenario): void {
  const { client } = world.stack.cluster
  void client.list(leases, { namespace: 'kube-system' }).then(async ({ items }) => {
    for (const { metadata, spec } of items) {
      if (spec?.holderIdentity?.startsWith('operator-') === true)
        await client.delete(leases, { namespace: 'kube-system', name: metadata.name })
    }
  })
}

/** One kind stands still for whoever lists or watches it. */
function freeze({ hooks, world }: Scenario, frozen: Resource, atRevision: number, ms: number): void {
  const { clock, apiServer } = world.stack.cluster
  const thaw = clock.sleep(ms).then(() => {
    endLists()
    endMessages()
  })
  const endLists = hooks.addCall(({ resource, verb }) =>
    resource === frozen && verb === 'list'
      ? { staleRevisions: apiServer.context.store.revision - atRevision }
      : undefined,
  )
  const endMessages = hooks.addMessage(({ resource }, message) =>
    resource === frozen && revisionOf(message) > atRevision ? thaw.then(() => [message]) : [message],
  )
}

function frozen(scenario: Scenario, { from }: StaleCase): Fired {
  let fired = false
  scenario.hooks.addMessage(({ resource }, message) => {
    if (fired || resource !== from.resource || revisionOf(message) !== from.revision) return [message]
    fired = true
    freeze(scenario, from.resource, from.revision - 1, staleMs)
    // The hook that was just added is asked next.
    return [message]
  })
  return () => fired
}

function travel(scenario: Scenario, { write, from, to }: StaleCase): Fired {
  let fired = false
  const restart = (): void => {
    if (fired) return
    fired = true
    scenario.crash()
    dropLease(scenario)
    // The next process starts five seconds later.
    freeze(scenario, from.resource, from.revision, 5_000 + staleMs)
  }
  if (to === undefined) {
    atWrite(scenario, write.index, () => {
      scenario.world.stack.cluster.clock.schedule(1_000, restart)
      return undefined
    })
  } else {
    scenario.hooks.addMessage(({ resource }, message) => {
      if (resource === to.resource && revisionOf(message) === to.revision)
        scenario.world.stack.cluster.clock.schedule(0, restart)
      return [message]
    })
  }
  return () => fired
}

function unobserved({ hooks, world }: Scenario, { from, to }: UnobservedCase): Fired {
  const { clock } = world.stack.cluster
  let suppressed = 0
  let ended = false
  const end = hooks.addMessage(({ resource }, message) => {
    if (ended || message.type === 'BOOKMARK' || resource !== from.resource) return [message]
    if (keyOf(message.object) !== from.key) return [message]
    const revision = revisionOf(message)
    if (revision < from.revision) return [message]
    if (revision < to.revision) {
      suppressed += 1
      if (suppressed === 1) clock.schedule(to.at - from.at + graceMs, giveUp)
      return []
    }
    ended = true
    // The net effect on an object that was not there before.
    if (from.type !== 'ADDED') return [message]
    return message.type === 'DELETED' ? [] : [{ ...message, type: 'ADDED' }]
  })
  /** What was not seen may be what \`to\` would have come from; then a new list shows it. */
  const giveUp = (): void => {
    end()
    if (!ended) world.stack.operator.caches.relist(from.resource)
  }
  return () => suppressed > 0
}
