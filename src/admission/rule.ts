import type { AMIFamilyName } from '../api/ami-family.ts'
import type { CapacityBuffer, EC2NodeClass, NodeClaim, NodeOverlay, NodePool, RolloutPolicy } from '../api/karpenter.ts'
import type { TypeOutline } from '../model/instance-type.ts'

export type Severity = 'deny' | 'warn' | 'off'

/** One verdict on one place of an object. */
export interface Finding {
  /** `schema`, `cel`, or the ID of a rule. */
  readonly rule: string
  readonly path: string
  /** At most 120 characters where it is a warning: API servers show long ones cut. */
  readonly message: string
  /** What to do about it. Absent where the message says it all. */
  readonly fix?: string
}

export interface Problem {
  readonly path: string
  readonly message: string
  /** What is wrong, one by one, where the message names several things: an update that mends one of them makes nothing worse. */
  readonly causes?: readonly string[]
}

/** What is judged: an object of a known kind whose shape has been checked, with the stored one in an update. */
export type Subject =
  | { readonly kind: 'NodePool'; readonly object: NodePool; readonly old: NodePool | undefined }
  | { readonly kind: 'NodeClaim'; readonly object: NodeClaim; readonly old: NodeClaim | undefined }
  | { readonly kind: 'NodeOverlay'; readonly object: NodeOverlay; readonly old: NodeOverlay | undefined }
  | { readonly kind: 'EC2NodeClass'; readonly object: EC2NodeClass; readonly old: EC2NodeClass | undefined }
  | { readonly kind: 'CapacityBuffer'; readonly object: CapacityBuffer; readonly old: CapacityBuffer | undefined }
  | { readonly kind: 'RolloutPolicy'; readonly object: RolloutPolicy; readonly old: RolloutPolicy | undefined }

/** What is known of the world. A rule that needs what is absent says nothing. */
export interface AdmissionFacts {
  /**
   * Instance types that a pool could be given; undefined when nothing is known, as for a region without a table. Only of a pool whose shape
   * has been checked.
   */
  readonly catalogueOf?: (pool: NodePool) => readonly TypeOutline[] | undefined
  readonly nodePools?: readonly NodePool[]
  readonly nodeClasses?: readonly EC2NodeClass[]
  readonly nodeClaims?: readonly NodeClaim[]
  /** How many things each selector of the node class at hand finds now. */
  readonly selectorMatches?: SelectorMatches
  /** Whether expressions in spec.kubelet are enabled (AWS gate NodeClassCEL). */
  readonly nodeClassCEL?: boolean
  /** Why user data cannot be merged with what the family generates; undefined when it can. */
  readonly userDataProblem?: (userData: string, family: AMIFamilyName) => string | undefined
  /** Why an expression in spec.kubelet is none that makes a number; undefined when it is one. */
  readonly kubeletExpressionProblem?: (expression: string) => string | undefined
}

export interface SelectorMatches {
  readonly amis?: number
  readonly subnets?: number
  readonly securityGroups?: number
  readonly capacityReservations?: number
}

export interface RuleContext {
  readonly facts: AdmissionFacts
  /** Milliseconds since the epoch. */
  readonly now: number
}

export interface Rule {
  readonly id: `JN-${number}`
  readonly title: string
  /** `deny` only where the object can never work. */
  readonly severity: Exclude<Severity, 'off'>
  readonly fix: string
  /** `object` where the object at hand decides alone: what such a rule has found is remembered. */
  readonly looksAt: 'object' | 'world'
  check(subject: Subject, context: RuleContext): readonly Problem[]
}
