import type { RolloutPolicy } from '../../api/karpenter.ts'

/** The RolloutPolicies there are. A cluster without the definition has none, and works as Karpenter does. */
export interface PolicySource {
  list(): readonly RolloutPolicy[]
}

export const noPolicies: PolicySource = { list: () => [] }
