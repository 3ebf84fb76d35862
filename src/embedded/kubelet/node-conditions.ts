import type { NodeCondition } from '../../api/kubernetes.ts'
import { withCondition } from '../conditions.ts'
import type { NodeBehaviour } from './behaviour.ts'

const pressures = [
  ['MemoryPressure', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
] as const

/** The conditions with the kubelet's own as they are now; what others have written stays. */
export function conditionsOf(
  behaviour: NodeBehaviour,
  before: readonly Partial<NodeCondition>[] | undefined,
  now: string,
): Partial<NodeCondition>[] {
  const own = new Map<string, Pick<NodeCondition, 'status' | 'reason' | 'message'>>()
  for (const [type, reason, message] of pressures) own.set(type, { status: 'False', reason, message })
  for (const [type, status] of Object.entries(behaviour.conditions))
    own.set(type, { status, reason: type, message: '' })
  own.set(
    'Ready',
    behaviour.healthy
      ? { status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' }
      : {
          status: 'False',
          reason: 'KubeletNotReady',
          message: 'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady',
        },
  )
  let conditions = [...(before ?? [])]
  for (const [type, told] of own) {
    const heard = { type, ...told, lastHeartbeatTime: now }
    conditions = withCondition(conditions, heard, now)
  }
  return conditions
}
