import { conditionIn } from '../../api/conditions.ts'
import type { Node, NodeCondition } from '../../api/kubernetes.ts'
import { type Controller, done, type ReconcileResult, requeueAfter, source } from '../../kube/controller.ts'
import { hasCode, isConflict, isNotFound } from '../../kube/errors.ts'
import { nodes } from '../../kube/kinds.ts'
import { parseTimestamp, toTimestamp } from '../../model/clock.ts'
import type { TypeFacts } from '../aws/catalogue.ts'
import type { SimulatedAWS } from '../aws/simulated-aws.ts'
import type { InstanceRecord } from '../aws/state.ts'
import type { EmbeddedDeps } from '../deps.ts'
import type { Behaviours, NodeBehaviour } from './behaviour.ts'
import { newNode } from './new-node.ts'
import { createCSINode, createLease } from './node-companions.ts'
import { conditionsOf } from './node-conditions.ts'
import { extendedResources } from './node-resources.ts'

export interface NodeAgentDeps extends EmbeddedDeps {
  readonly aws: SimulatedAWS
  readonly behaviours: Behaviours
  readonly kubernetesVersion: string
  /** Whether kubelets also write that all is as it was. Nobody looks in virtual time, and a quiet hour would consist of little else. */
  readonly heartbeats: boolean
}

/** After so long a kubelet reports a status that has not changed: its `nodeStatusReportFrequency`. */
const reportEveryMs = 300_000
/**
 * The part of each machine's kubelet that looks after its Node: registers it some time after the instance runs, reports its
 * resources and conditions. That one falls silent the node lifecycle controller is told directly (`isSilent`), so nothing in here depends
 * on heartbeats.
 */
export function createNodeAgent(deps: NodeAgentDeps): Controller {
  const { aws, behaviours, caches } = deps
  const instanceKey = (id: string) => ({ name: id })
  return {
    name: 'embedded.kubelet.node',
    sources: [
      source(nodes, (change) => {
        const id = instanceIDOf((change.after ?? change.before).spec.providerID)
        return id === undefined ? [] : [instanceKey(id)]
      }),
    ],
    triggers: [
      (enqueue) => {
        for (const { id } of aws.state.instances) enqueue(instanceKey(id))
        return aws.onInstance(({ instance }) => enqueue(instanceKey(instance.id)))
      },
      (enqueue) =>
        behaviours.subscribe(() => {
          for (const { id } of aws.state.instances) enqueue(instanceKey(id))
        }),
    ],
    concurrency: 1,
    async reconcile({ name: id }) {
      const instance = aws.account.instance(id)
      if (instance === undefined || instance.state !== 'running') return done
      const facts = aws.account.type(instance.type)
      const behaviour = behaviours.of(instance)
      if (facts === undefined || !behaviour.joins || !behaviour.responds) return done
      const wait = instance.launchedAt + behaviour.bootMs - deps.clock.now()
      if (wait > 0) return requeueAfter(wait)
      const node = caches.of(nodes).get({ name: aws.nodeName(instance) })
      if (node !== undefined && instanceIDOf(node.spec.providerID) === id) {
        return report(deps, node, instance, facts, behaviour)
      }
      // A kubelet whose Node was deleted does not come back by itself.
      if (behaviours.state.registered[id] !== undefined) return done
      return register(deps, instance, facts, behaviour)
    },
  }
}

/** Whether nobody has heard of the node's kubelet for a while: its machine is gone, hangs, or is cut off. */
export function isSilent(deps: NodeAgentDeps, node: Node): boolean {
  const id = instanceIDOf(node.spec.providerID)
  if (id === undefined) return false
  const instance = deps.aws.account.instance(id)
  return instance === undefined || instance.state !== 'running' || !deps.behaviours.of(instance).responds
}

export function instanceIDOf(providerID: string | undefined): string | undefined {
  return providerID === undefined ? undefined : /^aws:\/\/\/[^/]*\/(i-[0-9a-z]+)$/.exec(providerID)?.[1]
}

