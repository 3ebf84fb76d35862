import { stringify } from 'yaml'
import type { KeyPair } from '../../../kube/x509.ts'

export interface KubeconfigInput {
  readonly server: string
  readonly authority: string
  readonly client: KeyPair
  readonly name: string
}

/** A kubeconfig with everything inline. */
export function kubeconfigText({ server, authority, client, name }: KubeconfigInput): string {
  return stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name, cluster: { server, 'certificate-authority-data': base64(authority) } }],
      users: [
        {
          name,
          user: { 'client-certificate-data': base64(client.certificate), 'client-key-data': base64(client.key) },
        },
      ],
      contexts: [{ name, context: { cluster: name, user: name } }],
      'current-context': name,
    },
    { lineWidth: 0 },
  )
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64')
}
