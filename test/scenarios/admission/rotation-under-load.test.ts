import { X509Certificate } from 'node:crypto'
import { Agent, request } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/api/kubernetes.ts'
import { clientFor, createApiServer } from '../../../src/embedded/apiserver/index.ts'
import { VirtualClock } from '../../../src/embedded/clock.ts'
import { SeededRandom } from '../../../src/embedded/random.ts'
import type { Clock } from '../../../src/model/clock.ts'
import { validatingWebhookConfigurations, mutatingWebhookConfigurations } from '../../../webhooks/kinds.ts'
import { certificateClock } from '../../support/certificate-clock.ts'
import { nodePool } from '../kubectl/objects.ts'
import { runWebhook, shippedConfigurations } from './webhook-world.ts'
import { nodePoolReview } from '../../support/admission-review.ts'

const day = 86_400_000
const lifetimes = { authorityMs: 12 * day, leafMs: 3 * day }

test('through two rotations of the authority, no request of a client that verifies each connection fails', async () => {
  const kube = clientFor(createApiServer({ clock: new VirtualClock(), random: new SeededRandom(1) }), {
    fieldManager: 'test',
  })
  const outcomes: string[] = []
  // While there is load, each step of time sees at least one more answer.
  let answersSeen = 0
  let isLoaded = false
  const clock = certificateClock(1, () => {
    if (isLoaded && outcomes.length <= answersSeen) return false
    answersSeen = outcomes.length
    return true
  })
  const starting = runWebhook({ kube, clock, lifetimes, recheckMs: 3_600_000 })
  const webhook = await starting
  for (const configuration of shippedConfigurations(webhook.port)) {
    const resource =
      (configuration as KubeObject).kind === 'ValidatingWebhookConfiguration'
        ? validatingWebhookConfigurations
        : mutatingWebhookConfigurations
    await kube.create(resource, configuration as Parameters<typeof kube.create>[1] as never)
  }
  // The configurations came after the certificate: the next look fills their bundle in.
  await clock.advance(3_600_000)

  const bundle = async (): Promise<string> => {
    const { webhooks = [] } = await kube.get(validatingWebhookConfigurations, { name: 'joinery' })
    return Buffer.from(webhooks[0]?.clientConfig.caBundle ?? '', 'base64').toString()
  }
  const keepAlive = new Agent({ keepAlive: true, maxSockets: 4, rejectUnauthorized: false })
  const authorities = new Set<string>()
  let stop = false
  const load = async (agent: Agent | undefined): Promise<void> => {
    while (!stop) outcomes.push(await ask({ port: webhook.port, agent, authority: await bundle(), clock }))
  }
  isLoaded = true
  const running = [load(keepAlive), load(keepAlive), load(undefined)]
  for (let hours = 0; hours < 24 * 18; hours += 6) {
    await clock.advance(6 * 3_600_000)
    for (const one of certificatesOf(await bundle())) authorities.add(one)
  }
  stop = true
  await Promise.all(running)
  keepAlive.destroy()
  await webhook.stop()

  // Who ignores this manager, or the field, syncs the rest without a quarrel.
  for (const resource of [validatingWebhookConfigurations, mutatingWebhookConfigurations]) {
    const { metadata } = await kube.get(resource, { name: 'joinery' })
    const entries = (metadata.managedFields ?? []) as readonly { readonly manager: string; readonly fieldsV1: object }[]
    const written = entries.filter(({ manager }) => manager === 'joinery-webhook-certificates')
    expect(written.flatMap(({ fieldsV1 }) => leavesOf(fieldsV1))).toEqual(['f:caBundle'])
  }
  expect(authorities.size).toBeGreaterThanOrEqual(3)
  expect(webhook.served.length).toBeGreaterThanOrEqual(5)
  expect(outcomes.length).toBeGreaterThan(100)
  expect(outcomes.filter((outcome) => outcome !== 'allowed')).toEqual([])
}, 60_000)

interface Question {
  readonly port: number
  readonly agent: Agent | undefined
  readonly authority: string
  readonly clock: Clock
}

/** Verifies as an API server does, but by the test's clock: the runtime's own check knows only today's date. */
function ask({ port, agent, authority, clock }: Question): Promise<string> {
  const body = nodePoolReview(nodePool('asked'))
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const options = { host: '127.0.0.1', port, path: '/validate', method: 'POST', headers, servername: 'localhost' }
    const outgoing = request({ ...options, rejectUnauthorized: false, agent: agent ?? false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const answer =
          response.statusCode === 200 ? (JSON.parse(text) as { response: { allowed: boolean } }) : undefined
        resolve(answer?.response.allowed === true ? 'allowed' : `${response.statusCode}: ${text}`)
      })
    })
    outgoing.on('socket', (socket) => {
      const tls = socket as TLSSocket
      if (tls.connecting) tls.once('secureConnect', () => verify(tls, authority, clock, resolve))
    })
    outgoing.on('error', (error) => resolve(error.message))
    outgoing.end(body)
  })
}

function verify(socket: TLSSocket, authority: string, clock: Clock, fail: (why: string) => void): void {
  const leaf = new X509Certificate(socket.getPeerCertificate().raw)
  const issuer = certificatesOf(authority).find((one) => leaf.verify(new X509Certificate(one).publicKey))
  if (issuer === undefined) return fail('the certificate is signed by none of the bundle')
  const now = clock.now()
  for (const { validFrom, validTo } of [leaf, new X509Certificate(issuer)]) {
    if (now < Date.parse(validFrom) || now >= Date.parse(validTo)) fail(`not valid at ${new Date(now).toISOString()}`)
  }
  if (leaf.checkHost('localhost') === undefined) fail('the certificate is for another host')
}

function certificatesOf(bundle: string): string[] {
  return bundle.match(/-----BEGIN[\s\S]+?-----END CERTIFICATE-----/g) ?? []
}

/** The fields that an entry of managed fields names, without where they stand. */
function leavesOf(fields: unknown): string[] {
  const children = Object.entries((fields ?? {}) as Record<string, object>)
  return children.flatMap(([name, below]) => (Object.keys(below).length === 0 ? [name] : leavesOf(below)))
}
