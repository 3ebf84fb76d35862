import { describe, expect, test } from 'vitest'
import { nodePoolHash } from '../../../src/api/hash/index.ts'
import type { PodDisruptionBudget } from '../../../src/api/kubernetes.ts'
import type { Command, Replacement } from '../../../src/disruption/command.ts'
import { decideConsolidatable, driftFromPool } from '../../../src/disruption/conditions.ts'
import { computeConsolidation } from '../../../src/disruption/consolidation.ts'
import { filterEmpty } from '../../../src/disruption/emptiness.ts'
import { byNamespace } from '../../../src/disruption/pdb.ts'
import { isCurrentlyReschedulable } from '../../../src/disruption/pod-eviction.ts'
import type { Simulate, SimulationResult } from '../../../src/disruption/simulation.ts'
import { runToEnd } from '../../../src/model/sliced.ts'
import { validateSimulation } from '../../../src/disruption/validation.ts'
import type { PodInfo } from '../../../src/model/pod.ts'
import {
  aPool,
  aRunningPod,
  aStateNode,
  aWorld,
  candidatesOf,
  condition,
  daemonSetOwner,
  minute,
  noon,
} from '../../support/disruption-builders.ts'

describe('a command is not carried out', () => {
  const [candidate] = candidatesOf(aWorld({ nodes: [aStateNode('a', { pods: [aRunningPod()] })] }))
  if (candidate === undefined) throw new Error('expected a candidate')
  const deletion: Command<Replacement> = {
    method: 'singleNode',
    reason: 'Underutilized',
    candidates: [candidate],
    replacements: [],
    destinations: [],
  }
  const placed = { kind: 'placed', replacements: [], destinations: [], unplaced: undefined } as const
  const cases: Record<string, { answer: SimulationResult<Replacement>; want: string }> = {
    'when its node is on its way out already': { answer: { kind: 'candidateDeleting' }, want: 'candidate is deleting' },
    'when a pod would find no place any more': {
      answer: { ...placed, unplaced: 'not all pods would schedule, default/p => no room ' },
      want: 'not all pods would schedule, default/p => no room ',
    },
  }
  test.each(Object.entries(cases))('%s', (_name, { answer, want }) => {
    const simulate: Simulate<Replacement> = function* () {
      yield
      return answer
    }
    const validation = runToEnd(validateSimulation(deletion, simulate))
    expect(validation).toMatchObject({ kind: 'invalid', failure: 'scheduling', message: want, dropped: 1 })
  })

  test('and is carried out when neither is so', () => {
    const simulate: Simulate<Replacement> = function* () {
      yield
      return placed
    }
    expect(runToEnd(validateSimulation(deletion, simulate)).kind).toBe('valid')
  })
})

test('a node that is on its way out already is not consolidated', () => {
  const candidates = candidatesOf(aWorld({ nodes: [aStateNode('a', { pods: [aRunningPod()] })] }))
  const simulate: Simulate<Replacement> = function* () {
    yield
    return { kind: 'candidateDeleting' }
  }
  const options = { wellKnownLabels: new Set<string>(), spotToSpot: false }
  expect(runToEnd(computeConsolidation('singleNode', candidates, simulate, options))).toEqual({ kind: 'nothing' })
})

describe('a place is made elsewhere', () => {
  const never = { maxUnavailable: 0, selector: { matchLabels: { app: 'web' } } }
  const budget = (spec: PodDisruptionBudget['spec']): PodDisruptionBudget => ({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { namespace: 'default', name: 'web', uid: 'pdb', resourceVersion: '1', creationTimestamp: '' },
    spec,
  })
  const doNotDisrupt = { 'karpenter.sh/do-not-disrupt': 'true' }
  const cases: Record<string, { pod: Partial<PodInfo>; budgets?: readonly PodDisruptionBudget[]; want: boolean }> = {
    'for a pod of a ReplicaSet': { pod: {}, want: true },
    'not for a pod that comes with every node': { pod: { ownerReferences: daemonSetOwner }, want: false },
    'not for a pod that has ended': { pod: { phase: 'Succeeded' }, want: false },
    'not for a pod that says do-not-disrupt': { pod: { annotations: doNotDisrupt }, want: false },
    'not for a pod that its budget never lets go': {
      pod: { labels: { app: 'web' } },
      budgets: [budget(never)],
      want: false,
    },
    'for a pod that its budget holds only just now': {
      pod: { labels: { app: 'web' } },
      budgets: [budget({ ...never, maxUnavailable: 1 })],
      want: true,
    },
  }
  test.each(Object.entries(cases))('%s', (_name, { pod, budgets = [], want }) => {
    expect(isCurrentlyReschedulable(aRunningPod(pod), byNamespace(budgets), noon)).toBe(want)
  })
})

