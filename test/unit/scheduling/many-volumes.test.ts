import { expect, test } from 'vitest'
import type { PersistentVolumeClaim, StorageClass } from '../../../src/api/kubernetes.ts'
import { requirementsText } from '../../../src/model/requirements.ts'
import { volumeRequirements } from '../../../src/scheduling/volume-requirements.ts'

const zones = (...values: string[]) => ({
  matchLabelExpressions: [{ key: 'topology.kubernetes.io/zone', values }],
})

/** So many volumes of a pod, of one class or of two in turn. */
function alternatives(count: number, classes: Readonly<Record<string, readonly ReturnType<typeof zones>[]>>) {
  const names = Object.keys(classes)
  const claims = Array.from(
    { length: count },
    (_, index) =>
      [`shop/c${index}`, { spec: { storageClassName: names[index % names.length] } } as PersistentVolumeClaim] as const,
  )
  const storageClasses = Object.entries(classes).map(
    ([name, allowedTopologies]) => [name, { allowedTopologies } as unknown as StorageClass] as const,
  )
  const volumes = claims.map((_, index) => ({ name: `v${index}`, claimName: `c${index}` }))
  const objects = { claims: new Map(claims), storageClasses: new Map(storageClasses), volumes: new Map() }
  return volumeRequirements({ namespace: 'shop', volumes } as never, objects as never, new Map())
}

test('volumes of one class with zones that overlap do not multiply without end', () => {
  const found = alternatives(40, { ssd: [zones('z1', 'z2'), zones('z2', 'z3')] })
  expect(found?.map(requirementsText)).toEqual([
    'topology.kubernetes.io/zone In [z1 z2]',
    'topology.kubernetes.io/zone In [z2]',
    'topology.kubernetes.io/zone In [z2 z3]',
  ])
})

test('nor do those that no zone is right for', () => {
  expect(alternatives(40, { one: [zones('z1'), zones('z2')], other: [zones('z3'), zones('z4')] })).toHaveLength(1)
})
