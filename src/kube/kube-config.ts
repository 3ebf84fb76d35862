import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { findHomeDir, KubeConfig } from '@kubernetes/client-node'
import { firstLineOf } from '../api/error-text.ts'
import { tellExecPlugin } from './exec-info.ts'
import { requireImpersonatedName } from './impersonation.ts'
import { KubeConfigFileError, readKubeConfigFiles } from './kube-config-files.ts'

export interface KubeConfigChoice {
  /** A file instead of those of KUBECONFIG, ~/.kube/config and the pod's service account. */
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
  const config = load(choice)
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
    requireImpersonatedName(config)
    tellExecPlugin(config)
  } catch (error) {
    throw failedToLoad(choice, error)
  }
  return config
}

function load(choice: KubeConfigChoice): KubeConfig {
  const { KUBECONFIG: named = '' } = process.env
  const home = homeConfig()
  try {
    if (choice.path !== undefined) return readKubeConfigFiles([choice.path])
    if (named !== '') return readKubeConfigFiles(named.split(delimiter).filter((path) => path !== ''))
    if (home !== undefined && existsSync(home)) return readKubeConfigFiles([home])
    const config = new KubeConfig()
    config.loadFromDefault()
    return config
  } catch (error) {
    throw failedToLoad(choice, error)
  }
}

function failedToLoad({ path }: KubeConfigChoice, error: unknown): KubeConfigError {
  const { KUBECONFIG: named = '' } = process.env
  const isNamed = path === undefined && named !== ''
  const place = error instanceof KubeConfigFileError ? error.path : (path ?? defaultPlace())
  const cause = error instanceof KubeConfigFileError ? error.cause : error
  // The parser of YAML shows the text, too, in lines of its own, and a kubeconfig holds secrets: as a cause they would come into the log.
  const reason = firstLineOf(cause).replace(/:$/, '')
  return new KubeConfigError(`failed to load the kubeconfig ${place}${isNamed ? ' (from KUBECONFIG)' : ''}: ${reason}`)
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
  return named === '' ? (homeConfig() ?? 'of the service account') : named
}

function homeConfig(): string | undefined {
  const home = findHomeDir()
  return home === null ? undefined : join(home, '.kube', 'config')
}
