// Generated from schemas/ by `npm run generate`. Do not edit.
import type { KubeObject, ResourceListText } from '../kubernetes.ts'

/**
 * An InstanceTypeCatalog lists instance types and offerings for offline use: validate, plan and simulate read it from a file. It is never stored in a cluster, so its content stands at the top level and not under a spec.
 */
export interface InstanceTypeCatalog extends KubeObject {
  /**
   * The instance types, each name once.
   */
  instanceTypes: CatalogInstanceType[]
}
/**
 * An instance type.
 */
export interface CatalogInstanceType {
  /**
   * Name, such as m7i.large.
   */
  name: string
  /**
   * What the labels of its nodes may be: instance type, architecture, operating system, zones, capacity types and whatever else pods may ask for. The instance type's own name, and the zones and capacity types of its offerings, are added where they are not given.
   */
  requirements?: CatalogRequirement[]
  /**
   * What a node has.
   */
  capacity: ResourceListText
  overhead?: CatalogOverhead
  /**
   * Where and how it can be bought.
   */
  offerings: CatalogOffering[]
}
/**
 * One constraint on a label.
 */
export interface CatalogRequirement {
  /**
   * The label.
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
 * What is not left for pods.
 */
export interface CatalogOverhead {
  /**
   * Reserved for the kubelet and the container runtime.
   */
  kubeReserved?: ResourceListText
  /**
   * Reserved for the operating system.
   */
  systemReserved?: ResourceListText
  /**
   * Kept free by eviction.
   */
  evictionThreshold?: ResourceListText
}
/**
 * One way to buy the instance type.
 */
export interface CatalogOffering {
  /**
   * Capacity type, zone, and for reserved capacity the reservation.
   */
  requirements: CatalogRequirement1[]
  /**
   * US dollars per hour.
   */
  price: number
  /**
   * Whether it can be launched.
   */
  available?: boolean
  /**
   * How many instances the reservation has left.
   */
  reservationCapacity?: number
}
/**
 * One constraint on a label.
 */
export interface CatalogRequirement1 {
  /**
   * The label.
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
