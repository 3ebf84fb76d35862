import { TerminateInstancesCommand } from '@aws-sdk/client-ec2'
import { conditionOf } from '../../../src/api/conditions.ts'
import type { NodeClaim } from '../../../src/api/karpenter.ts'
import { labelRegistered } from '../../../src/api/labels.ts'
import type { Node, VolumeAttachment } from '../../../src/api/kubernetes.ts'
import { ec2NodeClasses, nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { deployments, nodes, pods, volumeAttachments } from '../../../src/kube/kinds.ts'
import { isConflict } from '../../../src/kube/errors.ts'
import type { KubeClient } from '../../../src/kube/port.ts'
import { eventually } from '../support/eventually.ts'
import { aNodeClass } from '../support/fleet-manifests.ts'
import type { InterruptionBus } from '../support/interruption-bus.ts'
import type { MotoAccount } from '../support/moto-account.ts'
import type { ComparedFleet, Hands } from './compared-fleet.ts'
import { workloadOf, standaloneClaimOf } from './fleet-objects.ts'

/** After it a pool that was edited has been judged; until then pods have no place in it. */
const judgedSeconds = 8

export interface World {
  readonly kube: KubeClient
  readonly account: MotoAccount
  readonly bus: InterruptionBus
}

/** Does to one fleet what people and AWS do. */
export function handsOn(fleet: ComparedFleet, { kube, account, bus }: World): Hands {
  const { name, hasClass = false } = fleet
  const ownNodes = async (): Promise<readonly Node[]> =>
    (await kube.list(nodes, { labelSelector: `fleet=${name}` })).items
  const instances = async (): Promise<readonly string[]> =>
    (await account.liveInstances())
      .filter(({ Tags = [] }) => Tags.some(({ Key, Value }) => Key === 'karpenter.sh/nodepool' && Value === name))
      .map(({ InstanceId = '' }) => InstanceId)
  const ownClass = (): { readonly name: string } => {
    if (!hasClass) throw new Error(`${name} has no class of its own`)
    return { name }
  }
  const patchPool: Hands['patchPool'] = (spec) => kube.patch(nodePools, { name }, merge({ spec }))
  const start: Hands['start'] = (group) => kube.create(deployments, workloadOf(name, group))
  return {
    patchPool,
    start,
    consolidateSoon: async (disruption = {}) => {
      const [claim] = await claimsOf(kube, name)
      const initialized = claim && conditionOf(claim, 'Initialized')?.lastTransitionTime
      const since = Date.parse(claim?.status?.lastPodEventTime ?? initialized ?? '')
      const consolidateAfter = `${Math.ceil((Date.now() - since) / 1_000) + judgedSeconds}s`
      await patchPool({ disruption: { ...disruption, consolidateAfter } })
    },
    release: async (release) => {
      const { spec } = aNodeClass(release)
      await kube.patch(ec2NodeClasses, ownClass(), merge({ spec: { amiSelectorTerms: spec?.amiSelectorTerms } }))
    },
    remove: async (group) => {
      await kube.delete(deployments, { namespace: 'default', name: `${name}-${group}` })
      await eventually(`${name} has no pods of ${group}`, async () => {
        const { items } = await kube.list(pods, { namespace: 'default', labelSelector: `app=${name}-${group}` })
        return items.length === 0
      })
    },
    patchNodes: async (metadata) => {
      for (const node of await ownNodes()) await kube.patch(nodes, { name: node.metadata.name }, merge({ metadata }))
    },
    untaint: async (key) => {
      const isTainted = ({ spec }: Node): boolean => spec.taints?.some((taint) => taint.key === key) === true
      let found = false
      await eventually(`${name} has a registered node, without taint ${key}`, async () => {
        const registered = (await ownNodes()).filter(({ metadata }) => metadata.labels?.[labelRegistered] === 'true')
        found ||= registered.length > 0
        const tainted = registered.filter(isTainted)
        for (const { metadata, spec } of tainted) {
          const { name: nodeName, resourceVersion } = metadata
          const taints = spec.taints?.filter((taint) => taint.key !== key)
          const patch = merge({ metadata: { resourceVersion }, spec: { taints } })
          await kube.patch(nodes, { name: nodeName }, patch).catch(unlessConflict)
        }
        return found && tainted.length === 0
      })
    },
    add: async (group) => {
      await start(group)
      await eventually(`the pods of ${group.name} run`, () => runs(kube, name, `${name}-${group.name}`))
    },
    sayOfNodes: async (condition) => {
      const body = { status: { conditions: [condition] } }
      for (const { metadata } of await ownNodes()) {
        await kube.patch(nodes, { name: metadata.name }, { kind: 'strategic', body }, { subresource: 'status' })
      }
    },
    deleteClaims: async () => {
      for (const claim of await claimsOf(kube, name)) await kube.delete(nodeClaims, { name: claim.metadata.name })
    },
    deleteNodes: async () => {
      for (const node of await ownNodes()) await kube.delete(nodes, { name: node.metadata.name })
    },
    deletePool: () => kube.delete(nodePools, { name }),
    deleteClass: async () => kube.delete(ec2NodeClasses, ownClass()),
    attachVolume: async () => {
      for (const node of await ownNodes()) await kube.create(volumeAttachments, attachmentTo(node, name))
    },
    claim: () => kube.create(nodeClaims, standaloneClaimOf(fleet)),
    terminateInstances: async () =>
      account.ec2.send(new TerminateInstancesCommand({ InstanceIds: [...(await instances())] })),
    loseNodes: async () => {
      for (const { metadata } of await ownNodes()) {
        await kube.patch(nodes, { name: metadata.name }, merge({ metadata: { finalizers: null } }))
        await kube.delete(nodes, { name: metadata.name })
      }
    },
    mistake: async (providerID) => {
      for (const { metadata } of await claimsOf(kube, name)) {
        const patch = merge({ status: { providerID } })
        await kube.patch(nodeClaims, { name: metadata.name }, patch, { subresource: 'status' })
      }
    },
    publish: async (event) => bus.publish(event((await instances())[0] ?? 'none')),
    send: async (message) => bus.queue.send(JSON.stringify(message((await instances())[0] ?? 'none'))),
  }
}

export async function claimsOf(kube: KubeClient, fleet: string): Promise<readonly NodeClaim[]> {
  return (await kube.list(nodeClaims, { labelSelector: `fleet=${fleet}` })).items
}

/** Whether all pods of a fleet, or of one of its Deployments, are ready. */
export async function runs(kube: KubeClient, fleet: string, app?: string): Promise<boolean> {
  const { items } = await kube.list(deployments, { namespace: 'default', labelSelector: `fleet=${fleet}` })
  return items
    .filter(({ metadata }) => app === undefined || metadata.name === app)
    .every(({ spec, status }) => status?.readyReplicas === spec?.replicas)
}

export function merge(body: object) {
  return { kind: 'merge' as const, body }
}

function unlessConflict(error: unknown): void {
  if (!isConflict(error)) throw error
}

/** Which nobody detaches: a driver holds on to it. */
function attachmentTo({ metadata: { name: nodeName } }: Node, name: string): VolumeAttachment {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name: `volume-of-${name}`, finalizers: ['external-attacher/driver-example-com'] },
    spec: { attacher: 'driver.example.com', nodeName, source: { persistentVolumeName: `volume-of-${name}` } },
  } as VolumeAttachment
}
