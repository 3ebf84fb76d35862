import {
  type BufferBook,
  capacityBufferProvisioning,
  capacityBufferResolution,
} from '../controllers/capacitybuffer/index.ts'
import type { UndoneConsolidations } from '../controllers/disruption/index.ts'
import type { LaunchGuard, VainLaunches } from '../controllers/launches/index.ts'
import {
  PodBatcher,
  nodeTrigger,
  podTrigger,
  poolTrigger,
  PreferenceWarnings,
  type Promises,
  provisioner,
  type SchedulerWords,
} from '../controllers/provisioning/index.ts'
import type { AnyController, Parts } from './parts.ts'

/** What provisioning shares with launches and disruption. */
export interface ProvisioningInputs {
  readonly buffers: BufferBook
  readonly launches: LaunchGuard
  readonly promises: Promises
  readonly schedulerWords: SchedulerWords
  readonly undone: UndoneConsolidations
  readonly vain: VainLaunches
}

/** What plans nodes for pods, and what calls for a plan. */
export function provisioningControllers(parts: Parts, shared: ProvisioningInputs): readonly AnyController[] {
  const { buffers, launches, promises, schedulerWords, undone, vain } = shared
  const { options, clock, caches, kube, state } = parts
  const batcher = new PodBatcher(clock, { idleMs: options.batchIdleDuration, maxMs: options.batchMaxDuration })
  const withBuffers = options.featureGates['CapacityBuffer'] === true
  launches.onRelease(() => batcher.trigger('launches may go on'))
  const triggers = { caches, clock, batcher, cluster: state, cpuMilli: options.cpuRequests }
  return [
    provisioner({
      kube,
      clock,
      recorder: parts.recorder,
      metrics: parts.families,
      cluster: state,
      batcher,
      solver: parts.solver.solver,
      launches,
      promises,
      undone,
      schedulerWords,
      vain,
      ...(options.preferencePolicy === 'Ignore' ? {} : { warnings: new PreferenceWarnings(clock) }),
      ...(withBuffers ? { buffers } : {}),
    }),
    podTrigger(triggers),
    nodeTrigger(triggers),
    poolTrigger(triggers),
    ...(withBuffers
      ? [
          capacityBufferResolution({ kube, caches, clock, batcher, book: buffers }),
          capacityBufferProvisioning({ kube, caches, clock, book: buffers }),
        ]
      : []),
  ]
}
