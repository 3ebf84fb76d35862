import type { NodeClaim } from '../../api/karpenter.ts'
import { instanceIDOf } from '../../cloud/aws/instance/ec2-instance.ts'
import {
  clusterNameTag,
  clusterNameTaggedAnnotation,
  nameTag,
  nodeClaimKey,
  taggedAnnotation,
} from '../../cloud/aws/keys.ts'
import { NodeClaimNotFoundError } from '../../cloud/provider.ts'
import { type Controller, done, source } from '../../kube/controller.ts'
import { isNotFound } from '../../kube/errors.ts'
import { nodeClaims } from '../../kube/karpenter-kinds.ts'
import { keyOf } from '../../kube/resource.ts'
import { type AWSControllerDeps, isOurClaim } from './deps.ts'

/** CreateTags is a call that EC2 throttles early, and nobody waits for these tags. */
const pauseMs = 1_000

/** Names instances in EC2 after their node and claim, once the node is known. */
export function taggingController(
  deps: Pick<AWSControllerDeps, 'kube' | 'caches' | 'clock' | 'cloud' | 'settings'>,
): Controller {
  const claims = deps.caches.of(nodeClaims)
  return {
    name: 'nodeclaim.tagging',
    kind: { group: 'karpenter.sh', kind: 'NodeClaim' },
    concurrency: 1,
    sources: [source(nodeClaims, ({ after }) => (after === undefined || !isTaggable(after) ? [] : [keyOf(after)]))],
    async reconcile(key, { log, signal }) {
      const claim = claims.get(key)
      if (claim === undefined || !isTaggable(claim)) return done
      const id = instanceIDOf(claim.status?.providerID)
      if (id === undefined) {
        log.error({ 'provider-id': claim.status?.providerID }, 'failed parsing instance id')
        return done
      }
      try {
        if (await tag(deps, claim, id)) await deps.clock.sleep(pauseMs, signal)
        const annotations = { [taggedAnnotation]: 'true', [clusterNameTaggedAnnotation]: 'true' }
        await deps.kube.patch(nodeClaims, key, { kind: 'merge', body: { metadata: { annotations } } })
      } catch (error) {
        if (!(error instanceof NodeClaimNotFoundError) && !isNotFound(error)) throw error
      }
      return done
    },
  }
}

function isTaggable(claim: NodeClaim): boolean {
  const { annotations = {}, deletionTimestamp } = claim.metadata
  const tagged = annotations[taggedAnnotation] !== undefined && annotations[clusterNameTaggedAnnotation] !== undefined
  return isOurClaim(claim) && (claim.status?.nodeName ?? '') !== '' && deletionTimestamp === undefined && !tagged
}

/** Whether anything was missing. */
async function tag(
  { cloud, settings }: Pick<AWSControllerDeps, 'cloud' | 'settings'>,
  claim: NodeClaim,
  id: string,
): Promise<boolean> {
  const instance = await cloud.instances.get(id, 'fresh')
  const wanted = {
    [nameTag]: claim.status?.nodeName ?? '',
    [nodeClaimKey]: claim.metadata.name,
    [clusterNameTag]: settings.clusterName,
  }
  const missing = Object.entries(wanted).filter(([key]) => !Object.hasOwn(instance.tags, key))
  if (missing.length === 0) return false
  await cloud.instances.createTags(id, Object.fromEntries(missing))
  return true
}
