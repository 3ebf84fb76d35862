import type { RequestOptions } from 'node:https'
import type { KubeConfig } from '@kubernetes/client-node'
import { Agent, type Dispatcher, ProxyAgent } from 'undici'
import type { Clock } from '../model/clock.ts'

/** What one request needs: where to, with which headers, over which connections. */
export interface Credentials {
  readonly server: string
  readonly headers: Readonly<Record<string, string>>
  readonly dispatcher: Dispatcher
}

/** Tokens from files and exec plugins are asked for again after this long; the plugins cache by expiry themselves. */
const refreshEveryMs = 10_000
/** Below the idle limits of common load balancers, so that a connection is not cut under a request. */
const keepAliveMs = 30_000
const connectTimeoutMs = 10_000
/** Covers a slow list page; watches set their own. */
const answerTimeoutMs = 60_000

export class ServerAddressError extends Error {
  readonly code = 'ServerAddress'
  override readonly name = 'ServerAddressError'
}

/** Keeps credentials fresh, and one pool of connections for as long as the TLS material stays the same. */
export class CredentialSource {
  readonly #config: KubeConfig
  readonly #clock: Clock
  #current: { readonly credentials: Credentials; readonly at: number } | undefined
  #refreshing: Promise<Credentials> | undefined
  #pool: { readonly fingerprint: string; readonly dispatcher: Dispatcher } | undefined

  constructor(config: KubeConfig, clock: Clock) {
    this.#config = config
    this.#clock = clock
  }

  async get(): Promise<Credentials> {
    const known = this.#current
    if (known !== undefined && this.#clock.monotonicMs() - known.at < refreshEveryMs) return known.credentials
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  /** After an Unauthorized answer: the token may have been rotated. */
  invalidate(): void {
    this.#current = undefined
  }

  async close(): Promise<void> {
    await this.#pool?.dispatcher.destroy()
    this.#pool = undefined
    this.#current = undefined
  }

  async #refresh(): Promise<Credentials> {
    const cluster = this.#config.getCurrentCluster()
    if (cluster === null) throw new ServerAddressError('the kubeconfig has no current cluster')
    const server = checkedServer(cluster.server)
    const options: RequestOptions = {}
    await this.#config.applyToHTTPSOptions(options)
    const credentials = { server, headers: headersOf(options), dispatcher: this.#dispatcher(options, cluster.proxyUrl) }
    this.#current = { credentials, at: this.#clock.monotonicMs() }
    return credentials
  }

  #dispatcher(options: RequestOptions, proxy: string | undefined): Dispatcher {
    const tls = {
      ca: options.ca,
      cert: options.cert,
      key: options.key,
      pfx: options.pfx,
      passphrase: options.passphrase,
      servername: options.servername,
      rejectUnauthorized: options.rejectUnauthorized,
    }
    const given = Object.fromEntries(Object.entries(tls).filter(([, value]) => value !== undefined))
    const fingerprint = JSON.stringify([proxy, Object.entries(given).map(([name, value]) => [name, String(value)])])
    if (this.#pool?.fingerprint === fingerprint) return this.#pool.dispatcher
    // Requests on the old connections may finish.
    void this.#pool?.dispatcher.close().catch(() => undefined)
    const timeouts = { headersTimeout: answerTimeoutMs, bodyTimeout: answerTimeoutMs, keepAliveTimeout: keepAliveMs }
    const connect = { ...given, timeout: connectTimeoutMs, keepAlive: true, keepAliveInitialDelay: keepAliveMs }
    const dispatcher =
      proxy === undefined
        ? new Agent({ ...timeouts, connect, allowH2: false })
        : new ProxyAgent({ ...timeouts, uri: proxy, requestTls: given, allowH2: false })
    this.#pool = { fingerprint, dispatcher }
    return dispatcher
  }
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

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

function headersOf(options: RequestOptions): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    if (value !== undefined) headers[name.toLowerCase()] = String(value)
  }
  if (typeof options.auth === 'string') {
    headers['authorization'] = `Basic ${Buffer.from(options.auth).toString('base64')}`
  }
  return headers
}
