import { isConditionTrue } from '../../api/conditions.ts'
import { messageOf } from '../../api/error-text.ts'
import { labelNodePool } from '../../api/labels.ts'
import { ec2NodeClasses, nodeClaims, nodePools } from '../../kube/karpenter-kinds.ts'
import { deployments, podDisruptionBudgets } from '../../kube/kinds.ts'
import { coreGates } from '../../operator/option-table.ts'
import type { Options } from '../../operator/options.ts'
import { type FleetSummary, readFleet } from '../embedded/fleet.ts'
import type { Stack } from '../embedded/stack.ts'
import {
  budgetNodes,
  deployment,
  disruptionBudget,
  nodeClass,
  nodePool,
  podCount,
  shapes,
  shortLivedDeployment,
  shortLivedPool,
} from './manifests.ts'
import { watchPromises } from './witness.ts'

interface Check {
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
  readonly fleet: FleetSummary
}

interface Step {
  readonly name: string
  readonly title: string
  run(stack: Stack, pass: Pass): Promise<readonly Check[]>
}

/** Lets time pass until something holds, and says whether it does. @throws where the walk is broken off meanwhile */
type Pass = (until: () => boolean, withinMs: number) => Promise<boolean>

const minute = 60_000
/** Long enough for a roll of the whole fleet two nodes at a time; a step that takes longer has failed. */
const stepLimitMs = 90 * minute

/** Node repair is off unless asked for. */
export const demoSettings: Partial<Options> = { featureGates: { ...coreGates, NodeRepair: true } }

