import { podKey, type PodInfo } from '../model/pod.ts'
import { portConflict } from './host-ports.ts'
import type { NearestMiss } from './placement.ts'
import type { Template } from './template.ts'

/**
 * Each node that the pool could make runs a daemon that has the port. `rest`: `all` where nothing else is in the pod's way, or what would help
 * it beside another port.
 */
export function portMiss(
  { groups, name }: Template,
  pod: PodInfo,
  rest: 'all' | NearestMiss | undefined,
): NearestMiss | undefined {
  for (const { ports } of groups) {
    const taken = portConflict(pod.hostPorts, podKey(pod), ports)
    if (taken === undefined) continue
    const fact = `host port ${taken.port.port} is taken by ${taken.pod} on all nodes of nodepool ${name}`
    if (rest === 'all') return { kind: 'hostPort', text: `${fact} that would do` }
    const more = rest === undefined ? '' : `: ${rest.text}`
    return { kind: 'hostPort', text: `${fact}, and another one alone would not do${more}` }
  }
  return undefined
}
