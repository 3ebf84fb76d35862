import { expect, test } from 'vitest'
import { ClusterState } from '../../../src/cluster/cluster-state.ts'
import { VirtualClock } from '../../../src/embedded/clock.ts'
import { createCaches } from '../../../src/kube/caches.ts'
import { FakeKubeClient } from '../../support/fake-kube-client.ts'
import { fixedRandom } from '../../support/fixed-random.ts'
import { recordingLogger } from '../../support/recording-logger.ts'

test('nothing is decided before every watch has delivered what there is', async () => {
  const clock = new VirtualClock()
  const client = new FakeKubeClient()
  const log = recordingLogger()
  const caches = createCaches({ client, clock, random: fixedRandom(), log })
  const state = new ClusterState({
    caches,
    clock,
    log,
    cloud: { nodeClassKinds: [] },
    instanceTypes: () => Promise.resolve({ kind: 'resolved', types: [] }),
    nominationMs: 20_000,
    evictionCost: () => 1,
  })
  expect(state.synced()).toBe(false)
  const stop = new AbortController()
  caches.start(stop.signal)
  await clock.settle()
  expect(state.synced()).toBe(true)
  stop.abort()
})
