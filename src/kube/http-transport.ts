import type { KubeConfig } from '@kubernetes/client-node'
import { type Dispatcher, request } from 'undici'
import { messageOf } from '../api/error-text.ts'
import type { Clock, Timer } from '../model/clock.ts'
import type { Random } from '../model/random.ts'
import { BackOff } from './back-off.ts'
import { KubeError } from './errors.ts'
import { type Connections, type Credentials, CredentialSource, ServerAddressError } from './http-credentials.ts'
import { toKubeError } from './status-error.ts'
import { TokenBucket } from './token-bucket.ts'

export interface TransportOptions {
  readonly config: KubeConfig
  readonly clock: Clock
  readonly random: Random
  /** Requests a second, and how many may go out at once after a pause. */
  readonly qps: number
  readonly burst: number
  readonly userAgent: string
  /** Told of every answer; status 0 means that none came. `date` is the server's own time, as its header says it. */
  readonly observe?: (answer: {
    readonly method: string
    readonly status: number
    readonly seconds: number
    readonly date: string | undefined
  }) => void
  /** For people, who wait less long than controllers; absent: as long as the retries take. */
  readonly patience?: Patience
}

/** How long whoever asks waits for one call, from when it was first sent: what a credential plugin takes is not counted. */
export interface Patience {
  /** After so long without an answer it is told, once for all calls. */
  readonly noticeAfterMs: number
  readonly notice: () => void
  /** After so long the call is given up, whatever retries are left; undefined: never. */
  readonly giveUp: { readonly afterMs: number; readonly message: string } | undefined
}

export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query: Readonly<Record<string, string | undefined>>
  readonly contentType?: string
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
  /**
   * `reads` may be repeated after any failure; `writes` only when the server surely did nothing: it said so (429), or there was no
   * connection; `never` is for evictions, whose 429 is the answer.
   */
  readonly retry: 'reads' | 'writes' | 'never'
  /** Watches last longer than other answers. */
  readonly bodyTimeoutMs?: number
  /** Default: `calls`. */
  readonly over?: keyof Connections
}

/** A call that tells when it is sent, and what it will be repeated for. */
type SentCall = TransportRequest & { readonly onSent?: () => void; readonly onFailed?: (error: unknown) => void }

/** Tries after the first one. With the waits between them a call gives up after about half a minute. */
const retriesMax = 5
const retryWaits = { baseMs: 200, maxMs: 5_000 }
/** A server that asks for longer waits is answered with an error: the caller's own back-off is the better place to wait. */
const retryAfterMaxMs = 10_000
/** Nothing was sent when these happen. */
const notSent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/** HTTP to one API server: authentication, client-side rate limit, retries, errors as `KubeError`. */
export class Transport {
  readonly #options: TransportOptions
  readonly #credentials: CredentialSource
  readonly #bucket: TokenBucket
  #noticed = false

  constructor(options: TransportOptions) {
    this.#options = options
    this.#credentials = new CredentialSource(options.config, options.clock)
    this.#bucket = new TokenBucket(options.qps, options.burst)
  }

  /** The parsed JSON of a successful answer. */
  json(call: TransportRequest): Promise<unknown> {
    return this.decoded<unknown>(call, (text) => (text === '' ? undefined : JSON.parse(text)))
  }