export const steps: readonly Step[] = [
  {
    name: 'prepare',
    title: 'A NodePool and an EC2NodeClass are applied; the class finds its subnets, security groups and image',
    async run({ cluster, operator }, pass) {
      await cluster.client.create(ec2NodeClasses, nodeClass)
      await cluster.client.create(nodePools, nodePool)
      const isReady = (): boolean => {
        const [pool] = operator.caches.of(nodePools).list()
        return pool !== undefined && isConditionTrue(pool, 'Ready')
      }
      return [{ what: 'the NodePool is ready', ok: await pass(isReady, 5 * minute) }]
    },
  },
  {
    name: 'scale-up',
    title: `${podCount} pods of ${shapes.length} shapes arrive and find no room`,
    async run(stack, pass) {
      const { cluster } = stack
      for (const shape of shapes) {
        await cluster.client.create(podDisruptionBudgets, disruptionBudget(shape))
        await cluster.client.create(deployments, deployment(shape))
      }
      const arrived = await pass(() => allRun(stack, podCount), stepLimitMs)
      return [{ what: `all ${podCount} pods run`, ok: arrived }]
    },
  },
  {
    name: 'roll-image',
    title: 'A new AMI is published; the fleet is rolled within its budget, no pod lost',
    async run(stack, pass) {
      const { cluster } = stack
      await settled(stack, pass)
      const witness = watchPromises(stack)
      const published = cluster.aws.publishImage('al2023', { version: 'v20260401' })
      const images = new Set(published.map(({ id }) => id))
      const isRolled = (): boolean => {
        const claims = stack.operator.caches.of(nodeClaims).list()
        return claims.every((claim) => images.has(claim.status?.imageID ?? '')) && allRun(stack, podCount)
      }
      const isDone = await pass(isRolled, 8 * 60 * minute)
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
    name: 'interrupt',
    title: 'AWS announces maintenance of an instance; its pods move before it goes',
    async run(stack, pass) {
      const { cluster } = stack
      const victim = busiestClaim(stack)
      const witness = watchPromises(stack)
      cluster.aws.interrupt(victim.instance, 'scheduledChange')
      const isOver = (): boolean => !hasClaim(stack, victim.name) && allRun(stack, podCount)
      const isDone = await pass(isOver, stepLimitMs)
      witness.stop()
      return [
        { what: `${victim.name} is gone, and all ${podCount} pods run`, ok: isDone },
        { what: 'no PodDisruptionBudget was broken', ok: witness.breaches.length === 0 },
      ]
    },
  },
  {
    name: 'repair',
    title: 'A node reports broken storage and goes on doing so; node repair replaces it after half an hour',
    async run(stack, pass) {
      const { cluster } = stack
      // Consolidation may have plans of its own for the nodes since the interruption.
      await settled(stack, pass)
      const victim = busiestClaim(stack)
      const begun = cluster.clock.monotonicMs()
      cluster.behaviours.setInstance(victim.instance, { conditions: { StorageReady: 'False' } })
      const isOver = (): boolean => !hasClaim(stack, victim.name) && allRun(stack, podCount)
      const isDone = await pass(isOver, stepLimitMs)
      const isPatient = cluster.clock.monotonicMs() - begun >= 30 * minute
      return [
        { what: `${victim.name} is gone, and all ${podCount} pods run`, ok: isDone },
        { what: 'not before half an hour had passed', ok: isPatient },
      ]
    },
  },
  {
    name: 'expire',
    title: 'A second NodePool lets its nodes live for an hour; a node that reaches it is replaced',
    async run(stack, pass) {
      const { cluster, operator } = stack
      await cluster.client.create(nodePools, shortLivedPool)
      await cluster.client.create(deployments, shortLivedDeployment)
      const claims = (): readonly string[] =>
        operator.caches
          .of(nodeClaims)
          .list()
          .filter(({ metadata }) => metadata.labels?.[labelNodePool] === shortLivedPool.metadata.name)
          .map(({ metadata }) => metadata.name)
      const all = podCount + 1
      const arrived = await pass(() => allRun(stack, all), stepLimitMs)
      const [first = ''] = claims()
      const isReplaced = (): boolean => !hasClaim(stack, first) && claims().length > 0 && allRun(stack, all)
      const expired = await pass(isReplaced, stepLimitMs)
      await cluster.client.delete(deployments, { namespace: 'default', name: shortLivedDeployment.metadata.name ?? '' })
      await cluster.client.delete(nodePools, { name: shortLivedPool.metadata.name ?? '' })
      const isClean = (): boolean => claims().length === 0 && allRun(stack, podCount)
      const cleaned = await pass(isClean, stepLimitMs)
      return [
        { what: 'its pod runs on a node of its own', ok: arrived && first !== '' },
        { what: `${first} expired and another came`, ok: expired },
        { what: 'the pool is deleted, and its node with it', ok: cleaned },
      ]
    },
  },
  {
    name: 'scale-down',
    title: 'Load halves; nodes that are not needed any more go',
    async run(stack, pass) {
      const { cluster } = stack
      const before = readFleet(stack)
      const witness = watchPromises(stack)
      for (const { name, replicas } of shapes) {
        const body = { spec: { replicas: replicas / 2 } }
        await cluster.client.patch(deployments, { namespace: 'default', name }, { kind: 'merge', body })
      }
      await pass(() => false, 2 * minute)
      await settled(stack, pass)
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
    async run(stack, pass) {
      const { cluster } = stack
      for (const { name } of shapes) await cluster.client.delete(deployments, { namespace: 'default', name })
      await cluster.client.delete(nodePools, { name: 'default' }, { propagationPolicy: 'Foreground' })
      const isGone = (): boolean =>
        stack.operator.caches.of(nodeClaims).list().length === 0 && ownInstances(stack).length === 0
      return [
        {
          what: 'no node and no instance is left',
          ok: await pass(isGone, 30 * minute),
        },
      ]
    },
  },
]

/** Runs a step on a stack; an exception of the step's own is a failed step, not a crash. So is one that the signal breaks off. */
export async function runStep(step: Step, stack: Stack, signal?: AbortSignal): Promise<StepResult> {
  const started = stack.cluster.clock.monotonicMs()
  const pass: Pass = (until, withinMs) =>
    stack.cluster.clock.run({
      until: () => {
        signal?.throwIfAborted()
        return until()
      },
      withinMs,
    })
  let checks: readonly Check[]
  try {
    checks = await Promise.race([step.run(stack, pass), stack.failed])
  } catch (error) {
    checks = [{ what: messageOf(error), ok: false }]
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

function hasClaim({ operator }: Stack, name: string): boolean {
  return operator.caches.of(nodeClaims).get({ name }) !== undefined
}

/** The ready node with most pods; by name among equals. */
function busiestClaim(stack: Stack): { readonly name: string; readonly instance: string } {
  const { nodes } = readFleet(stack)
  const [busiest] = nodes.filter(({ isReady }) => isReady).toSorted((a, b) => b.pods - a.pods)
  const claim = stack.operator.caches
    .of(nodeClaims)
    .list()
    .find(({ status }) => status?.nodeName === busiest?.name)
  if (claim === undefined) throw new Error('no node is ready')
  return { name: claim.metadata.name, instance: claim.status?.providerID?.split('/').at(-1) ?? '' }
}

function allRun(stack: Stack, count: number): boolean {
  const { runningPods, waitingPods } = readFleet(stack)
  return runningPods === count && waitingPods === 0
}

/** Waits until the fleet has kept still for ten minutes: consolidation has nothing left to gain. */
async function settled(stack: Stack, pass: Pass): Promise<void> {
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
  await pass(isStill, stepLimitMs)
}
