import { isReservationExpiring } from '../../cloud/aws/capacity-reservation/reservations.ts'
import { reservationIDKey } from '../../cloud/aws/keys.ts'
import { requeueUnless, type SingletonController } from '../../kube/controller.ts'
import { isNotFound } from '../../kube/errors.ts'
import { nodeClaims } from '../../kube/karpenter-kinds.ts'
import { keyOf } from '../../kube/resource.ts'
import { compareText } from '../../model/order.ts'
import { noteInterruption } from '../nodeclaim/note-interruption.ts'
import { oneByOne } from '../one-by-one.ts'
import { type AWSControllerDeps, isOurClaim } from './deps.ts'

const intervalMs = 60_000

/** EC2 ends the instances of a capacity block before the block ends: their pods get time to move. */
export function capacityBlockExpirationController(
  deps: Pick<AWSControllerDeps, 'kube' | 'caches' | 'clock' | 'cloud'>,
): SingletonController {
  const claims = deps.caches.of(nodeClaims)
  return {
    name: 'capacityreservation.expiration',
    async reconcile({ log }) {
      const all = claims.list()
      const reserved = all.filter(
        (claim) => isOurClaim(claim) && claim.metadata.labels?.[reservationIDKey] !== undefined,
      )
      const ids = [...new Set(reserved.flatMap((claim) => claim.metadata.labels?.[reservationIDKey] ?? []))]
      const found = await deps.cloud.reservations.describe(ids.toSorted(compareText))
      const now = deps.clock.now()
      const expiring = new Set(
        found.filter((it) => isReservationExpiring(it, now)).map((it) => it.CapacityReservationId),
      )
      await oneByOne(reserved, async (claim) => {
        if (!expiring.has(claim.metadata.labels?.[reservationIDKey])) return
        if (claim.metadata.deletionTimestamp !== undefined) return
        await noteInterruption(deps, claim, 'capacity_block_expired', log)
        try {
          await deps.kube.delete(nodeClaims, keyOf(claim), { preconditions: { uid: claim.metadata.uid } })
          log.info({ NodeClaim: { name: claim.metadata.name } }, 'initiating delete for capacity block expiration')
        } catch (error) {
          if (!isNotFound(error)) throw error
        }
      })
      return requeueUnless(() => reserved.length === 0 && claims.list() === all, intervalMs)
    },
  }
}
