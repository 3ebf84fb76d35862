import { describe, expect, test } from 'vitest'
import { nodeClaims } from '../../src/kube/karpenter-kinds.ts'
import { deployments } from '../../src/kube/kinds.ts'
import type { Fault } from './faults/index.ts'
import { simulate } from './run.ts'
import { minute } from './world.ts'

const podsGo: Fault = {
  id: 'X3',
  name: 'pods go, and nodes stay',
  inject: async ({ world }) => {
    const body = { spec: { replicas: 1 } }
    const { client, clock } = world.stack.cluster
    const web = { namespace: 'default', name: 'web' }
    await client.patch(deployments, web, { kind: 'merge', body: { spec: { replicas: 12 } } })
    clock.schedule(5 * minute, () => void client.patch(deployments, web, { kind: 'merge', body }))
    return () => undefined
  },
}

describe('at the end of a run', () => {
  const cases: Record<string, { fault: Fault; want: string; consolidateAfter?: string }> = {
    'I18: a pod that still waits is told of': {
      fault: {
        id: 'X1',
        name: 'capacity never comes back',
        inject: async ({ world }) => {
          const { aws, client } = world.stack.cluster
          aws.setCapacity({}, 0)
          const body = { spec: { replicas: 6 } }
          await client.patch(deployments, { namespace: 'default', name: 'web' }, { kind: 'merge', body })
          return () => undefined
        },
      },
      want: 'I18',
    },
    'I16: nodes that nobody needs are told of': { fault: podsGo, consolidateAfter: '24h', want: 'I16' },
    'I23: a fleet that does not come to rest is told of': {
      fault: {
        id: 'X2',
        name: 'somebody deletes a node every few minutes, for ever',
        inject: ({ world }) => {
          const { client, clock } = world.stack.cluster
          const again = (): void => {
            clock.schedule(4 * minute, again)
            void client
              .list(nodeClaims)
              .then(({ items }) => client.delete(nodeClaims, { name: items[0]?.metadata.name ?? '' }))
              .catch(() => undefined)
          }
          again()
          return () => undefined
        },
      },
      want: 'I23',
    },
  }
  test('I23: the tries of an open circuit breaker are no moves', async () => {
    const images: Fault = {
      id: 'X4',
      name: 'no new node joins any more, and pods want some',
      inject: async ({ world }) => {
        const { aws, behaviours, client } = world.stack.cluster
        for (const { id } of aws.state.images) behaviours.setImage(id, { joins: false })
        const body = { spec: { replicas: 8 } }
        await client.patch(deployments, { namespace: 'default', name: 'web' }, { kind: 'merge', body })
        return () => undefined
      },
    }
    const { violations } = await simulate({
      seed: 1,
      hours: 0.1,
      quietMs: 90 * minute,
      faults: [images],
      shapes: [{ name: 'web', replicas: 4, cpu: '3', memory: '4Gi' }],
      pools: [{ name: 'general' }],
    })
    const told = violations.map(({ invariant }) => invariant)
    expect(told).toContain('I18')
    expect(told).not.toContain('I23')
  })

  const endOf = async (fault: Fault, consolidateAfter: string): Promise<readonly string[]> => {
    const { violations } = await simulate({
      seed: 1,
      hours: 0.1,
      quietMs: 15 * minute,
      faults: [fault],
      shapes: [{ name: 'web', replicas: 4, cpu: '3', memory: '4Gi' }],
      pools: [{ name: 'general', consolidateAfter }],
    })
    return violations.map(({ invariant }) => invariant)
  }

  test.each(Object.entries(cases))('%s', async (_name, { fault, want, consolidateAfter = '60s' }) => {
    expect(await endOf(fault, consolidateAfter)).toContain(want)
  })

  test('I16: not of nodes in a pool that is told never to consolidate', async () => {
    expect(await endOf(podsGo, 'Never')).toEqual([])
  })

  /** Ten seconds after the hour a consolidation has a pod wait for the node that comes for it. */
  test('I16, I18: a move that is half done is waited for', async () => {
    expect((await simulate({ seed: 5, hours: 0.05 })).violations).toEqual([])
  })
})
