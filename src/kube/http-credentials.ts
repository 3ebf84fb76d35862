import type { RequestOptions } from 'node:https'
import { createSecureContext } from 'node:tls'
import { KubeConfig } from '@kubernetes/client-node'
import { Agent, type Dispatcher, ProxyAgent } from 'undici'
import type { Clock } from '../model/clock.ts'
import { impersonationHeaders } from './impersonation.ts'

/** What one request needs: where to, with which headers, over which connections. */
export interface Credentials {
  readonly server: string
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly connections: Connections
}

/** Watches keep a connection each for minutes, so they have their own: calls would wait behind them. */
export interface Connections {
  readonly calls: Dispatcher
  readonly watches: Dispatcher
}

/** Tokens from files and exec plugins are asked for again after this long; the plugins cache by expiry themselves. */
const refreshEveryMs = 10_000
/** Below the idle limits of common load balancers, so that a connection is not cut under a request. */
const keepAliveMs = 30_000
const connectTimeoutMs = 10_000
/**
 * Calls under way at once; further ones wait for their turn. The client's rate limit, some hundred calls a second that last some
 * milliseconds each, needs a handful. Without a bound a thousand writes at once would make a thousand TLS connections.
 */
const callConnectionsMax = 32
/** Covers a slow list page; watches set their own. */
const answerTimeoutMs = 60_000

export class ServerAddressError extends Error {
  readonly code = 'ServerAddress'
  override readonly name = 'ServerAddressError'
}

/** Keeps credentials fresh, and the same connections for as long as the TLS material stays the same. */
export class CredentialSource {
  #config: KubeConfig
  readonly #clock: Clock
  #current: { readonly credentials: Credentials; readonly at: number } | undefined
  /** When the providers were last made to forget what they know. */
  #forgotAt = Number.NEGATIVE_INFINITY
  #refreshing: Promise<Credentials> | undefined
  #pool: { readonly fingerprint: string; readonly connections: Connections } | undefined

  constructor(config: KubeConfig, clock: Clock) {
    this.#config = withPlainHTTP(config)
    this.#clock = clock
  }

  /** Rejects with the signal's reason once it aborts: a plugin may never answer. */
  async get(signal?: AbortSignal): Promise<Credentials> {
    const known = this.#current
    if (known !== undefined && this.#clock.monotonicMs() - known.at < refreshEveryMs) return known.credentials
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined
    })
    return orAborted(this.#refreshing, signal)
  }

