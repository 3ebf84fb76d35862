import { type VoluntaryReason, computeBudgets } from '../../src/disruption/budgets.ts'
import type { Candidate } from '../../src/disruption/candidates.ts'
import type { Replacement } from '../../src/disruption/command.ts'
import type { Simulate, SimulationResult } from '../../src/disruption/simulation.ts'
import { toRequirement } from '../../src/model/requirement.ts'
import { requirementsOf } from '../../src/model/requirements.ts'
import type { InstanceType } from '../../src/model/instance-type.ts'
import type { Snapshot, StateNode } from '../../src/model/snapshot.ts'
import { aRunningPod, aStateNode } from './disruption-builders.ts'

export const wellKnownLabels = new Set([
  'karpenter.sh/capacity-type',
  'topology.kubernetes.io/zone',
  'node.kubernetes.io/instance-type',
])
export const options = { wellKnownLabels, spotToSpot: false }

export function plan(types: readonly InstanceType[], ...requirements: ReturnType<typeof toRequirement>[]): Replacement {
  return { nodePool: 'default', requirements: requirementsOf(...requirements), instanceTypes: types }
}
export const eitherCapacityType = toRequirement('karpenter.sh/capacity-type', 'In', ['on-demand', 'spot'])

export const onDemand = toRequirement('karpenter.sh/capacity-type', 'In', ['on-demand'])

export type Answer = Partial<Extract<SimulationResult<Replacement>, { kind: 'placed' }>>

/** A solver that answers by how many, or which, nodes are taken away. */
export function simulating(answer: (names: readonly string[]) => Answer): {
  simulate: Simulate<Replacement>
  asked: string[][]
} {
  const asked: string[][] = []
  const simulate: Simulate<Replacement> = function* ({ candidates }) {
    const names = candidates.map(({ name }) => name)
    asked.push(names)
    yield
    return { kind: 'placed', replacements: [], destinations: [], unplaced: undefined, ...answer(names) }
  }
  return { simulate, asked }
}

export const budgetsOf = (world: Snapshot, reason: VoluntaryReason) =>
  computeBudgets(world.nodePools, world.nodes, reason, world.now)
export const busy = (name: string, more: Parameters<typeof aStateNode>[1] = {}): StateNode =>
  aStateNode(name, { pods: [aRunningPod()], ...more })
export const names = (candidates: readonly Candidate[] | undefined) => candidates?.map(({ name }) => name)
