import { templateRequirements } from '../../admission/index.ts'
import type { EC2NodeClass, NodePool } from '../../api/karpenter.ts'
import { labelRegion, labelZone, labelZoneID } from '../../api/labels.ts'
import { knownRegions } from '../../embedded/aws/catalogue.ts'
import { compareText } from '../../model/order.ts'
import { allows } from '../../model/requirement.ts'
import { requirementFor } from '../../model/requirements.ts'
import { print, type Terminal, UsageError } from '../command-line.ts'
import { printableText } from '../table.ts'
import type { SimulationObjects } from './objects.ts'

/**
 * The region of the built-in instance types: the one that the flag names, else that of the input. Where the input is in several, it is
 * said which one was taken.
 * @throws UsageError for a flag that names a region without facts, where they are asked for
 */
export function chosenRegion(
  flag: string | undefined,
  objects: SimulationObjects,
  { stderr }: Pick<Terminal, 'stderr'>,
): string {
  const hasOwnTypes = objects.catalogues.length > 0
  if (flag !== undefined) {
    if (!hasOwnTypes) requireBuiltIn(flag)
    return flag
  }
  const region = regionOf(objects)
  const others = regionsOf(objects).filter((other) => other !== region)
  if (others.length > 0 && !hasOwnTypes) {
    const names = others.toSorted(compareText).join(', ')
    print(
      stderr,
      printableText(
        `warning: the input is in several regions: instance types and prices are those of ${region}, not of ${names}; --region names another`,
      ),
    )
  }
  return region
}

/** @throws UsageError for a region without built-in instance types */
export function requireBuiltIn(region: string): void {
  if (knownRegions().includes(region)) return
  throw new UsageError(`--region ${region}: instance types are built in for ${knownRegions().join(', ')}`)
}

/** Where the cluster is, by the first node that says so, else by the first subnet. */
export function regionOf(objects: SimulationObjects): string {
  return regionsOf(objects)[0] ?? 'us-east-1'
}

/** `us-west-2a` is in `us-west-2`. Local zones have longer names; other names are not AWS's. */
export function regionOfZone(zone: string): string | undefined {
  return /^[a-z]+(?:-[a-z]+)+-\d+(?=[a-z]|-)/.exec(zone)?.[0]
}

/**
 * The Local Zones, or Wavelength Zones, that nodes of the pool are in, as far as it and its class name zones; none where they may be in
 * others, too. No table has these: each has a few types, at prices of its own.
 */
export function localZonesOf(pool: NodePool, nodeClass: EC2NodeClass | undefined): readonly string[] {
  const requirements = templateRequirements(pool)
  const [wanted, wantedID] = [requirementFor(requirements, labelZone), requirementFor(requirements, labelZoneID)]
  const { subnets = [] } = nodeClass?.status ?? {}
  const found = subnets.filter(
    ({ zone, zoneID = '' }) => allows(wanted, zone) && (zoneID === '' || allows(wantedID, zoneID)),
  )
  const named = [wanted, wantedID].find(({ complement }) => !complement)?.values ?? []
  const zones = [...new Set(subnets.length > 0 ? found.map(({ zone }) => zone) : named)]
  return zones.every(isLocalZone) ? zones.toSorted(compareText) : []
}

/** `us-west-2-lax-1a` or its ID `usw2-lax1-az1`, and not `us-west-2a` or `usw2-az1`. */
function isLocalZone(zone: string): boolean {
  return regionOfZone(zone) === undefined ? /^[a-z]+\d+-.+-/.test(zone) : /-\d+-/.test(zone)
}

/** Subnets tell only where no node does: what is there counts more than what may come. */
function regionsOf({ nodes, nodeClaims, nodeClasses }: SimulationObjects): readonly string[] {
  const labelled = [...nodes, ...nodeClaims].flatMap(({ metadata }) => metadata.labels?.[labelRegion] ?? [])
  const zones = nodeClasses.flatMap(({ status }) => (status?.subnets ?? []).map(({ zone }) => zone))
  return [...new Set(labelled.length > 0 ? labelled : zones.flatMap((zone) => regionOfZone(zone) ?? []))]
}
