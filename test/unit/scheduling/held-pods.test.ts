import { expect, test } from 'vitest'
import { prepare, solve } from '../../../src/scheduling/index.ts'
import { aNode, aPool, aSnapshot, pods, zoneKey } from '../../support/scheduling-world.ts'
import { errorsOf, testSettings } from '../../support/solving.ts'

const because = 'two nodes did not take it'

/** Six pods of a CPU each and a node with room for so many; `held` of them may launch none. */
function planned(options: { readonly room: number; readonly held: number }) {
  const allocatable = { cpu: String(options.room), memory: '64Gi', pods: '110' }
  const nodes = [aNode({ name: 'n1', pool: 'np', labels: { [zoneKey]: 'z1' }, allocatable })]
  const waiting = pods(6, { requests: { cpu: '1' } })
  const held = new Map(waiting.slice(0, options.held).map(({ uid }) => [uid, because]))
  const snapshot = aSnapshot({ pools: [aPool({ name: 'np' })], nodes, pods: waiting })
  return solve(prepare(snapshot, testSettings, waiting), { pods: waiting, held })
}

const count = (plans: readonly { readonly pods: readonly unknown[] }[]): number =>
  plans.flatMap((plan) => plan.pods).length

test('pods that may launch no node go to one that is there', () => {
  const placement = planned({ room: 6, held: 6 })
  expect(count(placement.existing)).toBe(6)
  expect(placement.newNodePlans).toEqual([])
})

test('without room there they fail, and say why; those like them that may launch one do', () => {
  const placement = planned({ room: 0, held: 5 })
  expect(count(placement.newNodePlans)).toBe(1)
  expect(errorsOf(placement)).toEqual(Array.from({ length: 5 }, () => because))
})
