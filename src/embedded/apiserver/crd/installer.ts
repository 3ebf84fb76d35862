import { toTimestamp } from '../../../model/clock.ts'
import { deleteObject } from '../api/delete.ts'
import { updateObject } from '../api/update.ts'
import { finalizersOf, type StoredObject, withMetadata } from '../object.ts'
import type { KindDefinition } from '../registry/definition.ts'
import { type ApiServer, writeRequest } from '../server.ts'
import type { StoreEvent } from '../store.ts'
import { asCrd, definitionsOf } from './definition-of.ts'

const crdTable = 'apiextensions.k8s.io/customresourcedefinitions'
const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io'

/** Serves what stored CRDs declare, says so in their status, and clears their objects away when they are deleted. */
export class CrdInstaller {
  readonly #server: ApiServer
  readonly #installed = new Map<string, readonly KindDefinition[]>()
  readonly #unsubscribe: () => void

  constructor(server: ApiServer) {
    this.#server = server
    const { store } = server.context
    for (const crd of store.list(crdTable)) this.#install(crd)
    const stopCrds = store.subscribe(crdTable, (event) => this.#observe(event))
    const stopAll = store.subscribe('all', (event) => {
      if (event.type === 'DELETED') this.#finishCleanups(event.table)
    })
    this.#unsubscribe = () => {
      stopCrds()
      stopAll()
    }
  }

  stop(): void {
    this.#unsubscribe()
  }

  #observe(event: StoreEvent): void {
    const { name } = event.object.metadata
    if (event.type === 'DELETED') {
      this.#uninstall(name)
      return
    }
    if (event.object.metadata.deletionTimestamp !== undefined) {
      this.#cleanUp(event.object)
      return
    }
    const before = event.previous?.['spec']
    if (before !== event.object['spec'] || !this.#installed.has(name)) this.#install(event.object)
    this.#establish(event)
  }

  #install(object: StoredObject): void {
    const { registry } = this.#server.context
    this.#uninstall(object.metadata.name)
    const definitions = definitionsOf(asCrd(object))
    for (const definition of definitions) registry.add(definition)
    this.#installed.set(object.metadata.name, definitions)
  }

  #uninstall(name: string): void {
    for (const definition of this.#installed.get(name) ?? []) this.#server.context.registry.remove(definition)
    this.#installed.delete(name)
  }

  /** Names accepted and established, once: a new CRD is ready as soon as its create has been answered. */
  #establish(event: StoreEvent): void {
    const { store, clock } = this.#server.context
    const crd = asCrd(event.object)
    if (event.object['status'] !== undefined && finalizersOf(event.object).includes(cleanupFinalizer)) return
    const at = toTimestamp(clock.now())
    const condition = (type: string, reason: string, message: string) => ({
      type,
      status: 'True',
      lastTransitionTime: at,
      reason,
      message,
    })
    store.put(crdTable, event.key, {
      ...withMetadata(event.object, { finalizers: [...new Set([...finalizersOf(event.object), cleanupFinalizer])] }),
      status: {
        acceptedNames: crd.spec.names,
        conditions: [
          condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
          condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
        ],
        storedVersions: crd.spec.versions.filter((version) => version.storage).map((version) => version.name),
      },
    })
  }

  #cleanUp(object: StoredObject): void {
    const [definition] = this.#installed.get(object.metadata.name) ?? []
    if (definition !== undefined) {
      for (const item of this.#server.context.store.list(definition.table)) {
        if (item.metadata.deletionTimestamp !== undefined) continue
        const target = { namespace: item.metadata.namespace, name: item.metadata.name }
        // A webhook may refuse the deletion; then the CRD stays until somebody deletes the object.
        deleteObject(this.#server.context, definition, target, {}, writeRequest()).catch(() => undefined)
      }
    }
    this.#finishCleanups(definition?.table)
  }

  #finishCleanups(table: string | undefined): void {
    const { store, registry } = this.#server.context
    const crds = registry.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions')
    if (crds === undefined) return
    for (const [name, [definition]] of this.#installed) {
      if (definition === undefined || definition.table !== table || store.count(definition.table) > 0) continue
      const crd = store.get(crdTable, name)
      if (crd?.metadata.deletionTimestamp === undefined || !finalizersOf(crd).includes(cleanupFinalizer)) continue
      const change = (old: StoredObject): StoredObject =>
        withMetadata(old, { finalizers: finalizersOf(old).filter((finalizer) => finalizer !== cleanupFinalizer) })
      const target = { namespace: undefined, name }
      updateObject(this.#server.context, crds, { target, subresource: undefined, change }, writeRequest()).catch(
        () => undefined,
      )
    }
  }
}
