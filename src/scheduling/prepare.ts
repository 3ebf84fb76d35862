import type { PodInfo } from '../model/pod.ts'
import { runToEnd } from '../model/sliced.ts'
import type { Snapshot } from '../model/snapshot.ts'
import { defaultSettings, prepareInSlices, type SchedulingSettings, type SolveContext } from './context.ts'

/** Indexes a snapshot for any number of solves on it. `extraPods`: pods to be placed that it does not hold. */
export function prepare(
  snapshot: Snapshot,
  settings: Partial<SchedulingSettings> = {},
  extraPods: readonly PodInfo[] = [],
): SolveContext {
  return runToEnd(prepareInSlices(snapshot, { ...defaultSettings, ...settings }, extraPods))
}
