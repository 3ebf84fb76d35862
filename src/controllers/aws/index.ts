import type { Controller, SingletonController } from '../../kube/controller.ts'
import { capacityBlockExpirationController } from './capacity-block-expiration.ts'
import { capacityTypeController } from './capacity-type-sync.ts'
import type { AWSControllerDeps } from './deps.ts'
import { instanceGarbageCollector } from './instance-garbage-collection.ts'
import { instanceTypePublication } from './instance-type-publication.ts'
import { memoryDiscoveryController } from './memory-discovery.ts'
import { offeringMetricsController } from './offering-metrics.ts'
import { profileGarbageCollector } from './profile-garbage-collection.ts'
import { instanceTypeController, pricingController, ssmInvalidationController, versionController } from './refresh.ts'
import { taggingController } from './tagging.ts'
import { zonalShiftController } from './zonal-shift.ts'

export type { AWSControllerDeps } from './deps.ts'

/** Everything that keeps AWS's side in order beside NodeClasses and interruptions. */
export function awsControllers(deps: AWSControllerDeps): readonly (Controller | SingletonController)[] {
  return [
    taggingController(deps),
    instanceGarbageCollector(deps),
    // In an isolated VPC IAM cannot be reached.
    ...(deps.settings.isolatedVPC ? [] : [profileGarbageCollector(deps)]),
    ...(deps.gates.reservedCapacity ? [capacityTypeController(deps), capacityBlockExpirationController(deps)] : []),
    versionController(deps),
    pricingController(deps),
    instanceTypeController(deps),
    instanceTypePublication(deps),
    ssmInvalidationController(deps),
    offeringMetricsController(deps),
    memoryDiscoveryController(deps),
    ...(deps.settings.enableZonalShift ? [zonalShiftController(deps)] : []),
  ]
}
