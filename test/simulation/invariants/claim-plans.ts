import type { NodeClaim } from '../../../src/api/karpenter.ts'
import { labelNodePool, labelZone } from '../../../src/api/labels.ts'
import { currentController } from '../../../src/kube/current-controller.ts'
import { toResourceList, toResources } from '../../../src/model/resources.ts'
import type { NodePlan } from '../../../src/scheduling/index.ts'

export interface Planned {
  readonly plan: NodePlan
  /** Plans of one pass have the same. */
  readonly pass: number
  /** How many plans of the pass ask for the same: which of them a claim was made for nobody can tell then, for their size it does not matter. */
  readonly alike: number
}

/** Which plan a claim was made for: claims carry no trace of it but what they ask for. */
export class ClaimPlans {
  #pass = 0
  #left: readonly Planned[] = []

  decided(plans: readonly NodePlan[]): void {
    this.#pass += 1
    const texts = plans.map(planText)
    this.#left = plans.map((plan, index) => ({
      plan,
      pass: this.#pass,
      alike: texts.filter((text) => text === texts[index]).length,
    }))
  }

  /** To be called for every claim as it is made; undefined for those that are not made for pods that wait. */
  take(claim: NodeClaim): Planned | undefined {
    if (currentController() !== 'provisioner') return undefined
    const asked = claimText(claim)
    const found = this.#left.find(({ plan }) => planText(plan) === asked)
    this.#left = this.#left.filter((planned) => planned !== found)
    return found
  }
}

export function zonesOf({ requirements }: NodePlan): readonly string[] {
  return [...(requirements.get(labelZone)?.values ?? [])].toSorted()
}

function planText(plan: NodePlan): string {
  return JSON.stringify([plan.nodePool, toResourceList(plan.requests), zonesOf(plan)])
}

function claimText({ metadata, spec }: NodeClaim): string {
  const zones = spec.requirements.find(({ key }) => key === labelZone)?.values ?? []
  const requests = toResourceList(toResources(spec.resources?.requests))
  return JSON.stringify([metadata.labels?.[labelNodePool], requests, zones.toSorted()])
}
