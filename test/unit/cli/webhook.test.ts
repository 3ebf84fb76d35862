import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCertificates } from '../../../src/embedded/apiserver/http/certificates.ts'
import { runCommand } from '../../support/command-run.ts'

describe('a client authority that cannot be one stops the start, for with it nobody, or anybody, would be let in', () => {
  let folder: string
  let authority: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'joinery-authority-'))
    ;({ authority } = await createCertificates(Date.now()))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  /** The kubeconfig that there is not ends the start behind the authority. */
  function start(text?: string): ReturnType<typeof runCommand> {
    const file = join(folder, 'ca.crt')
    if (text === undefined) rmSync(file, { force: true })
    else writeFileSync(file, text)
    return runCommand(['webhook', '--client-ca-file', file, '--kubeconfig', join(folder, 'none')])
  }

  const damaged = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'
  const wrong: Record<string, [text: () => string | undefined, want: RegExp]> = {
    'no file': [() => undefined, /ca\.crt: ENOENT/],
    'an empty file': [() => '', /ca\.crt: holds no certificate in PEM$/],
    'a key': [() => '-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n', /holds no certificate in PEM$/],
    'a damaged one behind a good one': [() => `${authority}\n${damaged}`, /ca\.crt: certificate 2 cannot be read: /],
  }
  test.each(Object.entries(wrong))('%s', async (_name, [text, want]) => {
    const { code, stderr } = await start(text())
    expect(code).toBe(1)
    expect(stderr.trimEnd()).toMatch(want)
    expect(stderr).toMatch(/^--client-ca-file /)
  })

  test('one with words beside it is taken, and so are two', async () => {
    for (const text of [`# of the cluster\n${authority}`, `${authority}\n${authority}`]) {
      const { stderr } = await start(text)
      expect(stderr).toContain('failed to load the kubeconfig')
    }
  })
})

test('a level of the log that there is not is refused, as by the operator, and not taken for another', async () => {
  const { code, stderr } = await runCommand(['webhook'], { env: { LOG_LEVEL: 'warn' } })
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: 'error: invalid LOG_LEVEL "warn", expected debug, info, error\n',
  })
})

test('an empty SYSTEM_NAMESPACE, as a variable without a value makes it, stands for none that is told', async () => {
  const asked: string[] = []
  const secret = Promise.withResolvers<void>()
  const server = createServer(({ url = '' }, response) => {
    asked.push(url)
    if (url.includes('/secrets/')) secret.resolve()
    response
      .writeHead(404, { 'content-type': 'application/json' })
      .end('{"kind":"Status","status":"Failure","code":404}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const folder = mkdtempSync(join(tmpdir(), 'joinery-webhook-'))
  const kubeconfig = join(folder, 'kubeconfig')
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      'current-context': 'c',
      clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}` } }],
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'c' } }],
      users: [{ name: 'c', user: {} }],
    }),
  )
  const stop = new AbortController()
  const ended = runCommand(['webhook', '--port', '0', '--kubeconfig', kubeconfig], {
    env: { SYSTEM_NAMESPACE: '', LOG_LEVEL: 'error' },
    signal: stop.signal,
  })
  await secret.promise
  stop.abort()
  await ended
  server.close()
  rmSync(folder, { recursive: true })
  expect(asked).toContain('/api/v1/namespaces/kube-system/secrets/joinery-webhook-certificates')
})
