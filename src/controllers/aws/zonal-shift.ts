import type { NodePool } from '../../api/karpenter.ts'
import { labelAliases, zoneIDKey, zoneKey } from '../../cloud/aws/keys.ts'
import { done, requeueAfter, type SingletonController } from '../../kube/controller.ts'
import { ec2NodeClasses, nodePools } from '../../kube/karpenter-kinds.ts'
import { allows } from '../../model/requirement.ts'
import { requirementFor, toRequirements } from '../../model/requirements.ts'
import { type AWSControllerDeps, isOurPool } from './deps.ts'

const intervalMs = 30_000

/** Follows ARC's zonal shifts and tells the pools that lose or regain a zone. */
export function zonalShiftController(
  deps: Pick<AWSControllerDeps, 'caches' | 'cloud' | 'recorder'>,
): SingletonController {
  const pools = deps.caches.of(nodePools)
  const classes = deps.caches.of(ec2NodeClasses)
  let shifted: ReadonlySet<string> = new Set()

  const publish = (zoneID: string, active: boolean): void => {
    for (const pool of pools.list().filter(isOurPool)) {
      const nodeClass = classes.get({ name: pool.spec.template.spec.nodeClassRef.name })
      const zone = nodeClass?.status?.subnets?.find((subnet) => subnet.zoneID === zoneID)?.zone
      if (zone === undefined || !allowsZone(pool, zone, zoneID)) continue
      deps.recorder.publish({
        object: pool,
        type: active ? 'Warning' : 'Normal',
        reason: active ? 'ZonalShiftActive' : 'ZonalShiftCleared',
        message: active
          ? `Zonal shift detected: offerings in zone ${zone} (${zoneID}) are unavailable for this NodePool`
          : `Zonal shift cleared: offerings in zone ${zone} (${zoneID}) are restored for this NodePool`,
        dedupeValues: [pool.metadata.uid, zoneID],
      })
    }
  }

  return {
    name: 'zonalshift',
    async reconcile({ log }) {
      const { zonalShift } = deps.cloud
      if (!zonalShift.enabled) return done
      await zonalShift.update()
      const now = new Set(zonalShift.shiftedZoneIDs())
      for (const id of now) {
        if (shifted.has(id)) continue
        log.info({ 'zone-id': id }, 'zonal shift detected')
        publish(id, true)
      }
      for (const id of shifted) {
        if (now.has(id)) continue
        log.info({ 'zone-id': id }, 'zonal shift cleared')
        publish(id, false)
      }
      shifted = now
      return requeueAfter(intervalMs)
    },
  }
}

function allowsZone(pool: NodePool, zone: string, zoneID: string): boolean {
  const requirements = toRequirements(
    pool.spec.template.spec.requirements.map(({ key, operator, values }) => ({
      key,
      operator,
      ...(values === undefined ? {} : { values }),
    })),
    labelAliases,
  )
  return allows(requirementFor(requirements, zoneKey), zone) && allows(requirementFor(requirements, zoneIDKey), zoneID)
}
