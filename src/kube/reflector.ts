import { messageOf } from '../api/error-text.ts'
import type { KubeObject } from '../api/kubernetes.ts'
import type { Clock } from '../model/clock.ts'
import type { Random } from '../model/random.ts'
import { BackOff } from './back-off.ts'
import { askedWaitMs, hasCode, SilentWatchError } from './errors.ts'
import type { Logger } from './logger.ts'
import type { KubeClient, WatchEvent } from './port.ts'
import { apiVersionOf, type Resource } from './resource.ts'

/** What a reflector feeds: the whole truth after a list, then one change after another. */
export interface ReflectorSink<T extends KubeObject> {
  /** With `reused` versions the server has gone back in time: a version that is known may stand for something else now. */
  replace(objects: readonly T[], versions?: 'reused'): void
  apply(event: Exclude<WatchEvent<T>, { type: 'BOOKMARK' }>): void
}

export interface ReflectorDeps {
  readonly client: KubeClient
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/** Small enough that decoding one page does not hold up the process. */
const pageSize = 500
/** The server closes a watch after five to ten minutes, spread so that watches do not all reconnect together. */
const watchSecondsMin = 300
/** How much longer than asked a watch may last before it is taken for dead: the server's own clock may be slow. */
const watchGraceMs = 30_000
/** As client-go: the first retry after 0.8 s, never more than 30 s (doubled at most by jitter). */
const backOffMs = { baseMs: 800, maxMs: 30_000 }
/** A connection that worked this long ends a series of failures. */
const healthyAfterMs = 120_000
/** How often a kind that a cluster may do without is asked for while it is not served; whoever installs it waits so long. */
const absentRetryMs = 60_000
/** Times a list that is older than what was seen before is refused; after that the server was restored from a backup. */
const staleListsMax = 5

/** The next try follows by the back-off, and no sooner than the server has asked for. */
interface BackOffTurn {
  readonly leastMs: number
}

const backOffTurn: BackOffTurn = { leastMs: 0 }

/** Lists a kind and then watches it, for as long as the signal allows, whatever the server does. */
export class Reflector<T extends KubeObject> {
  readonly #deps: ReflectorDeps
  readonly #resource: Resource<T>
  readonly #sink: ReflectorSink<T>
  readonly #project: (object: T) => T
  readonly #backOff: BackOff
  readonly #log: Logger
  #resourceVersion: string | undefined
  #newestSeen: string | undefined
  #staleLists = 0
  /** Of the list and watch under way. Serves the next ones, too, until it is used: a new one is most of what it costs to start a watch. */
  #current = new AbortController()
  /** Whether the kind is being listed. */
  #listing = false
  /** Whether the last watch brought nothing at all. */
  #heardNothing = false
  /** Whether the kind, an optional one, was not served when last asked for. */
  #absent = false

  constructor(deps: ReflectorDeps, resource: Resource<T>, sink: ReflectorSink<T>, project: (object: T) => T) {
    this.#deps = deps
    this.#resource = resource
    this.#sink = sink
    this.#project = project
    this.#backOff = new BackOff({ ...backOffMs, random: deps.random })
    this.#log = deps.log.child({ resource: resource.plural, apiVersion: apiVersionOf(resource) })
  }

  /** Forgets where the watch is and lists again, e.g. when the cache is suspected to have missed something. A list under way finds it, too. */
  relist(): void {
    if (this.#listing) return
    this.#resourceVersion = undefined
    this.#current.abort(new Interrupted('relist'))
  }

  async run(signal: AbortSignal): Promise<void> {
    const stop = (): void => this.#current.abort(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    try {
      await this.#follow(signal)
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const startedAt = this.#deps.clock.monotonicMs()
      const outcome = await this.#listAndWatch(signal)
      if (signal.aborted) return
      if (this.#deps.clock.monotonicMs() - startedAt >= healthyAfterMs) this.#backOff.reset()
      if (outcome === 'again') continue
      const pauseMs = outcome === 'absent' ? absentRetryMs : this.#backOff.nextMs(outcome.leastMs)
      await this.#deps.clock.sleep(pauseMs, signal).catch(() => undefined)
    }
  }

  async #listAndWatch(signal: AbortSignal): Promise<'again' | 'absent' | BackOffTurn> {
    if (this.#current.signal.aborted) this.#current = new AbortController()
    const current = this.#current
    const listed = this.#resourceVersion === undefined
    try {
      if (listed) {
        this.#listing = true
        await this.#list(current.signal).finally(() => {
          this.#listing = false
        })
      } else if (this.#heardNothing && (await this.#hasGoneBack(current.signal))) {
        this.#resourceVersion = undefined
        return 'again'
      }
      const events = await this.#watch(current)
      if (events > 0) this.#backOff.reset()
      return events > 0 ? 'again' : backOffTurn
    } catch (error) {
      if (signal.aborted || error instanceof Interrupted) return 'again'
      // If the connection is dead, the next request says so.
      if (error instanceof SilentWatchError) {
        this.#log.debug({ reason: error.message }, 'watching anew')
        return 'again'
      }
      if (hasCode(error, 'Expired', 'Gone')) {
        this.#log.debug({}, 'watch too old, listing again')
        this.#resourceVersion = undefined
        // A list made just now has already expired: listing again at once would add to an overload.
        return listed ? backOffTurn : 'again'
      }
      if (this.#isAbsence(error)) {
        this.#goWithout(error)
        return 'absent'
      }
      this.#log.warn({ err: error }, 'failed to list or watch')
      return { leastMs: askedWaitMs(error) }
    }
  }

