import { KubeError, SilentWatchError } from '../../../src/kube/errors.ts'
import { nodeClaims } from '../../../src/kube/karpenter-kinds.ts'
import { leases } from '../../../src/kube/kinds.ts'
import type { ClientCall, WatchMessage, WatchDelivery } from '../../../src/embedded/apiserver/index.ts'
import { isWrite } from '../hooks.ts'
import { minute } from '../world.ts'
import { every, type Fault, type FaultContext, inOneOf, nothing } from './fault.ts'

/** After so long a silent watch is taken for dead; with the wait before a decision is carried out less than judges take for noticing. */
const silentMs = 60_000
/** Another of the same kind does not die sooner: what is known would be older than that. */
const silentEveryMs = 5 * minute

/** How long a lease is valid that nobody renews. */
const leaseMs = 15_000
/** More than the ten seconds within which it has to be renewed. */
const slowLeaseMs = 12_000
/** How much later than others a watch may tell. */
const kindLateMs = 3_000
const stallEveryMs = 20_000

const mark = 'policy.example.com/seen'

const lost = (): KubeError => new KubeError('Network', 0, 'connection reset')

/** Crashes the operator at one of its next writes: before it, or after its effect. */
function crashAtWrite(context: FaultContext, after: number): () => void {
  const { hooks, random } = context
  let left = after
  const before = random.next() < 0.5
  const end = hooks.addCall((call) => {
    if (!isWrite(call) || call.resource.plural === 'leases' || call.resource.plural === 'events') return undefined
    left -= 1
    if (left >= 0) return undefined
    end()
    context.restart()
    return before ? { failBefore: lost() } : { failAfter: lost() }
  })
  return end
}

function sometimes({ hooks, random }: FaultContext, share: number, fault: (call: ClientCall) => object | undefined) {
  return hooks.addCall((call) => (random.next() < share ? fault(call) : undefined))
}

