import { expect, test } from 'vitest'
import { awaitedPods, awaitedPodsGate, Promises } from '../../../../src/controllers/provisioning/index.ts'
import { SteadyMoments } from '../../../../src/controllers/steady-moments.ts'
import { openGate } from '../../../../src/disruption/gate.ts'
import { VirtualClock } from '../../../../src/embedded/clock.ts'
import type { PodInfo } from '../../../../src/model/pod.ts'
import { aRunningPod, aStateNode, aWorld, candidatesOf, minute, noon } from '../../../support/disruption-builders.ts'

/** Waits since kube-scheduler found no node for it. */
const waitingPod = (): PodInfo => aRunningPod({ nodeName: '', phase: 'Pending', scheduledReason: 'Unschedulable' })

function aGate(
  waits: readonly PodInfo[],
  promise: (promises: Promises) => void,
  now = noon,
  moments = new SteadyMoments(new VirtualClock({ startMs: now })),
) {
  const promises = new Promises()
  promise(promises)
  const snapshot = { ...aWorld({ nodes: [aStateNode('a')], now }), unboundPods: waits }
  const gate = awaitedPodsGate(awaitedPods(promises, snapshot, moments))
  const [candidate] = candidatesOf(snapshot)
  if (candidate === undefined) throw new Error('the node is no candidate')
  return { gate, hold: (reason: 'Empty' | 'Drifted' | 'Underutilized') => gate.hold(candidate, reason) }
}

test('a new node is neither empty nor consolidated while a pod that it was made for waits', () => {
  const pod = waitingPod()
  const { hold } = aGate([pod], (promises) => promises.onClaim([pod], 'claim-a'))
  expect(hold('Empty')).toEqual({
    code: 'PodsAwaited',
    message: `Pod default/${pod.name} is to run here and still waits`,
  })
  expect(hold('Underutilized')?.code).toBe('PodsAwaited')
  expect(hold('Drifted')).toBeUndefined()
})

test('so it is with a node that took the pod in a later plan', () => {
  const pod = waitingPod()
  const { hold } = aGate([pod], (promises) => promises.onNode([pod], 'aws:///z1/i-a'))
  expect(hold('Empty')?.code).toBe('PodsAwaited')
})

test('the promise of a pod that has its place, or is gone, keeps no node', () => {
  const pod = waitingPod()
  const { gate } = aGate([], (promises) => promises.onClaim([pod], 'claim-a'))
  expect(gate).toBe(openGate)
})

test('a pod that was promised another place since keeps only that', () => {
  const pod = waitingPod()
  const { hold } = aGate([pod], (promises) => {
    promises.onClaim([pod], 'claim-a')
    promises.onClaim([pod], 'claim-b')
  })
  expect(hold('Empty')).toBeUndefined()
})

test.each([
  [59, 'PodsAwaited'],
  [60, undefined],
])('%i minutes after it was initialized it is held: %s', (minutes, code) => {
  const pod = waitingPod()
  // The node was initialized ten minutes before noon.
  const { hold } = aGate([pod], (promises) => promises.onClaim([pod], 'claim-a'), noon + (minutes - 10) * minute)
  expect(hold('Empty')?.code).toBe(code)
})

test('a wall clock that is set ends no such hour early, nor prolongs it', async () => {
  const pod = waitingPod()
  const clock = new VirtualClock({ startMs: noon })
  const moments = new SteadyMoments(clock)
  const held = () =>
    aGate([pod], (promises) => promises.onClaim([pod], 'claim-a'), clock.now(), moments).hold('Empty')?.code
  expect(held()).toBe('PodsAwaited')
  clock.jump(24 * 60 * minute)
  await clock.run({ forMs: 49 * minute })
  expect(held()).toBe('PodsAwaited')
  clock.jump(-24 * 60 * minute)
  await clock.run({ forMs: minute })
  expect(held()).toBeUndefined()
})
