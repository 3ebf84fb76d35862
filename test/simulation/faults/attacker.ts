import { Agent, request } from 'node:https'
import { connect, type TLSSocket } from 'node:tls'
import { aPool } from '../objects.ts'

/** Requests of one flood: more than the server takes on at once. */
const floodRequests = 600
const slowSenders = 20
/** More than the body limit of the webhook. */
const hugeBytes = 5 * 2 ** 20
/** Nesting that a recursive walk would not survive. */
const deepLevels = 50_000

interface Answer {
  /** 0 when the connection was cut. */
  readonly status: number
  readonly text: string
}

/** Somebody in the cluster's network who can reach the admission webhook. */
export class Attacker {
  readonly #port: number
  readonly #slow: TLSSocket[] = []
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 32, rejectUnauthorized: false })
  /** What was told in answer to the first review: each replay must be told the same. */
  #first: string | undefined

  constructor(port: number) {
    this.#port = port
  }

  /** One round of everything; resolves with what it should not have achieved. */
  async attack(): Promise<readonly string[]> {
    for (let left = slowSenders - this.#slow.length; left > 0; left -= 1) this.#slow.push(await this.#sendSlowly())
    const huge = await this.#post(JSON.stringify({ padding: 'x'.repeat(hugeBytes) }))
    const deep = await this.#post(`{"request":${'['.repeat(deepLevels)}${']'.repeat(deepLevels)}}`)
    const flood = await Promise.all(Array.from({ length: floodRequests }, () => this.#post(review)))
    const replayed = await this.#post(review)
    this.#first ??= replayed.text
    const odd = flood.filter(({ status }) => status !== 200 && status !== 429)
    return [
      ...(huge.status === 413 || huge.status === 0 ? [] : [`a body of ${hugeBytes} bytes gets ${huge.status}`]),
      ...(deep.status === 400 ? [] : [`a body ${deepLevels} levels deep gets ${deep.status}`]),
      ...(odd.length === 0 ? [] : [`a flood gets ${odd.map(({ status }) => status).join(', ')}`]),
      ...(replayed.status === 200 ? [] : [`a review after a flood gets ${replayed.status}`]),
      ...(replayed.text === this.#first ? [] : ['the same review gets another answer']),
    ]
  }

  stop(): void {
    for (const socket of this.#slow) socket.destroy()
    this.#agent.destroy()
  }

  /** Promises a body and never sends it. */
  #sendSlowly(): Promise<TLSSocket> {
    return new Promise((resolve) => {
      const socket = connect({ host: '127.0.0.1', port: this.#port, rejectUnauthorized: false }, () => {
        socket.write(
          'POST /validate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{',
        )
        resolve(socket)
      })
      socket.on('error', () => resolve(socket))
    })
  }

  #post(body: string): Promise<Answer> {
    return new Promise((resolve) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
      const target = { host: '127.0.0.1', port: this.#port, path: '/validate', method: 'POST' }
      const outgoing = request({ ...target, headers, agent: this.#agent }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
        response.on('error', () => resolve({ status: 0, text: '' }))
      })
      outgoing.on('error', () => resolve({ status: 0, text: '' }))
      outgoing.end(body)
    })
  }
}

const review = JSON.stringify({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: {
    uid: 'again',
    kind: { group: 'karpenter.sh', version: 'v1', kind: 'NodePool' },
    operation: 'CREATE',
    name: 'general',
    object: aPool({ name: 'general' }),
  },
})
