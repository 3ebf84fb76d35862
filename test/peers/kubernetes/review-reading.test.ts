import { createServer, type Server } from 'node:tls'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { silentLogger } from '../../../src/kube/logger.ts'
import { createBodyBudget } from '../../../webhooks/body-budget.ts'
import { createFastLane, type FastLane } from '../../../webhooks/fast-lane.ts'
import { type ReviewRequest } from '../../../webhooks/review.ts'
import { createReviewDesk } from '../../../webhooks/review-desk.ts'
import { caseObject } from '../../support/api-cases.ts'
import { servingCertificate } from '../../support/serving-certificate.ts'
import { installCRDs } from '../support/crds.ts'
import { describeWithPeers } from '../support/peers.ts'
import { useControlPlane } from '../support/use-control-plane.ts'

const day = 86_400_000
const pools = '/apis/karpenter.sh/v1/nodepools'

/*
 * The fast lane reads requests only as API servers write them. How they do is nobody's promise, so a real one is asked: were it to add a
 * header, all reviews would go the other way, and only a measurement would tell.
 */
await describeWithPeers('reviews of a real API server', ['kube-apiserver'], () => {
  const controlPlane = useControlPlane()
  const judged: ReviewRequest[] = []
  const handedOver: string[] = []
  let server: Server
  let lane: FastLane

  beforeAll(async () => {
    const { authority, leaf } = await servingCertificate(['127.0.0.1', 'localhost'])
    const allow = (request: ReviewRequest) => {
      judged.push(request)
      return { allowed: true }
    }
    lane = createFastLane({
      desk: createReviewDesk({ validate: allow, mutate: allow, log: silentLogger }),
      bodies: createBodyBudget(Number.POSITIVE_INFINITY),
      handOver: (socket) =>
        void socket.once('data', (bytes: Buffer) => {
          handedOver.push(bytes.toString())
          socket.destroy()
        }),
      keepAliveTimeoutMs: day,
      requestTimeoutMs: day,
    })
    server = createServer({ cert: leaf.certificate, key: leaf.key }, (socket) => lane.take(socket))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    await installCRDs(controlPlane())
    const { port } = server.address() as AddressInfo
    const answer = await controlPlane().request(
      'POST',
      '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: 'reading' },
        webhooks: [
          {
            name: 'reading.joinery.dev',
            clientConfig: {
              url: `https://localhost:${port}/validate`,
              caBundle: Buffer.from(authority.certificate).toString('base64'),
            },
            rules: [
              { apiGroups: ['karpenter.sh'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['nodepools'] },
            ],
            failurePolicy: 'Fail',
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
            timeoutSeconds: 3,
          },
        ],
      },
    )
    expect(answer.status).toBe(201)
  })

  afterAll(async () => {
    lane.close()
    await new Promise((resolve) => void server.close(resolve))
  })

  test('small ones and those that come in many pieces are read without a detour', async () => {
    const labels = Object.fromEntries(
      Array.from({ length: 900 }, (_, index) => [`example.com/label-${index}`, 'x'.repeat(60)]),
    )
    const changes: Readonly<Record<string, Record<string, unknown>>> = {
      small: {},
      large: { 'metadata.labels': labels },
    }
    for (const [name, change] of Object.entries(changes)) {
      await expect
        .poll(async () => {
          // The API server hears of the configuration a moment later.
          await controlPlane().request('POST', pools, caseObject('NodePool', change, name))
          const seen = judged.some((request) => request.name === name)
          if (!seen) await controlPlane().request('DELETE', `${pools}/${name}`)
          return seen || handedOver.length > 0
        }, patience)
        .toBe(true)
    }
    expect(handedOver).toEqual([])
    expect(judged.map(({ object }) => Object.keys(object?.metadata.labels ?? {}).length)).toEqual([0, 900])
  })
})

const patience = { timeout: 60_000, interval: 200 }
