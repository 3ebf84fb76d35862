import type { NodePool } from '../../../src/api/karpenter.ts'
import { annotationDoNotDisrupt } from '../../../src/api/labels.ts'
import type { TypeFacts } from '../../../src/embedded/aws/catalogue.ts'
import {
  capacityBuffers,
  ec2NodeClasses,
  nodeClaims,
  nodeOverlays,
  nodePools,
} from '../../../src/kube/karpenter-kinds.ts'
import { deployments, pods } from '../../../src/kube/kinds.ts'
import { rollImage, type Scenario, type ScenarioOptions } from '../incidents/scenario.ts'
import { aReservation } from '../../support/reservation-record.ts'
import { aBuffer } from '../features.ts'
import { aDeployment, aPool, type PoolShape, type Shape } from '../objects.ts'
import { minute } from '../world.ts'

/** One thing that happens to one or two nodes. */
export interface PatternScenario {
  readonly name: string
  readonly options: ScenarioOptions
  /** Makes what `act` is about; the cluster has settled before and settles again afterwards. */
  readonly prepare?: (scenario: Scenario) => Promise<unknown>
  readonly act: (scenario: Scenario) => Promise<unknown> | void
  /** Logged, in this order, when it happens as it is meant to. */
  readonly shows: readonly RegExp[]
  /** How long that takes at most when nothing goes wrong. */
  readonly withinMs: number
  /** Of the end, what the order of things decides. */
  readonly varying?: RegExp
}

const web: Shape = { name: 'web', replicas: 1, cpu: '1', memory: '2Gi' }
const usual: ScenarioOptions = {
  shapes: [web],
  pools: [{ name: 'general', budget: '1', consolidateAfter: '30s' }],
  database: 0,
  offers: ({ name }: TypeFacts) => /^(m6i|c6i)\.(large|xlarge|2xlarge)$/.test(name),
  settleMs: 3 * minute,
}
const none: ScenarioOptions = { ...usual, shapes: [{ ...web, replicas: 0 }] }

function withPool(pool: Partial<PoolShape>, options: ScenarioOptions = usual): ScenarioOptions {
  return { ...options, pools: [{ name: 'general', budget: '1', consolidateAfter: '30s', ...pool }] }
}

function scale({ world }: Scenario, replicas: number, name = 'web'): Promise<unknown> {
  const key = { namespace: 'default', name }
  return world.stack.cluster.client.patch(deployments, key, { kind: 'merge', body: { spec: { replicas } } })
}

function editPool({ world }: Scenario, spec: object): Promise<unknown> {
  return world.stack.cluster.client.patch(nodePools, { name: 'general' }, { kind: 'merge', body: { spec } })
}

async function deleteClaims({ world }: Scenario): Promise<void> {
  const { client } = world.stack.cluster
  for (const { metadata } of (await client.list(nodeClaims)).items)
    await client.delete(nodeClaims, { name: metadata.name })
}

function firstMachine(scenario: Scenario): string {
  const [machine] = scenario.machines()
  if (machine === undefined) throw new Error('no machine runs')
  return machine.id
}

/** Another node of its own for each of them: three CPUs of four. */
async function oneMore(scenario: Scenario, shape: Shape): Promise<void> {
  await scenario.world.stack.cluster.client.create(deployments, aDeployment(shape))
  await scenario.run(3 * minute)
}

function staticPool(replicas: number): NodePool['spec'] {
  const { spec } = aPool({ name: 'general' })
  return { template: spec.template, replicas }
}

async function replacePool({ world, run }: Scenario, replicas: number): Promise<void> {
  const { client } = world.stack.cluster
  const { apiVersion, kind } = aPool({ name: 'fixed' })
  await client.create(nodePools, { apiVersion, kind, metadata: { name: 'fixed' }, spec: staticPool(replicas) })
  await run(3 * minute)
}

const fixed: ScenarioOptions = { ...none, settings: { featureGates: { StaticCapacity: true } } }

const buffered: ScenarioOptions = { ...none, settings: { featureGates: { CapacityBuffer: true } } }

