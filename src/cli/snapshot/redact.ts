import { createHash } from 'node:crypto'
import type { EC2NodeClass } from '../../api/karpenter.ts'
import { ownNominationIn } from '../../api/nomination.ts'
import type { Container, KubeObject, Pod, PodSpec, PodTemplateSpec } from '../../api/kubernetes.ts'
import { annotationLastApplied, appliedKeys } from '../../rollout/plan/applied-keys.ts'
import { gatesVariablesOf } from '../feature-gates.ts'

/**
 * The object with only what a decision reads: of the environment only an operator's feature gates, no commands, no arguments, no sources of
 * volumes but claims, of the managed fields only whether a nomination is the operator's, and which labels and annotations a manifest set;
 * user data as a digest.
 */
export function redact<T extends KubeObject>(object: T): T {
  const { managedFields: _, annotations, ...others } = object.metadata
  const fields = [ownNominationIn(object.metadata), tracesOfApply(object)].filter((entry) => entry !== undefined)
  const metadata = fields.length === 0 ? others : { ...others, managedFields: fields }
  // What kubectl writes is full of whatever the manifest held.
  const kept = Object.entries(annotations ?? {}).filter(([key]) => key !== annotationLastApplied)
  const plain = {
    ...object,
    metadata: kept.length === 0 ? metadata : { ...metadata, annotations: Object.fromEntries(kept) },
  }
  if (isPod(plain)) return { ...plain, spec: redactPodSpec(plain.spec) }
  if (hasPodTemplate(plain)) return { ...plain, spec: { ...plain.spec, template: redactTemplate(plain.spec.template) } }
  if (isNodeClass(plain) && plain.spec?.userData !== undefined) {
    return { ...plain, spec: { ...plain.spec, userData: digestOf(plain.spec.userData) } }
  }
  return plain
}

/** Those that a plan has manifests of. */
const plannedKinds: ReadonlySet<string> = new Set(['NodePool', 'EC2NodeClass', 'NodeOverlay', 'RolloutPolicy'])

/** Of either kind of apply only the keys, in the form of server-side apply. */
function tracesOfApply(object: KubeObject): unknown {
  if (!plannedKinds.has(object.kind)) return undefined
  const { labels, annotations } = appliedKeys(object)
  if (labels.length + annotations.length === 0) return undefined
  const fieldsOf = (keys: readonly string[]): object => Object.fromEntries(keys.map((key) => [`f:${key}`, {}]))
  const metadata = { 'f:labels': fieldsOf(labels), 'f:annotations': fieldsOf(annotations) }
  return { manager: 'joinery-snapshot', operation: 'Apply', fieldsV1: { 'f:metadata': metadata, 'f:spec': {} } }
}

export function digestOf(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`
}

function redactTemplate(template: PodTemplateSpec): PodTemplateSpec {
  const { annotations: _, ...metadata } = template.metadata ?? {}
  return { metadata, spec: redactPodSpec(template.spec) }
}

function redactPodSpec(spec: PodSpec): PodSpec {
  const volumes = spec.volumes
    ?.filter((volume) => volume.persistentVolumeClaim !== undefined || volume.ephemeral !== undefined)
    .map(({ name, persistentVolumeClaim, ephemeral }) => ({
      name,
      ...(persistentVolumeClaim === undefined ? {} : { persistentVolumeClaim }),
      ...(ephemeral === undefined ? {} : { ephemeral }),
    }))
  return {
    ...spec,
    containers: spec.containers.map(redactContainer),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(redactContainer) }),
    ...(volumes === undefined ? {} : { volumes }),
  }
}

function redactContainer(container: Container): Container {
  const { name, image, ports, resources, restartPolicy } = container
  const env = [...gatesVariablesOf(container)]
  return {
    name,
    ...(image === undefined ? {} : { image }),
    ...(env.length === 0 ? {} : { env }),
    ...(ports === undefined ? {} : { ports }),
    ...(resources === undefined ? {} : { resources }),
    ...(restartPolicy === undefined ? {} : { restartPolicy }),
  }
}

function isPod(object: KubeObject): object is Pod {
  return object.kind === 'Pod' && object.apiVersion === 'v1'
}

function hasPodTemplate(object: KubeObject): object is KubeObject & { spec: { template: PodTemplateSpec } } {
  return object.apiVersion === 'apps/v1'
}

function isNodeClass(object: KubeObject): object is EC2NodeClass {
  return object.kind === 'EC2NodeClass'
}
