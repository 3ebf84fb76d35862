import type { Node, Pod } from '../../../src/api/kubernetes.ts'
import { annotationDoNotDisrupt } from '../../../src/api/labels.ts'
import { nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { nodes, podDisruptionBudgets, pods, volumeAttachments } from '../../../src/kube/kinds.ts'
import { isNotFound } from '../../../src/kube/errors.ts'
import type { NodeBehaviour } from '../../../src/embedded/kubelet/behaviour.ts'
import { aBudget } from '../objects.ts'
import { minute } from '../world.ts'
import { anInstance, every, type Fault, type FaultContext, inOneOf, nothing } from './fault.ts'

const startupTaintKey = 'example.com/agent-not-ready'
const attacherFinalizer = 'external-attacher/ebs-csi-aws-com'

/** Machines that start from now on until the end behave so; those that were drawn keep it. */
function newMachines({ world, random }: FaultContext, share: number, how: Partial<NodeBehaviour>): () => void {
  const { behaviours, clock } = world.stack.cluster
  const from = clock.monotonicMs()
  const known = new Set(world.stack.cluster.aws.state.instances.map(({ id }) => id))
  const drawn = new Map<string, Partial<NodeBehaviour>>()
  let until = Number.POSITIVE_INFINITY
  behaviours.chooser = ({ id }) => {
    if (known.has(id)) return {}
    const mine = drawn.get(id) ?? (clock.monotonicMs() < until && random.next() < share ? how : {})
    drawn.set(id, mine)
    return mine
  }
  return () => {
    until = Math.max(from, clock.monotonicMs())
  }
}

function oneMachine(how: Partial<NodeBehaviour>, healed: Partial<NodeBehaviour>) {
  return (context: FaultContext): (() => void) => {
    const instance = anInstance(context)
    if (instance === undefined) return nothing
    const { behaviours } = context.world.stack.cluster
    behaviours.setInstance(instance.id, how)
    return () => behaviours.setInstance(instance.id, healed)
  }
}

async function onPods({ world, random }: FaultContext, share: number, body: object): Promise<void> {
  const { client } = world.stack.cluster
  const { items } = await client.list(pods, { namespace: 'default' })
  for (const { metadata, status } of items) {
    if (status?.phase !== 'Running' || random.next() > share) continue
    await client
      .patch(pods, { namespace: 'default', name: metadata.name }, { kind: 'merge', body })
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error
      })
  }
}

/** Either way, by so much, and back at the end. */
function jump({ world, random, invariants }: FaultContext, fromMs: number, toMs: number): () => void {
  const ms = (random.next() < 0.5 ? -1 : 1) * (fromMs + random.below(toMs - fromMs))
  const { clock } = world.stack.cluster
  invariants.allowances.clockOnly = true
  // While what the day has just begun is under way: what comes after a jump is not hurried by it.
  let setMs = 0
  const timer = clock.schedule(random.below(2 * minute), () => {
    setMs = ms
    clock.jump(ms)
  })
  return () => {
    timer.cancel()
    clock.jump(-setMs)
    invariants.allowances.clockOnly = false
  }
}

/** Deletes, as people do, the claim of a node that has such a pod. */
async function deleteAClaimWith({ world, random }: FaultContext, isWanted: (pod: Pod) => boolean): Promise<void> {
  const { client } = world.stack.cluster
  const { items } = await client.list(pods, { namespace: 'default' })
  const names = new Set(items.filter(isWanted).map(({ spec }) => spec.nodeName))
  const claims = (await client.list(nodeClaims)).items.filter(({ status }) => names.has(status?.nodeName))
  const claim = claims[random.below(Math.max(1, claims.length))]
  if (claim === undefined) return
  await client.delete(nodeClaims, { name: claim.metadata.name }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error
  })
}

async function foreignTaint(context: FaultContext): Promise<() => void> {
  const { client } = context.world.stack.cluster
  const { items } = await client.list(nodes, { labelSelector: 'karpenter.sh/registered=true' })
  const node = items[context.random.below(Math.max(1, items.length))]
  if (node === undefined) return nothing
  const taints = [...(node.spec.taints ?? []), { key: 'example.com/maintenance', effect: 'NoSchedule' as const }]
  await client.patch(nodes, { name: node.metadata.name }, { kind: 'merge', body: { spec: { taints } } })
  return () => {
    const body = { spec: { taints: node.spec.taints ?? [] } }
    void client.patch(nodes, { name: node.metadata.name }, { kind: 'merge', body }).catch(() => undefined)
  }
}

