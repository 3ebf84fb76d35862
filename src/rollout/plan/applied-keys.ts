import { textOf } from '../../api/json.ts'
import type { KubeObject, ObjectMeta } from '../../api/kubernetes.ts'

/** Labels and annotations of an object that the last apply of its manifest set: a manifest without them takes them away. */
export interface AppliedKeys {
  readonly labels: readonly string[]
  readonly annotations: readonly string[]
}

/** Where client-side apply keeps the manifest that it applied. */
export const annotationLastApplied = 'kubectl.kubernetes.io/last-applied-configuration'

/** Where tools keep the manifest that they applied, plain or compressed: kubectl, kapp, Fleet. */
const copiesOfManifest: ReadonlySet<string> = new Set([
  annotationLastApplied,
  'kapp.k14s.io/original',
  'kapp.k14s.io/original-diff',
  'objectset.rio.cattle.io/applied',
])

export function isCopyOfManifest(annotation: string): boolean {
  return copiesOfManifest.has(annotation)
}

/**
 * Two kinds of apply leave a trace. Server-side apply (Flux, Argo CD if told so) has an entry in managedFields, and takes away what nobody
 * else has set as well; client-side apply (kubectl, Argo CD) keeps the manifest in an annotation. Without either, nothing is known.
 */
export function appliedKeys({ metadata }: KubeObject): AppliedKeys {
  const { labels, annotations } = serverSide(metadata) ?? clientSide(metadata)
  return { labels: labels.filter(isOfManifest), annotations: annotations.filter(isOfManifest) }
}

/** Tools add these to every manifest as they apply it; in Git they are in none. */
const toolDomains = [
  'argocd.argoproj.io',
  'kustomize.toolkit.fluxcd.io',
  'helm.toolkit.fluxcd.io',
  'meta.helm.sh',
  'objectset.rio.cattle.io',
  'kapp.k14s.io',
]
const toolKeys: ReadonlySet<string> = new Set([
  annotationLastApplied,
  'app.kubernetes.io/instance',
  'app.kubernetes.io/managed-by',
])

function isOfManifest(key: string): boolean {
  return !toolKeys.has(key) && !toolDomains.some((domain) => key.startsWith(`${domain}/`))
}

/** Others apply single fields; who applies the manifest has the spec. Of several the one that did so last. */
function serverSide({ managedFields = [] }: ObjectMeta): AppliedKeys | undefined {
  const writers = managedFields.map(recordOf).filter(({ subresource = '' }) => subresource === '')
  const [applier] = writers
    .filter(({ operation, fieldsV1 }) => operation === 'Apply' && recordOf(fieldsV1)['f:spec'] !== undefined)
    .toSorted((a, b) => (textOf(a['time']) < textOf(b['time']) ? 1 : -1))
  if (applier === undefined) return undefined
  const others = writers.filter((writer) => writer !== applier)
  const ownKeys = (field: MetadataField): readonly string[] => {
    const shared = new Set(others.flatMap((writer) => keysOf(writer, field)))
    return keysOf(applier, field).filter((key) => !shared.has(key))
  }
  return { labels: ownKeys('labels'), annotations: ownKeys('annotations') }
}

type MetadataField = 'labels' | 'annotations'

/** Names of fields have `f:` before them; `.` is the map itself. */
function keysOf({ fieldsV1 }: Fields, field: MetadataField): readonly string[] {
  const set = recordOf(recordOf(recordOf(fieldsV1)['f:metadata'])[`f:${field}`])
  return Object.keys(set).flatMap((name) => (name.startsWith('f:') ? [name.slice(2)] : []))
}

function clientSide({ annotations = {} }: ObjectMeta): AppliedKeys {
  const metadata = recordOf(recordOf(parsed(annotations[annotationLastApplied]))['metadata'])
  return {
    labels: Object.keys(recordOf(metadata['labels'])),
    annotations: Object.keys(recordOf(metadata['annotations'])),
  }
}

/** Anybody may write the annotation. */
function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '{}')
  } catch {
    return undefined
  }
}

type Fields = Readonly<Record<string, unknown>>

function recordOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
}