  /** What `decode` makes of the text of a successful answer; it throws when that is not JSON, or a KubeError of its own. */
  async decoded<T>(call: TransportRequest, decode: (text: string) => T): Promise<T> {
    const text = await this.#patiently(call, async (timed) => {
      const { body } = await this.#withRetries(timed)
      return this.#readAll(body, timed.signal)
    })
    try {
      return decode(text)
    } catch (error) {
      if (error instanceof KubeError) throw error
      throw new KubeError('Unknown', 0, 'the API server answered with something that is not JSON', { cause: error })
    }
  }

  /** The body of a successful answer as it comes. */
  async stream(call: TransportRequest): Promise<Dispatcher.ResponseData['body']> {
    const { body } = await this.#patiently(call, (timed) => this.#withRetries(timed))
    return body
  }

  close(): Promise<void> {
    return this.#credentials.close()
  }

  async #patiently<T>(call: TransportRequest, work: (call: SentCall) => Promise<T>): Promise<T> {
    const { clock, patience } = this.#options
    if (patience === undefined) return work(call)
    const { noticeAfterMs, giveUp } = patience
    const late = new AbortController()
    const timers: Timer[] = []
    const onSent = (): void => {
      if (timers.length > 0) return
      timers.push(clock.schedule(noticeAfterMs, () => this.#notice()))
      if (giveUp === undefined) return
      timers.push(clock.schedule(giveUp.afterMs, () => late.abort(new KubeError('Network', 0, giveUp.message))))
    }
    let failed: { readonly error: unknown } | undefined
    const onFailed = (error: unknown): void => {
      failed = { error }
    }
    const signal = call.signal === undefined ? late.signal : AbortSignal.any([call.signal, late.signal])
    try {
      return await work({ ...call, signal, onSent, onFailed })
    } catch (error) {
      // What kept it from being answered says more than that it was not.
      throw failed !== undefined && error === late.signal.reason ? failed.error : error
    } finally {
      for (const timer of timers) timer.cancel()
    }
  }

  #notice(): void {
    if (this.#noticed) return
    this.#noticed = true
    this.#options.patience?.notice()
  }

  async #withRetries(call: SentCall): Promise<Dispatcher.ResponseData> {
    const backOff = new BackOff({ ...retryWaits, random: this.#options.random })
    for (let retries = 0; ; retries++) {
      try {
        return await this.#once(call)
      } catch (error) {
        call.signal?.throwIfAborted()
        const waitMs = retries < retriesMax ? this.#waitBefore(call, error, backOff) : undefined
        if (waitMs === undefined) throw error
        call.onFailed?.(error)
        await this.#options.clock.sleep(waitMs, call.signal)
      }
    }
  }

  /** Undefined when the call must not be repeated. */
  #waitBefore(call: TransportRequest, error: unknown, backOff: BackOff): number | undefined {
    if (!(error instanceof KubeError) || call.retry === 'never') return undefined
    if ((error.retryAfterMs ?? 0) > retryAfterMaxMs) return undefined
    // A credential plugin that fails has told why, and a person may have to log in: asked again, it opens one more browser.
    if (error.code === 'Unauthorized' && error.status === 0 && this.#options.patience !== undefined) return undefined
    const waitMs = Math.max(backOff.nextMs(), error.retryAfterMs ?? 0)
    if (error.status === 401) {
      this.#credentials.invalidate()
      return waitMs
    }
    if (error.status === 429) return waitMs
    if (error.status === 0 && notSent.has(networkCode(error.cause))) return waitMs
    return call.retry === 'reads' && (error.status === 0 || error.status >= 500) ? waitMs : undefined
  }

  async #once(call: SentCall): Promise<Dispatcher.ResponseData> {
    const { clock, observe } = this.#options
    const waitMs = this.#bucket.reserve(clock.monotonicMs())
    if (waitMs > 0) await clock.sleep(waitMs, call.signal)
    const credentials = await this.#authenticate(call.signal)
    call.onSent?.()
    const startedAt = clock.monotonicMs()
    const report = (status: number, date?: string): void =>
      observe?.({ method: call.method, status, seconds: (clock.monotonicMs() - startedAt) / 1000, date })
    let answer: Dispatcher.ResponseData
    try {
      answer = await request(`${credentials.server}${call.path}${queryText(call.query)}`, {
        method: call.method,
        dispatcher: credentials.connections[call.over ?? 'calls'],
        headers: this.#headers(credentials, call),
        body: call.body === undefined ? null : JSON.stringify(call.body),
        signal: call.signal ?? null,
        ...(call.bodyTimeoutMs === undefined ? {} : { bodyTimeout: call.bodyTimeoutMs }),
      })
    } catch (error) {
      call.signal?.throwIfAborted()
      report(0)
      throw networkError(error)
    }
    const { date } = answer.headers
    report(answer.statusCode, Array.isArray(date) ? date[0] : date)
    if (answer.statusCode >= 200 && answer.statusCode < 300) return answer
    const retryAfter = answer.headers['retry-after']
    const text = await this.#readAll(answer.body, call.signal)
    throw toKubeError(answer.statusCode, text, Array.isArray(retryAfter) ? retryAfter[0] : retryAfter)
  }

  async #authenticate(signal: AbortSignal | undefined): Promise<Credentials> {
    try {
      return await this.#credentials.get(signal)
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof ServerAddressError) throw error
      // A credential plugin may fail without a word.
      const why = messageOf(error).trim() || 'the credential plugin failed and did not say why'
      throw new KubeError('Unauthorized', 0, `failed to obtain credentials: ${why}`, { cause: error })
    }
  }

  #headers(credentials: Credentials, call: TransportRequest): Record<string, string | string[]> {
    return {
      ...credentials.headers,
      accept: 'application/json',
      'user-agent': this.#options.userAgent,
      ...(call.body === undefined ? {} : { 'content-type': call.contentType ?? 'application/json' }),
    }
  }

  async #readAll(body: Dispatcher.ResponseData['body'], signal: AbortSignal | undefined): Promise<string> {
    try {
      return await body.text()
    } catch (error) {
      signal?.throwIfAborted()
      throw networkError(error)
    }
  }
}

/** For a request that got no answer. */
export function networkError(error: unknown): KubeError {
  return new KubeError('Network', 0, messageOf(error), { cause: error })
}

function networkCode(error: unknown): string {
  if (typeof error !== 'object' || error === null) return ''
  if ('errors' in error && Array.isArray(error.errors)) return networkCode(error.errors[0])
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}

function queryText(query: TransportRequest['query']): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.append(name, value)
  return given.size === 0 ? '' : `?${given.toString()}`
}
