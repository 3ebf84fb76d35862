import { createHTTPClient } from '../../kube/http-client.ts'
import { loadKubeConfig } from '../../kube/kube-config.ts'
import type { KubeClient } from '../../kube/port.ts'
import { systemClock } from '../../kube/system-clock.ts'
import { systemRandom } from '../../kube/system-random.ts'
import type { Terminal } from '../command-line.ts'
import type { ManifestDocument } from '../input/documents.ts'
import { readCluster } from './read-cluster.ts'

export interface ClusterChoice {
  readonly kubeconfig?: string
  readonly context?: string
}

/** A client for reading: of the context named, else of the current one. */
export function readingClient(
  { kubeconfig, context }: ClusterChoice,
  userAgent: string,
): KubeClient & {
  close(): Promise<void>
} {
  const config = loadKubeConfig({
    ...(kubeconfig === undefined ? {} : { path: kubeconfig }),
    ...(context === undefined ? {} : { context }),
  })
  return createHTTPClient({ config, clock: systemClock(), random: systemRandom(), qps: 50, burst: 100, userAgent })
}

/** What a snapshot of the live cluster would hold, as if it were read from a file. Nothing is written to the cluster. */
export async function liveDocuments(
  choice: ClusterChoice,
  userAgent: string,
  terminal: Pick<Terminal, 'stderr' | 'signal'>,
): Promise<readonly ManifestDocument[]> {
  const client = readingClient(choice, userAgent)
  try {
    const objects = await readCluster(client, terminal)
    return objects.map((object, index) => ({
      file: 'cluster',
      index,
      content: { kind: 'object', object: { ...object } },
      locate: () => ({ line: 1, column: 1 }),
    }))
  } finally {
    await client.close()
  }
}