/** What goes wrong between the operator and the API server. */
export const apiFaults: readonly Fault[] = [
  { id: 'F1', name: 'crash before or after a write', inject: (context) => crashAtWrite(context, 0) },
  { id: 'F2', name: 'crash amid a plan of several writes', inject: (c) => crashAtWrite(c, 1 + c.random.below(6)) },
  {
    id: 'F3',
    name: 'stale reads',
    inject: (context) => {
      const staleRevisions = 5 + context.random.below(100)
      return sometimes(context, 0.3, ({ verb }) => (verb === 'get' || verb === 'list' ? { staleRevisions } : undefined))
    },
  },
  {
    id: 'F4',
    name: 'time travel on reconnect',
    inject: ({ hooks, random }) => {
      const breaking = hooks.addMessage((_call, message) => (random.next() < 0.02 ? lost() : [message]))
      const stale = hooks.addCall(({ verb }) => (verb === 'list' ? { staleRevisions: 50 } : undefined))
      return () => {
        breaking()
        stale()
      }
    },
  },
  inOneOf('F5', 'events dropped, doubled, coalesced, reordered', {
    'dropped and doubled': (context) => {
      const { random } = context
      return throughMessages(context, (_call, message) => {
        const draw = random.next()
        if (message.type === 'BOOKMARK' || draw > 0.1) return [message]
        return draw < 0.05 ? [] : [message, message]
      })
    },
    coalesced: (context) => throughMessages(context, inBatches(context, lastOfEach)),
    // Of different objects and kinds: events of one object come in their order.
    reordered: (context) => {
      const { random, world } = context
      const batched = inBatches(context, (batch) => shuffled(batch, random))
      return throughMessages(context, (call, message) => {
        const outcome = batched(call, message)
        if (random.next() > 0.2) return outcome
        return world.stack.cluster.clock.sleep(random.below(kindLateMs)).then(() => outcome)
      })
    },
  }),
  inOneOf('F6', 'history compacted, relist storm; watches silently dead', {
    'relist storm': ({ hooks, world, random }) => {
      world.stack.cluster.apiServer.context.store.compact()
      return hooks.addMessage((_call, message) =>
        random.next() < 0.05 ? new KubeError('Expired', 410, 'too old resource version') : [message],
      )
    },
    // What a dead connection carried is not lost: the watch that takes its place begins where it ended.
    'dead watches': ({ hooks, world, random }) => {
      const { clock } = world.stack.cluster
      const diedAt = new Map<string, number>()
      return hooks.addMessage(({ resource }, message) => {
        const since = clock.monotonicMs() - (diedAt.get(resource.plural) ?? Number.NEGATIVE_INFINITY)
        if (since < silentEveryMs || random.next() >= 0.05) return [message]
        diedAt.set(resource.plural, clock.monotonicMs())
        return clock.sleep(silentMs).then(() => new SilentWatchError(silentMs))
      })
    },
  }),
  {
    id: 'F7',
    name: 'conflicts, throttling, errors, latency',
    inject: (context) =>
      sometimes(context, 0.3, (call) => {
        const kind = context.random.below(4)
        if (kind === 0 && isWrite(call))
          return { failBefore: new KubeError('Conflict', 409, 'the object has been modified') }
        if (kind === 1)
          return { failBefore: new KubeError('TooManyRequests', 429, 'slow down', { retryAfterMs: 1_000 }) }
        if (kind === 2) return { failBefore: new KubeError('InternalError', 500, 'etcdserver: request timed out') }
        return { delayMs: context.random.below(30_000) }
      }),
  },
  inOneOf('F8', "somebody's webhook rejects or mutates what we write", {
    rejects: (context) => {
      const forbidden = new KubeError('Forbidden', 403, 'admission webhook "policy.example.com" denied the request')
      return sometimes(context, 0.7, (call) =>
        isWrite(call) && (call.resource.plural === 'nodeclaims' || call.resource.plural === 'nodes')
          ? { failBefore: forbidden }
          : undefined,
      )
    },
    mutates: ({ world }) => {
      const { client, apiServer } = world.stack.cluster
      const marks = { [mark]: 'true' }
      return apiServer.context.store.subscribe('all', ({ table, object }) => {
        const { name, labels, deletionTimestamp } = object.metadata
        if (table !== 'karpenter.sh/nodeclaims' || deletionTimestamp !== undefined || Object.hasOwn(labels ?? {}, mark))
          return
        const body = { metadata: { labels: marks, annotations: marks } }
        void client.patch(nodeClaims, { name }, { kind: 'merge', body }).catch(() => undefined)
      })
    },
  }),
  inOneOf('F9', 'lease writes fail or are slow, two processes lead', {
    fail: (context) => {
      const end = context.hooks.addCall((call) => (isLeaseWrite(call) ? { failBefore: lost() } : undefined))
      // A process that lost its lease ends; whoever runs it starts another.
      context.world.stack.cluster.clock.schedule(30_000, () => {
        end()
        context.restart()
      })
      return end
    },
    // Now and then longer than the renew deadline; what nobody waits for any more may still have its effect.
    slow: ({ hooks, random }) =>
      hooks.addCall((call) => {
        if (!isLeaseWrite(call)) return undefined
        const ms = random.below(slowLeaseMs)
        return random.next() < 0.5 ? { delayMs: ms } : { lateMs: ms }
      }),
    // The other one has taken over when the first goes on where it stood.
    'frozen leader': (context) => {
      const { random, world } = context
      const { operator } = world.stack
      freeze(context, leaseMs + random.below(2 * leaseMs))
      world.stack.startOperator()
      return () => void operator.stop()
    },
    // Somebody deletes the lease. The first, whose calls for it hang, leads for as long as it may, beside the one that finds it free.
    'two leaders': (context) => {
      const { hooks, world, invariants } = context
      const { operator, operators: first, cluster } = world.stack
      const end = hooks.addCall(({ resource }, by) =>
        resource.plural === 'leases' && by === first ? { delayMs: 10 * leaseMs } : undefined,
      )
      invariants.allowances.twoLead = true
      const handedOver = cluster.clock.schedule(2 * leaseMs, () => {
        invariants.allowances.twoLead = false
      })
      void dropLease(context)
      world.stack.startOperator()
      return () => {
        handedOver.cancel()
        invariants.allowances.twoLead = false
        end()
        void operator.stop()
      }
    },
  }),
  inOneOf('F39', 'killed at once, event loop stalled', {
    killed: (context) => {
      context.restart()
      return nothing
    },
    stalled: (context) =>
      every(context, stallEveryMs, async () => {
        freeze(context, 5_000)
      }),
  }),
]

