import type { Condition, KubeObject } from './object.ts'
import type { ResourceListText } from './quantity.ts'
import type { Taint } from './taint.ts'

export interface Node extends KubeObject {
  spec: { providerID?: string; taints?: Taint[]; unschedulable?: boolean; podCIDR?: string }
  status?: NodeStatus
}

interface NodeStatus {
  capacity?: ResourceListText
  allocatable?: ResourceListText
  conditions?: Partial<NodeCondition>[]
  addresses?: { type: string; address: string }[]
  nodeInfo?: Record<string, string>
  phase?: string
}

export interface NodeCondition extends Condition {
  lastHeartbeatTime?: string
}
