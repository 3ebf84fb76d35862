import { expect, test } from 'vitest'
import type { Pod } from '../../../src/api/kubernetes.ts'
import { missedPods } from '../../../src/cluster/index.ts'
import { VirtualClock } from '../../../src/embedded/clock.ts'
import { toTimestamp } from '../../../src/model/clock.ts'
import { aPod } from '../../support/controller-builders.ts'

/** What is listed anew when the API server has a pod on node `n` for so many seconds, and the cache may have one. */
function told() {
  const clock = new VirtualClock()
  const relisted: string[] = []
  let cached: Pod | undefined
  const tell = missedPods({ pods: { get: () => cached }, clock, relist: ({ plural }) => void relisted.push(plural) })
  const bound = (seconds: number): Pod => {
    const since = toTimestamp(clock.now() - 1_000 * seconds)
    const stored = { uid: 'u', resourceVersion: '1', creationTimestamp: toTimestamp(clock.now() - 3_600_000) }
    const scheduled = { type: 'PodScheduled', status: 'True' as const, lastTransitionTime: since }
    const pod = aPod('p', { spec: { nodeName: 'n' }, status: { conditions: [scheduled] } })
    return { ...pod, metadata: { ...stored, ...pod.metadata } } as Pod
  }
  const cache = (pod: Pod | undefined): void => void (cached = pod)
  return { clock, relisted, tell, bound, cache }
}

test('a pod that was bound long ago and is in no cache has the pods listed anew', () => {
  const { tell, bound, relisted } = told()
  tell(bound(10))
  expect(relisted).toEqual(['pods'])
})

test('so has one that the cache has, but on no node', () => {
  const { tell, bound, cache, relisted } = told()
  const { spec, ...rest } = bound(10)
  const { nodeName: _node, ...unbound } = spec
  cache({ ...rest, spec: unbound })
  tell(bound(10))
  expect(relisted).toEqual(['pods'])
})

test('one that was bound just now may still be on its way', () => {
  const { tell, bound, relisted } = told()
  tell(bound(9))
  expect(relisted).toEqual([])
})

test('one that the cache has by now is no reason', () => {
  const { tell, bound, cache, relisted } = told()
  cache(bound(60))
  tell(bound(60))
  expect(relisted).toEqual([])
})

test('one without a condition, as kubelets bring them along, is as old as itself', () => {
  const { tell, bound, relisted } = told()
  tell({ ...bound(0), status: {} })
  expect(relisted).toEqual(['pods'])
})

test('pods are listed anew once a minute at most', async () => {
  const { clock, tell, bound, relisted } = told()
  tell(bound(10))
  await clock.run({ forMs: 59_000 })
  tell(bound(10))
  expect(relisted).toHaveLength(1)
  await clock.run({ forMs: 1_000 })
  tell(bound(10))
  expect(relisted).toHaveLength(2)
})
