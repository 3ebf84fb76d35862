import { expect, test } from 'vitest'
import { createApiServer } from '../../../../src/embedded/apiserver/index.ts'
import { storeKeyOf } from '../../../../src/embedded/apiserver/object.ts'
import { VirtualClock } from '../../../../src/embedded/clock.ts'
import { SeededRandom } from '../../../../src/embedded/random.ts'
import { type Answer, play, type Scenario } from '../../../contracts/api-server/exchange.ts'
import { recordedAnswers } from '../../../contracts/api-server/recording.ts'
import { scenarios } from '../../../contracts/api-server/scenarios.ts'
import { defineKinds } from '../../../support/served-api-server.ts'
import { exchange } from './plain-exchange.ts'

/** The peer tests show that the recorded answers are those of a real kube-apiserver. */
const cases = scenarios.flatMap((scenario) =>
  Object.keys(scenario.steps).map((step) => [scenario.name, step, scenario] as const),
)
const played = new Map<string, Promise<Record<string, Answer>>>()

test.each(cases)('%s: %s', async (name, step, scenario) => {
  let answers = played.get(name)
  if (answers === undefined) {
    answers = playFresh(scenario)
    played.set(name, answers)
  }
  const want = recordedAnswers(scenario)[step]
  // A real server warns here about a field that it refuses the object for anyway, because it decodes by the wrong version's schema.
  const ignoresWarnings = step === 'another version'
  const got = (await answers)[step]
  expect(comparable(got, ignoresWarnings)).toEqual(comparable(want, ignoresWarnings))
})

/** Without what Go prints of its own types: field order, differences of internal structs, and the type of a value that CEL refused. */
function comparable(answer: Answer | undefined, ignoresWarnings: boolean): unknown {
  const text = JSON.stringify(ignoresWarnings ? { ...answer, warnings: undefined } : answer)
  return JSON.parse(text, (_key, value: unknown) =>
    typeof value === 'string'
      ? value
          .replace(/(patch: )?Invalid value: "\{.*\}": /s, '$1Invalid value: ')
          .replace(/Invalid value: "object": /g, 'Invalid value: ')
          .replace(/\n@@.*$/s, '')
      : value,
  )
}

async function playFresh(scenario: Scenario): Promise<Record<string, Answer>> {
  const { serviceAccounts = 'ignored' } = scenario
  const server = createApiServer({ clock: new VirtualClock(), random: new SeededRandom(1), serviceAccounts })
  const { store } = server.context
  // Versions of one or two digits cannot be told from other numbers in messages.
  store.load(
    1_000,
    store
      .tables()
      .flatMap((table) =>
        store
          .list(table)
          .map((object) => ({ table, key: storeKeyOf(object.metadata.namespace, object.metadata.name), object })),
      ),
  )
  await defineKinds(server)
  return play(scenario, async (request) => JSON.parse(JSON.stringify(await exchange(server, request))))
}
