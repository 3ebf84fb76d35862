import type { Lease } from '../api/kubernetes.ts'
import { type Clock, toMicroTimestamp } from '../model/clock.ts'
import type { Random } from '../model/random.ts'
import { hasCode, isConflict } from './errors.ts'
import { getIfPresent } from './get-if-present.ts'
import { inTime } from './in-time.ts'
import { leases } from './kinds.ts'
import type { Logger } from './logger.ts'
import type { Counter, Gauge } from './metrics.ts'
import type { KubeClient } from './port.ts'
import { RivalLeases } from './rival-leases.ts'
import { withSecondTry } from './second-try.ts'

export interface LeaderElectionOptions {
  /** A client of its own, so that a throttled main client cannot lose the lease. */
  readonly client: KubeClient
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly name: string
  readonly namespace: string
  /** Unique to this process, e.g. host name and a UUID. */
  readonly identity: string
  readonly leaseDurationMs?: number
  readonly renewDeadlineMs?: number
  readonly retryPeriodMs?: number
  /** `leader_election_master_status{name}`. */
  readonly status?: Gauge
  /** `leader_election_slowpath_total{name}`: renewals of a lease in hand that did not succeed at once and read it anew. */
  readonly slowPath?: Counter
}

/** A lease in hand. */
export interface Leadership {
  /** Aborted when the lease is lost or given up. */
  readonly lost: AbortSignal
  /** Whether writing is safe: the last renewal is younger than the renew deadline, by this process's own monotonic clock. */
  holds(): boolean
  /** Stops renewing and lets others take over at once. */
  release(): Promise<void>
}

/** controller-runtime's values. */
const defaults = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 }
/** client-go spreads its retries by up to this share of the period. */
const retryJitter = 1.2

/** How many lease durations a rival gets to renew: one that was restarted waits for one of them before it holds its lease again. */
const durationsForRival = 2

const rivalText =
  'a lease of the same name is being renewed in another namespace: two installations would act on one cluster'

class LeadershipLostError extends Error {
  readonly code = 'LeadershipLost'
  override readonly name = 'LeadershipLostError'
}

/** Waits until the lease is ours, and rejects only when the signal aborts meanwhile. From then on the lease is kept until it is released. */
export async function acquireLeadership(options: LeaderElectionOptions, signal: AbortSignal): Promise<Leadership> {
  const elector = new Elector(options)
  for (;;) {
    await elector.waitForLease(signal)
    const rival = await elector.rivalNamespace(signal).catch(async (error: unknown) => {
      await elector.release()
      throw error
    })
    if (elector.isHeldByOther) continue
    if (rival === undefined) return elector.lead()
    options.log.error({ lease: options.name, namespace: rival }, `${rivalText}; waiting until it stops`)
    await elector.release()
    await options.clock.sleep(elector.leaseDurationMs, signal)
  }
}

class Elector {
  readonly #options: LeaderElectionOptions
  readonly leaseDurationMs: number
  readonly #renewDeadlineMs: number
  readonly #retryPeriodMs: number
  /** What the lease said when it last changed, and when that was seen, by the monotonic clock: remote clocks are not trusted. */
  #observed: { readonly record: string; readonly at: number } | undefined
  #lease: Lease | undefined
  /** When the last renewal was asked for. */
  #renewedAt = Number.NEGATIVE_INFINITY
  /** When it was answered. */
  #answeredAt = Number.NEGATIVE_INFINITY
  /** For how much of the time since that answer this process stood still: a busy or frozen machine. */
  #stoodStillMs = 0

  constructor(options: LeaderElectionOptions) {
    this.#options = options
    this.leaseDurationMs = options.leaseDurationMs ?? defaults.leaseDurationMs
    this.#renewDeadlineMs = options.renewDeadlineMs ?? defaults.renewDeadlineMs
    this.#retryPeriodMs = options.retryPeriodMs ?? defaults.retryPeriodMs
  }

