import type { NodeClaim } from '../../api/karpenter.ts'
import type { KubeObject, Node } from '../../api/kubernetes.ts'
import { capacityTypeOnDemand, capacityTypeReserved } from '../../api/labels.ts'
import { toProviderID } from '../../cloud/aws/instance/ec2-instance.ts'
import { capacityTypeKey, registeredKey, reservationIDKey, reservationTypeKey } from '../../cloud/aws/keys.ts'
import { backOff, requeueAfter, type SingletonController } from '../../kube/controller.ts'
import { isConflict, isNotFound } from '../../kube/errors.ts'
import { nodeClaims } from '../../kube/karpenter-kinds.ts'
import { nodes } from '../../kube/kinds.ts'
import { keyOf, type Resource } from '../../kube/resource.ts'
import { oneByOne } from '../one-by-one.ts'
import { type AWSControllerDeps, isOurClaim } from './deps.ts'

const intervalMs = 60_000

/** When a reservation ends, its instances run on as on-demand: claims and nodes must say so. */
export function capacityTypeController(
  deps: Pick<AWSControllerDeps, 'kube' | 'caches' | 'cloud'>,
): SingletonController {
  const claims = deps.caches.of(nodeClaims)
  const nodeCache = deps.caches.of(nodes)

  const demote = async <T extends KubeObject>(resource: Resource<T>, object: T): Promise<'done' | 'conflict'> => {
    const { resourceVersion } = object.metadata
    const labels = {
      [capacityTypeKey]: capacityTypeOnDemand,
      [reservationIDKey]: null,
      [reservationTypeKey]: null,
    }
    try {
      await deps.kube.patch(resource, keyOf(object), { kind: 'merge', body: { metadata: { resourceVersion, labels } } })
    } catch (error) {
      if (isConflict(error)) return 'conflict'
      if (!isNotFound(error)) throw error
    }
    return 'done'
  }

  return {
    name: 'capacityreservation.capacitytype',
    async reconcile({ log }) {
      // In most clusters nobody ever said so, however many machines EC2 would have to tell of.
      if (!claims.list().some(saysReserved) && !nodeCache.list().some(saysReserved)) return requeueAfter(intervalMs)
      const instances = await deps.cloud.instances.list()
      const onDemand = new Set(
        instances.filter((instance) => instance.capacityType === capacityTypeOnDemand).map(toProviderID),
      )
      const nodesByID = Map.groupBy(nodeCache.list(), (node) => node.spec.providerID ?? '')
      let conflicts = 0
      await oneByOne(claims.list(), async (claim) => {
        const id = claim.status?.providerID ?? ''
        if (!isOurClaim(claim) || !onDemand.has(id)) return
        if (saysReserved(claim)) {
          log.debug({ NodeClaim: { name: claim.metadata.name } }, 'updating capacity type for nodeclaim')
          if ((await demote(nodeClaims, claim)) === 'conflict') conflicts += 1
        }
        for (const node of nodesByID.get(id) ?? []) {
          if (isLive(node) && saysReserved(node) && (await demote(nodes, node)) === 'conflict') conflicts += 1
        }
      })
      return conflicts > 0 ? backOff : requeueAfter(intervalMs)
    },
  }
}

function saysReserved(object: NodeClaim | Node): boolean {
  return object.metadata.labels?.[capacityTypeKey] === capacityTypeReserved
}

function isLive(node: Node): boolean {
  return node.metadata.deletionTimestamp === undefined && node.metadata.labels?.[registeredKey] === 'true'
}
