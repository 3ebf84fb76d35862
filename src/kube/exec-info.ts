import { readFileSync } from 'node:fs'
import type { Cluster, KubeConfig } from '@kubernetes/client-node'
import { isRecord } from '../api/json.ts'

const variable = 'KUBERNETES_EXEC_INFO'

/**
 * Tells the credential plugin of the current user what kubectl would tell it, in `KUBERNETES_EXEC_INFO`: which version of ExecCredential to
 * answer with, that nobody sits at a terminal, and, where `provideClusterInfo` asks for it, which cluster it is for. client-node leaves the
 * variable out, without which some plugins answer in another version or not at all. One that the kubeconfig sets itself is kept. The
 * `config` of a cluster's extension is not told: client-node does not read it.
 */
export function tellExecPlugin(config: KubeConfig): void {
  const user = config.getCurrentUser()
  const exec: unknown = user?.exec
  if (user === null || !isRecord(exec)) return
  const env: readonly unknown[] = Array.isArray(exec['env']) ? exec['env'] : []
  if (env.some((entry) => isRecord(entry) && entry['name'] === variable)) return
  const cluster = exec['provideClusterInfo'] === true ? config.getCurrentCluster() : null
  const info = {
    kind: 'ExecCredential',
    apiVersion: exec['apiVersion'],
    spec: { interactive: false, ...(cluster === null ? {} : { cluster: clusterInfo(cluster) }) },
  }
  const told = { ...user, exec: { ...exec, env: [...env, { name: variable, value: JSON.stringify(info) }] } }
  config.users = config.users.map((each) => (each === user ? told : each))
}

function clusterInfo({ server, caData, caFile, tlsServerName, skipTLSVerify, proxyUrl }: Cluster) {
  const ca = caData ?? (caFile === undefined ? undefined : readFileSync(caFile).toString('base64'))
  return {
    server,
    ...(tlsServerName === undefined ? {} : { 'tls-server-name': tlsServerName }),
    ...(skipTLSVerify ? { 'insecure-skip-tls-verify': true } : {}),
    ...(ca === undefined ? {} : { 'certificate-authority-data': ca }),
    ...(proxyUrl === undefined ? {} : { 'proxy-url': proxyUrl }),
  }
}
