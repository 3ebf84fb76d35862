import { join } from 'node:path'
import { findHomeDir, KubeConfig } from '@kubernetes/client-node'
import { firstLineOf } from '../api/error-text.ts'
import { tellExecPlugin } from './exec-info.ts'

export interface KubeConfigChoice {
  /** A file instead of KUBECONFIG, ~/.kube/config and the pod's service account. */
  readonly path?: string
  /** A context instead of the file's current one. */
  readonly context?: string
}

class KubeConfigError extends Error {
  readonly code = 'KubeConfig'
  override readonly name = 'KubeConfigError'
}

/** @throws KubeConfigError when there is no usable configuration; the message says what was looked for, and what was wrong with it. */
export function loadKubeConfig(choice: KubeConfigChoice = {}): KubeConfig {
  const config = new KubeConfig()
  try {
    if (choice.path === undefined) config.loadFromDefault()
    else config.loadFromFile(choice.path)
  } catch (error) {
    throw failedToLoad(choice, error)
  }
  if (isMadeUp(config)) {
    const home = homeConfig() ?? '~/.kube/config (there is no home directory)'
    throw new KubeConfigError(
      `no kubeconfig found; looked at KUBECONFIG (not set), ${home} and the service account of a pod`,
    )
  }
  if (choice.context !== undefined) {
    if (config.getContextObject(choice.context) === null) {
      const known = config.getContexts().map((context) => context.name)
      throw new KubeConfigError(
        `the kubeconfig has no context ${JSON.stringify(choice.context)}, only ${known.join(', ')}`,
      )
    }
    config.setCurrentContext(choice.context)
  }
  if (config.getCurrentCluster() === null) {
    throw new KubeConfigError('the kubeconfig names no cluster for its current context')
  }
  try {
    tellExecPlugin(config)
  } catch (error) {
    throw failedToLoad(choice, error)
  }
  return config
}

function failedToLoad({ path = defaultPlace() }: KubeConfigChoice, cause: unknown): KubeConfigError {
  // The parser of YAML shows the text, too, in lines of its own, and a kubeconfig holds secrets: as a cause they would come into the log.
  return new KubeConfigError(`failed to load the kubeconfig ${path}: ${firstLineOf(cause)}`)
}

/** The client makes up a cluster at localhost:8080 when it finds no configuration: nobody meant that one. */
function isMadeUp(config: KubeConfig): boolean {
  return (
    config.getCurrentContext() === 'loaded-context' && config.getCurrentCluster()?.server === 'http://localhost:8080'
  )
}

/** The first place that the client takes a configuration from; what it could not read is there. */
function defaultPlace(): string {
  const { KUBECONFIG: named = '' } = process.env
  return named === '' ? (homeConfig() ?? 'of the service account') : `${named} (from KUBECONFIG)`
}

function homeConfig(): string | undefined {
  const home = findHomeDir()
  return home === null ? undefined : join(home, '.kube', 'config')
}
