/**
 * A server in a process of its own: `joinery` (the webhook as it is shipped, with metrics), `fastify` (Fastify with one Ajv schema on the
 * body) or `express` (Express with its parser of JSON bodies, and nothing else). Two more are floors, which nothing on Node goes below:
 * `parser` is Node's own HTTPS server that parses the body and answers a constant, and `tls` reads no HTTP at all. Tells its port and
 * authority to the parent; the message `rotate` makes it serve another certificate, and `usage` asks for the processor time it has taken.
 */
import { createServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { createServer as createTLSServer } from 'node:tls'
import express from 'express'
import { fastify } from 'fastify'
import { silentLogger } from '../../../src/kube/logger.ts'
import { systemClock } from '../../../src/kube/system-clock.ts'
import { issueAuthority, issueLeaf } from '../../../webhooks/certificates.ts'
import { mutateReview, validateReview } from '../../../webhooks/judge-review.ts'
import { warmUp } from '../../../webhooks/warm-up.ts'
import { createPrometheusMetrics } from '../../../src/operator/prometheus.ts'
import { reviewMetrics } from '../../../webhooks/review-desk.ts'
import { createWebhookServer, defaultReadingLimits } from '../../../webhooks/server.ts'

const day = 86_400_000
const authority = await issueAuthority(Date.now(), day)
const leaf = () => issueLeaf(authority, ['localhost'], Date.now(), day)
const answer = { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', response: { uid: 'u', allowed: true } }
const answerText = JSON.stringify(answer)
const answerHead = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answerText) }
const loopback = { host: '127.0.0.1', port: 0 }

async function start(kind: string | undefined): Promise<number> {
  const { certificate: cert, key } = await leaf()
  if (kind === 'tls') {
    const text = `HTTP/1.1 200 OK\r\nContent-Length: ${answerHead['content-length']}\r\n\r\n${answerText}`
    // A review ends with a brace; what comes before it in pieces of its own needs no answer.
    const server = createTLSServer({ key, cert }, (socket) => {
      socket.on('data', (data) => data.at(-1) === 0x7d && socket.write(text))
      socket.on('error', () => socket.destroy())
    })
    return listenOn(server)
  }
  if (kind === 'parser') {
    const server = createServer({ key, cert }, (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        JSON.parse(Buffer.concat(chunks).toString())
        response.writeHead(200, answerHead).end(answerText)
      })
    })
    return listenOn(server)
  }
  if (kind === 'joinery') {
    const metrics = createPrometheusMetrics({ processMetrics: true })
    const validate = validateReview({ clock: systemClock(), facts: () => ({ nodePools: [], nodeClaims: [] }) })
    await warmUp(validate, mutateReview)
    const server = createWebhookServer({
      tls: { certificate: cert, key },
      // The crowd that is measured comes over more connections than are taken by default.
      reading: { ...defaultReadingLimits, connectionsMax: 4_096 },
      validate,
      mutate: mutateReview,
      unreadyBecause: () => undefined,
      metricsText: async () => (await metrics.render()).text,
      log: silentLogger,
      metrics: reviewMetrics(metrics),
    })
    process.on('message', (message) => {
      if (message === 'rotate') leaf().then(server.replaceCertificate).catch(console.error)
    })
    return server.listen(loopback)
  }
  if (kind === 'fastify') {
    const app = fastify({ https: { key, cert }, logger: false })
    const body = {
      type: 'object',
      required: ['kind', 'request'],
      properties: {
        kind: { const: 'AdmissionReview' },
        request: { type: 'object', required: ['uid', 'operation'], properties: { uid: { type: 'string' } } },
      },
    }
    app.post('/validate', { schema: { body } }, async () => answer)
    app.get('/healthz', async () => 'ok')
    await app.listen(loopback)
    return (app.server.address() as AddressInfo).port
  }
  const app = express()
  app.use(express.json({ limit: '4mb' }))
  app.post('/validate', (_request, response) => response.json(answer))
  return listenOn(createServer({ key, cert }, app))
}

async function listenOn(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(loopback.port, loopback.host, resolve))
  return (server.address() as AddressInfo).port
}

process.on('message', (message) => {
  if (message !== 'usage') return
  const { user, system } = process.cpuUsage()
  process.send?.({ processorMs: (user + system) / 1_000 })
})

process.send?.({ port: await start(process.argv[2]), authority: authority.certificate })
process.on('disconnect', () => process.exit(0))
