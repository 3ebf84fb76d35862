import { expect, test } from 'vitest'
import { hasCompatibilityLine } from '../support/compatibility-page.ts'
import { installCRDs } from '../support/crds.ts'
import { eventually } from '../support/eventually.ts'
import { startInterruptionBus } from '../support/interruption-bus.ts'
import { karpenterCRDs, startKarpenter } from '../support/karpenter-process.ts'
import { likeKarpenter, startOperator } from '../support/operator-process.ts'
import { describeWithPeers } from '../support/peers.ts'
import { startEmptyWorld } from '../support/real-world.ts'

const gates = [
  'CapacityBuffer',
  'NodeOverlay',
  'NodeRepair',
  'ReservedCapacity',
  'SpotToSpotConsolidation',
  'StaticCapacity',
]
  .map((gate) => `${gate}=true`)
  .join()

/** Karpenter follows what it knows of the cluster by controllers, one for each kind; here caches do. */
const ofClusterState = ['state.daemonset', 'state.node', 'state.nodeclaim', 'state.nodepool', 'state.pod']
/** Runs there without being asked for, and does nothing. */
const idle = ['zonalshift']

await describeWithPeers(
  'names by which metrics and log lines tell controllers apart',
  ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'moto', 'karpenter'],
  () => {
    test('are those of Karpenter, with every gate on', async () => {
      const world = await startEmptyWorld()
      await using stops = world.stops
      const { kubeconfig, url: endpoint } = world.controlPlane
      await installCRDs(world.controlPlane, await karpenterCRDs())
      const { queue } = await startInterruptionBus(world.account)
      stops.defer(() => queue.stop())
      const common = { kubeconfig, endpoint, account: world.account }
      const flags = [...likeKarpenter, `--feature-gates=${gates}`, `--interruption-queue=${queue.name}`]
      const operator = await startOperator({ ...common, flags })
      const ours = controllersIn(await operator.metrics())
      await operator.dispose()
      const karpenter = await startKarpenter({
        ...common,
        env: { FEATURE_GATES: gates, INTERRUPTION_QUEUE: queue.name },
      })
      stops.defer(() => karpenter.dispose())
      let theirs: ReadonlySet<string> = new Set()
      // They come one after the other, those that know instance types last.
      await eventually('its controllers have begun', async () => {
        const before = theirs.size
        theirs = controllersIn(await karpenter.metrics())
        return theirs.size === before && theirs.has('nodeclaim.lifecycle') && theirs.has('disruption')
      })
      expect(theirs.size).toBeGreaterThan(45)
      expect([...theirs.difference(ours)].toSorted()).toEqual([...ofClusterState, ...idle])
      expect(await hasCompatibilityLine('Controllers that follow the cluster for what is known of it')).toBe(true)
    })
  },
)

/** Those that have been started. */
function controllersIn(metrics: string): ReadonlySet<string> {
  const started = /^controller_runtime_max_concurrent_reconciles\{controller="([^"]+)"/gm
  return new Set([...metrics.matchAll(started)].map(([, name = '']) => name))
}
