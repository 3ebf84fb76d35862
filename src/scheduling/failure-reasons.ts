import type { PodInfo } from '../model/pod.ts'
import { type Explainer, explainTemplate } from './explain.ts'
import type { PodFailure } from './placement.ts'
import type { PodClass } from './pod-class.ts'

/**
 * Why an attempt failed. Reasons are worked out at the end: a solve ends when a round has placed nobody, so that nothing has changed
 * since the last attempt of any pod that is left.
 */
export type Failure =
  | { readonly kind: 'resourceClaims' }
  | { readonly kind: 'unresolvedClaims'; readonly text: string }
  | { readonly kind: 'held'; readonly text: string }
  | { readonly kind: 'exclusiveVolume'; readonly text: string }
  | { readonly kind: 'reserved' }
  /** By every pool, in its most relaxed form. */
  | { readonly kind: 'refused'; readonly podClass: PodClass }

/** Why the pods that are left found no place, worked out once for those that are alike. */
export class FailureReasons {
  readonly #explainer: Explainer
  readonly #explained = new Map<PodClass, Omit<PodFailure, 'pod'>>()

  constructor(explainer: Explainer) {
    this.#explainer = explainer
  }

  of(failure: Exclude<Failure, { kind: 'reserved' }>, pod: PodInfo): Omit<PodFailure, 'pod'> {
    if (failure.kind === 'resourceClaims') return resourceClaims
    if (failure.kind === 'unresolvedClaims') return { because: { kind: 'unresolvedClaims' }, text: failure.text }
    if (failure.kind === 'exclusiveVolume') return { because: { kind: 'exclusiveVolume' }, text: failure.text }
    if (failure.kind === 'held') return { because: { kind: 'pools', pools: [] }, text: failure.text }
    const { podClass } = failure
    let reason = this.#explained.get(podClass)
    if (reason === undefined) {
      reason = this.#explain(podClass, pod)
      this.#explained.set(podClass, reason)
    }
    return reason
  }

  #explain(podClass: PodClass, pod: PodInfo): Omit<PodFailure, 'pod'> {
    const { templates, filteredPools, pools: candidates, snapshot } = this.#explainer.context
    const held = candidates.flatMap(({ metadata: { name } }) => {
      const list = snapshot.instanceTypes.get(name)
      return list?.kind === 'held' ? [`${list.what} for nodepool (NodePool=${name}): ${list.because}`] : []
    })
    if (templates.length === 0) {
      const isFiltered = filteredPools.length > 0 || held.length === 0
      const filtered = isFiltered ? ['nodepool requirements filtered out all available instance types'] : []
      return { because: { kind: 'noTemplates' }, text: [...filtered, ...held].join('; ') }
    }
    const pools = templates.map((template) => explainTemplate(template, podClass, pod, this.#explainer))
    return { because: { kind: 'pools', pools }, text: [...pools.map(({ text }) => text), ...held].join('; ') }
  }
}

/** Whether nothing keeps the pod out any more: others were placed since its attempt, and the deadline came before its next turn. */
export function isOutdated({ because }: Omit<PodFailure, 'pod'>): boolean {
  return because.kind === 'pools' && because.pools.some(({ reason }) => reason.kind === 'reserved')
}

const resourceClaims: Omit<PodFailure, 'pod'> = {
  because: { kind: 'resourceClaims' },
  text: 'pod has Dynamic Resource Allocation requirements that are not yet supported by Karpenter',
}
