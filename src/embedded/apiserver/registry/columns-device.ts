import { arrayAt, objectAt, textAt } from '../json.ts'
import type { StoredObject } from '../object.ts'
import { column } from './columns.ts'
import type { TableColumn } from './definition.ts'
import { ageColumn, nameColumn } from './kind.ts'

export const resourceClaimColumns: readonly TableColumn[] = [nameColumn, column('State', claimState), ageColumn]

export const resourceSliceColumns: readonly TableColumn[] = [
  nameColumn,
  column('Node', (slice) => textAt(slice, 'spec', 'nodeName') ?? ''),
  column('Driver', (slice) => textAt(slice, 'spec', 'driver') ?? ''),
  column('Pool', (slice) => textAt(slice, 'spec', 'pool', 'name') ?? ''),
  ageColumn,
]

function claimState(claim: StoredObject): string {
  const isGoing = claim.metadata.deletionTimestamp !== undefined
  const states = isGoing ? ['deleted'] : []
  if (objectAt(claim, 'status', 'allocation') === undefined) return (isGoing ? states : ['pending']).join(',')
  states.push('allocated')
  if (arrayAt(claim, 'status', 'reservedFor').length > 0) states.push('reserved')
  return states.join(',')
}
