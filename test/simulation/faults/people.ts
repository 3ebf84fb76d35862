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

/** The pools as one of two revisions of their template has them. */
async function applyPools({ world }: FaultContext, fieldManager: string, revision: 'old' | 'new'): Promise<void> {
  const { client } = world.stack.cluster
  for (const shape of world.pools) {
    const pool = aPool(shape)
    const labels = { ...pool.spec.template.metadata?.labels, revision }
    const template = { ...pool.spec.template, metadata: { labels } }
    const body = { ...pool, spec: { ...pool.spec, template } }
    await client.patch(nodePools, { name: shape.name }, { kind: 'apply', body, force: true }, { fieldManager })
  }
}

const applyEveryMs = 5_000
const releaseEveryMs = 47_000

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
      invariants.allowances.policyEditedAt = clock.monotonicMs()
      const key = { name: pool.name }
      await client.patch(nodePools, key, { kind: 'merge', body: { spec: { limits: { cpu: '8' } } } })
      const { items } = await client.list(nodeClaims)
      const claim = items[random.below(Math.max(1, items.length))]
      if (claim !== undefined) await client.delete(nodeClaims, { name: claim.metadata.name }).catch(() => undefined)
      return () => {
        invariants.allowances.policyEditedAt = clock.monotonicMs()
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
  inOneOf('F37', 'a GitOps tool applies manifests every 5 s, old ones too, and prunes', {
    same: (context) => every(context, applyEveryMs, () => applyManifests(context)),
    // Whoever releases the new ones finds them undone and applies them again.
    old: (context) => {
      const endOld = every(context, applyEveryMs, () => applyPools(context, 'argocd-controller', 'old'))
      const endNew = every(context, releaseEveryMs, () => applyPools(context, 'pipeline', 'new'))
      return () => {
        endOld()
        endNew()
        void applyManifests(context)
          .then(() => applyPools(context, 'pipeline', 'new'))
          .catch(() => undefined)
      }
    },
    // The last pool is not in what it has been given, and is there again afterwards.
    prunes: async (context) => {
      const { client, clock } = context.world.stack.cluster
      const { allowances } = context.invariants
      const pool = context.world.pools.at(-1)
      if (pool === undefined) return nothing
      allowances.policyEditedAt = clock.monotonicMs()
      await client.delete(nodePools, { name: pool.name }).catch(() => undefined)
      return () => {
        allowances.policyEditedAt = clock.monotonicMs()
        void applyManifests(context).catch(() => undefined)
      }
    },
  }),
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
