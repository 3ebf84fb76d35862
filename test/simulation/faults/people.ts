import { nodeClaims, nodePools, ec2NodeClasses } from '../../../src/kube/karpenter-kinds.ts'
import { deployments } from '../../../src/kube/kinds.ts'
import { aNodeClass, aPool } from '../objects.ts'
import { every, type Fault, type FaultContext, inOneOf, nothing } from './fault.ts'

/** What a GitOps tool does with the manifests of a world. */
export async function applyManifests({ world }: FaultContext): Promise<void> {
  const { client } = world.stack.cluster
  const git = { fieldManager: 'argocd-controller' }
  await client.patch(ec2NodeClasses, { name: 'default' }, { kind: 'apply', body: aNodeClass(), force: true }, git)
  for (const pool of world.pools) {
    await client.patch(nodePools, { name: pool.name }, { kind: 'apply', body: aPool(pool), force: true }, git)
  }
}

/** What people and their tools do at the wrong moment. */
export const peopleFaults: readonly Fault[] = [
  {
    id: 'F19',
    name: 'a workload oscillates',
    inject: (context) => {
      let high = false
      return every(context, 45_000, async () => {
        high = !high
        const body = { spec: { replicas: high ? 30 : 4 } }
        await context.world.stack.cluster.client.patch(
          deployments,
          { namespace: 'default', name: 'web' },
          { kind: 'merge', body },
        )
      })
    },
  },
  inOneOf('F20', 'limits are cut and claims deleted, or the class edited, amid a launch', {
    'limits and claims': async ({ world, invariants, random }) => {
      const { client, clock } = world.stack.cluster
      const [pool] = world.pools
      if (pool === undefined) return nothing
      invariants.allowances.policyEditedAt = clock.now()
      const key = { name: pool.name }
      await client.patch(nodePools, key, { kind: 'merge', body: { spec: { limits: { cpu: '8' } } } })
      const { items } = await client.list(nodeClaims)
      const claim = items[random.below(Math.max(1, items.length))]
      if (claim !== undefined) await client.delete(nodeClaims, { name: claim.metadata.name }).catch(() => undefined)
      return () => {
        invariants.allowances.policyEditedAt = clock.now()
        const body = { spec: { limits: { cpu: pool.cpu ?? '400' } } }
        void client.patch(nodePools, key, { kind: 'merge', body }).catch(() => undefined)
      }
    },
    class: async ({ world }) => {
      const { client } = world.stack.cluster
      const tagged = (tags: object | null) =>
        client.patch(ec2NodeClasses, { name: 'default' }, { kind: 'merge', body: { spec: { tags } } })
      await tagged({ team: 'nodes' })
      return () => void tagged(null).catch(() => undefined)
    },
  }),
  {
    id: 'F37',
    name: 'a GitOps tool applies the same manifests every 5 s',
    inject: (context) => every(context, 5_000, () => applyManifests(context)),
  },
  {
    id: 'F38',
    name: 'hashes of another version on every claim',
    inject: async ({ world }) => {
      const { client } = world.stack.cluster
      const { items } = await client.list(nodeClaims)
      const annotations = { 'karpenter.sh/nodepool-hash': '1', 'karpenter.sh/nodepool-hash-version': 'v1' }
      for (const { metadata } of items) {
        await client
          .patch(nodeClaims, { name: metadata.name }, { kind: 'merge', body: { metadata: { annotations } } })
          .catch(() => undefined)
      }
      return nothing
    },
  },
]
