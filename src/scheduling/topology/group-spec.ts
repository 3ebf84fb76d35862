import type {
  LabelSelector,
  LabelSelectorRequirement,
  PodAffinityTerm,
  Toleration,
  TopologySpreadConstraint,
} from '../../api/kubernetes.ts'
import { labelHostname } from '../../api/labels.ts'
import { labelOf, type Labels, selects } from '../../model/label-selector.ts'
import { compareText } from '../../model/order.ts'
import type { PodInfo } from '../../model/pod.ts'
import type { LabelAliases, Requirements } from '../../model/requirements.ts'
import { labelRequirements, normaliseKey } from '../../model/requirements.ts'
import { identityText } from '../requirement-space.ts'
import { type PodConstraints, type PreferencePolicy, type Selection, withSelector } from '../pod-constraints.ts'

type GroupKind = 'spread' | 'affinity' | 'antiAffinity'

/** Which nodes a spread constraint looks at. */
export interface NodeFilter {
  readonly honorTaints: boolean
  readonly honorAffinity: boolean
  /** Labels that a node must have, whatever their values: those of the pod's other constraints. */
  readonly labels: readonly string[]
  readonly tolerations: readonly Toleration[]
  /** A node counts when it matches any: its requirements, and with labels of which some value is needed. */
  readonly alternatives: readonly Pick<Selection, 'requirements' | 'needed'>[]
}

/** A constraint on how pods lie across the values of one node label, before anything is counted. */
export interface GroupSpec {
  readonly kind: GroupKind
  /** Tracks where the owners of a required anti-affinity term are, to keep what the term selects away from them. */
  readonly inverse: boolean
  readonly key: string
  readonly namespaces: ReadonlySet<string>
  /** Undefined selects nothing. */
  readonly selector: LabelSelector | undefined
  readonly maxSkew: number
  readonly minDomains: number | undefined
  readonly filter: NodeFilter | undefined
  /** Constraints with equal identity share one group: all that they say is in it, other than upstream. */
  readonly identity: string
  /** Of the creating pod: they decide which pools' domains exist for it. Not in the identity of inverse groups, which join them. */
  readonly tolerations: readonly Toleration[]
}

export interface GroupOptions {
  readonly policy: PreferencePolicy
  readonly aliases: LabelAliases
  readonly namespaces: ReadonlyMap<string, Labels>
}

/** Skew of the affinity kinds, which have none. */
const unlimitedSkew = 2 ** 31 - 1

type Owner = Pick<PodInfo, 'namespace' | 'labels' | 'nodeSelector'>

/** The ordinary groups that a pod obeys: spread constraints, affinity, anti-affinity. */
export function ordinaryGroups(pod: Owner, constraints: PodConstraints, options: GroupOptions): GroupSpec[] {
  const respect = options.policy === 'Respect'
  const { spread, requiredAffinity, preferredAffinity, requiredAntiAffinity, preferredAntiAffinity } = constraints
  const preferred = (terms: PodConstraints['preferredAffinity']): PodAffinityTerm[] =>
    respect ? terms.map(({ podAffinityTerm }) => podAffinityTerm) : []
  return [
    ...spread
      .filter(({ whenUnsatisfiable }) => respect || whenUnsatisfiable === 'DoNotSchedule')
      .map((constraint) => spreadGroup(pod, constraint, constraints, options)),
    ...[...requiredAffinity, ...preferred(preferredAffinity)].map((term) =>
      termGroup(pod, term, { kind: 'affinity', inverse: false }, constraints.tolerations, options),
    ),
    ...[...requiredAntiAffinity, ...preferred(preferredAntiAffinity)].map((term) =>
      termGroup(pod, term, { kind: 'antiAffinity', inverse: false }, constraints.tolerations, options),
    ),
  ]
}

/** The groups in which a pod's required anti-affinity shows to others. */
export function inverseGroups(
  pod: Owner,
  terms: readonly PodAffinityTerm[],
  tolerations: readonly Toleration[],
  options: Pick<GroupOptions, 'aliases' | 'namespaces'>,
): GroupSpec[] {
  return terms.map((term) => termGroup(pod, term, { kind: 'antiAffinity', inverse: true }, tolerations, options))
}

export function selectsPods(
  { namespaces, selector }: Pick<GroupSpec, 'namespaces' | 'selector'>,
  pod: Pick<PodInfo, 'namespace' | 'labels'>,
): boolean {
  return namespaces.has(pod.namespace) && selects(selector, pod.labels)
}

function termGroup(
  pod: Owner,
  term: PodAffinityTerm,
  { kind, inverse }: Pick<GroupSpec, 'kind' | 'inverse'>,
  tolerations: readonly Toleration[],
  options: Pick<GroupOptions, 'aliases' | 'namespaces'>,
): GroupSpec {
  const key = normaliseKey(term.topologyKey, options.aliases)
  const namespaces = namespacesOf(pod, term, options)
  const selector = termSelector(pod, term)
  return {
    kind,
    inverse,
    key,
    namespaces,
    selector,
    maxSkew: unlimitedSkew,
    minDomains: undefined,
    filter: undefined,
    tolerations,
    identity: JSON.stringify([
      inverse ? 'inverse' : kind,
      key,
      [...namespaces].toSorted(compareText),
      selectorIdentity(selector),
      ...(inverse || key === labelHostname ? [] : onceEach(tolerations.map(tolerationIdentity))),
    ]),
  }
}