/** A pool now asks for an agent that takes its taint off new nodes, and the agent does not come before the end. */
async function startupTaint({ world, random }: FaultContext): Promise<() => void> {
  const { client, apiServer } = world.stack.cluster
  const pool = world.pools[random.below(world.pools.length)]
  if (pool === undefined) return nothing
  const startupTaints = (taints: readonly object[] | null) =>
    client.patch(
      nodePools,
      { name: pool.name },
      { kind: 'merge', body: { spec: { template: { spec: { startupTaints: taints } } } } },
    )
  // Somebody may have deleted the pool.
  await startupTaints([{ key: startupTaintKey, effect: 'NoSchedule' }]).catch(() => undefined)
  const untaint = ({ metadata, spec }: Node): void => {
    const taints = spec.taints?.filter(({ key }) => key !== startupTaintKey) ?? []
    if (taints.length === (spec.taints?.length ?? 0)) return
    // Whoever changes the taints at the same time causes another change, and so another attempt.
    const body = { metadata: { resourceVersion: metadata.resourceVersion }, spec: { taints } }
    void client.patch(nodes, { name: metadata.name }, { kind: 'merge', body }).catch(() => undefined)
  }
  return () => {
    void startupTaints(null).catch(() => undefined)
    // Claims that were made meanwhile still bring the taint when their machines join.
    apiServer.context.store.subscribe('/nodes', ({ type, object }) => {
      if (type !== 'DELETED') untaint(object as unknown as Node)
    })
    void client.list(nodes).then(({ items }) => items.forEach(untaint))
  }
}

/** As where the driver cannot detach: what is deleted stays, held by the attacher's finalizer. Somebody lets a node with volumes go. */
async function volumesStayAttached(context: FaultContext): Promise<() => void> {
  const { client, apiServer } = context.world.stack.cluster
  const holdOn = ({ metadata }: { readonly metadata: { readonly name: string } }, finalizers: readonly string[]) =>
    client
      .patch(volumeAttachments, { name: metadata.name }, { kind: 'merge', body: { metadata: { finalizers } } })
      .catch(() => undefined)
  const end = apiServer.context.store.subscribe('storage.k8s.io/volumeattachments', ({ type, object }) => {
    if (type === 'ADDED') void holdOn(object, [attacherFinalizer])
  })
  for (const attachment of (await client.list(volumeAttachments)).items) await holdOn(attachment, [attacherFinalizer])
  await deleteAClaimWith(context, ({ spec }) =>
    (spec.volumes ?? []).some(({ persistentVolumeClaim }) => persistentVolumeClaim !== undefined),
  )
  return () => {
    end()
    void client.list(volumeAttachments).then(({ items }) => {
      for (const attachment of items) void holdOn(attachment, [])
    })
  }
}