function createBuffer({ world }: Scenario): Promise<unknown> {
  return world.stack.cluster.client.create(capacityBuffers, aBuffer({ replicas: 1 }))
}

export const scenarios: readonly PatternScenario[] = [
  {
    name: 'launch',
    options: none,
    act: (scenario) => scale(scenario, 1),
    shows: [/created nodeclaim/, /initialized nodeclaim/],
    withinMs: 3 * minute,
  },
  {
    name: 'registration with a startup taint',
    options: { ...none, taintAgents: [{ taintKey: 'startup.example.com/network', afterMs: 20_000 }] },
    prepare: (scenario) =>
      editPool(scenario, {
        template: { spec: { startupTaints: [{ key: 'startup.example.com/network', effect: 'NoSchedule' }] } },
      }),
    act: (scenario) => scale(scenario, 1),
    shows: [/registered nodeclaim/, /initialized nodeclaim/],
    withinMs: 4 * minute,
  },
  {
    name: 'no capacity at first',
    options: none,
    act: (scenario) => {
      const { aws, clock } = scenario.world.stack.cluster
      aws.setCapacity({}, 0)
      clock.schedule(minute, () => aws.clearCapacity())
      return scale(scenario, 1)
    },
    shows: [/InsufficientInstanceCapacity/, /deleted nodeclaim/, /initialized nodeclaim/],
    withinMs: 8 * minute,
  },
  {
    name: 'a machine that never joins',
    options: none,
    act: (scenario) => {
      const { behaviours } = scenario.world.stack.cluster
      let first: string | undefined
      behaviours.chooser = ({ id }) => {
        first ??= id
        return id === first ? { joins: false } : {}
      }
      return scale(scenario, 1)
    },
    shows: [/launched nodeclaim/, /deleted nodeclaim/, /initialized nodeclaim/],
    withinMs: 21 * minute,
  },
  {
    name: 'drift replacement',
    options: usual,
    act: (scenario) => editPool(scenario, { template: { metadata: { labels: { revision: '2' } } } }),
    shows: [/^disrupting node\(s\) Drifted/, /initialized nodeclaim/, /^deleted node /],
    withinMs: 6 * minute,
  },
  {
    name: 'emptiness',
    options: usual,
    act: (scenario) => scale(scenario, 0),
    shows: [/^disrupting node\(s\) Empty/, /^deleted node /],
    withinMs: 5 * minute,
  },
  {
    name: 'single-node consolidation',
    options: { ...usual, shapes: [{ ...web, replicas: 6 }] },
    act: (scenario) => scale(scenario, 1),
    shows: [/^disrupting node\(s\) Underutilized.*1 replacement/, /^deleted node /],
    withinMs: 8 * minute,
  },
  {
    name: 'multi-node consolidation',
    options: withPool({ consolidateAfter: 'Never' }, { ...usual, shapes: [{ ...web, cpu: '3' }] }),
    prepare: async (scenario) => {
      await oneMore(scenario, { ...web, name: 'api', cpu: '3' })
      for (const name of ['web', 'api']) await oneMore(scenario, { ...web, name: `${name}-small`, cpu: '500m' })
      for (const name of ['web', 'api']) await scale(scenario, 0, name)
    },
    act: (scenario) => editPool(scenario, { disruption: { consolidateAfter: '30s', budgets: [{ nodes: '2' }] } }),
    shows: [
      /^disrupting node\(s\) Underutilized.*internal, .*internal\].*1 replacement/,
      /^deleted node /,
      /^deleted node /,
    ],
    withinMs: 8 * minute,
  },
  {
    name: 'expiration',
    // Its successor outlives the run.
    options: { ...withPool({ expireAfter: '24m' }), settleMs: 20 * minute },
    act: () => undefined,
    shows: [/tainted node/, /created nodeclaim/, /^deleted node /],
    withinMs: 6 * minute,
  },
  {
    name: 'spot interruption',
    // One size: a larger machine, made for pods of which one is gone unseen, would stay, since spot machines are not exchanged for others.
    options: withPool({ capacityTypes: ['spot'], instanceTypes: ['c6i.large'] }),
    act: (scenario) => scenario.world.stack.cluster.aws.interrupt(firstMachine(scenario), 'spot'),
    shows: [/initiating delete from interruption message/, /created nodeclaim/],
    withinMs: 6 * minute,
  },
  {
    name: 'node repair',
    options: { ...usual, settings: { featureGates: { NodeRepair: true } } },
    act: ({ world, machines }) => {
      const [ill] = machines()
      world.stack.cluster.behaviours.setInstance(ill?.id ?? '', { conditions: { AcceleratedHardwareReady: 'False' } })
    },
    shows: [/deleting unhealthy node/, /created nodeclaim/, /^deleted node /],
    withinMs: 16 * minute,
  },
  {
    name: 'a machine that vanishes',
    // Nobody tells of it: garbage collection has to find out.
    options: { ...usual, settings: { interruptionQueue: '' } },
    act: (scenario) => scenario.world.stack.cluster.aws.terminateOutOfBand(firstMachine(scenario)),
    shows: [/garbage collected nodeclaim|deleted nodeclaim/, /initialized nodeclaim/],
    withinMs: 8 * minute,
  },
  {
    name: 'deletion of a NodePool',
    options: { ...usual, pools: [{ name: 'general', weight: 10, consolidateAfter: '30s' }, { name: 'spare' }] },
    act: ({ world }) => world.stack.cluster.client.delete(nodePools, { name: 'general' }),
    shows: [/tainted node/, /created nodeclaim/, /^deleted node /],
    withinMs: 5 * minute,
  },
  {
    name: 'deletion of an EC2NodeClass',
    options: { ...usual, shapes: [{ ...web, maxUnavailable: '100%' }] },
    act: async ({ world }) => {
      const { client } = world.stack.cluster
      await client.delete(ec2NodeClasses, { name: 'default' })
      await client.delete(nodePools, { name: 'general' })
    },
    shows: [/tainted node/, /^deleted node /, /deleted nodeclaim/],
    withinMs: 5 * minute,
  },
  {
    name: 'termination under a PodDisruptionBudget',
    // One size: two machines, made one after the other for pods of which one was not seen, cannot be exchanged for one at a budget of one.
    options: withPool(
      { instanceTypes: ['m6i.large'] },
      { ...usual, shapes: [{ ...web, replicas: 2, cpu: '500m', maxUnavailable: 1 }] },
    ),
    act: deleteClaims,
    shows: [/tainted node/, /initialized nodeclaim/, /^deleted node /],
    withinMs: 6 * minute,
  },
  {
    name: 'termination with a volume',
    options: { ...none, database: 1, attachments: { detachMs: 30_000 }, settleMs: 5 * minute },
    act: deleteClaims,
    shows: [/tainted node/, /initialized nodeclaim/, /^deleted node /],
    withinMs: 10 * minute,
  },
  {
    name: 'termination past a grace period',
    options: withPool({ terminationGracePeriod: '2m' }),
    prepare: async ({ world }) => {
      const { client } = world.stack.cluster
      const body = { metadata: { annotations: { [annotationDoNotDisrupt]: 'true' } } }
      for (const { metadata } of (await client.list(pods, { namespace: 'default' })).items)
        await client.patch(pods, { namespace: 'default', name: metadata.name }, { kind: 'merge', body })
    },
    act: deleteClaims,
    shows: [/annotated nodeclaim/, /tainted node/, /^deleted node /],
    withinMs: 7 * minute,
  },
  {
    name: 'static capacity: one more',
    options: fixed,
    prepare: (scenario) => replacePool(scenario, 1),
    act: ({ world }) =>
      world.stack.cluster.client.patch(
        nodePools,
        { name: 'fixed' },
        { kind: 'merge', body: { spec: { replicas: 2 } } },
      ),
    shows: [/provisioning nodeclaims/, /initialized nodeclaim/],
    withinMs: 4 * minute,
  },
  {
    name: 'static capacity: one less',
    options: fixed,
    prepare: (scenario) => replacePool(scenario, 2),
    act: ({ world }) =>
      world.stack.cluster.client.patch(
        nodePools,
        { name: 'fixed' },
        { kind: 'merge', body: { spec: { replicas: 1 } } },
      ),
    shows: [/deprovisioning nodeclaims/, /^deleted node /],
    withinMs: 5 * minute,
  },
  {
    name: 'static capacity: drift',
    options: fixed,
    prepare: (scenario) => replacePool(scenario, 2),
    act: ({ world }) => {
      const labels = { team: 'web' }
      const body = { spec: { template: { metadata: { labels } }, disruption: { budgets: [{ nodes: '1' }] } } }
      return world.stack.cluster.client.patch(nodePools, { name: 'fixed' }, { kind: 'merge', body })
    },
    shows: [/disrupting node/, /initialized nodeclaim/, /disrupting node/, /initialized nodeclaim/, /^deleted node /],
    withinMs: 6 * minute,
  },
  {
    name: 'a capacity buffer',
    options: buffered,
    act: createBuffer,
    shows: [/created nodeclaim/, /initialized nodeclaim/],
    withinMs: 3 * minute,
  },
  {
    name: 'a launch into a reservation',
    options: withPool({ capacityTypes: ['reserved', 'on-demand'] }, none),
    prepare: ({ world }) => {
      const { aws, client } = world.stack.cluster
      const [zone] = aws.account.region.zones
      if (zone === undefined) throw new Error('the region has zones')
      const place = { zone: zone.name, zoneID: zone.id, ownerID: aws.account.id }
      // With room left: the next process would find a full one closed to the claim that filled it.
      aws.state.reservations.push(aReservation({ id: 'cr-1', ...place, instanceType: 'm6i.large', total: 3 }))
      const spec = { capacityReservationSelectorTerms: [{ id: 'cr-1' }] }
      return client.patch(ec2NodeClasses, { name: 'default' }, { kind: 'merge', body: { spec } })
    },
    act: (scenario) => scale(scenario, 1),
    shows: [/created nodeclaim/, /initialized nodeclaim/],
    withinMs: 3 * minute,
  },
  {
    name: 'an overlay that makes another type cheaper',
    options: { ...usual, settings: { featureGates: { NodeOverlay: true } } },
    act: ({ world }) =>
      world.stack.cluster.client.create(nodeOverlays, {
        apiVersion: 'karpenter.sh/v1alpha1',
        kind: 'NodeOverlay',
        metadata: { name: 'cheaper' },
        spec: {
          requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m6i.xlarge'] }],
          price: '0.01',
        },
      }),
    shows: [/^disrupting node\(s\) Underutilized/, /initialized nodeclaim/, /^deleted node /],
    withinMs: 6 * minute,
  },
  {
    name: 'rollout by steps',
    options: {
      ...usual,
      shapes: [{ ...web, replicas: 2, spread: true }],
      pools: [{ name: 'general', budget: '2', consolidateAfter: '30s' }],
      policy: {
        steps: [
          { nodes: 1, soak: '1m' },
          { nodes: '100%', soak: '1m' },
        ],
        sharedBudget: '1',
      },
    },
    act: (scenario) => rollImage(scenario),
    shows: [/step 1 of 2 begins/, /^deleted node /, /step 2 of 2 begins/, /^deleted node /, /is complete/],
    withinMs: 14 * minute,
  },
  {
    name: 'rollback',
    options: {
      ...usual,
      policy: { steps: [{ nodes: 1, soak: '1m' }], gates: { nodeReadyTimeout: '2m' }, onFailure: 'Rollback' },
    },
    act: (scenario) => rollImage(scenario, { joins: false }),
    shows: [/step 1 of 1 begins/, /has failed/, /is rolled back/],
    withinMs: 14 * minute,
    // It may return without another launch, and then no node has registered since.
    varying: /NodeRegistrationHealthy\??,/,
  },
]
