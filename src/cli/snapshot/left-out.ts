import type { KubeObject } from '../../api/kubernetes.ts'
import type { ManifestDocument } from '../input/documents.ts'

/** An object among those of a snapshot that says what is not among them; no reader of objects has a use for its kind. */
const marker = { apiVersion: 'v1', kind: 'ConfigMap', name: 'joinery-snapshot' } as const
const field = 'mayNotBeListed'

/** For kinds, by their plural names, that whoever recorded the cluster may not list. */
export function leftOutMarker(plurals: readonly string[]): KubeObject & { readonly data: Record<string, string> } {
  const { apiVersion, kind, name } = marker
  return {
    apiVersion,
    kind,
    metadata: { name, uid: '', resourceVersion: '', creationTimestamp: '1970-01-01T00:00:00Z' },
    data: { [field]: plurals.join(',') },
  }
}

/** Kinds of the cluster that the documents would hold if they could have been listed; none is not the same as unknown. */
export function leftOutOf(documents: readonly ManifestDocument[]): readonly string[] {
  return documents.flatMap(({ content }) => {
    if (content.kind !== 'object') return []
    const { apiVersion, kind, metadata, ...rest } = content.object
    if (apiVersion !== marker.apiVersion || kind !== marker.kind || metadata?.name !== marker.name) return []
    const data = 'data' in rest ? rest.data : undefined
    const text = typeof data === 'object' && data !== null && field in data ? data[field] : undefined
    return typeof text === 'string' ? text.split(',').filter((plural) => plural !== '') : []
  })
}
