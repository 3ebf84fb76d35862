import { describe, expect, test } from 'vitest'
import type { Node, Pod } from '../../src/api/kubernetes.ts'
import { taintDisruptedKey } from '../../src/api/labels.ts'
import { nodeClaims } from '../../src/kube/karpenter-kinds.ts'
import { deployments } from '../../src/kube/kinds.ts'
import { type Scenario, type ScenarioOptions, startScenario } from './incidents/scenario.ts'
import { minute } from './world.ts'

/**
 * I31, by comparison: the same seed with and without a wall clock that is set by five minutes, either way, for the API server and the
 * operator alike, and set right again later. Nothing else differs, so whatever is disrupted, evicted, deleted or terminated up to the
 * decision has to be the same, in the same order, at the same monotonic time. What follows the wall clock by definition (expiry, cron schedules) is not in here.
 */
interface Case extends ScenarioOptions {
  /** What leads to the decision that a clock could hurry; its time is the start. */
  readonly begin: (scenario: Scenario) => Promise<void>
  readonly prepare?: (scenario: Scenario) => Promise<void>
  /** Either way, if nothing else is said. */
  readonly jumpsMs?: readonly number[]
  /** From the start to the jump. */
  readonly jumpAfterMs: number
  /** From the jump until the clock is right again. */
  readonly forMs: number
  readonly endAfterMs: number
  /** What the beginning itself violates. */
  readonly brings?: string
  /** Found in the undisturbed run, so that the comparison is not one of nothing; with it, when it is to happen at the earliest. */
  readonly decides: { readonly act: RegExp; readonly notBeforeMs: number }
}

/** Watches and retries may take another turn. */
const sameTimeMs = 15_000
const web = { name: 'web', replicas: 4, cpu: '3', memory: '4Gi' }

async function aClaimIsDeleted({ world, claims }: Scenario): Promise<void> {
  const [claim] = await claims()
  await world.stack.cluster.client.delete(nodeClaims, { name: claim?.metadata.name ?? '' })
}

async function scaleTo({ world }: Scenario, replicas: number): Promise<void> {
  const { client } = world.stack.cluster
  await client.patch(
    deployments,
    { namespace: 'default', name: 'web' },
    { kind: 'merge', body: { spec: { replicas } } },
  )
}

const cases: Record<string, Case> = {
  'machines that do not join are given up after 15 minutes': {
    shapes: [web],
    begin: async (scenario) => {
      scenario.world.stack.cluster.behaviours.chooser = () => ({ joins: false })
      await scaleTo(scenario, 8)
    },
    jumpAfterMs: 4 * minute,
    forMs: 20 * minute,
    endAfterMs: 30 * minute,
    decides: { act: /claim .* is deleted/, notBeforeMs: 15 * minute - 5_000 },
  },
  'a grace period of 10 minutes ends after 10 minutes': {
    shapes: [{ ...web, maxUnavailable: 0 }],
    pools: [{ name: 'general', terminationGracePeriod: '10m' }],
    begin: aClaimIsDeleted,
    jumpAfterMs: 3 * minute,
    forMs: 12 * minute,
    endAfterMs: 20 * minute,
    decides: { act: /pod .* goes/, notBeforeMs: 10 * minute - 15_000 },
  },
  'pods that take long to stop are waited for, until a minute past their grace period of 8': {
    shapes: [{ ...web, maxUnavailable: '100%' }],
    prepare: async (scenario) => {
      const { client, behaviours } = scenario.world.stack.cluster
      const terminationGracePeriodSeconds = 480
      const body = { spec: { template: { spec: { terminationGracePeriodSeconds } } } }
      await client.patch(deployments, { namespace: 'default', name: 'web' }, { kind: 'merge', body })
      await scenario.run(5 * minute)
      for (const { id } of scenario.machines()) behaviours.setInstance(id, { podsHang: true })
    },
    begin: aClaimIsDeleted,
    jumpAfterMs: 5 * minute,
    forMs: 12 * minute,
    endAfterMs: 20 * minute,
    decides: { act: /machine .* is terminated/, notBeforeMs: 9 * minute - 5_000 },
  },
  'nodes are consolidated when they have been quiet for 10 minutes': {
    shapes: [{ ...web, replicas: 8 }],
    pools: [{ name: 'general', budget: '100%', consolidateAfter: '10m' }],
    settleMs: 30 * minute,
    begin: (scenario) => scaleTo(scenario, 2),
    jumpAfterMs: 5 * minute,
    forMs: 12 * minute,
    endAfterMs: 30 * minute,
    decides: { act: /node .* is tainted/, notBeforeMs: 10 * minute - 15_000 },
  },
  'what happens to pods counts, however the clock is set back': {
    shapes: [{ ...web, replicas: 8 }],
    pools: [{ name: 'general', budget: '100%', consolidateAfter: '3m' }],
    settleMs: 30 * minute,
    begin: async (scenario) => {
      await scaleTo(scenario, 7)
      scenario.world.stack.cluster.clock.schedule(110_000, () => void scaleTo(scenario, 2))
    },
    jumpAfterMs: 60_000,
    forMs: 90_000,
    endAfterMs: 30 * minute,
    decides: { act: /node .* is tainted/, notBeforeMs: 3 * minute - 15_000 },
  },
  'a broken node is repaired after 30 minutes': {
    shapes: [{ ...web, replicas: 12 }],
    pools: [{ name: 'general', consolidateAfter: 'Never' }],
    settings: { featureGates: { NodeRepair: true } },
    begin: async (scenario) => {
      const [machine] = scenario.machines()
      scenario.world.stack.cluster.behaviours.setInstance(machine?.id ?? '', { healthy: false })
    },
    jumpAfterMs: 20 * minute,
    forMs: 25 * minute,
    endAfterMs: 50 * minute,
    decides: { act: /claim .* is deleted/, notBeforeMs: 30 * minute - 15_000 },
  },
  'a machine that nobody claims is left alone for the 30 seconds in which a claim may still learn of it': {
    shapes: [web],
    brings: 'I6',
    // Set back, it makes the machine look younger, and it goes later.
    jumpsMs: [5 * minute],
    begin: async (scenario) => {
      const { client, clock } = scenario.world.stack.cluster
      const known = new Set((await scenario.claims()).map(({ metadata }) => metadata.name))
      const machines = scenario.machines().length
      await scaleTo(scenario, 6)
      await clock.run({ until: () => scenario.machines().length > machines, withinMs: minute })
      const name = (await scenario.claims()).find(({ metadata }) => !known.has(metadata.name))?.metadata.name ?? ''
      await client.patch(nodeClaims, { name }, { kind: 'merge', body: { metadata: { finalizers: null } } })
      await client.delete(nodeClaims, { name })
    },
    jumpAfterMs: 2_000,
    forMs: 10 * minute,
    endAfterMs: 15 * minute,
    decides: { act: /machine .* is terminated/, notBeforeMs: 30_000 },
  },
}

