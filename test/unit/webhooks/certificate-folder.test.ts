import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watchCertificateFolder } from '../../../webhooks/certificate-folder.ts'
import { mountPollMs } from '../../../webhooks/mounted-files.ts'
import type { TLSMaterial } from '../../../webhooks/server.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { recordingLogger } from '../../support/recording-logger.ts'

let folder: string
let stop: AbortController
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'joinery-certificate-'))
  stop = new AbortController()
})
afterEach(() => {
  stop.abort()
  rmSync(folder, { recursive: true })
})

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)

/** Takes only pairs of one issue, as TLS does. */
function watched() {
  const clock = new ManualClock(0)
  const log = recordingLogger()
  const taken: TLSMaterial[] = []
  const take = (tls: TLSMaterial): void => {
    if (tls.certificate !== tls.key) throw new Error('key values mismatch')
    taken.push(tls)
  }
  void watchCertificateFolder({ folder, clock, log }, take, stop.signal)
  return { taken, lines: log.lines, look: () => clock.advance(mountPollMs) }
}

test('a certificate that is read before its key has come is taken once both are there', async () => {
  write('tls.crt', 'first')
  const { taken, lines, look } = watched()
  await vi.waitFor(() => expect(lines).toHaveLength(1))
  write('tls.key', 'first')
  await look()
  await vi.waitFor(() => expect(taken).toEqual([{ certificate: 'first', key: 'first' }]))
  write('tls.crt', 'second')
  await look()
  await vi.waitFor(() => expect(lines).toHaveLength(2))
  write('tls.key', 'second')
  await look()
  await vi.waitFor(() => expect(taken.at(-1)).toEqual({ certificate: 'second', key: 'second' }))
  await look()
  expect(taken).toHaveLength(2)
})
