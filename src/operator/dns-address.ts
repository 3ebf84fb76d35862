import { hasCode } from '../kube/errors.ts'
import { services } from '../kube/kinds.ts'
import type { Logger } from '../kube/logger.ts'
import type { KubeClient } from '../kube/port.ts'

/**
 * The address of the Service kube-system/kube-dns; undefined where there is none, or where it may not be read, which the log tells.
 * Rejects when the API server cannot tell: that there is none would hold for as long as the process lives.
 */
export async function readDNSAddress(kube: Pick<KubeClient, 'get'>, log: Logger): Promise<string | undefined> {
  try {
    return (await kube.get(services, { namespace: 'kube-system', name: 'kube-dns' })).spec.clusterIP
  } catch (error) {
    if (!hasCode(error, 'NotFound', 'Forbidden')) throw error
    log.debug({ err: error }, 'unable to detect the IP of the kube-dns service')
    return undefined
  }
}
