import { expect, test } from 'vitest'
import { KubeError } from '../../src/kube/errors.ts'
import { deployments } from '../../src/kube/kinds.ts'
import { isWrite } from './hooks.ts'
import { type Scenario, startScenario } from './incidents/scenario.ts'
import { minute } from './world.ts'

/** Up and down again: launches, registrations, a consolidation, terminations. */
async function upAndDown(scenario: Scenario): Promise<void> {
  const { client } = scenario.world.stack.cluster
  const scale = (replicas: number): Promise<unknown> =>
    client.patch(deployments, { namespace: 'default', name: 'web' }, { kind: 'merge', body: { spec: { replicas } } })
  await scale(16)
  await scenario.run(4 * minute)
  await scale(3)
  await scenario.run(16 * minute)
}

async function expectWhole(scenario: Scenario): Promise<void> {
  expect(await scenario.waitingPods()).toEqual([])
  expect(scenario.machines()).toHaveLength((await scenario.claims()).length)
  expect(await scenario.end()).toEqual([])
}

/** Every ninth write: enough to meet each kind of write in a CI run; the seeds of `simulate:faults` meet the others. */
const writes = [0, 9, 18, 27]

test.each(writes.flatMap((at) => [[at, 'before'] as const, [at + 4, 'after'] as const]))(
  'a crash at write %i, %s its effect, is made good',
  async (at, when) => {
    const scenario = await startScenario({ shapes: [{ name: 'web', replicas: 2, cpu: '1', memory: '2Gi' }] })
    let left = at
    scenario.hooks.addCall((call) => {
      if (!isWrite(call) || call.resource.plural === 'leases' || call.resource.plural === 'events') return undefined
      left -= 1
      if (left !== -1) return undefined
      scenario.crash()
      const lost = new KubeError('Network', 0, 'connection reset')
      return when === 'before' ? { failBefore: lost } : { failAfter: lost }
    })
    await upAndDown(scenario)
    expect(left).toBeLessThan(0)
    await expectWhole(scenario)
  },
)

test.each(['pods', 'nodes', 'nodeclaims'])(
  'stale reads of %s while the fleet changes are made good',
  async (plural) => {
    const scenario = await startScenario()
    const heal = scenario.hooks.addCall(({ verb, resource }) =>
      resource.plural === plural && (verb === 'get' || verb === 'list') ? { staleRevisions: 60 } : undefined,
    )
    await upAndDown(scenario)
    heal()
    await scenario.run(10 * minute)
    await expectWhole(scenario)
  },
)

test.each(['pods', 'nodes', 'nodeclaims'])('states of %s that no watch ever showed are made good', async (plural) => {
  const scenario = await startScenario()
  let seen = 0
  const heal = scenario.hooks.addMessage((call, message) => {
    if (call.resource.plural !== plural || message.type === 'BOOKMARK') return [message]
    seen += 1
    return seen % 3 === 0 ? [] : [message]
  })
  await upAndDown(scenario)
  heal()
  // The net state is seen by a new list, as after a reconnect.
  const breaking = scenario.hooks.addMessage(() => new KubeError('Expired', 410, 'too old resource version'))
  await scenario.run(2 * minute)
  breaking()
  await scenario.run(15 * minute)
  await expectWhole(scenario)
})

test('two processes that both believe they lead for a while do no harm', async () => {
  const scenario = await startScenario()
  const { stack } = scenario.world
  const old = stack.operator
  // The old leader's renewals are lost; it acts until it notices, while the next one waits for the lease.
  const heal = scenario.hooks.addCall(({ resource, verb }) =>
    resource.plural === 'leases' && verb === 'update'
      ? { failBefore: new KubeError('Timeout', 504, 'timeout') }
      : undefined,
  )
  stack.startOperator()
  await scenario.run(20_000)
  heal()
  await upAndDown(scenario)
  expect(old.lifecycle.state).toBe('stopped')
  await expectWhole(scenario)
})
