import { nodeClassLabelKey } from '../../api/labels.ts'
import type { CloudProvider } from '../../cloud/provider.ts'
import { type Caches, type Controller, done, source } from '../../kube/controller.ts'
import { nodeClaims } from '../../kube/karpenter-kinds.ts'
import { nodes } from '../../kube/kinds.ts'
import type { KubeClient } from '../../kube/port.ts'
import { keyOf } from '../../kube/resource.ts'
import { unlessRaceIsLost } from '../lost-race.ts'
import { scaledConcurrency } from '../concurrency.ts'
import { isManagedClaim, machineLookup } from '../nodeclaim/lookup.ts'

/** Gives nodes from before the NodeClass label existed that label, from their claim. */
export function nodeHydration(deps: {
  readonly kube: KubeClient
  readonly caches: Caches
  readonly cloud: Pick<CloudProvider, 'nodeClassKinds'>
  readonly cpuMilli: number
}): Controller {
  const lookup = machineLookup(deps.caches)
  return {
    name: 'node.hydration',
    kind: { group: '', kind: 'Node' },
    sources: [
      source(nodes, ({ after }) => (after === undefined ? [] : [keyOf(after)])),
      source(nodeClaims, ({ after }) => (after === undefined ? [] : lookup.nodesOf(after).map(keyOf))),
    ],
    concurrency: scaledConcurrency(10, 1_000, deps.cpuMilli),
    rateLimit: { baseMs: 100, maxMs: 60_000, perSecond: 10, burst: 100 },
    async reconcile(key) {
      const node = lookup.nodes.get(key)
      const claim = node === undefined ? undefined : lookup.onlyClaimOf(node)
      if (node === undefined || claim === undefined || !isManagedClaim(claim, deps.cloud)) return done
      const label = nodeClassLabelKey(claim.spec.nodeClassRef)
      const { name } = claim.spec.nodeClassRef
      if (node.metadata.labels?.[label] === name) return done
      return unlessRaceIsLost(async () => {
        await deps.kube.patch(nodes, key, { kind: 'merge', body: { metadata: { labels: { [label]: name } } } })
        return done
      })
    },
  }
}