  /** Rights that do not name the kind are as old as a cluster without it; once it was seen, a refusal is a failure like any other. */
  #isAbsence(error: unknown): boolean {
    if (this.#resource.optional !== true) return false
    return hasCode(error, 'NotFound') || (hasCode(error, 'Forbidden') && this.#newestSeen === undefined)
  }

  #goWithout(error: unknown): void {
    this.#resourceVersion = undefined
    this.#sink.replace([])
    if (this.#absent) return
    this.#absent = true
    this.#log.info({ reason: messageOf(error) }, 'working without an optional kind')
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { objects, resourceVersion } = await this.#pages(signal).catch((error: unknown) => {
      // Pages went stale while they were read: the kind changes faster than it can be paged through.
      if (hasCode(error, 'Expired', 'Gone')) return this.#pages(signal, 'whole')
      throw error
    })
    const isStale = isOlder(resourceVersion, this.#newestSeen)
    if (isStale && this.#staleLists < staleListsMax) {
      this.#staleLists++
      throw new StaleListError(resourceVersion, this.#newestSeen ?? '')
    }
    this.#staleLists = 0
    this.#newestSeen = resourceVersion
    this.#resourceVersion = resourceVersion
    this.#sink.replace(objects, isStale ? 'reused' : undefined)
    if (this.#absent) this.#log.info({}, 'an optional kind is served now')
    this.#absent = false
  }

  async #pages(
    signal: AbortSignal,
    how: 'paged' | 'whole' = 'paged',
  ): Promise<{ readonly objects: readonly T[]; readonly resourceVersion: string }> {
    const { client } = this.#deps
    const options = { ...(how === 'paged' ? { limit: pageSize } : {}), keep: this.#project, signal }
    const objects: T[] = []
    let page = await client.list(this.#resource, options)
    for (;;) {
      for (const object of page.items) objects.push(object)
      if (page.continue === undefined) return { objects, resourceVersion: page.resourceVersion }
      page = await client.list(this.#resource, { ...options, continue: page.continue })
    }
  }

  /** Of a server that was restored from a backup a watch from here on would hear nothing until its versions have caught up. */
  async #hasGoneBack(signal: AbortSignal): Promise<boolean> {
    const { resourceVersion } = await this.#deps.client.list(this.#resource, { limit: 1, keep: this.#project, signal })
    return isOlder(resourceVersion, this.#newestSeen)
  }

  async #watch(current: AbortController): Promise<number> {
    const { client, clock, random } = this.#deps
    const timeoutSeconds = watchSecondsMin + random.below(watchSecondsMin)
    const tooLong = clock.schedule(timeoutSeconds * 1000 + watchGraceMs, () => current.abort(new Interrupted('silent')))
    let events = 0
    try {
      const stream = client.watch(this.#resource, {
        resourceVersion: this.#resourceVersion ?? '',
        timeoutSeconds,
        allowBookmarks: true,
        signal: current.signal,
      })
      for await (const event of stream) {
        current.signal.throwIfAborted()
        events++
        this.#take(event)
      }
    } finally {
      tooLong.cancel()
      this.#heardNothing = events === 0
    }
    return events
  }

  #take(event: WatchEvent<T>): void {
    const version = event.type === 'BOOKMARK' ? event.resourceVersion : event.object.metadata.resourceVersion
    this.#resourceVersion = version
    if (!isOlder(version, this.#newestSeen)) this.#newestSeen = version
    if (event.type !== 'BOOKMARK') this.#sink.apply({ type: event.type, object: this.#project(event.object) })
  }
}

/** Whether both are numbers, as resource versions are in practice, and the first is the smaller one. */
export function isOlder(version: string, than: string | undefined): boolean {
  if (than === undefined || !decimal.test(version) || !decimal.test(than)) return false
  return version.length === than.length ? version < than : version.length < than.length
}

const decimal = /^(?:0|[1-9]\d*)$/

class Interrupted extends Error {
  readonly code = 'Interrupted'
}

/** An API server that lags behind answered: its list would undo what was already seen. */
class StaleListError extends Error {
  readonly code = 'StaleList'
  constructor(version: string, newest: string) {
    super(`list at resource version ${version} is older than ${newest}, which was seen before`)
  }
}
