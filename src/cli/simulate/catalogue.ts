import type { CatalogInstanceType, CatalogOffering, InstanceTypeCatalog } from '../../api/karpenter.ts'
import { awsVocabulary } from '../../api/label-rules.ts'
import { labelCapacityType, labelInstanceType, labelZone } from '../../api/labels.ts'
import type { InstanceType, Offering } from '../../model/instance-type.ts'
import { toRequirement } from '../../model/requirement.ts'
import { mergeRequirements, type Requirements, requirementsOf, toRequirements } from '../../model/requirements.ts'
import { toResources } from '../../model/resources.ts'

const { aliases } = awsVocabulary

/** The types of all catalogues in input order; a name that comes again replaces the earlier one. */
export function toInstanceTypes(catalogues: readonly InstanceTypeCatalog[]): readonly InstanceType[] {
  const byName = new Map<string, InstanceType>()
  for (const { instanceTypes } of catalogues)
    for (const type of instanceTypes) byName.set(type.name, toInstanceType(type))
  return [...byName.values()]
}

function toInstanceType(type: CatalogInstanceType): InstanceType {
  const offerings = type.offerings.map(toOffering)
  const given = toRequirements(type.requirements ?? [], aliases)
  const implied = requirementsOf(
    toRequirement(labelInstanceType, 'In', [type.name]),
    valuesOf(offerings, labelZone),
    valuesOf(offerings, labelCapacityType),
  )
  const missing = new Map([...implied].filter(([key, { values }]) => !given.has(key) && values.size > 0))
  return {
    name: type.name,
    requirements: mergeRequirements(given, missing),
    capacity: toResources(type.capacity),
    overhead: {
      kubeReserved: toResources(type.overhead?.kubeReserved),
      systemReserved: toResources(type.overhead?.systemReserved),
      evictionThreshold: toResources(type.overhead?.evictionThreshold),
    },
    offerings,
    ...(type.deviceTemplates === undefined ? {} : { deviceTemplates: type.deviceTemplates }),
  }
}

function toOffering({ requirements, price, available = true, reservationCapacity }: CatalogOffering): Offering {
  return {
    requirements: toRequirements(requirements, aliases),
    price,
    available,
    ...(reservationCapacity === undefined ? {} : { reservationCapacity }),
  }
}

function valuesOf(offerings: readonly { readonly requirements: Requirements }[], key: string) {
  const values = offerings.flatMap(({ requirements }) => [...(requirements.get(key)?.values ?? [])])
  return toRequirement(key, 'In', values)
}
