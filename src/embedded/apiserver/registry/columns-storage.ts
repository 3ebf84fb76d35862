import { arrayAt, objectAt, textAt } from '../json.ts'
import type { StoredObject } from '../object.ts'
import { column, textColumn } from './columns.ts'
import type { TableColumn } from './definition.ts'
import { ageColumn, nameColumn } from './kind.ts'

export const volumeColumns: readonly TableColumn[] = [
  nameColumn,
  textColumn('Capacity', 'spec.capacity.storage'),
  column('Access Modes', (volume) => accessModes(arrayAt(volume, 'spec', 'accessModes'))),
  textColumn('Reclaim Policy', 'spec.persistentVolumeReclaimPolicy'),
  column('Status', phase),
  column('Claim', (volume) => {
    const claim = objectAt(volume, 'spec', 'claimRef')
    return claim === undefined ? '' : `${textAt(claim, 'namespace') ?? ''}/${textAt(claim, 'name') ?? ''}`
  }),
  column('StorageClass', (volume) => textAt(volume, 'spec', 'storageClassName') ?? ''),
  column('VolumeAttributesClass', attributesClass),
  column('Reason', (volume) => textAt(volume, 'status', 'reason') ?? ''),
  ageColumn,
  column('VolumeMode', (volume) => textAt(volume, 'spec', 'volumeMode') ?? '<unset>', 1),
]

export const claimColumns: readonly TableColumn[] = [
  nameColumn,
  column('Status', phase),
  column('Volume', (claim) => textAt(claim, 'spec', 'volumeName') ?? ''),
  column('Capacity', (claim) => textAt(claim, 'status', 'capacity', 'storage') ?? ''),
  // What it has, which is nothing before it is bound.
  column('Access Modes', (claim) => accessModes(arrayAt(claim, 'status', 'accessModes'))),
  column('StorageClass', (claim) => textAt(claim, 'spec', 'storageClassName') ?? ''),
  column('VolumeAttributesClass', attributesClass),
  ageColumn,
  column('VolumeMode', (claim) => textAt(claim, 'spec', 'volumeMode') ?? '<unset>', 1),
]

export const csiNodeColumns: readonly TableColumn[] = [
  nameColumn,
  { name: 'Drivers', type: 'integer', priority: 0, value: (node) => arrayAt(node, 'spec', 'drivers').length },
  ageColumn,
]

/** One that goes says so, whatever it has been and whatever keeps it. */
function phase(object: StoredObject): string {
  if (object.metadata.deletionTimestamp !== undefined) return 'Terminating'
  return textAt(object, 'status', 'phase') ?? '<none>'
}

function attributesClass(object: StoredObject): string {
  return textAt(object, 'spec', 'volumeAttributesClassName') ?? '<unset>'
}

function accessModes(modes: readonly unknown[]): string {
  const short: Record<string, string> = {
    ReadWriteOnce: 'RWO',
    ReadOnlyMany: 'ROX',
    ReadWriteMany: 'RWX',
    ReadWriteOncePod: 'RWOP',
  }
  return modes.map((mode) => short[String(mode)] ?? String(mode)).join(',')
}
