import type { Pod } from '../../../../src/api/kubernetes.ts'
import { conditionOf } from '../../../../src/api/conditions.ts'
import type { NodeClaim } from '../../../../src/api/karpenter.ts'
import { taintDisrupted } from '../../../../src/api/labels.ts'
import {
  OrchestrationQueue,
  LateReplacements,
  UndoneConsolidations,
} from '../../../../src/controllers/disruption/index.ts'
import { markDisrupted } from '../../../../src/controllers/disruption/marking.ts'
import type { DisruptionDeps } from '../../../../src/controllers/disruption/deps.ts'
import { DisruptionBrake } from '../../../../src/controllers/disruption-brake.ts'
import type { BrakeLimit } from '../../../../src/disruption/brake.ts'
import type { Candidate } from '../../../../src/disruption/candidates.ts'
import type { Command, Replacement } from '../../../../src/disruption/command.ts'
import { nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes } from '../../../../src/kube/kinds.ts'
import { aClaim } from '../../../support/controller-builders.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import { aRunningPod, aStateNode, aWorld, candidatesOf } from '../../../support/disruption-builders.ts'
import { fixedRandom } from '../../../support/fixed-random.ts'
import { replacement } from '../../../support/disruption-deps.ts'

/** Candidates `a`, `b`, … whose nodes and claims are stored, and the queue. */
export async function aQueue(names: readonly string[] = ['a'], limit: BrakeLimit = { nodes: 0, windowMs: 0 }) {
  const world = aControllerWorld()
  const brake = new DisruptionBrake(world.clock, limit)
  const marked = new Set<string>()
  const known = new Set<string>()
  const found: string[] = []
  /** By name: replacements as the cache has them, where it has any. */
  const seen = new Map<string, NodeClaim>()
  const stored: Candidate[] = []
  for (const each of candidatesOf(
    aWorld({ nodes: names.map((name) => aStateNode(name, { pods: [aRunningPod()] })) }),
  )) {
    const node = await world.kube.create(nodes, each.node)
    const nodeClaim = await world.kube.create(nodeClaims, each.nodeClaim)
    stored.push({ ...each, node, nodeClaim })
  }
  const [first, ...others] = stored
  if (first === undefined) throw new Error('no candidate')
  const cluster = {
    markForDeletion: (...keys: readonly string[]) => {
      for (const key of keys) marked.add(key)
    },
    unmarkForDeletion: (...keys: readonly string[]) => {
      for (const key of keys) marked.delete(key)
    },
    nominate: () => undefined,
    hasNodeClaim: (name: string) => known.has(name),
    nodeClaim: (name: string) => seen.get(name),
    foundPod: (pod: Pod) => void found.push(pod.metadata.name),
  }
  const late = new LateReplacements(world.clock)
  const undone = new UndoneConsolidations(world.clock, () => new Map())
  const deps = {
    ...world,
    random: fixedRandom(),
    cluster,
    late,
    undone,
    brake,
  } as unknown as DisruptionDeps<Replacement>
  const queue = new OrchestrationQueue(deps)
  const command = (replacements: readonly Replacement[]): Command<Replacement> => ({
    method: 'drift',
    reason: 'Drifted',
    candidates: [first, ...others],
    replacements,
    destinations: [],
  })
  /** With its nodes tainted and its replacements created, as a start leaves it. */
  const begin = async (
    replacements: readonly string[],
    why: Pick<Command<Replacement>, 'method' | 'reason'> = { method: 'drift', reason: 'Drifted' },
  ): Promise<void> => {
    for (const candidate of stored) await markDisrupted(deps, candidate.node, candidate.nodeClaim, why.reason)
    for (const name of replacements) {
      await world.kube.create(nodeClaims, aClaim(name))
      known.add(name)
    }
    cluster.markForDeletion(...stored.map(({ providerID }) => providerID))
    const queued = {
      command: { ...command(replacements.map(() => replacement)), ...why },
      replacements,
      initialized: new Set<string>(),
      askedToGo: new Set<string>(),
      askedAt: new Map<string, number>(),
    }
    queue.add({ id: 'one', ...queued, startedAt: world.clock.monotonicMs() })
  }
  const isTainted = async (name: string): Promise<boolean> =>
    (await world.read(nodes, { name })).spec.taints?.some(({ key }) => key === taintDisrupted.key) === true
  const reasonOf = async (candidate: Candidate) =>
    conditionOf(await world.read(nodeClaims, { name: candidate.nodeClaim.metadata.name }), 'DisruptionReason')?.status
  const failures = (): number => world.counts.sum('karpenter_voluntary_disruption_queue_failures_total')
  return {
    world,
    queue,
    brake,
    deps,
    stored,
    first,
    marked,
    known,
    seen,
    found,
    command,
    begin,
    isTainted,
    reasonOf,
    failures,
  }
}