export function spreadGroup(
  pod: Owner,
  constraint: TopologySpreadConstraint,
  constraints: PodConstraints,
  { aliases }: Pick<GroupOptions, 'aliases'>,
): GroupSpec {
  const key = normaliseKey(constraint.topologyKey, aliases)
  const selector = withLabelKeys(constraint.labelSelector, 'In', constraint.matchLabelKeys ?? [], pod.labels)
  const selected = labelRequirements(pod.nodeSelector, aliases)
  const terms = constraints.requiredNodeTerms.map((term) => withSelector(pod.nodeSelector, term, aliases))
  const filter: NodeFilter = {
    honorTaints: constraint.nodeTaintsPolicy === 'Honor',
    honorAffinity: constraint.nodeAffinityPolicy !== 'Ignore',
    labels: labelsBeside(constraint, constraints.spread, aliases),
    tolerations: constraints.tolerations,
    alternatives:
      terms.length === 0
        ? [{ requirements: selected, needed: [] }]
        : terms.filter(({ excluded }) => excluded.length === 0),
  }
  return {
    kind: 'spread',
    inverse: false,
    key,
    namespaces: new Set([pod.namespace]),
    selector,
    maxSkew: constraint.maxSkew,
    minDomains: constraint.minDomains,
    filter,
    tolerations: constraints.tolerations,
    identity: JSON.stringify([
      'spread',
      key,
      pod.namespace,
      constraint.maxSkew,
      constraint.minDomains ?? null,
      selectorIdentity(selector),
      filter.honorTaints,
      filter.honorAffinity,
      filter.labels,
      onceEach(constraints.tolerations.map(tolerationIdentity)),
      onceEach(
        filter.alternatives.map(({ requirements, needed }) => `${requirementsIdentity(requirements)} ${needed.join()}`),
      ),
    ]),
  }
}

/**
 * To kube-scheduler a node without the label of some constraint is in no domain of the others either. Every node has a hostname; and those
 * that lack another label take no pod of the constraint on it, however many they have.
 */
function labelsBeside(
  { topologyKey, whenUnsatisfiable }: TopologySpreadConstraint,
  all: readonly TopologySpreadConstraint[],
  aliases: LabelAliases,
): readonly string[] {
  const own = normaliseKey(topologyKey, aliases)
  if (whenUnsatisfiable !== 'DoNotSchedule' || own === labelHostname) return []
  const keys = all
    .filter((other) => other.whenUnsatisfiable === 'DoNotSchedule')
    .map((other) => normaliseKey(other.topologyKey, aliases))
  return onceEach(keys.filter((key) => key !== own && key !== labelHostname))
}

function namespacesOf(
  pod: Owner,
  { namespaces = [], namespaceSelector }: PodAffinityTerm,
  options: Pick<GroupOptions, 'namespaces'>,
): ReadonlySet<string> {
  if (namespaceSelector === undefined) return new Set(namespaces.length === 0 ? [pod.namespace] : namespaces)
  const matching = [...options.namespaces].filter(([, labels]) => selects(namespaceSelector, labels))
  return new Set([...matching.map(([name]) => name), ...namespaces])
}

/** Without a selector nothing is selected, whatever the keys. */
function termSelector(
  { labels }: Owner,
  { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] }: PodAffinityTerm,
): LabelSelector | undefined {
  if (labelSelector === undefined) return undefined
  return withLabelKeys(withLabelKeys(labelSelector, 'In', matchLabelKeys, labels), 'NotIn', mismatchLabelKeys, labels)
}

/**
 * Keys that the pod does not carry are ignored. Kubernetes has written the expressions into the selector itself, of affinity terms since
 * 1.31 and of spreads since 1.34: said twice they would cancel out in the identity, and all revisions of a workload would share the group
 * of the first. Manifests that have seen no API server have them not.
 */
function withLabelKeys(
  selector: LabelSelector | undefined,
  operator: 'In' | 'NotIn',
  keys: readonly string[],
  labels: Labels,
): LabelSelector | undefined {
  const stated = selector?.matchExpressions ?? []
  const added = keys.flatMap((key): LabelSelectorRequirement[] => {
    const value = labelOf(labels, key)
    return value === undefined || stated.some((one) => isStated(one, { key, operator, value }))
      ? []
      : [{ key, operator, values: [value] }]
  })
  return added.length === 0 ? selector : { ...selector, matchExpressions: [...stated, ...added] }
}

function isStated(
  { key, operator, values = [] }: LabelSelectorRequirement,
  wanted: { readonly key: string; readonly operator: 'In' | 'NotIn'; readonly value: string },
): boolean {
  return key === wanted.key && operator === wanted.operator && values.length === 1 && values[0] === wanted.value
}

/** Labels and expressions that mean the same are different here, as they are upstream. */
function selectorIdentity(selector: LabelSelector | undefined): unknown {
  if (selector === undefined) return null
  const { matchLabels = {}, matchExpressions = [] } = selector
  return [
    Object.entries(matchLabels).toSorted(([a], [b]) => compareText(a, b)),
    withoutPairs(
      matchExpressions.map(({ key, operator, values = [] }) => JSON.stringify([key, operator, withoutPairs(values)])),
    ),
  ]
}

function tolerationIdentity({ key, operator, value, effect, tolerationSeconds }: Toleration): string {
  return JSON.stringify([key ?? '', operator ?? '', value ?? '', effect ?? '', tolerationSeconds ?? null])
}

function requirementsIdentity(requirements: Requirements): string {
  return JSON.stringify([...requirements.values()].map(identityText).toSorted(compareText))
}

function onceEach(texts: readonly string[]): string[] {
  return [...new Set(texts)].toSorted(compareText)
}

/** A set whose equal elements cancel out in twos, because upstream combines their hashes by exclusive or. */
function withoutPairs(texts: readonly string[]): string[] {
  const odd = new Set<string>()
  for (const text of texts) if (!odd.delete(text)) odd.add(text)
  return [...odd].toSorted(compareText)
}
