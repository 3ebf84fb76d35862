import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { KubeConfig } from '@kubernetes/client-node'
import { expect, onTestFinished, test } from 'vitest'
import { createCertificates, type ServerCertificates } from '../../../src/embedded/apiserver/http/certificates.ts'
import { createHTTPClient } from '../../../src/kube/http-client.ts'
import { nodes } from '../../../src/kube/kinds.ts'
import { systemClock } from '../../../src/kube/system-clock.ts'
import { fixedRandom } from '../../support/fixed-random.ts'

/** A client that knows whom to trust, and who it is, from files; and a server whose certificates can be exchanged. */
async function aServerWithFiles(first: ServerCertificates) {
  const folder = await mkdtemp(join(tmpdir(), 'certificates-'))
  const caFile = join(folder, 'ca.crt')
  const certFile = join(folder, 'tls.crt')
  const keyFile = join(folder, 'tls.key')
  let ahead = 0
  const system = systemClock()
  const clock = {
    ...system,
    monotonicMs: () => system.monotonicMs() + ahead,
    sleep: (ms: number, signal?: AbortSignal) => system.sleep(ms / 1_000, signal),
  }
  const users: (string | undefined)[] = []
  let connections = 0
  const tlsOf = ({ server, authority }: ServerCertificates) => ({
    cert: server.certificate,
    key: server.key,
    ca: authority,
  })
  const server = createServer({ ...tlsOf(first), requestCert: true }, (request, response) => {
    const { subject } = (request.socket as TLSSocket).getPeerCertificate()
    users.push(subject?.CN?.toString())
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, spec: {} }))
  })
  server.on('secureConnection', () => (connections += 1))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const write = async ({ authority, issueClient }: ServerCertificates, user: string): Promise<void> => {
    const { certificate, key } = await issueClient(user, [])
    await Promise.all([writeFile(caFile, authority), writeFile(certFile, certificate), writeFile(keyFile, key)])
  }
  await write(first, 'first')
  const config = new KubeConfig()
  config.loadFromOptions({
    clusters: [{ name: 'c', server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, caFile }],
    users: [{ name: 'u', certFile, keyFile }],
    contexts: [{ name: 'x', cluster: 'c', user: 'u' }],
    currentContext: 'x',
  })
  const client = createHTTPClient({ config, clock, random: fixedRandom(), qps: 100, burst: 100, userAgent: 'test/1' })
  onTestFinished(async () => {
    await client.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await rm(folder, { recursive: true })
  })
  return {
    users,
    write,
    get: () => client.get(nodes, { name: 'n' }),
    connections: () => connections,
    exchange: (certificates: ServerCertificates) => {
      server.setSecureContext(tlsOf(certificates))
      server.closeAllConnections()
    },
    wait: (ms: number) => {
      ahead += ms
    },
  }
}

test('a certificate authority and a client certificate that are exchanged in their files are used without a restart', async () => {
  const [first, second] = await Promise.all([createCertificates(Date.now()), createCertificates(Date.now())])
  const { exchange, get, users, wait, write } = await aServerWithFiles(first)
  await get()
  exchange(second)
  await expect(get()).rejects.toMatchObject({ code: 'Network' })
  await write(second, 'second')
  wait(10_000)
  await get()
  expect(users).toEqual(['first', 'second'])
})

test('while the files stay the same no look at them makes a connection', async () => {
  const certificates = await createCertificates(Date.now())
  const { connections, get, wait } = await aServerWithFiles(certificates)
  for (let look = 0; look < 8; look += 1) {
    await get()
    wait(10_000)
  }
  expect(connections()).toBeLessThan(4)
})

test('a client certificate that is renewed is shown with the next connection, and the old one is closed', async () => {
  const certificates = await createCertificates(Date.now())
  const { get, users, wait, write } = await aServerWithFiles(certificates)
  await get()
  await write(certificates, 'renewed')
  await get()
  wait(10_000)
  await get()
  expect(users).toEqual(['first', 'first', 'renewed'])
})
