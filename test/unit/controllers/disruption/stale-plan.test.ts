import { expect, test } from 'vitest'
import { PlanLedger } from '../../../../src/cluster/plan-ledger.ts'
import { disruptionController, OrchestrationQueue, VerdictBook } from '../../../../src/controllers/disruption/index.ts'
import type { Replacement } from '../../../../src/disruption/command.ts'
import { nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes } from '../../../../src/kube/kinds.ts'
import { aClaim } from '../../../support/controller-builders.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import { aPool, aRunningPod, aWorld, condition } from '../../../support/disruption-builders.ts'
import { aStoredNode, disruptionDeps, replacement } from '../../../support/disruption-deps.ts'

/** A drifted node of a pool with limits; its pod needs a new one. */
async function aDriftedNode(ledger: PlanLedger) {
  const world = aControllerWorld()
  const state = await aStoredNode(world, 'a', { pods: [aRunningPod()], conditions: [condition('Drifted')] })
  const pool = aPool({ limits: { cpu: '48' } })
  const snapshot = aWorld({ nodes: [state], pools: [pool], now: world.clock.now() })
  const launched: string[] = []
  const deps = disruptionDeps(
    world,
    { snapshot: () => snapshot, plans: ledger },
    {
      simulatorFor: () =>
        function* simulate() {
          yield undefined
          return { kind: 'placed', replacements: [replacement], destinations: [], unplaced: undefined }
        },
      launch: (plan: Replacement, _cause: unknown, basis: ReturnType<PlanLedger['basis']>) => {
        const stale = ledger.begin(pool, basis)
        if (stale !== undefined) return Promise.reject(new Error(stale))
        launched.push(plan.nodePool)
        return world.kube.create(nodeClaims, aClaim('new'))
      },
    },
  )
  const queue = new OrchestrationQueue(deps)
  const start = () => world.start(disruptionController(deps, queue, new VerdictBook()))
  const taints = async () => (await world.kube.get(nodes, { name: state.node.metadata.name })).spec.taints ?? []
  return { ...world, launched, pool, start, taints }
}

test('a node is not touched while a claim of the pool that its replacement would join is being launched', async () => {
  let looks = 0
  const ledger = new PlanLedger(() => {
    looks += 1
    return looks < 20 ? ['default'] : []
  })
  const { kube, launched, logged, start, run, taints } = await aDriftedNode(ledger)
  const written: string[] = []
  kube.fault = ({ operation, resource }) => {
    written.push(`${operation} ${resource}`)
  }
  const why = 'a node claim of nodepool default was not launched yet, so what its limits leave was not known'
  await start()
  await run(20_000)
  expect(looks).toBeGreaterThanOrEqual(20)
  expect(logged(`${why}, deciding anew`).length).toBeGreaterThan(0)
  expect(logged('Reconciler error')).toEqual([])
  expect(launched).toEqual(['default'])
  expect(await taints()).toContainEqual(expect.objectContaining({ key: 'karpenter.sh/disrupted' }))
  expect(written.filter((write) => write === 'patch nodes')).toHaveLength(1)
})

test('nor while another plan takes room under its limits', async () => {
  const ledger = new PlanLedger()
  const { launched, logged, pool, start, run } = await aDriftedNode(ledger)
  expect(ledger.begin(pool, ledger.basis())).toBeUndefined()
  await start()
  await run(100)
  expect(logged('Reconciler error')).toEqual([])
  expect(launched).toEqual([])
  ledger.settle(pool)
  await run(1_000)
  expect(launched).toEqual(['default'])
})
