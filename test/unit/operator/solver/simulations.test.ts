import { expect, test } from 'vitest'
import { surveyCandidates } from '../../../../src/disruption/candidates.ts'
import { runToEnd } from '../../../../src/model/sliced.ts'
import { defaultOptions } from '../../../../src/operator/options.ts'
import { bindSolver } from '../../../../src/operator/solver/index.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import { aRunningPod, aStateNode, aWorld } from '../../../support/disruption-builders.ts'

/** What is measured of solves that only ask where pods would go. */

const depth = 'karpenter_scheduler_queue_depth'
const running = 'karpenter_scheduler_unfinished_work_seconds'

test('each is timed as a solve of disruption, under an id of its own, and leaves its depth until the next one', () => {
  const pods = (name: string) => [aRunningPod({ name, uid: name })]
  const nodes = ['a', 'b'].map((name) => aStateNode(name, { pods: pods(`pod-${name}`) }))
  const snapshot = aWorld({ nodes })
  const { clock, metrics, counts } = aControllerWorld()
  const simulate = bindSolver({ options: defaultOptions(), clock, metrics }).simulatorFor(snapshot)
  const { candidates } = surveyCandidates(snapshot, { disruptionClass: 'graceful', queued: new Set() })
  const kinds = candidates.map((one) => runToEnd(simulate({ candidates: [one], destinations: 'any' })).kind)
  expect(kinds).toEqual(['placed', 'placed'])
  const timed = counts.observed('karpenter_scheduler_scheduling_duration_seconds', { controller: 'disruption' })
  expect(timed).toHaveLength(2)
  expect(counts.observed(depth, { controller: 'disruption', scheduling_id: '1' })).toEqual([])
  expect(counts.observed(depth, { controller: 'disruption', scheduling_id: '2' })).toEqual([0])
  expect(counts.observed(running)).toEqual([])
})
