import type { NodeClaim } from '../../../src/api/karpenter.ts'
import type { Node, Pod } from '../../../src/api/kubernetes.ts'
import type { InstanceRecord } from '../../../src/embedded/aws/state.ts'
import type { NodeBehaviour } from '../../../src/embedded/kubelet/behaviour.ts'
import { ec2NodeClasses, nodeClaims } from '../../../src/kube/karpenter-kinds.ts'
import { nodes, pods } from '../../../src/kube/kinds.ts'
import { ApiHooks } from '../hooks.ts'
import { Invariants, type Violation } from '../invariants.ts'
import { createWorld, minute, type World, type WorldOptions } from '../world.ts'

export interface Scenario {
  readonly world: World
  readonly hooks: ApiHooks
  readonly invariants: Invariants
  /** Lets time pass, looking at the invariants every minute. */
  run(ms: number): Promise<void>
  claims(): Promise<readonly NodeClaim[]>
  /** Nodes of NodePools. */
  nodes(): Promise<readonly Node[]>
  waitingPods(): Promise<readonly Pod[]>
  /** Machines of NodePools that run or are about to. */
  machines(): readonly InstanceRecord[]
  crash(): void
  end(): Promise<readonly Violation[]>
}

/** A new image, and the EC2NodeClass that asks for it. `@latest` alone would be looked up again within a day. */
export async function rollImage(
  { world }: Scenario,
  behaviour: Partial<NodeBehaviour> = {},
  version = 'v20269999',
): Promise<void> {
  const { aws, behaviours, client } = world.stack.cluster
  for (const { id } of aws.publishImage('al2023', { version })) behaviours.setImage(id, behaviour)
  const amiSelectorTerms = [{ alias: `al2023@${version}` }]
  await client.patch(ec2NodeClasses, { name: 'default' }, { kind: 'merge', body: { spec: { amiSelectorTerms } } })
}

export interface ScenarioOptions extends Partial<WorldOptions> {
  /** Before the scenario is handed out; ten minutes. */
  readonly settleMs?: number
}

/** A small cluster with the invariants watching, settled. */
export async function startScenario({ settleMs = 10 * minute, ...options }: ScenarioOptions = {}): Promise<Scenario> {
  const hooks = new ApiHooks()
  const world = await createWorld({
    seed: 1,
    shapes: [{ name: 'web', replicas: 6, cpu: '1', memory: '2Gi' }],
    pools: [{ name: 'general', budget: '50%' }],
    ...options,
    operatorFaults: hooks,
  })
  const invariants = new Invariants(world, hooks)
  const { client, clock, aws } = world.stack.cluster
  const run = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= minute) {
      await clock.run({ forMs: Math.min(left, minute) })
      invariants.tick()
    }
  }
  await run(settleMs)
  return {
    world,
    hooks,
    invariants,
    run,
    claims: async () => (await client.list(nodeClaims)).items,
    nodes: async () => (await client.list(nodes, { labelSelector: 'karpenter.sh/nodepool' })).items,
    waitingPods: async () => (await client.list(pods)).items.filter(({ spec }) => (spec.nodeName ?? '') === ''),
    machines: () =>
      aws.state.instances.filter(
        ({ state, tags }) =>
          (state === 'running' || state === 'pending') && tags['karpenter.sh/nodepool'] !== undefined,
      ),
    crash() {
      invariants.allowances.crashes.push(clock.monotonicMs())
      world.stack.crashOperator()
      clock.schedule(5_000, () => world.stack.startOperator())
    },
    async end() {
      await world.stack.stop()
      return invariants.violations
    },
  }
}
