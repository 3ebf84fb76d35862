import type { EC2NodeClass, NodePool } from '../../api/karpenter.ts'
import { awsVocabulary, type LabelVocabulary } from '../../api/label-rules.ts'
import { withImageLack } from '../../cloud/aws/ami/map-types.ts'
import { defaultAWSGates, defaultAWSSettings } from '../../cloud/aws/settings.ts'
import { demandsOf, typeSettingsOf } from '../../cloud/aws/instance-types/class-settings.ts'
import { meetsDemands } from '../../cloud/aws/instance-types/compatibility.ts'
import { offeringsOf, type RequirementsMemo } from '../../cloud/aws/instance-types/offerings.ts'
import { usageClasses } from '../../cloud/aws/instance-types/requirements.ts'
import { resolveInstanceType } from '../../cloud/aws/instance-types/resolve.ts'
import {
  catalogue,
  knownRegions,
  onDemandPrice,
  type RegionFacts,
  regionFacts,
  type TypeFacts,
  zonesOffering,
} from '../../embedded/aws/catalogue.ts'
import { toInstanceTypeInfo } from '../../embedded/aws/instance-type-info.ts'
import { byIdentity } from '../../model/by-identity.ts'
import type { InstanceType } from '../../model/instance-type.ts'
import type { InstanceTypeList } from '../../model/snapshot.ts'
import { toInstanceTypes } from './catalogue.ts'
import type { SimulationObjects } from './objects.ts'
import { localZonesOf, regionOfZone } from './region.ts'

/** Where an offline decision takes its instance types from, and which labels they make well-known. */
export interface ResolvedTypes {
  readonly instanceTypes: (pool: NodePool) => InstanceTypeList
  readonly vocabulary: LabelVocabulary
}

/**
 * The input's own catalogues when it has any: their types serve every pool, and every label that they name is well-known. Otherwise
 * the built-in catalogue of the region, as the pool's EC2NodeClass sees it.
 */
export function resolveInstanceTypes(objects: SimulationObjects, region: string): ResolvedTypes {
  if (objects.catalogues.length > 0) {
    const types = toInstanceTypes(objects.catalogues)
    const named = types.flatMap((type) => [
      ...type.requirements.keys(),
      ...type.offerings.flatMap((offering) => [...offering.requirements.keys()]),
    ])
    const wellKnown = new Set([...awsVocabulary.wellKnown, ...named])
    const ofClass = byIdentity((nodeClass: EC2NodeClass) => withImageLacks(types, nodeClass))
    return {
      instanceTypes: (pool) => {
        const nodeClass = classOf(pool, objects)
        return { kind: 'resolved', types: nodeClass === undefined ? types : ofClass(nodeClass) }
      },
      vocabulary: { ...awsVocabulary, wellKnown },
    }
  }
  const facts = knownRegions().includes(region) ? regionFacts(region) : undefined
  const byClass = new Map<string, InstanceTypeList>()
  return {
    vocabulary: awsVocabulary,
    instanceTypes: (pool) => {
      const { name } = pool.spec.template.spec.nodeClassRef
      const nodeClass = classOf(pool, objects)
      const list = byClass.get(name) ?? builtInList(name, nodeClass, facts ?? region)
      byClass.set(name, list)
      const localZones = list.kind === 'resolved' ? localZonesOf(pool, nodeClass) : []
      return localZones.length === 0 ? list : ofLocalZones(pool, localZones)
    },
  }
}

function classOf({ spec }: NodePool, { nodeClasses }: SimulationObjects): EC2NodeClass | undefined {
  return nodeClasses.find(({ metadata }) => metadata.name === spec.template.spec.nodeClassRef.name)
}

function withImageLacks(types: readonly InstanceType[], { status }: EC2NodeClass): readonly InstanceType[] {
  const amis = status?.amis ?? []
  return amis.length === 0 ? types : types.map((type) => withImageLack(type, amis))
}

/** What cannot be told is said: types of another region, or none, would look like an answer. */
function builtInList(name: string, nodeClass: EC2NodeClass | undefined, facts: RegionFacts | string): InstanceTypeList {
  if (typeof facts === 'string') {
    const because = `instance types and prices of region ${facts} are not built in: launches and consolidation cannot be judged without an InstanceTypeCatalog`
    return { kind: 'unknown', because }
  }
  if (nodeClass === undefined) return { kind: 'unresolved', error: `EC2NodeClass ${name} is not in the input` }
  // Nothing is made of it any more, and the operator disrupts none of its nodes.
  if (nodeClass.metadata.deletionTimestamp !== undefined) {
    return { kind: 'unresolved', error: `EC2NodeClass ${name} is being deleted` }
  }
  const elsewhere = regionsElsewhere(nodeClass, facts.name)
  if (elsewhere.length > 0) {
    const because = `EC2NodeClass ${name} has its subnets in ${elsewhere.join(', ')}, not in region ${facts.name}: launches and consolidation cannot be judged`
    return { kind: 'unknown', because }
  }
  return { kind: 'resolved', types: builtInTypes(nodeClass, facts) }
}

