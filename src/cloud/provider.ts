import type { NodeClaim, NodePool } from '../api/karpenter.ts'
import type { Condition } from '../api/kubernetes.ts'
import type { DriftFinding } from '../model/drift-finding.ts'
import type { InstanceType } from '../model/instance-type.ts'
import type { Resources } from '../model/resources.ts'

/** The cloud port: what the controllers need of a cloud. `src/cloud/aws/` is its adapter. */
export interface CloudProvider {
  /** As metrics and logs name it, e.g. `aws`. */
  readonly name: string
  /** NodeClass kinds it serves; pools and claims that name another kind are not ours. */
  readonly nodeClassKinds: readonly { readonly group: string; readonly kind: string }[]
  /**
   * All types of the pool's class, also those without an available offering; none while there is no such class, or it is going.
   * @throws while the types, or what the class settles of them, are not known
   */
  getInstanceTypes(nodePool: NodePool): Promise<readonly InstanceType[]>
  /**
   * Starts one instance for the claim.
   * @throws InsufficientCapacityError, NodeClassNotReadyError, CreateError
   */
  create(nodeClaim: NodeClaim): Promise<LaunchedInstance>
  /** @throws NodeClaimNotFoundError, ProviderIDError */
  get(providerID: string): Promise<LaunchedInstance>
  /** Every instance that carries our ownership tags and is not terminated. */
  list(): Promise<readonly LaunchedInstance[]>
  /**
   * Asks for termination; resolves while the instance is still going.
   * @throws NodeClaimNotFoundError once it is gone, or where the claim names no instance; InstanceNotOwnedError; all else is worth another try
   */
  delete(nodeClaim: NodeClaim): Promise<void>
  /**
   * Undefined when the claim's instance is as its class says, and where pool or class are gone.
   * @throws NodeClaimNotFoundError, ProviderIDError
   */
  isDrifted(nodeClaim: NodeClaim): Promise<DriftFinding | undefined>
  readonly repairPolicies: readonly RepairPolicy[]
  /** Conditions that hold back `Registered`. */
  readonly registrationHooks: readonly RegistrationHook[]
}

export interface LaunchedInstance {
  /** `aws:///us-west-2a/i-0123456789abcdef0` */
  readonly providerID: string
  readonly imageID: string
  /** For the claim and its node; of what the instance type alone says, only where the type is known. */
  readonly labels: Readonly<Record<string, string>>
  /** For the claim. */
  readonly annotations: Readonly<Record<string, string>>
  /** Empty where the instance type is not known. */
  readonly capacity: Resources
  readonly allocatable: Resources
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** When it was seen to be going, in milliseconds since the epoch. */
  readonly deletedAt: number | undefined
}

/** A condition of nodes that makes them be replaced. */
export interface RepairPolicy {
  readonly conditionType: string
  readonly conditionStatus: Condition['status']
  /** How long the condition may last before. */
  readonly tolerationMs: number
}

export interface RegistrationHook {
  readonly name: string
  /** Labels to add to the claim when clear. */
  check(
    nodeClaim: NodeClaim,
  ): Promise<
    | { readonly kind: 'clear'; readonly labels: Readonly<Record<string, string>> }
    | { readonly kind: 'pending'; readonly requeueAfterMs: number }
  >
}

export class NodeClaimNotFoundError extends Error {
  readonly code = 'NodeClaimNotFound'
  override readonly name = 'NodeClaimNotFoundError'
}

/** A provider ID that can be that of no instance, as after an edit. What it should say it does not tell. */
export class ProviderIDError extends Error {
  readonly code = 'ProviderID'
  override readonly name = 'ProviderIDError'

  constructor(text: string | undefined, cause?: unknown) {
    super(
      `parsing instance id, provider id ${JSON.stringify(text ?? '')} does not name an instance`,
      cause === undefined ? undefined : { cause },
    )
  }
}

/** The claim names an instance without our ownership tags. It is not touched, and the claim waits until somebody mends either. */
export class InstanceNotOwnedError extends Error {
  readonly code = 'InstanceNotOwned'
  override readonly name = 'InstanceNotOwnedError'
  readonly instanceID: string
  /** What it lacks, as text. */
  readonly missing: readonly string[]

  constructor(instanceID: string, missing: readonly string[]) {
    super(
      `instance ${instanceID} lacks what instances of this cluster's NodeClaims are tagged with (${missing.join('; ')}) and is left alone: if it is not the NodeClaim's, mend its status.providerID or remove its finalizer karpenter.sh/termination; if it is, restore the tags`,
    )
    this.instanceID = instanceID
    this.missing = missing
  }
}

/** No capacity to be had: the claim is given up and another one may try elsewhere. */
export class InsufficientCapacityError extends Error {
  readonly code = 'InsufficientCapacity'
  override readonly name = 'InsufficientCapacityError'
}

export class NodeClassNotReadyError extends Error {
  readonly code = 'NodeClassNotReady'
  override readonly name = 'NodeClassNotReadyError'
}

/** A launch that failed for a reason worth telling: it becomes the reason and message of the Launched condition. */
export class CreateError extends Error {
  readonly code = 'CreateError'
  override readonly name = 'CreateError'
  readonly conditionReason: string
  readonly conditionMessage: string

  constructor(message: string, conditionReason: string, conditionMessage: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.conditionReason = conditionReason
    this.conditionMessage = conditionMessage
  }
}
