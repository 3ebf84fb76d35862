import type {
  CreateFleetRequest,
  FleetLaunchTemplateConfigRequest,
  FleetLaunchTemplateOverridesRequest,
  _InstanceType,
} from '@aws-sdk/client-ec2'
import { offeringValue, offeringZone } from '../../../model/offering-price.ts'
import { compareText } from '../../../model/order.ts'
import type { Requirements } from '../../../model/requirements.ts'
import {
  type CapacityType,
  minValuesRelaxedAnnotation,
  priceOverlayAppliedAnnotation,
  reservationIDKey,
} from '../keys.ts'
import type { EnsuredTemplate } from '../launch-template/launch-template-provider.ts'
import type { TemplateReservation } from '../launch-template/parameters.ts'
import type { PickedSubnet } from '../subnet/free-addresses.ts'
import { type Tags, toTagList } from '../tags.ts'
import { usableOfferings } from './filters.ts'
import { withinBody } from './fleet-size.ts'

/** One configuration for each template; those without an override are left out. `requirements` are narrowed to the capacity type. */
export function templateConfigs(
  templates: readonly EnsuredTemplate[],
  subnets: ReadonlyMap<string, PickedSubnet>,
  requirements: Requirements,
): FleetLaunchTemplateConfigRequest[] {
  return templates
    .map((template) => ({
      LaunchTemplateSpecification: { LaunchTemplateName: template.name, Version: '$Latest' },
      Overrides: overridesOf(template, subnets, requirements),
    }))
    .filter((config) => config.Overrides.length > 0)
}

/** Cheapest first. Real fleets do not care; simple stand-ins take the first. */
function overridesOf(
  template: EnsuredTemplate,
  subnets: ReadonlyMap<string, PickedSubnet>,
  requirements: Requirements,
): FleetLaunchTemplateOverridesRequest[] {
  const found = new Map<string, { type: string; zone: string; subnet: string; price: number }>()
  for (const type of template.types) {
    for (const offering of usableOfferings(type, requirements)) {
      if (template.reservationID !== undefined && offeringValue(offering, reservationIDKey) !== template.reservationID)
        continue
      const zone = offeringZone(offering)
      const subnet = subnets.get(zone)
      const key = `${type.name}/${zone}`
      if (subnet === undefined || found.has(key)) continue
      found.set(key, { type: type.name, zone, subnet: subnet.id, price: offering.price })
    }
  }
  return [...found.values()]
    .toSorted((a, b) => a.price - b.price || compareText(a.type, b.type) || compareText(a.zone, b.zone))
    .map(({ type, zone, subnet, price }) => ({
      InstanceType: toSDKInstanceType(type),
      SubnetId: subnet,
      ImageId: template.amiID,
      AvailabilityZone: zone,
      Priority: price,
    }))
}

export interface FleetInputs {
  readonly capacityType: CapacityType
  /** Only with capacity type reserved. */
  readonly reservation: TemplateReservation | undefined
  readonly configs: readonly FleetLaunchTemplateConfigRequest[]
  readonly tags: Tags
  readonly context: string | undefined
  readonly annotations: Readonly<Record<string, string>>
}

export function fleetRequest(inputs: FleetInputs): CreateFleetRequest {
  const Tags = toTagList(inputs.tags)
  const relaxed = inputs.annotations[minValuesRelaxedAnnotation] === 'true'
  return withinBody({
    Type: 'instant',
    ...(inputs.context === undefined || relaxed ? {} : { Context: inputs.context }),
    LaunchTemplateConfigs: [...inputs.configs],
    TagSpecifications: [
      { ResourceType: 'instance', Tags },
      { ResourceType: 'volume', Tags },
      { ResourceType: 'fleet', Tags },
    ],
    ...strategy(inputs),
  })
}

function strategy({ capacityType, reservation, annotations }: FleetInputs): Partial<CreateFleetRequest> & {
  TargetCapacitySpecification: NonNullable<CreateFleetRequest['TargetCapacitySpecification']>
} {
  const prioritized = Object.hasOwn(annotations, priceOverlayAppliedAnnotation)
  const target = (DefaultTargetCapacityType: 'spot' | 'on-demand' | 'capacity-block' | 'reserved-capacity') => ({
    TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType },
  })
  if (capacityType === 'spot') {
    return {
      ...target('spot'),
      SpotOptions: {
        AllocationStrategy: prioritized ? 'capacity-optimized-prioritized' : 'price-capacity-optimized',
      },
    }
  }
  if (capacityType === 'reserved' && reservation?.type === 'capacity-block') return target('capacity-block')
  if (capacityType === 'reserved' && reservation?.interruptible === true) {
    return {
      ...target('reserved-capacity'),
      ReservedCapacityOptions: { ReservationTypes: ['interruptible-capacity-reservation'] },
    }
  }
  return {
    ...target('on-demand'),
    OnDemandOptions: { AllocationStrategy: prioritized ? 'prioritized' : 'lowest-price' },
  }
}

/** The SDK lists the names it knew when it was built; EC2 has newer ones. */
export function toSDKInstanceType(name: string): _InstanceType {
  return name as _InstanceType
}
