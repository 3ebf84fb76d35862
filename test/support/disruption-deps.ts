import type { NodeClaim } from '../../src/api/karpenter.ts'
import type { Node, Pod } from '../../src/api/kubernetes.ts'
import { PlanLedger } from '../../src/cluster/plan-ledger.ts'
import type { DisruptionDeps } from '../../src/controllers/disruption/deps.ts'
import { LateReplacements, UndoneConsolidations } from '../../src/controllers/disruption/index.ts'
import type { Replacement } from '../../src/disruption/command.ts'
import { openGate } from '../../src/disruption/gate.ts'
import { nodeClaims } from '../../src/kube/karpenter-kinds.ts'
import { nodes } from '../../src/kube/kinds.ts'
import { noRequirements } from '../../src/model/requirements.ts'
import type { Snapshot, StateNode } from '../../src/model/snapshot.ts'
import type { ControllerWorld } from './controller-world.ts'
import { aStateNode } from './disruption-builders.ts'
import { fixedRandom } from './fixed-random.ts'

/** Where it does not matter what it would be. */
export const replacement: Replacement = { nodePool: 'default', requirements: noRequirements, instanceTypes: [] }

/** A cluster as the disruption loop sees it, in which whatever is marked, nominated or asked for is fine. */
interface SeenCluster {
  readonly snapshot: () => Snapshot
  readonly plans?: PlanLedger
  readonly consolidationState?: () => number
  readonly markForDeletion?: (key: string) => void
  readonly unmarkForDeletion?: (key: string) => void
  readonly hasNodeClaim?: (name: string) => boolean
  readonly nominate?: (key: string) => void
  readonly foundPod?: (pod: Pod) => void
}

/** What the loop is given; `more` are the parts that matter to a test. */
export function disruptionDeps(
  world: ControllerWorld,
  {
    snapshot,
    plans = new PlanLedger(),
    consolidationState = () => 1,
    markForDeletion = () => undefined,
    unmarkForDeletion = () => undefined,
    hasNodeClaim = () => true,
    nominate = () => undefined,
    foundPod = () => undefined,
  }: SeenCluster,
  more: object = {},
): DisruptionDeps<Replacement> {
  return {
    ...world,
    random: fixedRandom(),
    cluster: {
      synced: true,
      snapshot: () => Promise.resolve(snapshot()),
      plans,
      poolCosts: new Map(),
      disruptionCosts: new Map(),
      bufferNodes: new Set(),
      markForDeletion,
      unmarkForDeletion,
      nominate,
      hasNodeClaim,
      nodeClaim: () => undefined,
      nodeClaims: () => [],
      foundPod,
      get consolidationState() {
        return consolidationState()
      },
    },
    static: { counts: new Map() },
    gate: () => openGate,
    late: new LateReplacements(world.clock),
    undone: new UndoneConsolidations(world.clock, () => new Map()),
    settings: { wellKnownLabels: new Set<string>(), spotToSpot: false },
    ...more,
  } as unknown as DisruptionDeps<Replacement>
}

/** A node and its claim, which the API server has, too. */
export async function aStoredNode(
  { kube }: Pick<ControllerWorld, 'kube'>,
  ...parts: Parameters<typeof aStateNode>
): Promise<StateNode & { readonly node: Node; readonly nodeClaim: NodeClaim }> {
  const state = aStateNode(...parts)
  if (state.node === undefined || state.nodeClaim === undefined) throw new Error('it has both')
  const node = await kube.create(nodes, state.node)
  return { ...state, node, nodeClaim: await kube.create(nodeClaims, state.nodeClaim) }
}