  /** As the lease was last seen. */
  get isHeldByOther(): boolean {
    const holder = this.#lease?.spec?.holderIdentity
    return holder !== undefined && holder !== this.#options.identity
  }

  async waitForLease(signal: AbortSignal): Promise<void> {
    const { clock, log, name, namespace, status } = this.#options
    status?.set({ name }, 0)
    log.info({ lease: name, namespace }, 'attempting to acquire leader lease')
    // Who waits on a connection that is dead without a word would notice too late that the lease has run out.
    const limit = { clock, ms: this.#renewDeadlineMs, signal }
    while (!(await inTime(limit, (attempt) => this.#tryOnce(attempt)))) await clock.sleep(this.#retryMs(), signal)
    log.info({ lease: name, namespace }, 'successfully acquired lease')
    status?.set({ name }, 1)
  }

  /** Renews in the background until the lease is lost or released; a rival that comes later ends it too. */
  lead(): Leadership {
    const lost = new AbortController()
    const renewing = new AbortController()
    const ends = [this.#renew(renewing.signal), this.#untilRival(renewing.signal)]
    const loop = Promise.race(ends).then((outcome) => {
      renewing.abort(new Error(outcome))
      if (outcome === 'lost') this.#options.log.error({ lease: this.#options.name }, 'leader election lost')
      this.#options.status?.set({ name: this.#options.name }, 0)
      if (!lost.signal.aborted) lost.abort(new LeadershipLostError('the leader election lease is not held any more'))
    })
    return {
      lost: lost.signal,
      holds: () => !lost.signal.aborted && this.#sinceRenewal() < this.#renewDeadlineMs,
      release: async () => {
        renewing.abort(new Error('released'))
        // From here on nothing is held; only then may others take it.
        await loop
        await this.release()
      },
    }
  }

  /** Writes a lease without holder that is already over, so that the next one need not wait. */
  async release(): Promise<void> {
    const { clock, log } = this.#options
    // Later the lease has run out by itself, and the end of this process would wait for a server that is not there.
    const limit = { clock, ms: this.#renewDeadlineMs }
    try {
      await inTime(limit, async (signal) => {
        // A renewal that was given up on may have been written all the same.
        if (!(await this.#giveBack(signal))) await this.#read(signal).then(() => this.#giveBack(signal))
      })
    } catch (error) {
      log.warn({ err: error }, 'failed to release the leader election lease')
    }
  }

  /** False when the lease has changed since it was last seen. One that is not ours is left alone. */
  async #giveBack(signal: AbortSignal): Promise<boolean> {
    const { client, clock, namespace } = this.#options
    const lease = this.#lease
    if (lease === undefined || lease.spec?.holderIdentity !== this.#options.identity) return true
    const now = toMicroTimestamp(clock.now())
    const { acquireTime: _acquired, ...spec } = lease.spec
    const given = {
      ...lease,
      metadata: { ...lease.metadata, namespace },
      spec: { ...spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: now, acquireTime: now },
    }
    try {
      this.#lease = await client.update(leases, given, { signal })
      return true
    } catch (error) {
      if (isConflict(error)) return false
      throw error
    }
  }

  /**
   * The namespace of another lease of this name that somebody renews. One that nobody holds is none; one that is held is watched for a
   * while. Leases of the whole cluster may be unreadable; then nothing can be said.
   */
  async rivalNamespace(signal: AbortSignal): Promise<string | undefined> {
    const before = await this.#others(signal)
    if (before.length === 0) return undefined
    const versions = new Map(before.map((lease) => [lease.metadata.uid, lease.metadata.resourceVersion]))
    for (let durations = 0; durations < durationsForRival; durations += 1) {
      const waitUntil = this.#options.clock.monotonicMs() + this.leaseDurationMs
      while (this.#options.clock.monotonicMs() < waitUntil) {
        await this.#options.clock.sleep(this.#retryPeriodMs, signal)
        // One that failed may succeed the next time; once the lease is another's there is nothing to wait for.
        if (!(await this.#tryOnce(signal)) && this.isHeldByOther) return undefined
      }
      const renewed = (await this.#others(signal)).find(
        (lease) => versions.get(lease.metadata.uid) !== lease.metadata.resourceVersion,
      )
      if (renewed !== undefined) return renewed.metadata.namespace
    }
    return undefined
  }

  async #untilRival(signal: AbortSignal): Promise<'lost' | 'stopped'> {
    const { clock, log, name } = this.#options
    const rivals = new RivalLeases()
    for (;;) {
      await clock.sleep(this.leaseDurationMs, signal).catch(() => undefined)
      if (signal.aborted) return 'stopped'
      const namespace = rivals.look(await this.#others(signal).catch(() => []))
      if (namespace === undefined) continue
      log.error({ lease: name, namespace }, `${rivalText}; leaving the cluster to it`)
      return 'lost'
    }
  }

  async #others(signal: AbortSignal): Promise<readonly Lease[]> {
    const { client, name, namespace, log } = this.#options
    try {
      const { items } = await client.list(leases, { fieldSelector: `metadata.name=${name}`, signal })
      return items.filter(
        (lease) =>
          lease.metadata.name === name &&
          lease.metadata.namespace !== namespace &&
          (lease.spec?.holderIdentity ?? '') !== '',
      )
    } catch (error) {
      signal.throwIfAborted()
      if (!hasCode(error, 'Forbidden')) log.warn({ err: error }, 'failed to look for leases in other namespaces')
      return []
    }
  }

  async #renew(signal: AbortSignal): Promise<'lost' | 'stopped'> {
    const { clock } = this.#options
    // One listener for all waits and renewals: one for each would be most of what a renewal costs.
    let giveUp = (_because: unknown): void => undefined
    const stop = (): void => giveUp(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    try {
      for (;;) {
        const wakeAt = clock.monotonicMs() + this.#retryPeriodMs
        await new Promise<void>((resolve) => {
          const timer = clock.schedule(this.#retryPeriodMs, resolve)
          giveUp = () => {
            timer.cancel()
            resolve()
          }
        })
        if (signal.aborted) return 'stopped'
        if (this.#isLate(wakeAt)) this.#stoodStillMs += clock.monotonicMs() - wakeAt
        const attempt = new AbortController()
        const startedAt = clock.monotonicMs()
        const untilDeadlineMs = Math.max(0, this.#renewDeadlineMs - this.#triedForMs())
        const timer = clock.schedule(untilDeadlineMs, () => giveUp(new Error('renew deadline exceeded')))
        const renewed = await new Promise<boolean>((resolve) => {
          giveUp = (because) => {
            attempt.abort(because)
            resolve(false)
          }
          const once = (): Promise<boolean> => this.#tryOnce(attempt.signal)
          void withSecondTry(once, { clock, afterMs: untilDeadlineMs / 2, attempt }).then(resolve)
        })
        timer.cancel()
        if (signal.aborted) return 'stopped'
        if (!renewed && this.#isLate(startedAt + untilDeadlineMs)) {
          this.#stoodStillMs += clock.monotonicMs() - startedAt
        }
        if (!renewed && this.#triedForMs() >= this.#renewDeadlineMs) return 'lost'
        if (!renewed && this.isHeldByOther) return 'lost'
      }
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  /** Whether something came so much later than it was due that this process cannot have been running. */
  #isLate(dueAt: number): boolean {
    return this.#options.clock.monotonicMs() - dueAt >= this.#retryPeriodMs
  }

  /**
   * What counts for giving up: neither the server's slowness, as long as it answers, nor a standstill after which nobody may have
   * wanted the lease; client-go tries again, too. Until it is renewed nothing is written, since for that all of the time counts.
   */
  #triedForMs(): number {
    return this.#options.clock.monotonicMs() - this.#answeredAt - this.#stoodStillMs
  }

  /** Whether the lease is ours after one attempt. One in hand is renewed as it was last seen, and read anew only when that fails. */
  async #tryOnce(signal: AbortSignal): Promise<boolean> {
    const held = this.#lease?.spec?.holderIdentity === this.#options.identity ? this.#lease : undefined
    if (held !== undefined && this.#sinceRenewal() < this.leaseDurationMs && (await this.#renewAsSeen(held, signal)))
      return true
    if (held !== undefined) this.#options.slowPath?.increment({ name: this.#options.name })
    return !signal.aborted && this.#tryAnew(signal)
  }

  async #renewAsSeen(held: Lease, signal: AbortSignal): Promise<boolean> {
    const { client, clock } = this.#options
    const startedAt = clock.monotonicMs()
    try {
      const spec = { ...held.spec, renewTime: toMicroTimestamp(clock.now()) }
      this.#took(await client.update(leases, { ...held, spec }, { signal }), startedAt)
      return true
    } catch {
      return false
    }
  }

  async #tryAnew(signal: AbortSignal): Promise<boolean> {
    const { client, clock, log, name, namespace, identity } = this.#options
    const startedAt = clock.monotonicMs()
    try {
      const current = await this.#read(signal)
      const now = clock.now()
      const spec = {
        holderIdentity: identity,
        leaseDurationSeconds: Math.ceil(this.leaseDurationMs / 1000),
        acquireTime: toMicroTimestamp(now),
        renewTime: toMicroTimestamp(now),
        leaseTransitions: 0,
      }
      if (current === undefined) {
        const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, namespace }, spec }
        this.#took(await client.create(leases, lease, { signal }), startedAt)
        return true
      }
      this.#observe(current)
      const mine = current.spec?.holderIdentity === identity
      if (!mine && !this.#expired(current)) return false
      const transitions = current.spec?.leaseTransitions ?? 0
      const next = mine
        ? { ...spec, acquireTime: current.spec?.acquireTime ?? spec.acquireTime, leaseTransitions: transitions }
        : { ...spec, leaseTransitions: transitions + 1 }
      this.#took(await client.update(leases, { ...current, spec: next }, { signal }), startedAt)
      return true
    } catch (error) {
      if (!signal.aborted && !isConflict(error)) log.warn({ err: error, lease: name }, 'failed to renew lease')
      return false
    }
  }

  /** For writing the time before the call counts, not after it: the server may have written at once and answered late. */
  #took(lease: Lease, startedAt: number): void {
    this.#lease = lease
    this.#observe(lease)
    this.#renewedAt = startedAt
    this.#answeredAt = this.#options.clock.monotonicMs()
    this.#stoodStillMs = 0
  }

  async #read(signal: AbortSignal): Promise<Lease | undefined> {
    const { client, name, namespace } = this.#options
    const lease = await getIfPresent(client, leases, { namespace, name }, { signal })
    if (lease !== undefined) this.#lease = lease
    return lease
  }

  #observe(lease: Lease): void {
    const record = `${lease.metadata.uid} ${lease.metadata.resourceVersion}`
    if (this.#observed?.record !== record) this.#observed = { record, at: this.#options.clock.monotonicMs() }
  }

  #expired(lease: Lease): boolean {
    if ((lease.spec?.holderIdentity ?? '') === '') return true
    const durationMs = (lease.spec?.leaseDurationSeconds ?? this.leaseDurationMs / 1000) * 1000
    return this.#options.clock.monotonicMs() - (this.#observed?.at ?? 0) >= durationMs
  }

  #sinceRenewal(): number {
    return this.#options.clock.monotonicMs() - this.#renewedAt
  }

  #retryMs(): number {
    return Math.round(this.#retryPeriodMs * (1 + this.#options.random.next() * retryJitter))
  }
}
