import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../src/kube/logger.ts'
import type { Clock } from '../src/model/clock.ts'
import type { TLSMaterial } from './connections.ts'

export interface CertificateFolderOptions {
  /** With tls.crt and tls.key, as a Secret of cert-manager is mounted. */
  readonly folder: string
  readonly clock: Clock
  readonly log: Logger
}

/** A mounted certificate is looked at this often; cert-manager renews a third of a life ahead. */
export const certificateFolderPollMs = 30_000

/**
 * Hands on what the folder holds, now and whenever it has changed. What cannot be used is looked at again the next time: while a mount is
 * exchanged, one file may be read from before and the other from after.
 */
export async function watchCertificateFolder(
  { folder, clock, log }: CertificateFolderOptions,
  onCertificate: (tls: TLSMaterial) => void,
  signal: AbortSignal,
): Promise<void> {
  let served: TLSMaterial | undefined
  while (!signal.aborted) {
    try {
      const [certificate, key] = await Promise.all([
        readFile(join(folder, 'tls.crt'), 'utf8'),
        readFile(join(folder, 'tls.key'), 'utf8'),
      ])
      if (certificate !== served?.certificate || key !== served.key) {
        onCertificate({ certificate, key })
        served = { certificate, key }
      }
    } catch (error) {
      log.error({ err: error, folder }, 'the certificate cannot be read yet')
    }
    try {
      await clock.sleep(certificateFolderPollMs, signal)
    } catch {
      return
    }
  }
}
