import {
  awsGroup,
  awsLabelKeys,
  capacityTypes,
  labelArch,
  labelCapacityType,
  labelEC2NodeClass,
  labelHostname,
  labelInitialized,
  labelInstanceTenancy,
  labelInstanceType,
  labelNodePool,
  labelOS,
  labelRegion,
  labelRegistered,
  labelWindowsBuild,
  labelZone,
  labelZoneID,
  tenancyDedicated,
  tenancyDefault,
} from './labels.ts'

/** What scheduling and validation must know of a provider's label vocabulary. */
export interface LabelVocabulary {
  /** Labels with a meaning; a requirement may name them though no template declares them. */
  readonly wellKnown: ReadonlySet<string>
  readonly restrictedDomains: readonly string[]
  readonly restrictedKeys: ReadonlySet<string>
  /** Old spelling to present spelling. */
  readonly aliases: ReadonlyMap<string, string>
  /** Labels with a closed set of values. */
  readonly knownValues: ReadonlyMap<string, readonly string[]>
}

export const coreVocabulary: LabelVocabulary = {
  wellKnown: new Set([
    labelNodePool,
    labelZone,
    labelRegion,
    labelInstanceType,
    labelArch,
    labelOS,
    labelCapacityType,
    labelWindowsBuild,
  ]),
  restrictedDomains: ['karpenter.sh'],
  restrictedKeys: new Set([labelHostname]),
  aliases: new Map([
    ['failure-domain.beta.kubernetes.io/zone', labelZone],
    ['failure-domain.beta.kubernetes.io/region', labelRegion],
    ['beta.kubernetes.io/arch', labelArch],
    ['beta.kubernetes.io/os', labelOS],
    ['beta.kubernetes.io/instance-type', labelInstanceType],
  ]),
  knownValues: new Map([[labelCapacityType, capacityTypes]]),
}

export const awsVocabulary: LabelVocabulary = {
  wellKnown: new Set([
    ...coreVocabulary.wellKnown,
    ...awsLabelKeys.filter((key) => key !== labelEC2NodeClass),
    labelZoneID,
  ]),
  restrictedDomains: [...coreVocabulary.restrictedDomains, awsGroup],
  restrictedKeys: coreVocabulary.restrictedKeys,
  aliases: new Map([...coreVocabulary.aliases, ['topology.ebs.csi.aws.com/zone', labelZone]]),
  knownValues: new Map([...coreVocabulary.knownValues, [labelInstanceTenancy, [tenancyDedicated, tenancyDefault]]]),
}

/** Keys that simulations add to requirements; they are never written onto a claim. */
export const simulationOnlyLabels: ReadonlySet<string> = new Set([labelRegistered, labelInitialized, labelHostname])

export function isWellKnownLabel(key: string, vocabulary: LabelVocabulary = awsVocabulary): boolean {
  return vocabulary.wellKnown.has(key)
}

/** The present spelling of a requirement key. */
export function normalizeLabelKey(key: string, vocabulary: LabelVocabulary = awsVocabulary): string {
  return vocabulary.aliases.get(key) ?? key
}

/** Text before the first slash; empty when there is none. */
export function labelDomain(key: string): string {
  const slash = key.indexOf('/')
  return slash === -1 ? '' : key.slice(0, slash)
}

/** Whether a label is reserved for the controllers, by what runtime validation (not the schema) says. */
export function isRestrictedLabel(key: string, vocabulary: LabelVocabulary = awsVocabulary): boolean {
  if (vocabulary.wellKnown.has(key)) return false
  const domain = labelDomain(key)
  return (
    vocabulary.restrictedKeys.has(key) ||
    vocabulary.restrictedDomains.some((restricted) => domain === restricted || domain.endsWith(`.${restricted}`))
  )
}

export function restrictedLabelMessage(key: string, vocabulary: LabelVocabulary = awsVocabulary): string {
  return (
    `using label ${key} is not allowed as it might interfere with the internal provisioning logic; specify a well known label: ` +
    `[${[...vocabulary.wellKnown].sort().join(' ')}], or a custom label that does not use a restricted domain: ` +
    `[${[...vocabulary.restrictedDomains].sort().join(' ')}]`
  )
}
