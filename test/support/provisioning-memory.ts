import { UndoneConsolidations } from '../../src/controllers/disruption/index.ts'
import { VainLaunches } from '../../src/controllers/launches/index.ts'
import { Promises, type SchedulerWords } from '../../src/controllers/provisioning/index.ts'
import type { Clock } from '../../src/model/clock.ts'

/** What a provisioner remembers from one pass to the next, empty. */
export function provisioningMemory(clock: Clock, schedulerWords: SchedulerWords = () => undefined) {
  return {
    promises: new Promises(),
    undone: new UndoneConsolidations(clock, () => new Map()),
    schedulerWords,
    vain: new VainLaunches(clock, schedulerWords),
  }
}
