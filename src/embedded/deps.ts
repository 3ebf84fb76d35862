import type { Caches } from '../kube/controller.ts'
import type { KubeClient } from '../kube/port.ts'
import type { Clock } from '../model/clock.ts'
import type { SeededRandom } from './random.ts'

/** What every part of the embedded cluster works with. The caches hold whole objects, templates with images included. */
export interface EmbeddedDeps {
  readonly client: KubeClient
  readonly caches: Caches
  readonly clock: Clock
  readonly random: SeededRandom
}