test('an empty node of a static pool is no business of emptiness', () => {
  const world = (replicas?: number) =>
    aWorld({
      pools: [aPool(replicas === undefined ? {} : { replicas })],
      nodes: [aStateNode('a')],
    })
  const eligible = (replicas?: number) => filterEmpty(candidatesOf(world(replicas)), new Set()).eligible.length
  expect([eligible(), eligible(3)]).toEqual([1, 0])
})

describe('a claim drifts from its pool', () => {
  const hashed = (hash: string, version = 'v3') => ({
    'karpenter.sh/nodepool-hash': hash,
    'karpenter.sh/nodepool-hash-version': version,
  })
  const claim = (annotations: Record<string, string>) => {
    const { nodeClaim } = aStateNode('a')
    if (nodeClaim === undefined) throw new Error('expected a claim')
    return { ...nodeClaim, metadata: { ...nodeClaim.metadata, annotations } }
  }
  const pool = { ...aPool(), metadata: { ...aPool().metadata, annotations: hashed('2') } }
  const cases: Record<string, { annotations: Record<string, string>; want: string | undefined }> = {
    'when its hash is another': { annotations: hashed('1'), want: 'NodePoolDrifted' },
    'not when its hash is the same': { annotations: hashed('2'), want: undefined },
    'not when its hash is of another version': { annotations: hashed('1', 'v2'), want: undefined },
    'not when it has none': { annotations: {}, want: undefined },
    // Somebody took an edit back, or a claim was made by the edited pool, before the pool was stamped anew.
    "not when its hash is that of the pool's template, which the pool's stamp is not yet": {
      annotations: hashed(nodePoolHash(pool)),
      want: undefined,
    },
  }
  test.each(Object.entries(cases))('%s', (_name, { annotations, want }) => {
    expect(driftFromPool(claim(annotations), pool, new Map())).toBe(want)
  })
})

describe('a claim is consolidatable', () => {
  const decide = (consolidateAfter: string, sinceMs: number, initialized = true) => {
    const { nodeClaim } = aStateNode('a')
    if (nodeClaim === undefined) throw new Error('expected a claim')
    const conditions = [condition('Initialized', initialized ? 'True' : 'Unknown', noon - sinceMs)]
    const disruption = { consolidateAfter, consolidationPolicy: 'WhenEmpty' as const }
    const claim = { ...nodeClaim, status: { ...nodeClaim.status, conditions } }
    const decision = decideConsolidatable(claim, aPool({ disruption }), noon)
    return decision.kind === 'not' ? decision.because : decision.kind
  }
  const cases: Record<string, { after: string; sinceMs: number; initialized?: boolean; want: string }> = {
    'when the time has passed': { after: '5m', sinceMs: 5 * minute, want: 'consolidatable' },
    'not a moment before': {
      after: '5m',
      sinceMs: 5 * minute - 1_000,
      want: 'consolidateAfter window not yet elapsed',
    },
    'at once when there is nothing to wait for': { after: '0s', sinceMs: -minute, want: 'consolidatable' },
    'never in a pool that consolidates nothing': {
      after: 'Never',
      sinceMs: 9 * minute,
      want: 'consolidation is disabled',
    },
    'not before it is initialized': {
      after: '0s',
      sinceMs: 9 * minute,
      initialized: false,
      want: "nodeclaim isn't initialized",
    },
  }
  test.each(Object.entries(cases))('%s', (_name, { after, sinceMs, initialized, want }) => {
    expect(decide(after, sinceMs, initialized)).toBe(want)
  })
})