const isLeaseWrite = (call: ClientCall): boolean => call.resource.plural === 'leases' && isWrite(call)

/** The operator does nothing for so long, and hears of nothing; then of all that happened meanwhile. */
function freeze({ hooks, world }: FaultContext, ms: number): void {
  const { cluster, operators: frozen } = world.stack
  const until = cluster.clock.monotonicMs() + ms
  const over = world.stack.stallOperator(ms)
  // What an answer that was under way sets off.
  const endCalls = hooks.addCall((_call, operator) => {
    const delayMs = until - cluster.clock.monotonicMs()
    return operator === frozen && delayMs > 0 ? { delayMs } : undefined
  })
  const endMessages = hooks.addMessage((_call, message, operator) =>
    operator === frozen ? over.then(() => [message]) : [message],
  )
  void over.then(() => {
    endCalls()
    endMessages()
  })
}

async function dropLease({ world }: FaultContext): Promise<void> {
  const { client } = world.stack.cluster
  const { items } = await client.list(leases, { namespace: 'kube-system' })
  for (const { metadata, spec } of items) {
    if (spec?.holderIdentity?.startsWith('operator-') === true)
      await client.delete(leases, { namespace: 'kube-system', name: metadata.name }).catch(() => undefined)
  }
}

/** Until the end; what has not come through by then is found by the next list, which a server that restarts brings about. */
function throughMessages({ hooks, world }: FaultContext, change: ChangeMessage): () => void {
  const end = hooks.addMessage(change)
  return () => {
    end()
    const breaking = hooks.addMessage(() => new KubeError('Expired', 410, 'too old resource version'))
    world.stack.cluster.clock.schedule(120_000, breaking)
  }
}

type ChangeMessage = (call: ClientCall, message: WatchMessage) => WatchDelivery | Promise<WatchDelivery>
type ObjectMessage = Exclude<WatchMessage, { type: 'BOOKMARK' }>

/** A few events of one watch are told together, at the latest with the next bookmark. */
function inBatches(
  { random }: FaultContext,
  told: (batch: readonly ObjectMessage[]) => readonly ObjectMessage[],
): (call: ClientCall, message: WatchMessage) => readonly WatchMessage[] {
  // A watch that ends takes what it has not told with it: the next one begins after what was told.
  const waiting = new WeakMap<ClientCall, ObjectMessage[]>()
  return (call, message) => {
    const batch = waiting.get(call) ?? []
    if (message.type !== 'BOOKMARK') {
      batch.push(message)
      waiting.set(call, batch)
      if (random.next() < 0.6) return []
    }
    waiting.delete(call)
    return message.type === 'BOOKMARK' ? [...told(batch), message] : told(batch)
  }
}

const keyOf = ({ object }: ObjectMessage): string => `${object.metadata.namespace ?? ''}/${object.metadata.name}`

/** The last state of each object, of one that goes its end; what came and went is not told at all. */
function lastOfEach(batch: readonly ObjectMessage[]): readonly ObjectMessage[] {
  const lives = new Map<string, ObjectMessage>()
  for (const message of batch) {
    const key = `${keyOf(message)} ${message.object.metadata.uid}`
    const before = lives.get(key)
    lives.delete(key)
    if (before?.type === 'ADDED' && message.type === 'DELETED') continue
    lives.set(key, before?.type === 'ADDED' ? { ...message, type: 'ADDED' } : message)
  }
  return [...lives.values()]
}

/** In another order, but for the events of one object. */
function shuffled(batch: readonly ObjectMessage[], random: FaultContext['random']): readonly ObjectMessage[] {
  const left = [...Map.groupBy(batch, keyOf).values()]
  const order: ObjectMessage[] = []
  while (left.length > 0) {
    const index = random.below(left.length)
    const next = left[index]?.shift()
    if (next === undefined) left.splice(index, 1)
    else order.push(next)
  }
  return order
}
