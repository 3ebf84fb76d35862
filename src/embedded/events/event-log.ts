import type { KubeObject } from '../../api/kubernetes.ts'
import { type Clock, toMicroTimestamp, toTimestamp } from '../../model/clock.ts'
import type { Random } from '../../model/random.ts'
import { asStored, type StoredObject, storeKeyOf } from '../apiserver/object.ts'
import type { Store } from '../apiserver/store.ts'

/** What one of the cluster's own components tells about an object. */
export interface Told {
  readonly about: Pick<KubeObject, 'apiVersion' | 'kind'> & {
    readonly metadata: Pick<KubeObject['metadata'], 'name' | 'namespace' | 'uid'>
  }
  /** The part of the object that is meant, e.g. `spec.containers{app}`. */
  readonly fieldPath?: string
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
  readonly by: Teller
}

/** `action` is what the newer API of events asks for; components without one still write the older. */
export interface Teller {
  readonly component: string
  /** The node it runs on. */
  readonly host?: string
  readonly action?: string
}

const table = '/events'
/** kube-apiserver's `--event-ttl`: so long after its last change an event is forgotten. */
const keptMs = 3_600_000
const sweepEveryMs = 300_000
/** client-go counts the same event within this time instead of writing another. */
const countWindowMs = 600_000

interface Known {
  readonly key: string
  readonly at: number
}

/**
 * The events of the scheduler, the kubelets and the controllers. They go straight into the store, in the turn in which what they tell
 * of was written: as calls they would be most of what a thousand starting pods cost. Forgets events in time, whoever wrote them.
 */
export class EventLog {
  readonly #store: Store
  readonly #clock: Clock
  readonly #random: Random
  /** By all that makes two events the same. */
  readonly #known = new Map<string, Known>()
  readonly #written: { readonly key: string; readonly version: string; readonly at: number }[] = []
  readonly #unsubscribe: () => void
  #isSweeping = false
  #sequence = 0

  constructor(deps: { readonly store: Store; readonly clock: Clock; readonly random: Random }) {
    this.#store = deps.store
    this.#clock = deps.clock
    this.#random = deps.random
    for (const event of deps.store.list(table)) this.#expect(event)
    this.#unsubscribe = deps.store.subscribe(table, ({ type, object }) => {
      if (type !== 'DELETED') this.#expect(object)
    })
  }

  stop(): void {
    this.#unsubscribe()
  }

  tell(told: Told): void {
    const { about, fieldPath, type, reason, message, by } = told
    const at = this.#clock.monotonicMs()
    const identity = JSON.stringify([about.metadata.uid, fieldPath, type, reason, message, by.component])
    const known = this.#known.get(identity)
    const key =
      known !== undefined && at - known.at < countWindowMs && this.#count(known.key) ? known.key : this.#write(told)
    this.#known.set(identity, { key, at })
  }

  #write(told: Told): string {
    const { about, fieldPath, type, reason, message, by } = told
    const { name, namespace, uid } = about.metadata
    const now = this.#clock.now()
    this.#sequence = (this.#sequence + 1) % 1_000_000
    const suffix = (BigInt(now) * 1_000_000n + BigInt(this.#sequence)).toString(16)
    const place = namespace ?? 'default'
    const seconds = toTimestamp(now)
    const times =
      by.action === undefined
        ? { firstTimestamp: seconds, lastTimestamp: seconds, count: 1, eventTime: null }
        : { firstTimestamp: null, lastTimestamp: null, eventTime: toMicroTimestamp(now), action: by.action }
    const host = by.host === undefined ? {} : { host: by.host }
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: {
        name: `${name.slice(0, 236)}.${suffix}`,
        namespace: place,
        uid: this.#random.uuid(),
        creationTimestamp: seconds,
      },
      involvedObject: {
        apiVersion: about.apiVersion,
        kind: about.kind,
        name,
        uid,
        ...(namespace === undefined ? {} : { namespace }),
        ...(fieldPath === undefined ? {} : { fieldPath }),
      },
      reason,
      message,
      type,
      source: by.action === undefined ? { component: by.component, ...host } : {},
      ...times,
      reportingComponent: by.component,
      reportingInstance: by.action === undefined ? (by.host ?? '') : `${by.component}-embedded`,
    }
    const key = storeKeyOf(place, event.metadata.name)
    this.#store.put(table, key, asStored(event))
    return key
  }

  /** Returns whether the event is there still. */
  #count(key: string): boolean {
    const before = this.#store.get(table, key)
    if (before === undefined) return false
    const now = this.#clock.now()
    const { count, series } = before as { count?: number; series?: { count: number } }
    const again =
      count === undefined
        ? { series: { count: (series?.count ?? 1) + 1, lastObservedTime: toMicroTimestamp(now) } }
        : { count: count + 1, lastTimestamp: toTimestamp(now) }
    this.#store.put(table, key, { ...before, ...again })
    return true
  }

  #expect(event: StoredObject): void {
    const key = storeKeyOf(event.metadata.namespace, event.metadata.name)
    this.#written.push({ key, version: event.metadata.resourceVersion, at: this.#clock.monotonicMs() })
    this.#sweepLater()
  }

  #sweepLater(): void {
    if (this.#isSweeping || this.#written.length === 0) return
    this.#isSweeping = true
    this.#clock.schedule(sweepEveryMs, () => {
      this.#isSweeping = false
      this.#sweep()
      this.#sweepLater()
    })
  }

  #sweep(): void {
    const before = this.#clock.monotonicMs() - keptMs
    let due = 0
    for (const { key, version, at } of this.#written) {
      if (at > before) break
      due += 1
      if (this.#store.get(table, key)?.metadata.resourceVersion === version) this.#store.remove(table, key)
    }
    this.#written.splice(0, due)
    const countable = this.#clock.monotonicMs() - countWindowMs
    for (const [identity, { at }] of this.#known) if (at <= countable) this.#known.delete(identity)
  }
}
