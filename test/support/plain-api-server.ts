import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { KubeObject } from '../../src/api/kubernetes.ts'
import type { Resource } from '../../src/kube/resource.ts'

export interface PlainAPIServer {
  readonly kubeconfig: string
  readonly address: string
  /** Paths, in the order in which they were asked for. */
  readonly asked: readonly string[]
}

/** What is said to one request: a status, or nothing at all. */
export type PlainAnswer = number | 'silence'

/** An API server over plain HTTP, as `kubectl proxy` gives it, that lists what it is given; `answer` may have it say something else. */
export async function plainAPIServer(
  kinds: readonly (readonly [Resource, readonly KubeObject[]])[],
  answer: (path: string) => PlainAnswer = () => 200,
): Promise<PlainAPIServer> {
  const asked: string[] = []
  const lists = new Map(kinds.map(([{ plural }, items]) => [plural, items]))
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    asked.push(path)
    const said = answer(path)
    if (said === 'silence') return
    const plural = path.split('/').at(-1) ?? ''
    if (said !== 200) status(response, said, `${plural} is refused`)
    else if (path === '/version') json(response, 200, { gitVersion: 'v1.36.0' })
    else json(response, 200, { kind: 'List', metadata: { resourceVersion: '1' }, items: lists.get(plural) ?? [] })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const address = `http://127.0.0.1:${port}`
  const folder = mkdtempSync(join(tmpdir(), 'joinery-plain-'))
  const kubeconfig = join(folder, 'kubeconfig')
  writeFileSync(kubeconfig, kubeconfigOf(address))
  onTestFinished(async () => {
    rmSync(folder, { recursive: true })
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { kubeconfig, address, asked }
}

function kubeconfigOf(address: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'staging',
    clusters: [{ name: 'c', cluster: { server: address } }],
    users: [{ name: 'u', user: { token: 't' } }],
    contexts: [{ name: 'staging', context: { cluster: 'c', user: 'u' } }],
  })
}

function status(response: ServerResponse, code: number, message: string): void {
  const reason = { 401: 'Unauthorized', 403: 'Forbidden', 404: 'NotFound' }[code] ?? 'InternalError'
  json(response, code, { kind: 'Status', status: 'Failure', reason, message, code })
}

function json(response: ServerResponse, code: number, body: unknown): void {
  response.writeHead(code, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
