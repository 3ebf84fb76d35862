import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { issueAuthority } from '../../../webhooks/certificates.ts'
import { readClientAuthorities, watchClientAuthorities } from '../../../webhooks/client-authorities.ts'
import { mountPollMs } from '../../../webhooks/mounted-files.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { recordingLogger } from '../../support/recording-logger.ts'

let first: string
let second: string
let folder: string
let stop: AbortController
beforeAll(async () => {
  first = (await issueAuthority(Date.now(), 86_400_000)).certificate
  second = (await issueAuthority(Date.now(), 86_400_000)).certificate
})
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'joinery-authorities-'))
  stop = new AbortController()
})
afterEach(() => {
  stop.abort()
  rmSync(folder, { recursive: true })
})

test('an authority that follows another is handed on; what is none leaves the last in force, and is told of', async () => {
  const file = join(folder, 'ca.crt')
  writeFileSync(file, first)
  const clock = new ManualClock(0)
  const log = recordingLogger()
  const taken: string[] = []
  const used = await readClientAuthorities(file)
  const done = watchClientAuthorities({ file, used, clock, log }, (text) => void taken.push(text), stop.signal)
  const look = async (): Promise<void> => {
    await vi.waitFor(() => expect(clock.pending).toBe(1))
    await clock.advance(mountPollMs)
    await vi.waitFor(() => expect(clock.pending).toBe(1))
  }
  await look()
  expect(taken).toEqual([])
  writeFileSync(file, `${first}${second}`)
  await look()
  expect(taken).toEqual([`${first}${second}`])
  for (const broken of ['', 'ca.crt: none']) {
    writeFileSync(file, broken)
    await look()
  }
  rmSync(file)
  await look()
  expect(taken).toHaveLength(1)
  expect(log.lines).toHaveLength(3)
  expect(log.lines[0]).toMatchObject({
    message: 'the client authorities cannot be read; those from before stay in force',
    fields: { file },
  })
  writeFileSync(file, second)
  await look()
  expect(taken.at(-1)).toBe(second)
  stop.abort()
  await done
})
