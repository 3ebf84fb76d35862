import type { Terminal } from '../command-line.ts'
import { callerOf, type ClusterOptions, withCluster } from '../connect.ts'
import type { ManifestDocument } from '../input/documents.ts'
import { readCluster } from './read-cluster.ts'

export interface LiveDocuments {
  readonly documents: readonly ManifestDocument[]
  /** Of the API server, in milliseconds since the epoch. */
  readonly now: number
}

/** What a snapshot of the live cluster would hold, as if it were read from a file. Nothing is written to the cluster. */
export function liveDocuments(
  choice: ClusterOptions,
  userAgent: string,
  terminal: Pick<Terminal, 'stderr' | 'signal'>,
): Promise<LiveDocuments> {
  return withCluster(choice, callerOf(userAgent, terminal), async ({ client, clock }) => {
    const objects = await readCluster(client, terminal)
    const documents = objects.map(
      (object, index): ManifestDocument => ({
        file: 'cluster',
        index,
        content: { kind: 'object', object: { ...object } },
        locate: () => ({ line: 1, column: 1 }),
      }),
    )
    return { documents, now: clock.now() }
  })
}
