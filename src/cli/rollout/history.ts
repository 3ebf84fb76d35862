import type { NodePool, RolloutPolicy } from '../../api/karpenter.ts'
import { listText } from '../../model/list-text.ts'
import { govern } from '../../rollout/engine/govern.ts'
import type { Steered } from './reference.ts'

/** One row of the history, whatever it is the history of. */
export interface HistoryEntry {
  readonly revision: string
  readonly outcome: string
  readonly since: string
  /** For a person. */
  readonly what: string
  /** Of a class: all images of the set. */
  readonly images?: readonly { readonly id: string; readonly name?: string }[]
}

/** Sets of images of a class, or past rollouts of the policy that governs a pool; newest first. */
export function historyOf(steered: Steered, policies: readonly RolloutPolicy[]): readonly HistoryEntry[] {
  switch (steered.kind) {
    case 'ec2nodeclass':
      return imageEntries(steered)
    case 'nodepool': {
      const governing = governingPolicy(steered.object, policies)
      return policies.filter(({ metadata }) => metadata.name === governing).flatMap(policyEntries)
    }
    case 'rolloutpolicy':
      return policyEntries(steered.object)
    default:
      return steered satisfies never
  }
}

/** As the pool's status says, or its policy until the operator has written it there. */
function governingPolicy(pool: NodePool, policies: readonly RolloutPolicy[]): string | undefined {
  return pool.status?.rollout?.policy ?? govern(policies, [pool]).governing.get(pool.metadata.name)?.metadata.name
}

/** Why there may be nothing to tell. */
export function emptyHistoryText(steered: Steered, policies: readonly RolloutPolicy[]): string {
  const { kind, name } = steered
  switch (kind) {
    case 'ec2nodeclass':
      return `ec2nodeclass/${name} has no history of images yet`
    case 'nodepool':
      return `${poolHistoryText(steered, policies)}; images are in \`joinery rollout history ec2nodeclass/${steered.object.spec.template.spec.nodeClassRef.name}\``
    case 'rolloutpolicy':
      return `no rollout under rolloutpolicy/${name} has ended`
    default:
      return kind satisfies never
  }
}

function poolHistoryText(
  { name, object }: Extract<Steered, { kind: 'nodepool' }>,
  policies: readonly RolloutPolicy[],
): string {
  const policy = governingPolicy(object, policies)
  return policy === undefined
    ? `no RolloutPolicy governs nodepool/${name}, and only those keep a history of rollouts`
    : `no rollout of nodepool/${name} under rolloutpolicy/${policy} has ended yet`
}

function imageEntries({ object: { status } }: Extract<Steered, { kind: 'ec2nodeclass' }>): readonly HistoryEntry[] {
  const inUse = new Set((status?.pinnedImages?.images ?? status?.amis ?? []).map(({ id }) => id))
  return (status?.imageHistory ?? [])
    .toSorted((a, b) => b.revision - a.revision)
    .map(({ revision, outcome, firstSeen, images }) => ({
      revision: String(revision),
      outcome,
      since: firstSeen,
      what: `${imagesText(images)}${images.every(({ id }) => inUse.has(id)) ? ' <- in use' : ''}`,
      images: images.map(({ id, name }) => ({ id, ...(name === undefined ? {} : { name }) })),
    }))
}

/** An alias stands for one image for each kind of machine, and their names are long. */
function imagesText(images: readonly { readonly id: string; readonly name?: string }[]): string {
  const texts = images.map(({ id, name }) => (name === undefined ? id : `${id} (${name})`))
  return texts.length === 0 ? 'no image' : listText(texts, 1, 'more')
}

function policyEntries({ status }: RolloutPolicy): readonly HistoryEntry[] {
  return (status?.history ?? []).map((entry) => {
    const { revision, outcome, startTime, updatedNodes, totalNodes, message = '' } = entry
    const counted = updatedNodes === undefined ? [] : [`${updatedNodes} of ${totalNodes ?? updatedNodes} nodes`]
    const what = [...counted, ...(message === '' ? [] : [message])]
    return { revision, outcome, since: startTime ?? '-', what: what.join('; ') }
  })
}
