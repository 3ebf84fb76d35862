import { messageOf } from '../api/error-text.ts'
import type { NodePool } from '../api/karpenter.ts'
import type { CloudProvider } from '../cloud/provider.ts'
import type { InstanceTypeList } from '../model/snapshot.ts'

/** Where snapshots get a pool's instance types from: the cloud, or NodeOverlay's evaluation on top of it. */
export type InstanceTypeSource = (pool: NodePool) => Promise<InstanceTypeList>

export function instanceTypesFromCloud(cloud: Pick<CloudProvider, 'getInstanceTypes'>): InstanceTypeSource {
  return async (pool) => {
    try {
      return { kind: 'resolved', types: await cloud.getInstanceTypes(pool) }
    } catch (error) {
      return { kind: 'unresolved', error: messageOf(error) }
    }
  }
}

/** Of all pools at once; results are in the order of the pools whatever order they arrive in. */
export async function gatherInstanceTypes(
  pools: readonly NodePool[],
  source: InstanceTypeSource,
): Promise<ReadonlyMap<string, InstanceTypeList>> {
  const lists = await Promise.all(pools.map(source))
  return new Map(
    pools.map((pool, index) => [
      pool.metadata.name,
      lists[index] ?? { kind: 'unresolved', error: 'no instance types were listed' },
    ]),
  )
}
