import { KubeError, SilentWatchError } from '../../../src/kube/errors.ts'
import { nodeClaims } from '../../../src/kube/karpenter-kinds.ts'
import type { ClientCall } from '../../../src/embedded/apiserver/index.ts'
import { isWrite } from '../hooks.ts'
import { type Fault, type FaultContext, inOneOf, nothing } from './fault.ts'

/** After so long a silent watch is taken for dead. */
const silentMs = 120_000

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
  {
    id: 'F5',
    name: 'events dropped, doubled, coalesced',
    inject: ({ hooks, random, world }) => {
      const end = hooks.addMessage((_call, message) => {
        const draw = random.next()
        if (message.type === 'BOOKMARK' || draw > 0.1) return [message]
        return draw < 0.05 ? [] : [message, message]
      })
      // What was dropped is found by the next list, which a server that restarts brings about.
      return () => {
        end()
        const breaking = hooks.addMessage(() => new KubeError('Expired', 410, 'too old resource version'))
        world.stack.cluster.clock.schedule(120_000, breaking)
      }
    },
  },
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
      return hooks.addMessage((_call, message) =>
        random.next() < 0.05 ? clock.sleep(silentMs).then(() => new SilentWatchError(silentMs)) : [message],
      )
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
  {
    id: 'F9',
    name: 'lease writes fail: leadership changes',
    inject: (context) => {
      const end = context.hooks.addCall((call) =>
        call.resource.plural === 'leases' && isWrite(call) ? { failBefore: lost() } : undefined,
      )
      // A process that lost its lease ends; whoever runs it starts another.
      context.world.stack.cluster.clock.schedule(30_000, () => {
        end()
        context.restart()
      })
      return end
    },
  },
  {
    id: 'F39',
    name: 'killed at once',
    inject: (context) => {
      context.restart()
      return nothing
    },
  },
]
