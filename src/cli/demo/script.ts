import { isConditionTrue } from '../../api/conditions.ts'
import { ec2NodeClasses, nodeClaims, nodePools } from '../../kube/karpenter-kinds.ts'
import { deployments, podDisruptionBudgets } from '../../kube/kinds.ts'
import { type Fleet, readFleet } from '../embedded/fleet.ts'
import type { Stack } from '../embedded/stack.ts'
import { budgetNodes, deployment, disruptionBudget, nodeClass, nodePool, podCount, shapes } from './manifests.ts'
import { watchPromises } from './witness.ts'

export interface Check {
  readonly what: string
  readonly ok: boolean
}

/** What a step did, and what the fleet looked like after it. */
export interface StepResult {
  readonly name: string
  readonly title: string
  readonly ok: boolean
  /** Virtual seconds. */
  readonly seconds: number
  readonly checks: readonly Check[]
  readonly fleet: Fleet
}

interface Step {
  readonly name: string
  readonly title: string
  run(stack: Stack): Promise<readonly Check[]>
}

const minute = 60_000
/** Long enough for a roll of the whole fleet two nodes at a time; a step that takes longer has failed. */
const stepLimitMs = 90 * minute

export const steps: readonly Step[] = [
  {
    name: 'prepare',
    title: 'A NodePool and an EC2NodeClass are applied; the class finds its subnets, security groups and image',
    async run({ cluster, operator }) {
      await cluster.client.create(ec2NodeClasses, nodeClass)
      await cluster.client.create(nodePools, nodePool)
      const isReady = (): boolean => {
        const [pool] = operator.caches.of(nodePools).list()
        return pool !== undefined && isConditionTrue(pool, 'Ready')
      }
      return [{ what: 'the NodePool is ready', ok: await cluster.clock.run({ until: isReady, withinMs: 5 * minute }) }]
    },
  },
  {
    name: 'scale-up',
    title: `${podCount} pods of ${shapes.length} shapes arrive and find no room`,
    async run(stack) {
      const { cluster } = stack
      for (const shape of shapes) {
        await cluster.client.create(podDisruptionBudgets, disruptionBudget(shape))
        await cluster.client.create(deployments, deployment(shape))
      }
      const arrived = await cluster.clock.run({ until: () => allRun(stack, podCount), withinMs: stepLimitMs })
      return [{ what: `all ${podCount} pods run`, ok: arrived }]
    },
  },
  {
    name: 'roll-image',
    title: 'A new AMI is published; the fleet is rolled within its budget, no pod lost',
    async run(stack) {
      const { cluster } = stack
      await settled(stack)
      const witness = watchPromises(stack)
      const published = cluster.aws.publishImage('al2023', { version: 'v20260401' })
      const images = new Set(published.map(({ id }) => id))
      const isRolled = (): boolean => {
        const claims = stack.operator.caches.of(nodeClaims).list()
        return claims.every((claim) => images.has(claim.status?.imageID ?? '')) && allRun(stack, podCount)
      }
      const isDone = await cluster.clock.run({ until: isRolled, withinMs: 8 * 60 * minute })
      witness.stop()
      return [
        { what: 'every node runs the new image', ok: isDone },
        {
          what: `never more than ${budgetNodes} nodes at a time (most: ${witness.mostDisrupted})`,
          ok: witness.mostDisrupted <= budgetNodes,
        },
        { what: 'no PodDisruptionBudget was broken', ok: witness.breaches.length === 0 },
        { what: `all ${podCount} pods run`, ok: allRun(stack, podCount) },
      ]
    },
  },
  {
    name: 'scale-down',
    title: 'Load halves; nodes that are not needed any more go',
    async run(stack) {
      const { cluster } = stack
      const before = readFleet(stack)
      const witness = watchPromises(stack)
      for (const { name, replicas } of shapes) {
        const body = { spec: { replicas: replicas / 2 } }
        await cluster.client.patch(deployments, { namespace: 'default', name }, { kind: 'merge', body })
      }
      await cluster.clock.run({ forMs: 2 * minute })
      await settled(stack)
      witness.stop()
      const after = readFleet(stack)
      return [
        { what: `all ${podCount / 2} pods run`, ok: allRun(stack, podCount / 2) },
        {
          what: `fewer nodes: ${before.nodes.length} -> ${after.nodes.length}`,
          ok: after.nodes.length < before.nodes.length,
        },
        { what: 'the bill is lower', ok: after.costPerHour < before.costPerHour },
        { what: 'no PodDisruptionBudget was broken', ok: witness.breaches.length === 0 },
      ]
    },
  },
  {
    name: 'clean-up',
    title: 'The workloads and the NodePool are deleted; nothing is left behind',
    async run(stack) {
      const { cluster } = stack
      for (const { name } of shapes) await cluster.client.delete(deployments, { namespace: 'default', name })
      await cluster.client.delete(nodePools, { name: 'default' }, { propagationPolicy: 'Foreground' })
      const isGone = (): boolean =>
        stack.operator.caches.of(nodeClaims).list().length === 0 && ownInstances(stack).length === 0
      return [
        {
          what: 'no node and no instance is left',
          ok: await cluster.clock.run({ until: isGone, withinMs: 30 * minute }),
        },
      ]
    },
  },
]

/** Runs a step on a stack; an exception of the step's own is a failed step, not a crash. */
export async function runStep(step: Step, stack: Stack): Promise<StepResult> {
  const started = stack.cluster.clock.monotonicMs()
  let checks: readonly Check[]
  try {
    checks = await Promise.race([step.run(stack), stack.failed])
  } catch (error) {
    checks = [{ what: error instanceof Error ? error.message : String(error), ok: false }]
  }
  const seconds = Math.round((stack.cluster.clock.monotonicMs() - started) / 1000)
  const { name, title } = step
  return { name, title, ok: checks.every(({ ok }) => ok), seconds, checks, fleet: readFleet(stack) }
}

/** Running instances that carry the cluster's ownership tag and belong to a NodePool. */
export function ownInstances({ cluster }: Pick<Stack, 'cluster'>): readonly string[] {
  return cluster.aws.state.instances
    .filter(({ state, tags }) => state !== 'terminated' && tags['karpenter.sh/nodepool'] !== undefined)
    .map(({ id }) => id)
}

function allRun(stack: Stack, count: number): boolean {
  const { runningPods, waitingPods } = readFleet(stack)
  return runningPods === count && waitingPods === 0
}

/** Waits until the fleet has kept still for ten minutes: consolidation has nothing left to gain. */
async function settled(stack: Stack): Promise<void> {
  const stillMs = 10 * minute
  const { clock } = stack.cluster
  let last = ''
  let since = clock.monotonicMs()
  const isStill = (): boolean => {
    const { nodes, waitingPods, disrupted } = readFleet(stack)
    const now = `${nodes.map(({ name }) => name).join()} ${waitingPods} ${disrupted}`
    if (now !== last || disrupted > 0 || waitingPods > 0) {
      last = now
      since = clock.monotonicMs()
    }
    return clock.monotonicMs() - since >= stillMs
  }
  await clock.run({ until: isStill, withinMs: stepLimitMs })
}
