import { isOnlyOf, templateRequirements } from '../../admission/index.ts'
import { type AMIFamilyName, resolvedAMIFamily } from '../../api/ami-family.ts'
import type { EC2NodeClass, InstanceTypeCatalog, NodePool } from '../../api/karpenter.ts'
import { nodeClassNameOf } from '../../api/node-class-ref.ts'
import { capacityTypeReserved, labelOS, labelWindowsBuild, labelZone } from '../../api/labels.ts'
import { parseInstanceTypeCatalog } from '../../api/validators.ts'
import { knownRegions, regionFacts } from '../../embedded/aws/catalogue.ts'
import type { InstanceType } from '../../model/instance-type.ts'
import { allows } from '../../model/requirement.ts'
import { requirementFor } from '../../model/requirements.ts'
import { toInstanceTypes } from '../simulate/catalogue.ts'
import { builtInTypes } from '../simulate/instance-types.ts'
import { localZonesOf, regionOfZone } from '../simulate/region.ts'
import { catalogueProblems } from '../simulate/shape.ts'
import { problemLine } from './problem-line.ts'
import { ProblemsError } from '../command-line.ts'
import { readDocuments, syntaxLine } from './documents.ts'
import type { InputOptions } from './texts.ts'

export interface AdmissionCatalogueOptions {
  /** AWS region of the cluster; absent: that of the zones in which its node classes found subnets. */
  readonly region?: string
  /** Given catalogues replace the built-in table. */
  readonly catalogues?: readonly InstanceTypeCatalog[]
}

export interface AdmissionCatalogue {
  /** From memory. Undefined where nothing can be said. */
  typesFor(pool: NodePool, nodeClasses: readonly EC2NodeClass[]): readonly InstanceType[] | undefined
  /** Makes what pools of this class will be asked about: a table takes longer to make than a review may take. */
  prepare(nodeClass: EC2NodeClass): void
}

/** Sets of zones, of which a cluster has a few. */
const rememberedMax = 50

/**
 * Instance types for the rules that ask for them, without a cloud: from given catalogues or from the built-in table of the region,
 * which is read now when the region is given. Both age, so what follows from them is a warning.
 */
export function admissionCatalogue(
  options: AdmissionCatalogueOptions,
  tableOf: (region: string, family: AMIFamilyName) => readonly InstanceType[] = builtInTable,
): AdmissionCatalogue {
  const given = options.catalogues === undefined ? undefined : toInstanceTypes(options.catalogues)
  const byRegion = new Map<string, readonly InstanceType[]>()
  const byZones = new Map<string, readonly InstanceType[]>()
  const inRegion = (region: string, family: AMIFamilyName): readonly InstanceType[] => {
    const text = `${region} ${family}`
    const known = byRegion.get(text)
    if (known !== undefined) return known
    const types = tableOf(region, family)
    byRegion.set(text, types)
    return types
  }
  const inZones = (region: string, family: AMIFamilyName, zones: readonly string[]): readonly InstanceType[] => {
    const all = inRegion(region, family)
    if (zones.length === 0) return all
    const text = [family, ...zones].join()
    const known = byZones.get(text)
    if (known !== undefined) return known
    const types = all.map((type) => ({
      ...type,
      offerings: type.offerings.filter(({ requirements }) =>
        zones.some((zone) => requirements.get(labelZone)?.values.has(zone) === true),
      ),
    }))
    if (byZones.size >= rememberedMax) byZones.clear()
    byZones.set(text, types)
    return types
  }
  const ofClass = (
    nodeClass: EC2NodeClass | undefined,
    nodeClasses: readonly EC2NodeClass[],
  ): readonly InstanceType[] | undefined => {
    const zones = zonesOf(nodeClass)
    const region = options.region ?? regionOfZone(zones[0] ?? nodeClasses.flatMap(zonesOf)[0] ?? '')
    return region === undefined || !isKnownRegion(region) ? undefined : inZones(region, familyOf(nodeClass), zones)
  }
  if (given === undefined && options.region !== undefined && isKnownRegion(options.region)) {
    inRegion(options.region, usualFamily)
  }
  return {
    typesFor(pool, nodeClasses) {
      if (given !== undefined) return given
      const name = nodeClassNameOf(pool)
      // Reservations are not in any table, and another controller's nodes have labels of its own.
      if (name === undefined || isOnlyOf(templateRequirements(pool), capacityTypeReserved)) return undefined
      const nodeClass = nodeClasses.find(({ metadata }) => metadata.name === name)
      // Which of them it is for, only the class says.
      if (nodeClass === undefined && isForWindows(pool)) return undefined
      if (localZonesOf(pool, nodeClass).length > 0) return undefined
      return ofClass(nodeClass, nodeClasses)
    },
    prepare(nodeClass) {
      if (given === undefined) ofClass(nodeClass, [])
    },
  }
}

/** The InstanceTypeCatalogs in files or folders. @throws ProblemsError for a file or catalogue that cannot be read, or when there is none */
export async function readCatalogues(
  files: readonly string[],
  options: InputOptions,
): Promise<readonly InstanceTypeCatalog[]> {
  const documents = await readDocuments(files, options)
  const problems = documents.flatMap((document) => {
    const { content, file } = document
    return content.kind === 'unreadable'
      ? content.problems.map((problem) => syntaxLine(file, problem))
      : catalogueProblems(content.object).map((problem) => problemLine(document, problem))
  })
  if (problems.length > 0) throw new ProblemsError(problems)
  const catalogues = documents.flatMap(({ content }) => {
    const parsed = content.kind === 'object' ? parseInstanceTypeCatalog(content.object) : undefined
    return parsed?.kind === 'ok' ? [parsed.value] : []
  })
  if (catalogues.length === 0) throw new ProblemsError([`${files.join(', ')}: no InstanceTypeCatalog in it`])
  return catalogues
}

/** Whether its instance types are built in. */
export function isKnownRegion(region: string): boolean {
  return knownRegions().includes(region)
}

/** Where the class has found subnets; none when nobody has looked yet. */
function zonesOf(nodeClass: EC2NodeClass | undefined): string[] {
  return [...new Set((nodeClass?.status?.subnets ?? []).map(({ zone }) => zone))].sort()
}

/** Types and offerings are asked for; of the families, only those of Windows make other ones. */
const usualFamily: AMIFamilyName = 'AL2023'

function familyOf(nodeClass: EC2NodeClass | undefined): AMIFamilyName {
  const spec = nodeClass?.spec
  // Nobody has vouched for the shape of what is stored.
  const family = spec !== undefined && Array.isArray(spec.amiSelectorTerms) ? resolvedAMIFamily(spec) : usualFamily
  return family.startsWith('Windows') ? family : usualFamily
}

function isForWindows(pool: NodePool): boolean {
  const requirements = templateRequirements(pool)
  return requirements.has(labelWindowsBuild) || !allows(requirementFor(requirements, labelOS), 'linux')
}

/** What a class changes of a type's room for pods is not asked for. */
function classOf(family: AMIFamilyName): EC2NodeClass {
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: '', uid: '', resourceVersion: '', creationTimestamp: '' },
    spec: {
      amiSelectorTerms: [{ alias: `${family.toLowerCase()}@latest` }],
      subnetSelectorTerms: [{ tags: { any: '*' } }],
      securityGroupSelectorTerms: [{ tags: { any: '*' } }],
    },
  }
}

function builtInTable(region: string, family: AMIFamilyName): readonly InstanceType[] {
  return builtInTypes(classOf(family), regionFacts(region))
}
