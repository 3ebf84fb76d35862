import type { IncomingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import type { KeyAndCertificate } from './certificates.ts'
import type { Cluster } from './kubeconfig.ts'

export interface ApiResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Parsed when it is JSON, else the text. */
  readonly body: unknown
}

export type ApiMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface ApiRequest {
  readonly method: ApiMethod
  /** With its query, from the root: `/api/v1/nodes?limit=1`. */
  readonly path: string
  readonly body?: unknown
  /** Of the body; JSON unless said. */
  readonly contentType?: string
}

const requestTimeoutMs = 60_000

/** One plain request to an API server, independent of the client that is being tested. */
export function apiRequest(cluster: Cluster, identity: KeyAndCertificate, wanted: ApiRequest): Promise<ApiResponse> {
  const body = wanted.body === undefined ? undefined : Buffer.from(JSON.stringify(wanted.body))
  return new Promise((resolve, reject) => {
    const call = request(
      new URL(wanted.path, cluster.url),
      {
        method: wanted.method,
        ca: cluster.caCertificate,
        cert: identity.certificate,
        key: identity.key,
        timeout: requestTimeoutMs,
        headers: {
          accept: 'application/json',
          // Node does not frame the body of a DELETE by itself.
          ...(body === undefined
            ? {}
            : { 'content-type': wanted.contentType ?? 'application/json', 'content-length': String(body.length) }),
        },
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (part: string) => {
          text += part
        })
        response.on('error', reject)
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: parsed(text) }),
        )
      },
    )
    call.on('timeout', () =>
      call.destroy(new Error(`${wanted.method} ${wanted.path}: no answer in ${requestTimeoutMs} ms`)),
    )
    call.on('error', reject)
    call.end(body)
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
