import { conditionReady } from './reading.ts'

/** Which conditions a kind's Ready sums up, in the order they are created. */
export interface ConditionTypes {
  readonly root: string
  readonly dependents: readonly string[]
}

export const nodePoolConditions: ConditionTypes = {
  root: conditionReady,
  dependents: ['ValidationSucceeded', 'NodeClassReady'],
}
export const nodeClaimConditions: ConditionTypes = {
  root: conditionReady,
  dependents: ['Launched', 'Registered', 'Initialized'],
}
export const nodeOverlayConditions: ConditionTypes = { root: conditionReady, dependents: ['ValidationSucceeded'] }
/** The same lists for those who hold only the dependents. */
export const nodePoolDependents = nodePoolConditions.dependents
export const nodeClaimDependents = nodeClaimConditions.dependents

/** Capacity reservations count only while the feature gate ReservedCapacity is on, as it is by default. */
export function ec2NodeClassConditions(
  gates: { readonly reservedCapacity: boolean } = { reservedCapacity: true },
): ConditionTypes {
  const dependents = [
    'AMIsReady',
    'SubnetsReady',
    'SecurityGroupsReady',
    'InstanceProfileReady',
    'ValidationSucceeded',
    'PlacementGroupReady',
  ]
  return {
    root: conditionReady,
    dependents: gates.reservedCapacity ? [...dependents, 'CapacityReservationsReady'] : dependents,
  }
}

/** Of an EC2NodeClass: they tell what its selectors have found, and for which generation. */
export const lookupConditions = ['AMIsReady', 'SubnetsReady', 'SecurityGroupsReady'] as const
