import { writeFile } from 'node:fs/promises'
import type { KeyAndCertificate } from './certificates.ts'

/** How a client proves who it is. */
export type Credentials = KeyAndCertificate | { readonly token: string }

export interface Cluster {
  readonly url: string
  /** PEM of the authority that signed the server's certificate. */
  readonly caCertificate: string
}

/** Writes a kubeconfig with everything in it; it is JSON, which is YAML too. Returns the path. */
export async function writeKubeconfig(
  path: string,
  cluster: Cluster,
  user: string,
  credentials: Credentials,
): Promise<string> {
  const proof =
    'token' in credentials
      ? { token: credentials.token }
      : { 'client-certificate-data': base64(credentials.certificate), 'client-key-data': base64(credentials.key) }
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'peer', cluster: { server: cluster.url, 'certificate-authority-data': base64(cluster.caCertificate) } },
    ],
    users: [{ name: user, user: proof }],
    contexts: [{ name: 'peer', context: { cluster: 'peer', user, namespace: 'default' } }],
    'current-context': 'peer',
  }
  await writeFile(path, JSON.stringify(config, undefined, 2), { mode: 0o600 })
  return path
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
