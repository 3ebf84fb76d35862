import type { NodeClaim } from '../../../../src/api/karpenter.ts'
import type { Unsaved } from '../../../../src/api/kubernetes.ts'
import { ClusterState } from '../../../../src/cluster/index.ts'
import type { ProvisionerDeps } from '../../../../src/controllers/provisioning/provisioner.ts'
import {
  PodBatcher,
  nodeTrigger,
  type PlannedClaim,
  podTrigger,
  poolTrigger,
  PreferenceWarnings,
  provisioner,
  schedulerWordsIn,
  type SolveOutcome,
  type Solver,
  type ProvisioningSolveRequest,
} from '../../../../src/controllers/provisioning/index.ts'
import type { PodInfo } from '../../../../src/model/pod.ts'
import { toResources } from '../../../../src/model/resources.ts'
import { provisioningMemory } from '../../../support/provisioning-memory.ts'
import { aClaim } from '../../../support/controller-builders.ts'
import { solved } from '../../../support/solve-outcomes.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'

export const readyLabels = {
  'karpenter.sh/nodepool': 'default',
  'node.kubernetes.io/instance-type': 'm5.large',
  'karpenter.sh/registered': 'true',
  'karpenter.sh/initialized': 'true',
}

export const planned = (podsOfClaim: readonly PodInfo[], pool = 'default'): PlannedClaim => ({
  nodePool: pool,
  claim: { ...(aClaim() as Unsaved<NodeClaim>), metadata: { generateName: `${pool}-` } },
  pods: podsOfClaim,
  instanceTypeNames: ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
  requests: toResources({ cpu: '1', pods: '2' }),
  minValuesRelaxed: false,
})

/** `answer` and `ignored` stand for the solver; the requests it got are kept. */
export async function aProvisioningWorld(
  answer: (request: ProvisioningSolveRequest) => SolveOutcome = () => solved(),
  {
    ignored = () => [],
    ...more
  }: { readonly ignored?: Solver['ignored'] } & Partial<Pick<ProvisionerDeps, 'buffers' | 'vain' | 'undone'>> = {},
) {
  const world = aControllerWorld()
  const requests: ProvisioningSolveRequest[] = []
  const cluster = new ClusterState({
    ...world,
    instanceTypes: () => Promise.resolve({ kind: 'resolved', types: [] }),
    nominationMs: 20_000,
    evictionCost: () => 1,
  })
  const batcher = new PodBatcher(world.clock, { idleMs: 1_000, maxMs: 10_000 })
  const deps = { ...world, cluster, batcher, ...provisioningMemory(world.clock, schedulerWordsIn(world.caches)) }
  const solver = {
    ignored,
    solve: async (request: ProvisioningSolveRequest) => {
      requests.push(request)
      return answer(request)
    },
  }
  const loop = provisioner({ ...deps, ...more, solver, warnings: new PreferenceWarnings(world.clock) })
  const start = () => world.start(podTrigger(deps), nodeTrigger(deps), poolTrigger(deps), loop)
  return { ...world, batcher, cluster, loop, requests, start }
}

export const allIgnored: Solver['ignored'] = (pending) =>
  pending.map((pod) => ({ pod, error: `no ${pod.name}`, reported: pod.name === 'bad' }))

export const names = (list: readonly PodInfo[] | undefined): readonly string[] | undefined =>
  list?.map(({ name }) => name)
