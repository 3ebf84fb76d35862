import { arrayAt, at, textAt } from '../json.ts'
import type { StoredObject } from '../object.ts'
import { column, textColumn } from './columns.ts'
import type { TableColumn } from './definition.ts'
import { ageColumn, nameColumn } from './kind.ts'

export const nodeColumns: readonly TableColumn[] = [
  nameColumn,
  column('Status', nodeStatus),
  column('Roles', nodeRoles),
  ageColumn,
  column('Version', (node) => textAt(node, 'status', 'nodeInfo', 'kubeletVersion') ?? ''),
  column('Internal-IP', (node) => address(node, 'InternalIP'), 1),
  column('External-IP', (node) => address(node, 'ExternalIP'), 1),
  column('OS-Image', (node) => textAt(node, 'status', 'nodeInfo', 'osImage') ?? '<unknown>', 1),
  column('Kernel-Version', (node) => textAt(node, 'status', 'nodeInfo', 'kernelVersion') ?? '<unknown>', 1),
  textColumn('Container-Runtime', 'status.nodeInfo.containerRuntimeVersion', 1),
]

function nodeStatus(node: StoredObject): string {
  const ready = arrayAt(node, 'status', 'conditions').find((condition) => textAt(condition, 'type') === 'Ready')
  const text = ready === undefined ? 'Unknown' : textAt(ready, 'status') === 'True' ? 'Ready' : 'NotReady'
  return at(node, 'spec', 'unschedulable') === true ? `${text},SchedulingDisabled` : text
}

function nodeRoles(node: StoredObject): string {
  const prefix = 'node-role.kubernetes.io/'
  const roles = Object.keys(node.metadata.labels ?? {})
    .filter((key) => key.startsWith(prefix) && key.length > prefix.length)
    .map((key) => key.slice(prefix.length))
    .sort()
  return roles.length === 0 ? '<none>' : roles.join(',')
}

function address(node: StoredObject, type: string): string {
  const found = arrayAt(node, 'status', 'addresses').find((entry) => textAt(entry, 'type') === type)
  return textAt(found, 'address') ?? '<none>'
}