function ofLocalZones({ metadata }: NodePool, zones: readonly string[]): InstanceTypeList {
  const because = `NodePool ${metadata.name} is in ${zones.join(', ')}, of which no instance types and prices are built in: launches and consolidation cannot be judged without an InstanceTypeCatalog`
  return { kind: 'unknown', because }
}

/** Where the subnets are, when none is in the region. */
function regionsElsewhere({ status }: EC2NodeClass, region: string): readonly string[] {
  const regions = (status?.subnets ?? []).flatMap(({ zone }) => regionOfZone(zone) ?? [])
  return regions.includes(region) ? [] : [...new Set(regions)]
}

const known = new WeakMap<EC2NodeClass, { readonly region: string; readonly types: readonly InstanceType[] }>()

/** Types of the built-in catalogue in one region, as one class sees them, cheapest spot estimates included. */
export function builtInTypes(nodeClass: EC2NodeClass, region: RegionFacts): readonly InstanceType[] {
  const made = known.get(nodeClass)
  if (made?.region === region.name) return made.types
  const types = withImageLacks(makeTypes(nodeClass, region), nodeClass)
  known.set(nodeClass, { region: region.name, types })
  return types
}

function makeTypes(nodeClass: EC2NodeClass, region: RegionFacts): readonly InstanceType[] {
  const resolved = withSubnets(nodeClass, region)
  const settings = typeSettingsOf(resolved, {
    region: region.name,
    settings: defaultAWSSettings,
    gates: defaultAWSGates,
    now: 0,
    placementGroup: undefined,
  })
  const demands = demandsOf(resolved, undefined)
  const memo: RequirementsMemo = new Map()
  const allZones = region.zones.map(({ name }) => name)
  const classZones = new Set(settings.zoneIDs.keys())
  return [...catalogue().values()]
    .filter((facts) => isDiscovered(facts) && zonesOffering(facts, region).length > 0)
    .map((facts) => {
      const info = toInstanceTypeInfo(facts)
      const zones = new Set(zonesOffering(facts, region).filter((zone) => classZones.has(zone)))
      const { type } = resolveInstanceType(info, settings, zones, undefined)
      const offered = {
        name: type.name,
        zones,
        capacityTypes: usageClasses(info),
        meetsDemands: meetsDemands(info, demands),
      }
      const offerings = offeringsOf(
        offered,
        {
          allZones,
          zoneIDs: settings.zoneIDs,
          subnetIDs: new Map(),
          placementGroup: undefined,
          isShifted: () => false,
          isUnavailable: () => false,
          price: (_name, capacityType) => priceOf(facts, region, capacityType),
          overlayPrice: () => undefined,
        },
        memo,
      )
      return { ...type, offerings }
    })
}

/** What EC2's own filters of the discovery call let through: hardware virtualisation on x86_64 and arm64. */
function isDiscovered({ arch, virtualization }: TypeFacts): boolean {
  return virtualization.includes('hvm') && (arch.includes('x86_64') || arch.includes('arm64'))
}

/** Spot prices are estimated from the usual saving in the region. */
function priceOf(facts: TypeFacts, region: RegionFacts, capacityType: 'on-demand' | 'spot'): number | undefined {
  const price = onDemandPrice(facts, region)
  if (price === undefined || capacityType === 'on-demand') return price
  const saving = facts.spotSavings[region.name] ?? facts.spotSavings['us-east-1']
  return saving === undefined ? undefined : Math.round(price * (100 - saving) * 1000) / 100_000
}

/** A class that no controller has looked at stands for one with a subnet in every zone. */
function withSubnets(nodeClass: EC2NodeClass, region: RegionFacts): EC2NodeClass {
  if ((nodeClass.status?.subnets?.length ?? 0) > 0) return nodeClass
  const subnets = region.zones.map(({ name, id }) => ({ id: `subnet-${id}`, zone: name, zoneID: id }))
  return { ...nodeClass, status: { ...nodeClass.status, subnets } }
}