  /**
   * After an Unauthorized answer: the token may have been rotated. What providers remember, a plugin's token until it expires and a
   * file's for a minute, was refused, too; they are asked anew, but not over and over for an account that is simply not let in.
   */
  invalidate(): void {
    this.#current = undefined
    const now = this.#clock.monotonicMs()
    if (now - this.#forgotAt < refreshEveryMs) return
    this.#forgotAt = now
    this.#config = withoutMemory(this.#config)
  }

  async close(): Promise<void> {
    await Promise.all(dispatchersOf(this.#pool?.connections).map((dispatcher) => dispatcher.destroy()))
    this.#pool = undefined
    this.#current = undefined
  }

  async #refresh(): Promise<Credentials> {
    const cluster = this.#config.getCurrentCluster()
    if (cluster === null) throw new ServerAddressError('the kubeconfig has no current cluster')
    const server = checkedServer(cluster.server)
    const options: RequestOptions = {}
    await this.#config.applyToHTTPSOptions(options)
    const credentials = {
      server,
      headers: { ...headersOf(options), ...impersonationHeaders(this.#config.getCurrentUser()) },
      connections: this.#connections(options, checkedProxy(cluster.proxyUrl)),
    }
    this.#current = { credentials, at: this.#clock.monotonicMs() }
    return credentials
  }

  #connections(options: RequestOptions, proxy: string | undefined): Connections {
    const material = {
      ca: options.ca,
      cert: options.cert,
      key: options.key,
      pfx: options.pfx,
      passphrase: options.passphrase,
    }
    const peer = { servername: options.servername, rejectUnauthorized: options.rejectUnauthorized }
    const given = definedOnly({ ...material, ...peer })
    const fingerprint = JSON.stringify([proxy, Object.entries(given).map(([name, value]) => [name, String(value)])])
    if (this.#pool?.fingerprint === fingerprint) return this.#pool.connections
    // Requests on the old connections may finish.
    for (const dispatcher of dispatchersOf(this.#pool?.connections)) void dispatcher.close().catch(() => undefined)
    const timeouts = { headersTimeout: answerTimeoutMs, bodyTimeout: answerTimeoutMs, keepAliveTimeout: keepAliveMs }
    // The certificates are parsed once, not for each connection.
    const tls = { ...definedOnly(peer), secureContext: createSecureContext(definedOnly(material)) }
    const connect = { ...tls, timeout: connectTimeoutMs, keepAlive: true, keepAliveInitialDelay: keepAliveMs }
    const dispatcher = (bound: { readonly connections?: number }): Dispatcher =>
      proxy === undefined
        ? new Agent({ ...timeouts, ...bound, connect, allowH2: false })
        : new ProxyAgent({ ...timeouts, ...bound, uri: proxy, requestTls: tls, allowH2: false })
    const connections = { calls: dispatcher({ connections: callConnectionsMax }), watches: dispatcher({}) }
    this.#pool = { fingerprint, connections }
    return connections
  }
}

/** The same configuration, whose providers have not been asked yet. */
function withoutMemory({ clusters, users, contexts, currentContext }: KubeConfig): KubeConfig {
  return configOf({ clusters, users, contexts, currentContext })
}

/** Without TLS there is nothing to verify, yet the library wants to be told so; kubectl does not. */
function withPlainHTTP(config: KubeConfig): KubeConfig {
  const current = config.getCurrentCluster()
  if (current === null || !current.server.startsWith('http:')) return config
  const clusters = config.clusters.map((cluster) =>
    cluster === current ? { ...cluster, skipTLSVerify: true } : cluster,
  )
  const { users, contexts, currentContext } = config
  return configOf({ clusters, users, contexts, currentContext })
}

function configOf(parts: Pick<KubeConfig, 'clusters' | 'users' | 'contexts' | 'currentContext'>): KubeConfig {
  const config = new KubeConfig()
  config.loadFromOptions(parts)
  return config
}

async function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const onAbort = (): void => aborted.reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

function dispatchersOf(connections: Connections | undefined): readonly Dispatcher[] {
  return connections === undefined ? [] : [connections.calls, connections.watches]
}

function definedOnly(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

/** Plain HTTP carries tokens in the clear: only to this machine itself. */
function checkedServer(server: string): string {
  let url: URL
  try {
    url = new URL(server)
  } catch (error) {
    throw new ServerAddressError(`the API server's address ${JSON.stringify(server)} is not a URL`, { cause: error })
  }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw new ServerAddressError(`the API server's address must be https://, or http:// on this machine: ${server}`)
  }
  return url.href.replace(/\/$/, '')
}

const proxyProtocols: ReadonlySet<string> = new Set(['http:', 'https:', 'socks5:'])

/** It may hold a password, so it is not told. */
function checkedProxy(proxy = ''): string | undefined {
  if (proxy === '') return undefined
  if (proxyProtocols.has(URL.parse(proxy)?.protocol ?? '')) return proxy
  throw new ServerAddressError("the address of the API server's proxy must be http://, https:// or socks5://")
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

function headersOf(options: RequestOptions): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    // A file with a token may end with a line break, with which no header can.
    if (value !== undefined) headers[name.toLowerCase()] = String(value).trim()
  }
  if (typeof options.auth === 'string') {
    headers['authorization'] = `Basic ${Buffer.from(options.auth).toString('base64')}`
  }
  return headers
}
