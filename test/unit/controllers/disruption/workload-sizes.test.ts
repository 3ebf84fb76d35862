import { expect, test } from 'vitest'
import type { Pod } from '../../../../src/api/kubernetes.ts'
import { workloadSizesIn } from '../../../../src/controllers/disruption/index.ts'
import { aPod } from '../../../support/controller-builders.ts'

type Phase = NonNullable<Pod['status']>['phase'] & string

function aPodOf(owner: string, more: { phase?: Phase; deletionTimestamp?: string; controller?: boolean } = {}): Pod {
  const { phase = 'Running', deletionTimestamp, controller = true } = more
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: owner, controller }]
  const going = deletionTimestamp === undefined ? {} : { deletionTimestamp }
  const metadata = { name: 'pod', uid: '', resourceVersion: '1', creationTimestamp: '', ownerReferences, ...going }
  return { ...aPod('pod', { status: { phase } }), metadata }
}

test('pods that are to run are counted by what controls them, running or not', () => {
  const pods = [
    aPodOf('web'),
    aPodOf('web', { phase: 'Pending' }),
    aPodOf('web', { phase: 'Failed' }),
    aPodOf('web', { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    aPodOf('web', { controller: false }),
    aPodOf('db'),
    aPodOf('other'),
  ]
  const sizesOf = workloadSizesIn({ list: () => pods })
  expect(sizesOf(new Set(['web', 'db', 'gone']))).toEqual(
    new Map([
      ['web', 2],
      ['db', 1],
    ]),
  )
})
