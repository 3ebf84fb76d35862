import { KubeConfig } from '@kubernetes/client-node'

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

/** @throws KubeConfigError when there is no usable configuration; the message says what was looked for. */
export function loadKubeConfig(choice: KubeConfigChoice = {}): KubeConfig {
  const config = new KubeConfig()
  try {
    if (choice.path === undefined) config.loadFromDefault()
    else config.loadFromFile(choice.path)
  } catch (error) {
    const where = choice.path ?? 'KUBECONFIG, ~/.kube/config or the service account'
    throw new KubeConfigError(`failed to load Kubernetes client configuration from ${where}`, { cause: error })
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
  return config
}
