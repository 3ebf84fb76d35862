import type { RequirementEntry } from '../../../model/requirement.ts'
import { instanceKeys, osKey, windowsBuildKey } from '../keys.ts'

export type RequirementSet = readonly RequirementEntry[]

/** Which machines an image of a family serves. */
export const standardSet: RequirementSet = [
  { key: instanceKeys.gpuCount, operator: 'DoesNotExist' },
  { key: instanceKeys.acceleratorCount, operator: 'DoesNotExist' },
]
export const nvidiaSet: RequirementSet = [{ key: instanceKeys.gpuCount, operator: 'Exists' }]
export const neuronSet: RequirementSet = [{ key: instanceKeys.acceleratorCount, operator: 'Exists' }]

export function windowsSet(build: string): RequirementSet {
  return [
    { key: osKey, operator: 'In', values: ['windows'] },
    { key: windowsBuildKey, operator: 'In', values: [build] },
  ]
}