/** Clocks, machines, and what runs on them. */
export const machineFaults: readonly Fault[] = [
  inOneOf('F10', 'the wall clock jumps, or is slow', {
    minutes: (context) => jump(context, 30_000, 5 * minute),
    hour: (context) => jump(context, 5 * minute, 60 * minute),
    // Nine seconds of it take ten, until somebody sets it right.
    slow: (context) => {
      const { clock } = context.world.stack.cluster
      const { allowances } = context.invariants
      allowances.clockOnly = true
      let setMs = 0
      const end = every(context, 10_000, async () => {
        setMs -= 1_000
        clock.jump(-1_000)
      })
      return () => {
        end()
        clock.jump(-setMs)
        allowances.clockOnly = false
      }
    },
  }),
  inOneOf('F11', 'machines never join, join late, or join and turn unready', {
    never: (c) => newMachines(c, 0.5, { joins: false }),
    late: (c) => newMachines(c, 0.5, { bootMs: 10 * minute }),
    // After a claim that has not registered is given up.
    'too late': (c) => newMachines(c, 0.5, { bootMs: 16 * minute }),
    'turn unready': (c) => newMachines(c, 0.5, { flapMs: 20_000 }),
  }),
  { id: 'F12', name: 'less memory than promised', inject: (c) => newMachines(c, 1, { memoryOverhead: 0.1 }) },
  inOneOf('F13', 'a foreign taint appears, a startup taint stays', {
    foreign: foreignTaint,
    startup: startupTaint,
  }),
  inOneOf('F14', 'pods hang in termination, or are deleted by force', {
    hang: oneMachine({ podsHang: true }, { podsHang: false }),
    'by force': async ({ world, random }) => {
      const { client } = world.stack.cluster
      const { items } = await client.list(pods, { namespace: 'default' })
      for (const { metadata } of items) {
        if (random.next() > 0.3) continue
        const key = { namespace: 'default', name: metadata.name }
        await client.delete(pods, key, { gracePeriodSeconds: 0 }).catch((error: unknown) => {
          if (!isNotFound(error)) throw error
        })
      }
      return nothing
    },
  }),
  inOneOf('F15', 'a budget of zero, two budgets for the same pods', {
    zero: async ({ world, random }) => {
      const { client } = world.stack.cluster
      const shape = world.shapes[random.below(world.shapes.length)]
      if (shape === undefined) return nothing
      const key = { namespace: 'default', name: shape.name }
      await client.patch(podDisruptionBudgets, key, { kind: 'merge', body: { spec: { maxUnavailable: 0 } } })
      return () => {
        const body = { spec: { maxUnavailable: shape.maxUnavailable ?? '25%' } }
        void client.patch(podDisruptionBudgets, key, { kind: 'merge', body }).catch(() => undefined)
      }
    },
    // Each evicts generously; both together make the API server answer every eviction with 500.
    overlapping: async (context) => {
      const { world, random } = context
      const { client } = world.stack.cluster
      const shape = world.shapes[random.below(world.shapes.length)]
      if (shape === undefined) return nothing
      const { spec } = aBudget({ ...shape, maxUnavailable: '100%' })
      const key = { namespace: 'default', name: `${shape.name}-again` }
      await client.create(podDisruptionBudgets, {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: key,
        spec,
      })
      // Amid what has been decided, too: a node whose pods were free to go is on its way.
      await deleteAClaimWith(context, ({ metadata }) => metadata.labels?.['app'] === shape.name)
      return () => void client.delete(podDisruptionBudgets, key).catch(() => undefined)
    },
  }),
  {
    id: 'F16',
    name: 'do-not-disrupt appears on running pods',
    inject: async (context) => {
      await onPods(context, 0.3, { metadata: { annotations: { [annotationDoNotDisrupt]: 'true' } } })
      return () =>
        void onPods(context, 1, { metadata: { annotations: { [annotationDoNotDisrupt]: null } } }).catch(
          () => undefined,
        )
    },
  },
  {
    id: 'F17',
    name: 'bare pods come while nodes are looked at',
    inject: async ({ world, random }) => {
      const { client } = world.stack.cluster
      for (let index = 0; index < 5; index += 1) {
        await client.create(pods, {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: `bare-${random.nameSuffix(6)}`, namespace: 'default' },
          spec: { containers: [{ name: 'app', image: 'pause', resources: { requests: { cpu: '250m' } } }] },
        })
      }
      return () => {
        void client
          .list(pods, { namespace: 'default' })
          .then(async ({ items }) => {
            for (const { metadata } of items) {
              if (metadata.name.startsWith('bare-'))
                await client.delete(pods, { namespace: 'default', name: metadata.name })
            }
          })
          .catch(() => undefined)
      }
    },
  },
  inOneOf('F18', 'a machine goes silent with its volumes, volumes are not detached', {
    silent: oneMachine({ responds: false }, { responds: true }),
    attached: volumesStayAttached,
  }),
  {
    id: 'F40',
    name: 'the next machine has the address, and so the node name, of one that somebody ended',
    inject: (context) => {
      const ended = anInstance(context)
      if (ended === undefined) return nothing
      const { aws } = context.world.stack.cluster
      let heir: string | undefined
      const end = aws.onInstance(({ instance }) => {
        if (heir !== undefined || instance.launchedAt <= ended.launchedAt || instance.state !== 'pending') return
        heir = instance.id
        instance.privateIP = ended.privateIP
      })
      aws.terminateOutOfBand(ended.id)
      return end
    },
  },
]
