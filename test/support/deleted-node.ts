import type { NodeClaim } from '../../src/api/karpenter.ts'
import type { Node, Pod, Unsaved } from '../../src/api/kubernetes.ts'
import { evictionQueue, nodeTermination } from '../../src/controllers/node/index.ts'
import { machineLookup } from '../../src/controllers/nodeclaim/index.ts'
import { nodeClaims } from '../../src/kube/karpenter-kinds.ts'
import { nodes, pods } from '../../src/kube/kinds.ts'
import type { DeleteOptions } from '../../src/kube/port.ts'
import { toTimestamp } from '../../src/model/clock.ts'
import { aClaim, aNode, trueCondition } from './controller-builders.ts'
import { aControllerWorld } from './controller-world.ts'

export const finalizers = ['karpenter.sh/termination']
export const nodeKey = { name: 'n1' }
export const claimKey = { name: 'c1' }
export const providerID = 'aws:///us-west-2a/i-1'
export const labels = { 'karpenter.sh/nodepool': 'default', 'karpenter.k8s.aws/ec2nodeclass': 'default' }

interface Setup {
  readonly pods?: readonly Unsaved<Pod>[]
  readonly taints?: Node['spec']['taints']
  readonly claim?: 'none' | Partial<NodeClaim['spec']>
  /** From now on, in seconds; written as the claim's annotation. */
  readonly terminationInSeconds?: number
  /** Written as it is instead. */
  readonly terminationTime?: string
  readonly ready?: 'True' | 'False'
  readonly instance?: 'running' | 'gone'
  readonly terminationMs?: number
}

/** A node that has just been deleted, and the controllers that take it apart. */
export async function deletedNode({ pods: onNode = [], claim = {}, instance = 'running', ...more }: Setup = {}) {
  const world = aControllerWorld()
  const deletions: { name: string; options: DeleteOptions | undefined }[] = []
  const original = world.kube.delete.bind(world.kube)
  world.kube.delete = async (resource, key, options) => {
    if (resource.plural === 'pods') deletions.push({ name: key.name, options })
    await original(resource, key, options)
  }
  world.cloud.terminationMs = more.terminationMs ?? 0
  if (claim !== 'none') {
    const time =
      more.terminationInSeconds === undefined
        ? more.terminationTime
        : toTimestamp(world.clock.now() + more.terminationInSeconds * 1_000)
    const annotations: Record<string, string> =
      time === undefined ? {} : { 'karpenter.sh/nodeclaim-termination-timestamp': time }
    await world.kube.create(
      nodeClaims,
      aClaim('c1', {
        metadata: { finalizers, labels, annotations },
        spec: claim,
        status: { providerID, conditions: [trueCondition('Launched'), trueCondition('Registered')] },
      }),
    )
  }
  if (instance === 'running') {
    await world.cloud.create({
      ...(await world.kube.list(nodeClaims)).items[0],
      ...(aClaim() as NodeClaim),
    })
  }
  await world.kube.create(
    nodes,
    aNode('n1', { metadata: { finalizers, labels }, taints: more.taints ?? [], ready: more.ready ?? 'True' }),
  )
  for (const pod of onNode) {
    await world.kube.create(pods, { ...pod, spec: { ...pod.spec, nodeName: 'n1' } })
  }
  const lookup = machineLookup(world.caches)
  const queue = evictionQueue({ ...world, lookup })
  await world.start(queue.controller, nodeTermination({ ...world, evictions: queue }))
  await world.kube.delete(nodes, nodeKey)
  const podNames = async () => (await world.kube.list(pods)).items.map((pod) => pod.metadata.name)
  return { world, queue, deletions, podNames }
}

export const appKey = { namespace: 'default', name: 'app' }
export const nameOf = ({ object }: { readonly object: { readonly metadata: { readonly name: string } } }) =>
  object.metadata.name
export const doNotDisrupt = { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }
export const disruptedKey = 'karpenter.sh/disrupted'
export const untilDisrupted = [{ key: disruptedKey, operator: 'Exists', effect: 'NoSchedule' }] as const
