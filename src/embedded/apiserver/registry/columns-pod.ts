import { arrayAt, numberAt, objectAt, textAt } from '../json.ts'
import type { StoredObject } from '../object.ts'
import type { TableColumn } from './definition.ts'
import { ageColumn, nameColumn } from './kind.ts'

export const podColumns: readonly TableColumn[] = [
  nameColumn,
  { name: 'Ready', type: 'string', priority: 0, value: readyText },
  { name: 'Status', type: 'string', priority: 0, value: statusText },
  { name: 'Restarts', type: 'string', priority: 0, value: restartsText },
  ageColumn,
  { name: 'IP', type: 'string', priority: 1, value: (pod) => textAt(pod, 'status', 'podIP') ?? '<none>' },
  { name: 'Node', type: 'string', priority: 1, value: (pod) => textAt(pod, 'spec', 'nodeName') ?? '<none>' },
  {
    name: 'Nominated Node',
    type: 'string',
    priority: 1,
    value: (pod) => textAt(pod, 'status', 'nominatedNodeName') ?? '<none>',
  },
  { name: 'Readiness Gates', type: 'string', priority: 1, value: gatesText },
]

function readyText(pod: StoredObject): string {
  const ready = arrayAt(pod, 'status', 'containerStatuses').filter(
    (status) => objectAt({ status }, 'status')?.['ready'] === true,
  )
  return `${ready.length}/${arrayAt(pod, 'spec', 'containers').length}`
}

function restartsText(pod: StoredObject): string {
  const counts = arrayAt(pod, 'status', 'containerStatuses').map((status) => numberAt(status, 'restartCount') ?? 0)
  return String(counts.reduce((sum, count) => sum + count, 0))
}

function statusText(pod: StoredObject): string {
  if (pod.metadata.deletionTimestamp !== undefined) {
    return textAt(pod, 'status', 'reason') === 'NodeLost' ? 'Unknown' : 'Terminating'
  }
  const conditions = arrayAt(pod, 'status', 'conditions')
  const gated = conditions.some(
    (condition) => textAt(condition, 'type') === 'PodScheduled' && textAt(condition, 'reason') === 'SchedulingGated',
  )
  const reason = textAt(pod, 'status', 'reason') ?? textAt(pod, 'status', 'phase') ?? 'Unknown'
  let text = gated ? 'SchedulingGated' : reason
  for (const status of arrayAt(pod, 'status', 'containerStatuses').toReversed()) {
    text = textAt(status, 'state', 'waiting', 'reason') ?? textAt(status, 'state', 'terminated', 'reason') ?? text
  }
  return text
}

function gatesText(pod: StoredObject): string {
  const gates = arrayAt(pod, 'spec', 'readinessGates')
  if (gates.length === 0) return '<none>'
  const conditions = arrayAt(pod, 'status', 'conditions')
  const passed = gates.filter((gate) =>
    conditions.some(
      (condition) =>
        textAt(condition, 'type') === textAt(gate, 'conditionType') && textAt(condition, 'status') === 'True',
    ),
  )
  return `${passed.length}/${gates.length}`
}
