import { expect, test } from 'vitest'
import { nodeClaims } from '../../src/kube/karpenter-kinds.ts'
import type { Scenario } from './incidents/scenario.ts'
import { Look } from './invariants/look.ts'
import { aClaim, matching, sabotage } from './invariants/sabotage.ts'
import { secretWatcher } from './invariants/secrets.ts'
import { secretMarker } from './objects.ts'
import { minute } from './world.ts'

test('I34: a claim of a pool that no line explains', async () => {
  const { client, found, scenario } = await sabotage()
  const created = (name: string) => ({ message: 'created nodeclaim', controller: 'provisioner', NodeClaim: { name } })
  await client.create(nodeClaims, aClaim('explained'))
  scenario.hooks.onLogLine(JSON.stringify(created('explained')))
  await client.create(nodeClaims, aClaim('unexplained'))
  await scenario.run(2 * minute)
  expect(found()).toEqual([])
  await scenario.run(minute)
  expect(found()).toEqual(matching(/^I34 unexplained: was made without a line that says for what$/))
})

test('I41: metrics that hold user data, and a family that grows without end', async () => {
  const { scenario } = await sabotage()
  const { cluster } = scenario.world.stack
  const foundIn = async (text: string): Promise<readonly string[]> => {
    const metrics = { render: () => Promise.resolve({ contentType: 'text/plain', text }) }
    const stack = { cluster, metrics } as unknown as Scenario['world']['stack']
    const look = new Look({ ...scenario.world, stack })
    secretWatcher(look).tick?.()
    await scenario.run(1_000)
    return look.violations.map(({ invariant, message }) => `${invariant} ${message}`)
  }
  const series = (count: number) => Array.from({ length: count }, (_, each) => `some_total{pod="${each}"} 1`).join('\n')
  expect(await foundIn(`# HELP some_total Of some.\n${series(10_000)}\n`)).toEqual([])
  expect(await foundIn(series(200_000))).toEqual(matching(/^I41 some_total: 200000 series for \d+ objects$/))
  expect(await foundIn(`some_total{userData="${secretMarker}"} 1\n`)).toEqual(['I41 metrics: hold user data'])
})
