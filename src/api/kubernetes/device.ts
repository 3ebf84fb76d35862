import type { KubeObject } from './object.ts'
import type { QuantityText, ResourceListText } from './quantity.ts'
import type { NodeSelector } from './selector.ts'

/** resource.k8s.io/v1: devices that a DRA driver offers, a part of a pool. Reachable from one node, from some, or from all. */
export interface ResourceSlice extends KubeObject {
  spec: {
    driver: string
    nodeName?: string
    nodeSelector?: NodeSelector
    allNodes?: boolean
    /** Each device says for itself which nodes reach it. */
    perDeviceNodeSelection?: boolean
    pool: { name: string; generation: number; resourceSliceCount: number }
    devices?: Device[]
    sharedCounters?: CounterSet[]
  }
}

export interface Device {
  name: string
  attributes?: Record<string, DeviceAttribute>
  capacity?: Record<string, { value: QuantityText; requestPolicy?: CapacityRequestPolicy }>
  consumesCounters?: { counterSet: string; counters: Record<string, { value: QuantityText }> }[]
  nodeName?: string
  nodeSelector?: NodeSelector
  allNodes?: boolean
  taints?: { key: string; value?: string; effect: string }[]
  allowMultipleAllocations?: boolean
}

/** Exactly one field is set. */
export interface DeviceAttribute {
  bool?: boolean
  int?: number
  string?: string
  version?: string
}

export interface CapacityRequestPolicy {
  default?: QuantityText
  validValues?: QuantityText[]
  validRange?: { min: QuantityText; max?: QuantityText; step?: QuantityText }
}

export interface CounterSet {
  name: string
  counters: Record<string, { value: QuantityText }>
}

/** resource.k8s.io/v1. */
export interface DeviceClass extends KubeObject {
  spec: { selectors?: DeviceSelector[] }
}

export interface DeviceSelector {
  cel?: { expression: string }
}

/** resource.k8s.io/v1: devices that one or several pods want. */
export interface ResourceClaim extends KubeObject {
  spec: { devices?: { requests?: DeviceRequest[]; constraints?: DeviceConstraint[] } }
  status?: {
    allocation?: {
      devices?: { results?: DeviceAllocationResult[] }
      nodeSelector?: NodeSelector
    }
    reservedFor?: { apiGroup?: string; resource: string; name: string; uid: string }[]
  }
}

/** Either `exactly` or `firstAvailable`. */
export interface DeviceRequest {
  name: string
  exactly?: DeviceSubRequest & { adminAccess?: boolean }
  firstAvailable?: (DeviceSubRequest & { name: string })[]
}

/** What one request or one of its alternatives asks for. */
export interface DeviceSubRequest {
  deviceClassName: string
  selectors?: DeviceSelector[]
  allocationMode?: string
  count?: number
  tolerations?: { key?: string; operator?: string; value?: string; effect?: string }[]
  capacity?: { requests?: ResourceListText }
}

export interface DeviceConstraint {
  requests?: string[]
  matchAttribute?: string
  distinctAttribute?: string
}

interface DeviceAllocationResult {
  request: string
  driver: string
  pool: string
  device: string
  adminAccess?: boolean
  /** Of a device that several may have. */
  shareID?: string
  consumedCapacity?: ResourceListText
}
