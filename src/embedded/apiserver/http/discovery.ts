import { compareText } from '../../../model/order.ts'
import type { KindDefinition, Subresource } from '../registry/definition.ts'
import { metricKinds } from './metrics.ts'
import { reviewKinds } from './reviews.ts'

const allVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']

interface SubresourceInfo {
  readonly verbs: readonly string[]
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string }
}

const subresourceInfo: Record<Subresource, SubresourceInfo> = {
  status: { verbs: ['get', 'patch', 'update'] },
  scale: { verbs: ['get', 'patch', 'update'], kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' } },
  eviction: { verbs: ['create'], kind: { group: 'policy', version: 'v1', kind: 'Eviction' } },
  binding: { verbs: ['create'] },
  log: { verbs: ['get'] },
  finalize: { verbs: ['update'] },
}

interface Served {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly singular: string
  readonly namespaced: boolean
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly verbs: readonly string[]
  readonly subresources: readonly Subresource[]
}

function served(definitions: readonly KindDefinition[]): readonly Served[] {
  const stored = definitions.map((definition) => ({
    ...definition,
    verbs: allVerbs,
    subresources: [...definition.subresources],
  }))
  const reviews = reviewKinds.map((review) => ({
    ...review,
    singular: review.kind.toLowerCase(),
    namespaced: false,
    shortNames: [],
    categories: [],
    verbs: ['create'],
    subresources: [],
  }))
  const metrics = metricKinds.map((kind) => ({
    ...kind,
    singular: '',
    shortNames: [],
    categories: [],
    verbs: ['get', 'list'],
    subresources: [],
  }))
  return [...stored, ...reviews, ...metrics].sort(
    (a, b) => compareText(a.group, b.group) || compareText(a.plural, b.plural),
  )
}

/** Versions per group; the stable and newer come first, as clients prefer the first. */
export function groupVersions(definitions: readonly KindDefinition[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, Set<string>>()
  for (const { group, version } of served(definitions)) {
    const versions = groups.get(group)
    if (versions === undefined) groups.set(group, new Set([version]))
    else versions.add(version)
  }
  return new Map(
    [...groups]
      .sort(([a], [b]) => compareText(a, b))
      .map(([group, versions]) => [
        group,
        [...versions].sort((a, b) => versionRank(b) - versionRank(a) || compareText(a, b)),
      ]),
  )
}

function versionRank(version: string): number {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version)
  if (match === null) return -1
  const [, major, stage, minor] = match
  return (
    (stage === undefined ? 2_000_000 : stage === 'beta' ? 1_000_000 : 0) + Number(major) * 1000 + Number(minor ?? 0)
  )
}

/** All groups, or the core group alone, in one document. */
export function aggregatedDiscovery(
  definitions: readonly KindDefinition[],
  core: boolean,
  version: 'v2' | 'v2beta1',
): object {
  const all = served(definitions)
  const items = [...groupVersions(definitions)]
    .filter(([group]) => (group === '') === core)
    .map(([group, versions]) => ({
      metadata: group === '' ? { creationTimestamp: null } : { name: group, creationTimestamp: null },
      versions: versions.map((each) => ({
        version: each,
        resources: all.filter((kind) => kind.group === group && kind.version === each).map(aggregatedResource),
        freshness: 'Current',
      })),
    }))
  return { kind: 'APIGroupDiscoveryList', apiVersion: `apidiscovery.k8s.io/${version}`, metadata: {}, items }
}

function aggregatedResource(kind: Served): object {
  const own = { group: kind.group, version: kind.version, kind: kind.kind }
  return {
    resource: kind.plural,
    responseKind: own,
    scope: kind.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: kind.singular,
    verbs: kind.verbs,
    ...(kind.shortNames.length === 0 ? {} : { shortNames: kind.shortNames }),
    ...(kind.categories.length === 0 ? {} : { categories: kind.categories }),
    subresources: kind.subresources.map((subresource) => ({
      subresource,
      responseKind: subresourceInfo[subresource].kind ?? own,
      verbs: subresourceInfo[subresource].verbs,
    })),
  }
}

export function apiVersions(serverAddress: string): object {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  }
}

export function apiGroupList(definitions: readonly KindDefinition[]): object {
  const groups = [...groupVersions(definitions)]
    .filter(([group]) => group !== '')
    .map(([group, versions]) => apiGroup(group, versions))
  return { kind: 'APIGroupList', apiVersion: 'v1', groups }
}

export function apiGroup(group: string, versions: readonly string[]): object {
  const listed = versions.map((version) => ({ groupVersion: `${group}/${version}`, version }))
  return { kind: 'APIGroup', apiVersion: 'v1', name: group, versions: listed, preferredVersion: listed[0] }
}

/** The resources of one version; undefined when it serves none. */
export function apiResourceList(
  definitions: readonly KindDefinition[],
  group: string,
  version: string,
): object | undefined {
  const kinds = served(definitions).filter((kind) => kind.group === group && kind.version === version)
  if (kinds.length === 0) return undefined
  const resources = kinds.flatMap((kind) => [
    {
      name: kind.plural,
      singularName: kind.singular,
      namespaced: kind.namespaced,
      kind: kind.kind,
      verbs: kind.verbs,
      ...(kind.shortNames.length === 0 ? {} : { shortNames: kind.shortNames }),
      ...(kind.categories.length === 0 ? {} : { categories: kind.categories }),
    },
    ...kind.subresources.map((subresource) => {
      const { kind: other, verbs } = subresourceInfo[subresource]
      return {
        name: `${kind.plural}/${subresource}`,
        singularName: '',
        namespaced: kind.namespaced,
        ...(other ?? { kind: kind.kind }),
        verbs,
      }
    }),
  ])
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: group === '' ? version : `${group}/${version}`,
    resources,
  }
}
