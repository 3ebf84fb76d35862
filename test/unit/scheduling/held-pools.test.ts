import { expect, test } from 'vitest'
import { withoutHeld } from '../../../src/controllers/provisioning/index.ts'
import { prepare, solve } from '../../../src/scheduling/index.ts'
import { aNode, aPool, aSnapshot, pods, zoneKey } from '../../support/scheduling-world.ts'
import { errorsOf, podsPerDomain, testSettings } from '../../support/solving.ts'

const labels = { app: 'web' }
const spread = {
  maxSkew: 1,
  topologyKey: zoneKey,
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector: { matchLabels: labels },
} as const

/** Pods spread over the zones z1, z2 and z3 of a pool of which only z1 has a node, with room for all; `held`: pools that may open no node. */
function planned(held: ReadonlyMap<string, string>) {
  const nodes = [
    aNode({
      name: 'n1',
      pool: 'np',
      labels: { [zoneKey]: 'z1' },
      allocatable: { cpu: '64', memory: '64Gi', pods: '110' },
    }),
  ]
  const waiting = pods(6, { labels, topologySpreadConstraints: [spread] })
  const snapshot = withoutHeld(aSnapshot({ pools: [aPool({ name: 'np' })], nodes, pods: waiting }), {
    heldPools: () => held,
  })
  return solve(prepare(snapshot, testSettings, waiting), { pods: waiting })
}

test('a pool whose circuit breaker is open opens no node, and its zones still count', () => {
  const placement = planned(new Map([['np', 'nodes keep failing']]))
  expect(placement.newNodePlans).toEqual([])
  expect(podsPerDomain(placement)).toEqual({ z1: 1 })
  expect(placement.failures).toHaveLength(5)
  expect(placement.unresolvedPools).toMatchObject([{ nodePool: 'np', error: 'nodes keep failing' }])
})

test('such a pool is not said to rule out all types; its pods are told of the circuit breaker', () => {
  const placement = planned(new Map([['np', 'nodes keep failing']]))
  expect(placement.filteredPools).toEqual([])
  expect(new Set(errorsOf(placement))).toEqual(
    new Set(['circuit breaker is open for nodepool (NodePool=np): nodes keep failing']),
  )
})

test('so are pods that other pools refuse, whatever their reasons', () => {
  const mips = { key: 'kubernetes.io/arch', operator: 'In' as const, values: ['mips'] }
  const tainted = aPool({ name: 'tainted', taints: [{ key: 'x', effect: 'NoSchedule' }] })
  const because = 'circuit breaker is open for nodepool (NodePool=np): nodes keep failing'
  const told = (other: ReturnType<typeof aPool>) => {
    const waiting = pods(1)
    const snapshot = withoutHeld(aSnapshot({ pools: [aPool({ name: 'np' }), other], pods: waiting }), {
      heldPools: () => new Map([['np', 'nodes keep failing']]),
    })
    return errorsOf(solve(prepare(snapshot, testSettings, waiting), { pods: waiting }))
  }
  expect(told(tainted)).toEqual([`did not tolerate taint (taint=x:NoSchedule); ${because}`])
  expect(told(aPool({ name: 'empty', requirements: [mips] }))).toEqual([
    `nodepool requirements filtered out all available instance types; ${because}`,
  ])
})

test('once it is closed the pods are spread over them', () => {
  expect(podsPerDomain(planned(new Map()))).toEqual({ z1: 2, z2: 2, z3: 2 })
})
