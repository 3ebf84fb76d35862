// Generated from schemas/ by `npm run generate`. Do not edit.
import type { Condition, KubeObject, ResourceListText } from '../kubernetes.ts'

/**
 * A NodeOverlay corrects the price or adds resources of instance types as scheduling sees them.
 */
export interface NodeOverlay extends KubeObject {
  spec: NodeOverlaySpec
  status?: NodeOverlayStatus
}
/**
 * Which instance types are changed, and how.
 */
export interface NodeOverlaySpec {
  /**
   * Selects instance types and offerings by their labels.
   *
   * @maxItems 100
   */
  requirements: NodeOverlayRequirement[]
  /**
   * Price per hour to assume instead of the real one.
   */
  price?: string
  /**
   * Signed change of the price per hour: an amount such as -0.1, or a percentage such as +10%. Not below -100%.
   */
  priceAdjustment?: string
  /**
   * Extended resources to add to the instance types.
   */
  capacity?: ResourceListText
  /**
   * Where several overlays match, the higher weight wins; equal weights are a conflict. Absent counts as 0.
   */
  weight?: number
}
/**
 * One constraint on a label of instance types.
 */
export interface NodeOverlayRequirement {
  /**
   * The node label that the requirement constrains.
   */
  key: string
  /**
   * How the label relates to the values.
   */
  operator: 'Gte' | 'Lte' | 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt'
  /**
   * Values for the operator: at least one for In, exactly one non-negative integer for Gt, Lt, Gte and Lte, none for Exists and DoesNotExist.
   */
  values?: string[]
}
/**
 * What was observed.
 */
export interface NodeOverlayStatus {
  /**
   * Conditions of the object; Ready sums up the others.
   *
   * Items: One aspect of the observed state.
   */
  conditions?: Condition[]
}
