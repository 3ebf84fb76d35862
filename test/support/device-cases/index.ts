import { administratorCases } from './administrators.ts'
import { allCases } from './all.ts'
import { choiceCases } from './choices.ts'
import type { DeviceCase } from './device-case.ts'
import { poolCases } from './pools.ts'
import { selectorCases } from './selectors.ts'
import { shareCases } from './shares.ts'
import { taintCases } from './taints.ts'

export { type DeviceCase, type DeviceWorld, isPlaced, namedClaim, worldOf } from './device-case.ts'
export { differingCases } from './differing.ts'

/** By what they are about, each with the verdict on it. That kube-scheduler says the same, test/peers/kubernetes/devices.test.ts proves. */
export const deviceCases: Readonly<Record<string, DeviceCase>> = {
  ...poolCases,
  ...allCases,
  ...shareCases,
  ...administratorCases,
  ...choiceCases,
  ...taintCases,
  ...selectorCases,
}
