import type { Timer } from '../../model/clock.ts'
import { KubeError } from '../../kube/errors.ts'
import { deleteObject, type DeleteRequest } from './api/delete.ts'
import { updateObject } from './api/update.ts'
import { finalizersOf, ownerReferencesOf, type StoredObject, storeKeyOf, withMetadata } from './object.ts'
import type { KindDefinition } from './registry/definition.ts'
import { type ApiServer, writeRequest } from './server.ts'
import type { StoreEvent } from './store.ts'

/** How long after a change the collector looks: a real one works from watches and is never immediate. */
const delayMs = 10

/** The longest pause between two tries of what is refused; the first is `delayMs`, each of the next twice the one before. */
const retryMaxMs = 30_000

interface Place {
  readonly table: string
  readonly key: string
}

/**
 * Owner references: objects go when their last owner is gone, `foregroundDeletion` holds an owner until its blocking dependents are gone,
 * `orphan` cuts the references first.
 */
export class GarbageCollector {
  readonly #server: ApiServer
  readonly #places = new Map<string, Place>()
  readonly #dependents = new Map<string, Set<string>>()
  readonly #queue = new Set<string>()
  readonly #unsubscribe: () => void
  /** What could not be done, by uid, and how often in a row. */
  readonly #failed = new Map<string, { readonly times: number; readonly again: Timer }>()
  #timer: Timer | undefined

  constructor(server: ApiServer) {
    this.#server = server
    const { store } = server.context
    for (const table of store.tables()) {
      for (const object of store.list(table)) this.#add({ table, key: keyOf(object) }, object, undefined)
    }
    this.#unsubscribe = store.subscribe('all', (event) => this.#observe(event))
  }