interface Act {
  readonly what: string
  readonly atMs: number
}

/** What became of nodes and pods, in monotonic time since the start. */
async function actsOf(each: Case, jumpMs: number): Promise<readonly Act[]> {
  const {
    begin,
    jumpAfterMs,
    forMs,
    endAfterMs,
    decides: _decides,
    brings: _brings,
    jumpsMs: _jumps,
    prepare: _prepare,
    ...options
  } = each
  const scenario = await startScenario({ database: 0, ...options })
  const { clock, apiServer, aws } = scenario.world.stack.cluster
  await each.prepare?.(scenario)
  const startAt = clock.monotonicMs()
  const acts: Act[] = []
  const note = (what: string): void => void acts.push({ what, atMs: clock.monotonicMs() - startAt })
  apiServer.context.store.subscribe('all', ({ type, table, object, previous }) => {
    if (type !== 'MODIFIED') return
    const goes = isGoing(object) && !isGoing(previous)
    const { name } = object.metadata
    if (table === 'karpenter.sh/nodeclaims' && goes) note(`claim ${name} is deleted`)
    if (table === '/pods' && goes) note(`pod ${name} goes`)
    if (table === '/nodes' && isTainted(object) !== isTainted(previous))
      note(`node ${name} is ${isTainted(object) ? '' : 'no longer '}tainted`)
  })
  aws.faults.observe(({ action, input }, error) => {
    if (action !== 'TerminateInstances' || error !== undefined) return
    for (const id of (input as { InstanceIds?: string[] }).InstanceIds ?? []) note(`machine ${id} is terminated`)
  })
  await begin(scenario)
  await scenario.run(jumpAfterMs)
  clock.jump(jumpMs)
  await scenario.run(forMs)
  clock.jump(-jumpMs)
  await scenario.run(endAfterMs - jumpAfterMs - forMs)
  expect((await scenario.end()).filter(({ invariant }) => invariant !== each.brings)).toEqual([])
  return firstOfEach(acts)
}

/**
 * The decision itself and all before it. What follows is another matter: the machines of the embedded cluster boot by the wall clock, and
 * which of two nodes goes first depends on how old they look.
 */
function upTo(act: RegExp, acts: readonly Act[]): readonly Act[] {
  return acts.slice(0, acts.findIndex(({ what }) => act.test(what)) + 1)
}

/** Whoever terminates a machine asks again until it is gone. */
function firstOfEach(acts: readonly Act[]): readonly Act[] {
  return acts.filter(({ what }, index) => acts.findIndex((other) => other.what === what) === index)
}

function isGoing(object: unknown): boolean {
  return (object as Pod | undefined)?.metadata.deletionTimestamp !== undefined
}

function isTainted(object: unknown): boolean {
  return (object as Node | undefined)?.spec.taints?.some(({ key }) => key === taintDisruptedKey) === true
}

describe.each(Object.entries(cases))('%s', (_name, each) => {
  test.each(each.jumpsMs ?? [5 * minute, -5 * minute])(
    'whether or not the clock is set by %i ms',
    async (jumpMs) => {
      const steady = await actsOf(each, 0)
      const { act, notBeforeMs } = each.decides
      const decided = steady.find(({ what }) => act.test(what))
      expect(decided?.atMs).toBeGreaterThanOrEqual(notBeforeMs)
      const jumped = await actsOf(each, jumpMs)
      const [before, after] = [steady, jumped].map((acts) => upTo(act, acts))
      expect(after?.map(({ what }) => what)).toEqual(before?.map(({ what }) => what))
      for (const [index, { what, atMs }] of (after ?? []).entries()) {
        const steadyMs = before?.[index]?.atMs ?? 0
        expect
          .soft(Math.abs(atMs - steadyMs), `${what}: ${atMs} ms, without the jump ${steadyMs} ms`)
          .toBeLessThan(sameTimeMs)
      }
    },
    120_000,
  )
})
