import type { Node } from '../../api/kubernetes.ts'
import { amiFor } from '../../cloud/aws/ami/map-types.ts'
import { instanceTypeKey, nodeClassKey, registeredKey } from '../../cloud/aws/keys.ts'
import { type Change, type Controller, done, source } from '../../kube/controller.ts'
import { ec2NodeClasses, nodeClaims } from '../../kube/karpenter-kinds.ts'
import { nodes } from '../../kube/kinds.ts'
import { keyOf } from '../../kube/resource.ts'
import { tryParseQuantity } from '../../model/quantity.ts'
import { claimsByProviderID } from '../claim-indexes.ts'
import type { AWSControllerDeps } from './deps.ts'

/** Learns from nodes how much memory a type really has under the image it boots today. */
export function memoryDiscoveryController(deps: Pick<AWSControllerDeps, 'caches' | 'cloud'>): Controller {
  const claimsAt = claimsByProviderID(deps.caches.of(nodeClaims))
  const nodeCache = deps.caches.of(nodes)
  const classes = deps.caches.of(ec2NodeClasses)
  return {
    name: 'providers.instancetype.capacity',
    kind: { group: '', kind: 'Node' },
    concurrency: 1,
    sources: [source(nodes, (change) => (justRegistered(change) ? [keyOf(change.after)] : []))],
    async reconcile(key, { log }) {
      const node = nodeCache.get(key)
      const claim = node?.spec.providerID === undefined ? undefined : claimsAt(node.spec.providerID)[0]
      const nodeClass = classes.get({ name: claim?.spec.nodeClassRef.name ?? '' })
      const typeName = node?.metadata.labels?.[instanceTypeKey]
      if (node === undefined || claim === undefined || nodeClass === undefined || typeName === undefined) return done
      const memory = tryParseQuantity(node.status?.capacity?.['memory'] ?? '')
      const amis = nodeClass.status?.amis ?? []
      const type = deps.cloud.instanceTypes.get(nodeClass, typeName)
      if (memory === undefined || memory.isZero || type === undefined) return done
      if (amiFor(type, amis)?.id !== claim.status?.imageID) return done
      if (deps.cloud.discoveredMemory.observe(typeName, amis, memory.units)) {
        const fields = { 'instance-type': typeName, 'memory-capacity': memory.toString() }
        log.debug(fields, 'updating discovered capacity cache')
      }
      return done
    },
  }
}

function justRegistered(change: Change<Node>): change is Extract<Change<Node>, { after: Node }> {
  if (change.after === undefined || !isRegistered(change.after)) return false
  return change.before === undefined || !isRegistered(change.before)
}

function isRegistered({ metadata: { labels = {} } }: Node): boolean {
  return labels[nodeClassKey] !== undefined && labels[registeredKey] === 'true'
}
