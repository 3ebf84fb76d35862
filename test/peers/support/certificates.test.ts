import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { expect, test } from 'vitest'
import { createAuthority } from './certificates.ts'

test('a server and a client of one authority trust each other, and the server sees user and groups', async () => {
  const authority = await createAuthority('test')
  const serverIdentity = await authority.server('server', ['localhost'], ['127.0.0.1'])
  const clientIdentity = await authority.client('jane', ['readers', 'writers'])
  const subjects: string[] = []
  const server = createServer(
    {
      key: serverIdentity.key,
      cert: serverIdentity.certificate,
      ca: authority.certificate,
      requestCert: true,
      rejectUnauthorized: true,
    },
    (incoming, response) => {
      subjects.push(new X509Certificate((incoming.socket as TLSSocket).getPeerCertificate().raw).subject)
      response.end()
    },
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as { port: number }
    const call = request({
      host: '127.0.0.1',
      port,
      ca: authority.certificate,
      key: clientIdentity.key,
      cert: clientIdentity.certificate,
    })
    call.end()
    const [response] = (await once(call, 'response')) as [{ statusCode: number }]
    expect(response.statusCode).toBe(200)
    expect(subjects).toEqual(['O=readers\nO=writers\nCN=jane'])
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
