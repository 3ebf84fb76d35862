import { KubeConfig } from '@kubernetes/client-node'
import { createHTTPClient, type HTTPClient } from '../../../src/kube/http-client.ts'
import { systemClock } from '../../../src/kube/system-clock.ts'
import { systemRandom } from '../../../src/kube/system-random.ts'

/** Our client, as production makes it, on a kubeconfig. Close it in the end. */
export function connect(kubeconfigPath: string): HTTPClient {
  const config = new KubeConfig()
  config.loadFromFile(kubeconfigPath)
  return createHTTPClient({
    config,
    clock: systemClock(),
    random: systemRandom(),
    // Tests are not what the rate limit protects from.
    qps: 1_000,
    burst: 2_000,
    userAgent: 'joinery-peer-tests',
    fieldManager: 'joinery',
  })
}
