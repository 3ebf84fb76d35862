import { request as httpsRequest } from 'node:https'

interface WebhookCall {
  readonly url: URL
  /** Name in the certificate to expect, when it is not the URL's host. */
  readonly serverName: string | undefined
  /** PEM bundle; undefined trusts what the system trusts. */
  readonly authority: string | undefined
  readonly body: string
  readonly timeoutMs: number
}

/** Sends an AdmissionReview and returns the body of the answer. Rejects on anything but 200. */
export type WebhookTransport = (call: WebhookCall) => Promise<string>

/** What an admission answer may weigh. */
const answerMaxBytes = 3 * 1024 * 1024

export const httpsTransport: WebhookTransport = ({ url, serverName, authority, body, timeoutMs }) =>
  new Promise((resolve, reject) => {
    const request = httpsRequest(
      url,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
        timeout: timeoutMs,
        ...(authority === undefined ? {} : { ca: authority }),
        ...(serverName === undefined ? {} : { servername: serverName }),
      },
      (response) => {
        const chunks: Buffer[] = []
        let size = 0
        response.on('data', (chunk: Buffer) => {
          size += chunk.length
          if (size > answerMaxBytes) request.destroy(new Error('the answer is too large'))
          chunks.push(chunk)
        })
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8')
          if (response.statusCode === 200) resolve(text)
          else reject(new Error(`the server answered ${response.statusCode ?? 0}`))
        })
      },
    )
    request.on('timeout', () => request.destroy(new Error('context deadline exceeded')))
    request.on('error', reject)
    request.end(body)
  })
