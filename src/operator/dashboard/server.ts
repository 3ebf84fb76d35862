import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { listen, type RunningServer } from '../servers.ts'
import { isLoopback, type ListenAddress } from './address.ts'
import type { FleetSource } from './fleet-source.ts'

/** What there is to show: a fleet, or why there is none. */
export type FleetAvailability =
  | { readonly kind: 'ready'; readonly source: FleetSource }
  | { readonly kind: 'unavailable'; readonly problem: string }

/** Nothing but this page's own files, no frames, no forms; what the cluster says is never run. */
const securityHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const

interface PageFile {
  readonly type: string
  readonly text: string
}

/** The page at `/`, and at `/fleet.json` what it draws. Read only: nothing else is answered. */
export function startDashboardServer(
  { host, port }: ListenAddress,
  fleet: () => FleetAvailability,
): Promise<RunningServer> {
  const files: Readonly<Record<string, PageFile>> = {
    '/': pageFile('index.html', 'text/html'),
    '/page.css': pageFile('page.css', 'text/css'),
    '/page.js': pageFile('page.js', 'text/javascript'),
  }
  const isGuarded = isLoopback(host)
  return listen(
    port,
    async (path, _query, response, request) => {
      // A name that some other site lets point here would make that site the owner of what it reads.
      if (isGuarded && !isOwnName(request.headers.host))
        return answer(response, 421, textPlain, 'this is not the host you asked for')
      if (path === '/fleet.json') return answerFleet(fleet(), request, response)
      const file = Object.hasOwn(files, path) ? files[path] : undefined
      return file === undefined
        ? answer(response, 404, textPlain, 'not found')
        : answer(response, 200, `${file.type}; charset=utf-8`, file.text)
    },
    host,
  )
}

const textPlain = 'text/plain; charset=utf-8'
const json = 'application/json'

async function answerFleet(
  found: FleetAvailability,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (found.kind === 'unavailable') return answer(response, 503, json, JSON.stringify({ problem: found.problem }))
  const text = JSON.stringify(await found.source.view())
  const etag = `"${createHash('sha256').update(text).digest('base64url')}"`
  // Not in the body: time alone is no change.
  const headers = { etag, 'joinery-now': String(found.source.now()) }
  if (request.headers['if-none-match'] === etag) return answer(response, 304, json, '', headers)
  return answer(response, 200, json, text, headers)
}

function answer(
  response: ServerResponse,
  status: number,
  type: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { ...securityHeaders, 'content-type': type, 'cache-control': 'no-cache', ...headers })
  response.end(body)
}

function isOwnName(header: string | undefined): boolean {
  const name = /^(?:\[([^\]]+)\]|([^:]+))(?::[0-9]+)?$/.exec(header ?? '')
  return isLoopback(name?.[1] ?? name?.[2])
}

function pageFile(name: string, type: string): PageFile {
  return { type, text: readFileSync(new URL(`page/${name}`, import.meta.url), 'utf8') }
}
