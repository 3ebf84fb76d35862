import type { NodePool } from '../karpenter.ts'
import { parseExactQuantity } from '../exact-quantity.ts'
import type { ResourceListText, Taint } from '../kubernetes.ts'
import { isRestrictedLabel, normalizeLabelKey, restrictedLabelMessage } from '../label-rules.ts'
import { labelCapacityType, labelInstanceType, labelNodePool, nodeClassLabelKey } from '../labels.ts'
import { labelValueErrors, labelValueMaxLength, qualifiedNameErrors } from '../qualified-name.ts'
import { requirementErrors } from './requirements.ts'

/** One refusal, with the place it speaks of. */
export interface RuntimeError {
  readonly path: string
  readonly message: string
  /** What the message is made of, where that may be several things. */
  readonly causes?: readonly string[]
}

/** Why a NodePool that was admitted cannot be used: the condition ValidationSucceeded is False with these, joined by "; ". */
export function nodePoolErrors(nodePool: Named & Pick<NodePool, 'spec'>): RuntimeError[] {
  const { metadata, spec } = nodePool.spec.template
  return [
    ...labelErrors(metadata?.labels ?? {}),
    ...taintErrors(spec.taints ?? [], spec.startupTaints ?? []),
    ...spec.requirements.flatMap((requirement, index) => {
      const errors = requirementErrors(requirement, { notInNeedsValue: false })
      const path = `spec.template.spec.requirements[${index}]`
      return errors.length === 0
        ? []
        : [{ path, message: `invalid value: ${errors.join('; ')} in requirements, restricted`, causes: errors }]
    }),
    ...spec.requirements.flatMap(({ key }, index) =>
      normalizeLabelKey(key) === labelNodePool
        ? [
            {
              path: `spec.template.spec.requirements[${index}].key`,
              message: `invalid key: "${labelNodePool}" in requirements, restricted`,
            },
          ]
        : [],
    ),
    ...quantityErrors(nodePool.spec.limits, 'spec.limits', 'limits'),
    ...annotationErrors(metadata?.annotations ?? {}),
    ...nameErrors(nodePool),
    ...keyCountErrors(nodePool.spec),
  ]
}

interface Named {
  readonly metadata: Partial<Pick<NodePool['metadata'], 'name'>>
}

/** The pattern of the API admits a fraction in an exponent (`1e1.5`), which is no quantity. */
export function quantityErrors(list: ResourceListText | undefined = {}, path: string, field: string): RuntimeError[] {
  return Object.keys(list)
    .toSorted()
    .flatMap((name) => {
      const text = String(list[name])
      if (parseExactQuantity(text) !== undefined) return []
      return [
        {
          path: `${path}.${name}`,
          message: `invalid value: ${JSON.stringify(text)} for ${name} in ${field}, no quantity`,
        },
      ]
    })
}

export function joinRuntimeErrors(errors: readonly RuntimeError[]): string {
  return errors.map(({ message }) => message).join('; ')
}

function labelErrors(labels: Readonly<Record<string, string>>): RuntimeError[] {
  return Object.keys(labels)
    .sort()
    .flatMap((key) => {
      const path = 'spec.template.metadata.labels'
      const quoted = JSON.stringify(key)
      const value = labels[key] ?? ''
      const messages: string[] = []
      if (key === labelNodePool) messages.push(`invalid key name ${quoted} in labels, restricted`)
      messages.push(
        ...qualifiedNameErrors(key).map((reason) => `invalid key name ${quoted} in labels, ${JSON.stringify(reason)}`),
      )
      messages.push(...labelValueErrors(value).map((reason) => `invalid value: ${value} for label[${key}], ${reason}`))
      if (isRestrictedLabel(key)) messages.push(`invalid key name ${quoted} in labels, ${restrictedLabelMessage(key)}`)
      return messages.map((message) => ({ path: `${path}.${key}`, message }))
    })
}

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute', '']

/** Both lists together may hold each pair of key and effect once. */
function taintErrors(taints: readonly Taint[], startupTaints: readonly Taint[]): RuntimeError[] {
  const seen = new Set<string>()
  const check = (list: readonly Taint[], field: string): RuntimeError[] =>
    list.flatMap(({ key, value, effect }, index) => {
      const messages: string[] = []
      messages.push(...qualifiedNameErrors(key).map((reason) => `invalid value: ${reason} in ${field}`))
      if (value !== undefined && value !== '') {
        const reasons = qualifiedNameErrors(value)
        // A name with a domain, which the schema takes for a value, is none on a node.
        const known = reasons.length > 0 ? reasons : labelValueErrors(value)
        messages.push(...known.map((reason) => `invalid value: ${reason} in ${field}`))
      }
      if (!effects.includes(effect)) messages.push(`invalid value: ${JSON.stringify(effect)} in ${field}`)
      const pair = `${key}=${effect}`
      if (seen.has(pair)) messages.push(`duplicate taint Key/Effect pair ${pair}`)
      seen.add(pair)
      return messages.map((message) => ({ path: `spec.template.spec.${field}[${index}]`, message }))
    })
  return [...check(taints, 'taints'), ...check(startupTaints, 'startupTaints')]
}

/** As an API server judges them, which would take no NodeClaim with them. */
function annotationErrors(annotations: Readonly<Record<string, string>>): RuntimeError[] {
  return Object.keys(annotations)
    .sort()
    .flatMap((key) =>
      qualifiedNameErrors(key.toLowerCase()).map((reason) => ({
        path: `spec.template.metadata.annotations.${key}`,
        message: `invalid key name ${JSON.stringify(key)} in annotations, ${JSON.stringify(reason)}`,
      })),
    )
}

/** Names may be longer than labels, and each NodeClaim is labelled with the names of its pool and class: an API server takes none then. */
function nameErrors({ metadata, spec }: Named & Pick<NodePool, 'spec'>): RuntimeError[] {
  const { nodeClassRef } = spec.template.spec
  const { name: pool = '' } = metadata
  const names = [
    // Whatever else is wrong with its name, no object has it.
    { path: 'metadata.name', label: labelNodePool, name: pool.length > labelValueMaxLength ? pool : '' },
    {
      path: 'spec.template.spec.nodeClassRef.name',
      label: nodeClassLabelKey(nodeClassRef),
      name: nodeClassRef.name,
    },
  ]
  return names.flatMap(({ path, label, name }) =>
    labelValueErrors(name).map((reason) => ({
      path,
      message: `invalid value: ${name} for label[${label}], ${reason}`,
    })),
  )
}

/** As the schema of a NodeClaim has it. */
const requirementsMax = 100

/** A NodeClaim has a requirement for each label and each required key, beside those that every one of its kind has. */
function keyCountErrors({ template, replicas }: NodePool['spec']): RuntimeError[] {
  const { metadata, spec } = template
  const written = [...Object.keys(metadata?.labels ?? {}), ...spec.requirements.map(({ key }) => key)]
  const chosen = replicas === undefined ? [labelInstanceType, labelCapacityType] : []
  const own = [labelNodePool, nodeClassLabelKey(spec.nodeClassRef), ...chosen]
  const { size } = new Set([...written.map((key) => normalizeLabelKey(key)), ...own])
  if (size <= requirementsMax) return []
  const message = `invalid value: labels and requirements make ${size} requirements of a NodeClaim, which takes ${requirementsMax}`
  // However many too many: fewer than before are no new mistake.
  return [{ path: 'spec.template', message, causes: ['requirements of a NodeClaim'] }]
}
