import type { Deployment, PodSpec, Unsaved } from '../../src/api/kubernetes.ts'

type Texts = Readonly<Record<string, string>>

export interface DeploymentOptions {
  /** Of the pods, besides `app`, which is the name; the Deployment has them, too. */
  readonly labels?: Texts
  /** Of the pods. */
  readonly annotations?: Texts | undefined
}

/** A Deployment of namespace `default`; its pods are told from others by the label `app`. */
export function deploymentOf(
  name: string,
  replicas: number,
  spec: PodSpec,
  { labels = {}, annotations }: DeploymentOptions = {},
): Unsaved<Deployment> {
  const podLabels = { app: name, ...labels }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default', ...(Object.keys(labels).length === 0 ? {} : { labels }) },
    spec: {
      replicas,
      selector: { matchLabels: podLabels },
      template: { metadata: { labels: podLabels, ...(annotations === undefined ? {} : { annotations }) }, spec },
    },
  }
}

/** One container, which asks for this much. */
export function containerOf(requests: Texts, image = 'registry.example/app:1'): PodSpec['containers'][number] {
  return { name: 'app', image, resources: { requests } }
}
