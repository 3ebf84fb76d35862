import { nodeClassLabelKey } from '../../api/labels.ts'
import type { CloudProvider } from '../../cloud/provider.ts'
import { type Caches, type Controller, done, source } from '../../kube/controller.ts'
import { nodeClaims } from '../../kube/karpenter-kinds.ts'
import type { KubeClient } from '../../kube/port.ts'
import { keyOf } from '../../kube/resource.ts'
import { unlessRaceIsLost } from '../lost-race.ts'
import { scaledConcurrency } from '../concurrency.ts'
import { isManagedClaim } from './lookup.ts'

/** Gives claims from before the NodeClass label existed that label. */
export function nodeClaimHydration(deps: {
  readonly kube: KubeClient
  readonly caches: Caches
  readonly cloud: Pick<CloudProvider, 'nodeClassKinds'>
  readonly cpuMilli: number
}): Controller {
  const claims = deps.caches.of(nodeClaims)
  return {
    name: 'nodeclaim.hydration',
    kind: { group: 'karpenter.sh', kind: 'NodeClaim' },
    sources: [source(nodeClaims, ({ after }) => (after === undefined ? [] : [keyOf(after)]))],
    concurrency: scaledConcurrency(10, 1_000, deps.cpuMilli),
    rateLimit: { baseMs: 100, maxMs: 60_000, perSecond: 10, burst: 100 },
    async reconcile(key) {
      const claim = claims.get(key)
      if (claim === undefined || !isManagedClaim(claim, deps.cloud)) return done
      const label = nodeClassLabelKey(claim.spec.nodeClassRef)
      const { name } = claim.spec.nodeClassRef
      if (claim.metadata.labels?.[label] === name) return done
      return unlessRaceIsLost(async () => {
        await deps.kube.patch(nodeClaims, key, { kind: 'merge', body: { metadata: { labels: { [label]: name } } } })
        return done
      })
    },
  }
}