  stop(): void {
    this.#unsubscribe()
    this.#timer?.cancel()
    for (const { again } of this.#failed.values()) again.cancel()
  }

  #observe({ type, table, key, object, previous }: StoreEvent): void {
    if (type !== 'DELETED') {
      this.#add({ table, key }, object, previous)
      return
    }
    const { uid } = object.metadata
    this.#places.delete(uid)
    for (const owner of ownerReferencesOf(object)) {
      this.#dependents.get(owner.uid)?.delete(uid)
      this.#enqueue(owner.uid)
    }
    for (const dependent of this.#dependents.get(uid) ?? []) this.#enqueue(dependent)
    this.#dependents.delete(uid)
  }

  #add(place: Place, object: StoredObject, previous: StoredObject | undefined): void {
    const { uid, deletionTimestamp } = object.metadata
    if (previous === undefined) this.#places.set(uid, place)
    const owners = ownerReferencesOf(object)
    if (previous !== undefined && previous.metadata.ownerReferences !== object.metadata.ownerReferences) {
      for (const owner of ownerReferencesOf(previous)) this.#dependents.get(owner.uid)?.delete(uid)
    }
    for (const owner of owners) {
      const known = this.#dependents.get(owner.uid)
      if (known === undefined) this.#dependents.set(owner.uid, new Set([uid]))
      else known.add(uid)
    }
    const absent = owners.some((owner) => !this.#places.has(owner.uid))
    if (absent || (deletionTimestamp !== undefined && isHeld(object))) this.#enqueue(uid)
  }

  #enqueue(uid: string): void {
    this.#queue.add(uid)
    this.#timer ??= this.#server.context.clock.schedule(delayMs, () => {
      this.#timer = undefined
      void this.#work()
    })
  }

  async #work(): Promise<void> {
    const batch = [...this.#queue]
    this.#queue.clear()
    for (const uid of batch) {
      const failed = this.#failed.get(uid)
      failed?.again.cancel()
      this.#failed.delete(uid)
      try {
        await this.#process(uid)
      } catch (error) {
        // A conflict or a refusing webhook; anything else is a bug.
        if (!(error instanceof KubeError)) throw error
        this.#retryLater(uid, failed?.times ?? 0)
      }
    }
  }

  /** As long as the object is there. */
  #retryLater(uid: string, times: number): void {
    if (!this.#places.has(uid)) return
    const pauseMs = Math.min(retryMaxMs, delayMs * 2 ** Math.min(times, 30))
    // The collector looks at what it is given after a pause of its own.
    const again = this.#server.context.clock.schedule(pauseMs - delayMs, () => this.#enqueue(uid))
    this.#failed.set(uid, { times: times + 1, again })
  }

  async #process(uid: string): Promise<void> {
    const object = this.#find(uid)
    if (object === undefined) return
    if (object.metadata.deletionTimestamp !== undefined) {
      const finalizers = finalizersOf(object)
      if (finalizers.includes('orphan')) return this.#orphanDependents(object)
      if (finalizers.includes('foregroundDeletion')) return this.#deleteDependents(object)
      return
    }
    const owners = ownerReferencesOf(object)
    const owned = owners.map((owner) => ({
      owner,
      live: this.#ownerOf(object, owner.uid),
      known: this.#isKnown(owner),
    }))
    const dangling = owned.filter(({ live, known }) => live === undefined && known).map(({ owner }) => owner.uid)
    const holding = owned.filter(({ live, known }) => !known || (live !== undefined && !isForeground(live)))
    const waiting = owned.some(({ live }) => live !== undefined && isForeground(live))
    if (dangling.length === 0 && !waiting) return
    if (holding.length === 0) {
      await this.#delete(object, waiting ? 'Foreground' : 'Background')
      return
    }
    await this.#dropOwners(object, new Set(dangling))
  }

  async #deleteDependents(owner: StoredObject): Promise<void> {
    let blocked = false
    for (const dependent of this.#dependentsOf(owner.metadata.uid)) {
      const reference = ownerReferencesOf(dependent).find(({ uid }) => uid === owner.metadata.uid)
      if (reference?.blockOwnerDeletion === true) blocked = true
      if (dependent.metadata.deletionTimestamp === undefined) this.#enqueue(dependent.metadata.uid)
    }
    if (!blocked) await this.#dropFinalizer(owner, 'foregroundDeletion')
  }

  async #orphanDependents(owner: StoredObject): Promise<void> {
    for (const dependent of this.#dependentsOf(owner.metadata.uid)) {
      await this.#dropOwners(dependent, new Set([owner.metadata.uid]))
    }
    await this.#dropFinalizer(owner, 'orphan')
  }

  #dependentsOf(uid: string): readonly StoredObject[] {
    return [...(this.#dependents.get(uid) ?? [])].map((each) => this.#find(each)).filter((found) => found !== undefined)
  }

  #find(uid: string): StoredObject | undefined {
    const place = this.#places.get(uid)
    return place === undefined ? undefined : this.#server.context.store.get(place.table, place.key)
  }

  /** An owner is in the dependent's namespace or in none. */
  #ownerOf(dependent: StoredObject, uid: string): StoredObject | undefined {
    const owner = this.#find(uid)
    const namespace = owner?.metadata.namespace
    return namespace === undefined || namespace === dependent.metadata.namespace ? owner : undefined
  }

  /** Nothing is concluded from an owner of a kind that is not served. */
  #isKnown(owner: { readonly apiVersion: string; readonly kind: string }): boolean {
    return this.#server.context.registry.findKind(owner.apiVersion, owner.kind) !== undefined
  }

  async #delete(
    object: StoredObject,
    propagationPolicy: NonNullable<DeleteRequest['propagationPolicy']>,
  ): Promise<void> {
    const definition = this.#definitionOf(object)
    if (definition === undefined) return
    const policy = this.#dependentsOf(object.metadata.uid).length === 0 ? 'Background' : propagationPolicy
    const options = { preconditions: { uid: object.metadata.uid }, propagationPolicy: policy } as const
    await deleteObject(this.#server.context, definition, targetOf(object), options, collectorRequest())
  }

  async #dropOwners(object: StoredObject, uids: ReadonlySet<string>): Promise<void> {
    if (uids.size === 0) return
    await this.#change(object, (current) => {
      const left = ownerReferencesOf(current).filter(({ uid }) => !uids.has(uid))
      return withMetadata(current, { ownerReferences: left.length === 0 ? undefined : left })
    })
  }

  async #dropFinalizer(object: StoredObject, name: string): Promise<void> {
    await this.#change(object, (current) => {
      const left = finalizersOf(current).filter((finalizer) => finalizer !== name)
      return withMetadata(current, { finalizers: left.length === 0 ? undefined : left })
    })
  }

  async #change(object: StoredObject, change: (current: StoredObject) => StoredObject): Promise<void> {
    const definition = this.#definitionOf(object)
    if (definition === undefined) return
    const input = { target: targetOf(object), subresource: undefined, change }
    await updateObject(this.#server.context, definition, input, collectorRequest())
  }

  #definitionOf(object: StoredObject): KindDefinition | undefined {
    return this.#server.context.registry.findKind(object.apiVersion, object.kind)
  }
}

function collectorRequest() {
  const user = 'system:serviceaccount:kube-system:generic-garbage-collector'
  return writeRequest({
    caller: { user, groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'] },
    fieldManager: 'kube-controller-manager',
  })
}

function isHeld(object: StoredObject): boolean {
  return finalizersOf(object).some((finalizer) => finalizer === 'orphan' || finalizer === 'foregroundDeletion')
}

function isForeground(object: StoredObject): boolean {
  return object.metadata.deletionTimestamp !== undefined && finalizersOf(object).includes('foregroundDeletion')
}

function keyOf(object: StoredObject): string {
  return storeKeyOf(object.metadata.namespace, object.metadata.name)
}

function targetOf(object: StoredObject): { namespace: string | undefined; name: string } {
  return { namespace: object.metadata.namespace, name: object.metadata.name }
}
