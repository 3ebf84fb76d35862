import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { createLogger, type LogLevel } from '../../../src/operator/logging.ts'

function world(level: LogLevel | '' = 'info') {
  const lines: Record<string, unknown>[] = []
  const log = createLogger({
    level,
    commit: 'abc',
    outputs: [],
    now: () => 1_767_225_600_123,
    write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>),
  })
  return { log, lines }
}

test('a line has the shape of Karpenter', () => {
  const { log, lines } = world()
  log
    .child({ controller: 'nodeclaim.lifecycle', NodeClaim: { name: 'c' } })
    .info({ 'provider-id': 'p' }, 'launched nodeclaim')
  expect(lines).toEqual([
    {
      level: 'INFO',
      time: '2026-01-01T00:00:00.123Z',
      logger: 'controller',
      commit: 'abc',
      controller: 'nodeclaim.lifecycle',
      NodeClaim: { name: 'c' },
      'provider-id': 'p',
      message: 'launched nodeclaim',
    },
  ])
})

test('an error is a text with its causes', () => {
  const { log, lines } = world()
  log.error({ err: new Error('launching', { cause: new Error('no capacity') }) }, 'Reconciler error')
  expect(lines[0]).toMatchObject({ level: 'ERROR', error: 'launching, no capacity' })
})

test('of a name with several addresses what became of each is told', () => {
  const { log, lines } = world()
  const refused = ['10.0.0.1:443', '10.0.0.2:443'].map((address) => new Error(`connect ECONNREFUSED ${address}`))
  log.error({ err: new Error('describing instances', { cause: new AggregateError(refused) }) }, 'Reconciler error')
  expect(lines[0]).toMatchObject({
    error: 'describing instances, connect ECONNREFUSED 10.0.0.1:443; connect ECONNREFUSED 10.0.0.2:443',
  })
})

test('whatever was thrown can be logged', () => {
  const { log, lines } = world()
  const loop: { self?: unknown } = {}
  loop.self = loop
  const own = new Error('own cause')
  own.cause = new Error('between', { cause: own })
  for (const err of [loop, own, 10n, null, Symbol('s')]) log.error({ err }, 'Reconciler error')
  expect(lines).toHaveLength(5)
  expect(String(lines[1]?.['error'])).toContain('own cause, between')
})

test('the level can change at run time, for children as well', () => {
  const { log, lines } = world()
  const child = log.child({ controller: 'x' })
  child.debug({}, 'unheard')
  log.setLevel('debug')
  child.debug({}, 'heard')
  log.setLevel('error')
  child.info({}, 'unheard')
  expect(lines.map((line) => line['message'])).toEqual(['heard'])
})

test('secrets do not reach the log', () => {
  const { log, lines } = world()
  log.info({ token: 'secret', request: { authorization: 'Bearer secret' }, userData: 'secret' }, 'call')
  expect(JSON.stringify(lines)).not.toContain('secret')
})

test('of one message in one second only the first hundred and every hundredth after are written', () => {
  const { log, lines } = world()
  for (let i = 0; i < 350; i++) log.info({}, 'again')
  log.info({}, 'other')
  expect(lines).toHaveLength(100 + 2 + 1)
})

test('a mistake of ours says where it happened, a failure of the world only what it is', () => {
  const { log, lines } = world()
  log.error({ err: new TypeError('undefined is not a function') }, 'Reconciler error')
  log.error({ err: new Error('no capacity') }, 'Reconciler error')
  expect(lines[0]?.['stacktrace']).toContain('logging.test.ts')
  expect(lines[1]).not.toHaveProperty('stacktrace')
})

test.skipIf(!existsSync('/dev/full'))('a log output that is full is told of, and the program goes on', async () => {
  const told = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const folder = mkdtempSync(join(tmpdir(), 'joinery-logging-'))
  const file = join(folder, 'log')
  try {
    const log = createLogger({ level: 'info', commit: '', outputs: ['/dev/full', file], now: () => 0 })
    log.info({}, 'one')
    await vi.waitFor(() => expect(told).toHaveBeenCalled())
    log.info({}, 'two')
    await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toMatch(/"message":"one"[^]*"message":"two"/))
    expect(told.mock.calls.map(([text]) => text)).toEqual([
      'error: cannot write to the log output /dev/full, which gets no more lines: ENOSPC: no space left on device, write\n',
    ])
  } finally {
    told.mockRestore()
    rmSync(folder, { recursive: true })
  }
})
