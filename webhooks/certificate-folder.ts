import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TLSMaterial } from './connections.ts'
import { followMounted, type MountedOptions } from './mounted-files.ts'

export interface CertificateFolderOptions extends MountedOptions {
  /** With tls.crt and tls.key, as a Secret of cert-manager is mounted. */
  readonly folder: string
}

/** Hands on the certificate in the folder, now and whenever it has changed. */
export async function watchCertificateFolder(
  { folder, ...options }: CertificateFolderOptions,
  onCertificate: (tls: TLSMaterial) => void,
  signal: AbortSignal,
): Promise<void> {
  const read = async (): Promise<TLSMaterial> => {
    const [certificate, key] = await Promise.all([
      readFile(join(folder, 'tls.crt'), 'utf8'),
      readFile(join(folder, 'tls.key'), 'utf8'),
    ])
    return { certificate, key }
  }
  const complaint = 'the certificate cannot be read yet'
  await followMounted({ ...options, read, complaint, place: { folder } }, onCertificate, signal)
}
