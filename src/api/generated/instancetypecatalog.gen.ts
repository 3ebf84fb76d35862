// Generated from schemas/ by `npm run generate`. Do not edit.
import type { KubeObject, QuantityText, ResourceListText } from '../kubernetes.ts'

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
  /**
   * What DRA drivers will publish on its nodes, a pool each. Read with --ignore-dra-requests=false.
   */
  deviceTemplates?: CatalogDevicePool[]
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
/**
 * Devices of one driver.
 */
export interface CatalogDevicePool {
  /**
   * Name of the driver.
   */
  driver: string
  /**
   * The devices, as in a ResourceSlice of resource.k8s.io/v1.
   */
  devices: CatalogDevice[]
  /**
   * Counters that its devices draw on, as in a ResourceSlice.
   */
  sharedCounters?: CatalogCounterSet[]
}
/**
 * A device.
 */
export interface CatalogDevice {
  /**
   * Unique in its pool.
   */
  name: string
  /**
   * By name; of each one of bool, int, string and version.
   */
  attributes?: {
    [k: string]: CatalogDeviceAttribute
  }
  /**
   * Attributes whose values are known only once there is a node: devices with the same text here will have the same value.
   */
  bindings?: {
    [k: string]: string
  }
  /**
   * Amounts by name.
   */
  capacity?: {
    [k: string]: CatalogDeviceCapacity
  }
  /**
   * What it draws from the counters of its pool.
   */
  consumesCounters?: CatalogCounterConsumption[]
  /**
   * Whether several claims may share it.
   */
  allowMultipleAllocations?: boolean
}
/**
 * A value.
 */
export interface CatalogDeviceAttribute {
  /**
   * A truth value.
   */
  bool?: boolean
  /**
   * A whole number.
   */
  int?: number
  /**
   * A text.
   */
  string?: string
  /**
   * A semantic version.
   */
  version?: string
}
/**
 * An amount.
 */
export interface CatalogDeviceCapacity {
  /**
   * A Kubernetes quantity: an integer or text such as 500m, 2Gi or 1e3.
   */
  value: QuantityText
}
/**
 * What a device draws from one set of counters.
 */
export interface CatalogCounterConsumption {
  /**
   * Name of the set.
   */
  counterSet: string
  /**
   * Amounts by name.
   */
  counters: {
    [k: string]: CatalogDeviceCapacity1
  }
}
/**
 * An amount.
 */
export interface CatalogDeviceCapacity1 {
  /**
   * A Kubernetes quantity: an integer or text such as 500m, 2Gi or 1e3.
   */
  value: QuantityText
}
/**
 * Counters of one part of a machine.
 */
export interface CatalogCounterSet {
  /**
   * Unique in its pool.
   */
  name: string
  /**
   * Amounts by name.
   */
  counters: {
    [k: string]: CatalogDeviceCapacity2
  }
}
/**
 * An amount.
 */
export interface CatalogDeviceCapacity2 {
  /**
   * A Kubernetes quantity: an integer or text such as 500m, 2Gi or 1e3.
   */
  value: QuantityText
}
