import type { RepairPolicy } from '../provider.ts'

const minute = 60_000

/** Node conditions that node repair acts on, and how long it waits. Those besides Ready come from EKS's node monitoring agent. */
export const repairPolicies: readonly RepairPolicy[] = [
  { conditionType: 'Ready', conditionStatus: 'False', tolerationMs: 30 * minute },
  { conditionType: 'Ready', conditionStatus: 'Unknown', tolerationMs: 30 * minute },
  { conditionType: 'AcceleratedHardwareReady', conditionStatus: 'False', tolerationMs: 10 * minute },
  { conditionType: 'StorageReady', conditionStatus: 'False', tolerationMs: 30 * minute },
  { conditionType: 'NetworkingReady', conditionStatus: 'False', tolerationMs: 30 * minute },
  { conditionType: 'KernelReady', conditionStatus: 'False', tolerationMs: 30 * minute },
  { conditionType: 'ContainerRuntimeReady', conditionStatus: 'False', tolerationMs: 30 * minute },
]
