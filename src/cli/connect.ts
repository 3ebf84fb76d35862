import type { Command } from 'commander'
import { createHTTPClient, type HTTPClient } from '../kube/http-client.ts'
import { loadKubeConfig } from '../kube/kube-config.ts'
import { systemClock } from '../kube/system-clock.ts'
import { systemRandom } from '../kube/system-random.ts'

export interface ClusterOptions {
  readonly kubeconfig?: string
  readonly context?: string
}

/** The options that say which cluster. */
export function withClusterOptions(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'kubeconfig to use; default: KUBECONFIG, then ~/.kube/config, then in-cluster')
    .option('--context <name>', 'context of the kubeconfig')
}

/** Lets the work have a client of that cluster, and closes it when the work is done. */
export async function withCluster<T>(
  { kubeconfig, context }: ClusterOptions,
  name: string,
  work: (client: HTTPClient) => Promise<T>,
): Promise<T> {
  const config = loadKubeConfig({
    ...(kubeconfig === undefined ? {} : { path: kubeconfig }),
    ...(context === undefined ? {} : { context }),
  })
  const client = createHTTPClient({
    config,
    clock: systemClock(),
    random: systemRandom(),
    qps: 50,
    burst: 100,
    userAgent: name,
    fieldManager: name,
  })
  try {
    return await work(client)
  } finally {
    await client.close()
  }
}
