import { posix } from 'node:path'
import type { ManifestDocument } from '../input/documents.ts'

/**
 * For each document those that may stand in one cluster with it, itself among them. Manifests of several clusters often lie in one folder.
 * A cluster has one object of a kind and name: where the same comes in two files, their paths part at folders, or files, of two clusters.
 * What lies in none of these is taken to be shared by all.
 */
export function clusterMates(
  documents: readonly ManifestDocument[],
  identityOf: (document: ManifestDocument) => string | undefined,
): (document: ManifestDocument) => readonly ManifestDocument[] {
  const roots = rootsIn(filesByIdentity(documents, identityOf))
  if (roots.size === 0) return () => documents
  const pathOf = new Map(documents.map(({ file }) => [file, ancestorsOf(file).filter((path) => roots.has(path))]))
  const mates = new Map<string, readonly ManifestDocument[]>()
  return ({ file }) => {
    const own = pathOf.get(file) ?? []
    const key = own.join('\n')
    const known = mates.get(key)
    if (known !== undefined) return known
    const found = documents.filter((other) => !arePartedBy(own, pathOf.get(other.file) ?? []))
    mates.set(key, found)
    return found
  }
}

function filesByIdentity(
  documents: readonly ManifestDocument[],
  identityOf: (document: ManifestDocument) => string | undefined,
): ReadonlyMap<string, readonly string[]> {
  const files = new Map<string, string[]>()
  for (const document of documents) {
    const identity = identityOf(document)
    if (identity === undefined) continue
    const known = files.get(identity)
    if (known === undefined) files.set(identity, [document.file])
    else if (!known.includes(document.file)) known.push(document.file)
  }
  return files
}

/** Where the paths of files part that have the same object. */
function rootsIn(files: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const roots = new Set<string>()
  for (const holders of files.values()) {
    const paths = holders.map(ancestorsOf)
    for (const [at, a] of paths.entries()) {
      for (const b of paths.slice(at + 1)) {
        const parting = a.findIndex((path, depth) => path !== b[depth])
        for (const root of [a[parting], b[parting]]) if (root !== undefined) roots.add(root)
      }
    }
  }
  return roots
}

/** Whether somewhere one of them goes into one cluster and the other into another of the same folder. */
function arePartedBy(a: readonly string[], b: readonly string[]): boolean {
  return a.some((path) => !b.includes(path) && b.some((other) => posix.dirname(other) === posix.dirname(path)))
}

/** `a`, `a/b` and `a/b/c.yaml` of `a/b/c.yaml`. */
function ancestorsOf(file: string): readonly string[] {
  const parts = posix.normalize(file).split('/')
  return parts.map((_part, depth) => parts.slice(0, depth + 1).join('/'))
}
