/**
 * A server in a process of its own: `joinery` (the webhook as it is shipped, with metrics), `fastify` (Fastify with one Ajv schema on the body) or
 * `express` (Express with its parser of JSON bodies, and nothing else). Tells its port and authority to
 * the parent; the message `rotate` makes it serve another certificate.
 */
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { fastify } from 'fastify'
import { silentLogger } from '../../../src/kube/logger.ts'
import { systemClock } from '../../../src/kube/system-clock.ts'
import { issueAuthority, issueLeaf } from '../../../webhooks/certificates.ts'
import { mutateReview, validateReview } from '../../../webhooks/judge-review.ts'
import { warmUp } from '../../../webhooks/warm-up.ts'
import { createPrometheusMetrics } from '../../../src/operator/prometheus.ts'
import { createWebhookServer, reviewMetrics } from '../../../webhooks/server.ts'

const day = 86_400_000
const authority = await issueAuthority(Date.now(), day)
const leaf = () => issueLeaf(authority, ['localhost'], Date.now(), day)
const answer = { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', response: { uid: 'u', allowed: true } }
const loopback = { host: '127.0.0.1', port: 0 }

async function start(kind: string | undefined): Promise<number> {
  const { certificate: cert, key } = await leaf()
  if (kind === 'joinery') {
    const metrics = createPrometheusMetrics({ processMetrics: true })
    const validate = validateReview({ clock: systemClock(), facts: () => ({ nodePools: [], nodeClaims: [] }) })
    await warmUp(validate, mutateReview)
    const server = createWebhookServer({
      tls: { certificate: cert, key },
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
  const server = createServer({ key, cert }, app)
  await new Promise<void>((resolve) => server.listen(loopback.port, loopback.host, resolve))
  return (server.address() as AddressInfo).port
}

process.send?.({ port: await start(process.argv[2]), authority: authority.certificate })
process.on('disconnect', () => process.exit(0))
