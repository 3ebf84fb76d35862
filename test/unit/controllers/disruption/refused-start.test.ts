import { describe, expect, test } from 'vitest'
import type { NodeClaim } from '../../../../src/api/karpenter.ts'
import type { DisruptionDeps } from '../../../../src/controllers/disruption/deps.ts'
import { startCommand } from '../../../../src/controllers/disruption/start-command.ts'
import type { Replacement } from '../../../../src/disruption/command.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { aClaim } from '../../../support/controller-builders.ts'
import { replacement } from '../../../support/disruption-deps.ts'
import { aQueue } from './queue-world.ts'

describe('case 108: one of three nodes cannot be tainted', () => {
  async function starting(replacements: readonly Replacement[]) {
    const setup = await aQueue(['a', 'b', 'c'])
    const { world, deps, queue, command, marked } = setup
    world.kube.fault = ({ operation, resource, name }) => {
      if (operation === 'patch' && resource === 'nodes' && name === 'b') throw new KubeError('Forbidden', 403, 'no')
    }
    const launched: string[] = []
    const launch = async (): Promise<NodeClaim> => {
      launched.push('new')
      return world.kube.create(nodeClaims, aClaim('new'))
    }
    const settings = { wellKnownLabels: new Set<string>(), spotToSpot: false }
    const all = { ...deps, launch, settings } as unknown as DisruptionDeps<Replacement>
    const outcome = await startCommand(command(replacements), all, {
      queue,
      log: world.log,
      basis: { marksTakenBack: 0, claims: new Map(), launching: new Set() },
    }).then(
      () => 'started',
      (error: unknown) => error,
    )
    return {
      outcome,
      launched,
      marked: [...marked],
      told: world.logged('failed marking some nodes, disrupting the others').map(({ err }) => String(err)),
      going: queue.commands.flatMap((each) => each.command.candidates.map(({ name }) => name)),
      /** Of their pool. */
      decided: world.counts.sum('karpenter_voluntary_disruption_decisions_by_nodepool_total', { nodepool: 'default' }),
    }
  }

  test('a deletion goes on with the other two', async () => {
    const marked = ['aws:///z1/i-a', 'aws:///z1/i-c']
    const told = [expect.stringContaining('no')]
    const going = ['a', 'c']
    expect(await starting([])).toEqual({ outcome: 'started', launched: [], marked, told, going, decided: 1 })
  })

  test('a replacement is not begun, and only the one node is to blame', async () => {
    const { outcome, launched, marked, going } = await starting([replacement])
    expect(outcome).toMatchObject({ message: 'marking disrupted, no', candidates: [{ name: 'b' }] })
    expect({ launched, marked, going }).toEqual({ launched: [], marked: [], going: [] })
  })
})

test('a node that a command works on already is not begun with again', async () => {
  const { world, deps, queue, command, begin } = await aQueue()
  await begin([])
  const writes = () => world.kube.calls.filter(({ operation }) => operation !== 'get').length
  const before = writes()
  const starting = startCommand(command([replacement]), deps, {
    queue,
    log: world.log,
    basis: { marksTakenBack: 0, claims: new Map(), launching: new Set() },
  })
  await expect(starting).rejects.toThrow('candidate is being disrupted, a')
  expect(writes()).toBe(before)
})
