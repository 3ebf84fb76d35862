import { expect, test } from 'vitest'
import { watchStandings } from '../../../../src/cli/rollout/watch.ts'
import type { Outlook, Standing } from '../../../../src/rollout/standing.ts'
import { ManualClock } from '../../../support/manual-clock.ts'
import { aStanding } from '../../../support/rollout-standing.ts'

function standing(outlook: Outlook, name = 'general', upToDateNodes = 0): Standing {
  return aStanding({
    name,
    outlook,
    reason: outlook,
    nodes: 3,
    readyNodes: 3,
    upToDateNodes,
    driftedNodes: 3 - upToDateNodes,
  })
}

interface Watched {
  readonly outcome: string
  readonly told: readonly string[]
  readonly looks: number
}

/** Each look sees the next of the answers; the last one stays. */
async function watch(answers: readonly (readonly Standing[])[], timeoutMs?: number): Promise<Watched> {
  const clock = new ManualClock(0)
  const told: string[] = []
  let looks = 0
  const watching = watchStandings({
    read: async () => answers[Math.min(looks++, answers.length - 1)] ?? [],
    tell: ({ name, outlook, upToDateNodes }) => told.push(`${name} ${outlook} ${upToDateNodes}`),
    clock,
    timeoutMs,
    signal: new AbortController().signal,
  })
  await clock.advance(60_000)
  const { kind } = await watching
  return { outcome: kind, told, looks }
}

test('ends when all are done, having told each change once', async () => {
  const watched = await watch([
    [standing('Progressing', 'a', 1), standing('Done', 'b', 3)],
    [standing('Progressing', 'a', 1), standing('Done', 'b', 3)],
    [standing('Progressing', 'a', 2), standing('Done', 'b', 3)],
    [standing('Done', 'a', 3), standing('Done', 'b', 3)],
  ])
  expect(watched).toEqual({
    outcome: 'done',
    told: ['a Progressing 1', 'b Done 3', 'a Progressing 2', 'a Done 3'],
    looks: 4,
  })
})

test('what is done at once is looked at once', async () => {
  expect(await watch([[standing('Done')]])).toMatchObject({ outcome: 'done', looks: 1 })
})

test('ends when one is stalled, though others go on', async () => {
  const watched = await watch([
    [standing('Progressing', 'a')],
    [standing('Progressing', 'a'), standing('Stalled', 'b')],
  ])
  expect(watched).toMatchObject({ outcome: 'stalled', looks: 2 })
})

test.each(['Progressing', 'Waiting', 'Unknown'] as const)(
  '%s is waited for until the time is over, and looked at once more then',
  async (outlook) => {
    expect(await watch([[standing(outlook)]], 5_000)).toMatchObject({ outcome: 'timedOut', looks: 4 })
  },
)

test('what becomes done in the last moment is done', async () => {
  const open = [standing('Progressing')]
  expect(await watch([open, open, open, [standing('Done')]], 5_000)).toMatchObject({ outcome: 'done' })
})