async function register(
  deps: NodeAgentDeps,
  instance: InstanceRecord,
  facts: TypeFacts,
  behaviour: NodeBehaviour,
): Promise<ReconcileResult> {
  const { client, behaviours, clock } = deps
  const node = newNode(deps, instance, facts, behaviour)
  try {
    const created = await client.create(nodes, node)
    // Where the status is a subresource of its own, creating does not set it.
    if (created.status?.capacity === undefined) await patchStatus(deps, node.metadata.name ?? '', node.status ?? {})
    behaviours.state.registered[instance.id] = clock.now()
    await Promise.all([createLease(deps, created), createCSINode(deps, created, instance, facts)])
    return requeueAfter(behaviour.readyMs)
  } catch (error) {
    // Another machine had this address, and its Node is still being taken down.
    if (hasCode(error, 'AlreadyExists')) return requeueAfter(10_000)
    throw error
  }
}

/** Brings the node's status to what the machine is like now. */
async function report(
  deps: NodeAgentDeps,
  node: Node,
  instance: InstanceRecord,
  facts: TypeFacts,
  behaviour: NodeBehaviour,
): Promise<ReconcileResult> {
  const { behaviours, clock } = deps
  const registeredAt = (behaviours.state.registered[instance.id] ??= clock.now())
  const readyIn = registeredAt + behaviour.readyMs - clock.now()
  const devicesIn = registeredAt + behaviour.devicesMs - clock.now()
  // Over for good, wherever the clock is set to; machines that flap go on from there.
  if (readyIn <= 0 && devicesIn <= 0 && behaviour.flapMs <= 0) behaviours.state.registered[instance.id] = 0
  const now = toTimestamp(clock.now())
  const flap = flapOf(behaviour, -readyIn)
  const healthy = behaviour.healthy && behaviour.becomesReady && readyIn <= 0 && flap.up
  const before = node.status?.conditions ?? []
  const conditions = conditionsOf({ ...behaviour, healthy }, before, now)
  const reportIn = deps.heartbeats ? reportedAt(before) + reportEveryMs - clock.now() : Number.POSITIVE_INFINITY
  const status: Record<string, unknown> = {}
  if (reportIn <= 0 || textOf(conditions) !== textOf(before)) status['conditions'] = conditions
  const os = node.metadata.labels?.['kubernetes.io/os'] === 'windows' ? 'windows' : 'linux'
  const devices = devicesIn <= 0 ? extendedResources(facts, instance, os) : {}
  if (Object.entries(devices).some(([name, count]) => node.status?.allocatable?.[name] !== count)) {
    status['capacity'] = devices
    status['allocatable'] = devices
  }
  if (Object.keys(status).length > 0) {
    try {
      await patchStatus(deps, node.metadata.name, status)
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error
    }
  }
  const nextReportIn = reportIn <= 0 ? reportEveryMs : reportIn
  const wait = Math.min(...[readyIn, devicesIn, flap.changesIn, nextReportIn].filter((each) => each > 0))
  return Number.isFinite(wait) ? requeueAfter(wait) : done
}

/** Whether a machine that flaps is up after it has been ready for so long, and when that changes; 0 when it does not. */
function flapOf({ flapMs }: NodeBehaviour, readyForMs: number): { readonly up: boolean; readonly changesIn: number } {
  if (flapMs <= 0 || readyForMs < 0) return { up: true, changesIn: 0 }
  return { up: Math.floor(readyForMs / flapMs) % 2 === 0, changesIn: flapMs - (readyForMs % flapMs) }
}

async function patchStatus({ client }: NodeAgentDeps, name: string, status: object): Promise<void> {
  await client.patch(nodes, { name }, { kind: 'merge', body: { status } }, { subresource: 'status' })
}

/** When the kubelet last wrote its conditions; long ago when it never did. */
function reportedAt(conditions: readonly Partial<NodeCondition>[]): number {
  return parseTimestamp(conditionIn(conditions, 'Ready')?.lastHeartbeatTime) ?? 0
}

/** What the conditions say, by which two reports are compared. */
function textOf(conditions: readonly Partial<NodeCondition>[]): string {
  return JSON.stringify(conditions.map(({ lastHeartbeatTime: _heard, ...told }) => told))
}
