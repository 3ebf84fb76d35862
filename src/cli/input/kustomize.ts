import { basename, dirname, join, normalize } from 'node:path'
import type { ManifestDocument, PartialObject } from './documents.ts'

/**
 * Files that a kustomization of the input names as patches: parts of objects, which only its build makes whole. Judged by
 * themselves they lack what their base has, and beside it they would count as the object a second time.
 */
export function withoutPatches(documents: readonly ManifestDocument[]): ManifestDocument[] {
  const patched = new Map<string, string>()
  for (const { file, content } of documents) {
    if (content.kind !== 'object' || !isKustomization(file, content.object)) continue
    for (const path of patchFiles(content.object)) patched.set(normalize(join(dirname(file), path)), file)
  }
  if (patched.size === 0) return [...documents]
  return documents.map((document) => {
    const kustomization = patched.get(normalize(document.file))
    return kustomization === undefined ? document : patchOf(kustomization, document)
  })
}

/** The file's name says enough where the version, or that and the kind, are left out. */
function isKustomization(file: string, { apiVersion }: PartialObject): boolean {
  if (typeof apiVersion === 'string') return apiVersion.startsWith('kustomize.config.k8s.io/')
  return /^kustomization\.ya?ml$/.test(basename(file))
}

/** Patches may also stand in the field itself, or name a file elsewhere. */
function patchFiles(kustomization: PartialObject): string[] {
  const paths = ['patches', 'patchesStrategicMerge', 'patchesJson6902'].flatMap((field): unknown[] => {
    const entries: unknown = kustomization[field]
    if (!Array.isArray(entries)) return []
    return entries.map((entry: unknown) =>
      typeof entry === 'object' && entry !== null && 'path' in entry ? entry.path : entry,
    )
  })
  return paths.filter((path) => typeof path === 'string')
}

function patchOf(kustomization: string, document: ManifestDocument): ManifestDocument {
  if (document.content.kind === 'unreadable' && !document.content.isPatch) return document
  const message = `is a patch of ${kustomization}: build that first, kubectl kustomize ${dirname(kustomization)}`
  const problems = [{ ...document.locate([]), message }]
  return { ...document, content: { kind: 'unreadable', problems, isPatch: true } }
}
