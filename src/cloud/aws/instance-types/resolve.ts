import type { InstanceTypeInfo } from '@aws-sdk/client-ec2'
import type { InstanceType } from '../../../model/instance-type.ts'
import { Quantity } from '../../../model/quantity.ts'
import type { ExpressionVariables } from '../kubelet/expressions.ts'
import { type KubeletResolution, resolveKubelet } from '../kubelet/resolve.ts'
import { capacityOf, defaultPods, vcpusOf } from './capacity.ts'
import { addressesPerInterface, defaultCardInterfaces } from './eni.ts'
import { overheadOf } from './overhead.ts'
import { typeRequirements } from './requirements.ts'
import type { TypeSettings } from './type-settings.ts'

/** An instance type as one class sees it, before its offerings. */
export type ResolvedType = Omit<InstanceType, 'offerings'>

export interface Resolution {
  readonly type: ResolvedType
  /** Kubelet entries that could not be evaluated for it. */
  readonly dropped: readonly string[]
}

/**
 * `discoveredMemoryBytes` is what a node of this type and image has shown to have; it replaces the estimate.
 * @throws ExpressionError
 */
export function resolveInstanceType(
  info: InstanceTypeInfo,
  settings: TypeSettings,
  offeredZones: ReadonlySet<string>,
  discoveredMemoryBytes: bigint | undefined,
): Resolution {
  const { resolved, dropped } = kubeletFor(info, settings)
  const estimated = capacityOf(info, settings, resolved)
  return {
    type: {
      name: info.InstanceType ?? '',
      requirements: typeRequirements(info, settings, offeredZones),
      capacity:
        discoveredMemoryBytes === undefined
          ? estimated
          : new Map(estimated).set('memory', Quantity.ofBytes(discoveredMemoryBytes)),
      overhead: overheadOf(info, settings, resolved, estimated),
    },
    dropped,
  }
}

/** @throws ExpressionError */
export function kubeletFor(info: InstanceTypeInfo, settings: TypeSettings): KubeletResolution {
  return resolveKubelet(settings.kubelet, expressionVariables(info, settings), settings.expressions)
}

export function expressionVariables(info: InstanceTypeInfo, settings: TypeSettings): ExpressionVariables {
  return {
    instanceType: info.InstanceType ?? '',
    vcpus: vcpusOf(info),
    memoryMiB: info.MemoryInfo?.SizeInMiB ?? 0,
    defaultENIs: defaultCardInterfaces(info),
    ipsPerENI: addressesPerInterface(info),
    maxPods: defaultPods(info, settings),
  }
}
