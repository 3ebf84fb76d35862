import type { CapacityBuffer } from '../../api/karpenter.ts'
import { joinRuntimeErrors, quantityErrors } from '../../api/runtime-validation/index.ts'
import type { KubeObject, PodTemplateSpec } from '../../api/kubernetes.ts'
import type { Caches } from '../../kube/controller.ts'
import { deployments, podTemplates, replicaSets, statefulSets } from '../../kube/kinds.ts'
import type { Resource } from '../../kube/resource.ts'
import { isScalableGroup } from '../../scheduling/capacity-buffer.ts'

export type BufferResolution = Readonly<
  | {
      kind: 'resolved'
      template: PodTemplateSpec
      /** Only for buffers that name a template. */
      templateRef: { readonly name: string; readonly generation: number } | undefined
      scalableReplicas: number | undefined
    }
  | { kind: 'failed'; reason: 'PodTemplateNotFound' | 'ScalableRefNotFound' | 'ResolutionFailed'; message: string }
>

type Scalable = KubeObject & { spec: { replicas?: number; template: PodTemplateSpec } }

/** Looks up what a buffer's pods look like. */
export function bufferResolver(caches: Caches): (buffer: CapacityBuffer) => BufferResolution {
  const templates = caches.of(podTemplates)
  const scalables = new Map<string, (key: { namespace: string; name: string }) => Scalable | undefined>([
    ['Deployment', reader(caches, deployments)],
    ['ReplicaSet', reader(caches, replicaSets)],
    ['StatefulSet', reader(caches, statefulSets)],
  ])

  return ({ metadata, spec }) => {
    const namespace = metadata.namespace ?? ''
    const unreadable = quantityErrors(spec.limits, 'spec.limits', 'limits')
    if (unreadable.length > 0) {
      return { kind: 'failed', reason: 'ResolutionFailed', message: joinRuntimeErrors(unreadable) }
    }
    if (spec.podTemplateRef !== undefined) {
      const { name } = spec.podTemplateRef
      const found = templates.get({ namespace, name })
      if (found === undefined) {
        return { kind: 'failed', reason: 'PodTemplateNotFound', message: notFound('podtemplates', name) }
      }
      const generation = found.metadata.generation ?? 0
      return {
        kind: 'resolved',
        template: found.template,
        templateRef: { name, generation },
        scalableReplicas: undefined,
      }
    }
    if (spec.scalableRef === undefined) {
      return {
        kind: 'failed',
        reason: 'ResolutionFailed',
        message: 'Neither podTemplateRef nor scalableRef is set',
      }
    }
    const { apiGroup = '', kind, name } = spec.scalableRef
    const read = isScalableGroup(apiGroup) ? scalables.get(kind) : undefined
    if (read === undefined) {
      return {
        kind: 'failed',
        reason: 'ResolutionFailed',
        message: `unsupported scalableRef ${apiGroup === '' ? kind : `${apiGroup}/${kind}`}`,
      }
    }
    const found = read({ namespace, name })
    if (found === undefined) {
      const plural = `${kind.toLowerCase()}s.apps`
      return { kind: 'failed', reason: 'ScalableRefNotFound', message: notFound(plural, name) }
    }
    return {
      kind: 'resolved',
      template: found.spec.template,
      templateRef: undefined,
      scalableReplicas: found.spec.replicas ?? 1,
    }
  }
}

function reader<T extends Scalable>(caches: Caches, resource: Resource<T>) {
  const cache = caches.of(resource)
  return (key: { namespace: string; name: string }): Scalable | undefined => cache.get(key)
}

function notFound(plural: string, name: string): string {
  return `${plural} "${name}" not found`
}
