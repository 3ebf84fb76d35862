import { expect, test } from 'vitest'
import { inOrderOfDeletion } from '../../../../src/embedded/workloads/replica-set.ts'
import { aPod, names } from '../world.ts'

test('a ReplicaSet gives up cheap, unready and unassigned pods first', () => {
  const pod = (name: string, more: { nodeName?: string; ready?: boolean; cost?: string } = {}) => {
    const { metadata, ...rest } = aPod(name)
    const status = more.ready === false ? 'False' : 'True'
    const annotations = more.cost === undefined ? {} : { 'controller.kubernetes.io/pod-deletion-cost': more.cost }
    return {
      ...rest,
      metadata: {
        ...metadata,
        name,
        uid: name,
        resourceVersion: '1',
        creationTimestamp: '2026-01-01T00:00:00Z',
        annotations,
      },
      spec: { ...rest.spec, ...(more.nodeName === undefined ? {} : { nodeName: more.nodeName }) },
      status: { phase: 'Running' as const, conditions: [{ type: 'Ready', status: status as 'True' | 'False' }] },
    }
  }
  const order = inOrderOfDeletion([
    pod('dear', { nodeName: 'c', cost: '100' }),
    pod('normal', { nodeName: 'd' }),
    pod('crowded-1', { nodeName: 'a' }),
    pod('crowded-2', { nodeName: 'a' }),
    pod('cheap', { nodeName: 'b', cost: '-1' }),
    pod('unready', { nodeName: 'b', ready: false }),
    pod('unassigned'),
  ])
  expect(names(order)).toEqual(['unassigned', 'unready', 'cheap', 'crowded-1', 'crowded-2', 'normal', 'dear'])
})
