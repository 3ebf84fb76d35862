import { readFile } from 'node:fs/promises'
import type { Environment } from './options.ts'

const serviceAccountNamespace = '/var/run/secrets/kubernetes.io/serviceaccount/namespace'
/** Where a process that runs in no pod works, when nobody says. */
const namespaceDefault = 'kube-system'

/** Where the lease, the Secret of the webhook's certificates and the published instance types are. */
export async function ownNamespace(env: Environment): Promise<string> {
  const told = env['SYSTEM_NAMESPACE']
  if (told !== undefined && told !== '') return told
  try {
    return (await readFile(serviceAccountNamespace, 'utf8')).trim()
  } catch {
    return namespaceDefault
  }
}
