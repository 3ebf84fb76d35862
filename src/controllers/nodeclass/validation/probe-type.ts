import type { EC2NodeClass, NodePool } from '../../../api/karpenter.ts'
import { familyOf, isWindows } from '../../../cloud/aws/ami/family.ts'
import { amiFor } from '../../../cloud/aws/ami/map-types.ts'
import { imageRequirements } from '../../../model/image-requirements.ts'
import type { AWSCloud } from '../../../cloud/aws/create-aws-cloud.ts'
import { demandsOf } from '../../../cloud/aws/instance-types/class-settings.ts'
import { meetsDemands } from '../../../cloud/aws/instance-types/compatibility.ts'
import { instanceKeys, labelAliases, zoneKey } from '../../../cloud/aws/keys.ts'
import { specOf } from '../../../cloud/aws/wire.ts'
import type { InstanceType } from '../../../model/instance-type.ts'
import { effectiveOperator } from '../../../model/requirement.ts'
import {
  intersects,
  labelRequirements,
  mergeRequirements,
  type Requirements,
  toRequirements,
} from '../../../model/requirements.ts'

/** Types of modest size that nearly every zone has, for classes that no pool uses yet. */
const fallbacks = ['m5.large', 'm6g.large']

/** Where EC2 offers the type and the class has a subnet. */
export function zonesOf(type: InstanceType): ReadonlySet<string> {
  return type.requirements.get(zoneKey)?.values ?? new Set()
}

/** The type to try the class's permissions with: one that its pools could really launch. */
export function probeType(
  nodeClass: EC2NodeClass,
  pools: readonly NodePool[],
  cloud: Pick<AWSCloud, 'instanceTypes' | 'placementGroups'>,
): InstanceType | undefined {
  const demands = demandsOf(nodeClass, cloud.placementGroups.known(nodeClass))
  const all = cloud.instanceTypes.list(nodeClass).filter((type) => {
    const info = cloud.instanceTypes.info(type.name)
    return info !== undefined && meetsDemands(info, demands)
  })
  const amis = nodeClass.status?.amis ?? []
  const mapped = candidates(nodeClass, all, pools.map(poolRequirements))
    .map((type) => ({ type, ami: amiFor(type, amis) }))
    .filter(({ ami }) => ami !== undefined)
  // Of a type that has no zone in common with the class EC2 only says so.
  const offered = mapped.filter(({ type }) => zonesOf(type).size > 0)
  const choice = offered.length > 0 ? offered : mapped
  const plain = choice.find(({ ami }) => ami !== undefined && servesPlainMachines(imageRequirements(ami)))
  return (plain ?? choice[0])?.type
}

export function poolRequirements(pool: NodePool): Requirements {
  const { metadata, spec } = pool.spec.template
  return mergeRequirements(
    labelRequirements(metadata?.labels ?? {}, labelAliases),
    toRequirements(
      spec.requirements.map(({ key, operator, values }) => ({
        key,
        operator,
        ...(values === undefined ? {} : { values }),
      })),
      labelAliases,
    ),
  )
}

function candidates(
  nodeClass: EC2NodeClass,
  types: readonly InstanceType[],
  pools: readonly Requirements[],
): readonly InstanceType[] {
  const used = types.filter((type) => pools.some((pool) => intersects(type.requirements, pool)))
  if (used.length > 0 && !isWindows(familyOf(specOf(nodeClass)))) return used
  const modest = types.filter((type) => fallbacks.includes(type.name) && zonesOf(type).size > 0)
  return modest.length > 0 ? modest : types
}

function servesPlainMachines(ami: Requirements): boolean {
  return [instanceKeys.gpuCount, instanceKeys.acceleratorCount].every((key) => {
    const requirement = ami.get(key)
    if (requirement === undefined) return true
    const operator = effectiveOperator(requirement)
    return operator === 'DoesNotExist' || operator === 'NotIn'
  })
}
