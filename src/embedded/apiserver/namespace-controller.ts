import type { Timer } from '../../model/clock.ts'
import { deleteObject } from './api/delete.ts'
import { arrayAt, withAt } from './json.ts'
import { finalizersOf, type StoredObject } from './object.ts'
import { type ApiServer, writeRequest } from './server.ts'

const namespaceTable = '/namespaces'
/** How long after a change the controller looks. */
const delayMs = 10

/** Empties namespaces that are being deleted, and removes them once nothing is left. */
export class NamespaceController {
  readonly #server: ApiServer
  readonly #terminating = new Set<string>()
  readonly #unsubscribe: () => void
  #timer: Timer | undefined

  constructor(server: ApiServer) {
    this.#server = server
    const { store } = server.context
    for (const namespace of store.list(namespaceTable)) this.#note(namespace)
    this.#unsubscribe = store.subscribe('all', ({ type, table, object }) => {
      if (table === namespaceTable) {
        if (type === 'DELETED') this.#terminating.delete(object.metadata.name)
        else this.#note(object)
      } else if (type === 'DELETED' && this.#terminating.has(object.metadata.namespace ?? '')) this.#schedule()
    })
  }

  stop(): void {
    this.#unsubscribe()
    this.#timer?.cancel()
  }

  #note(namespace: StoredObject): void {
    if (namespace.metadata.deletionTimestamp === undefined) return
    this.#terminating.add(namespace.metadata.name)
    this.#schedule()
  }

  #schedule(): void {
    this.#timer ??= this.#server.context.clock.schedule(delayMs, () => {
      this.#timer = undefined
      void this.#work()
    })
  }

  async #work(): Promise<void> {
    for (const name of [...this.#terminating].sort()) await this.#empty(name)
  }

  async #empty(name: string): Promise<void> {
    const { store, registry } = this.#server.context
    let left = 0
    const seen = new Set<string>()
    for (const definition of registry.all()) {
      if (!definition.namespaced || seen.has(definition.table)) continue
      seen.add(definition.table)
      for (const object of store.list(definition.table, `${name}/`)) {
        if (object.metadata.deletionTimestamp === undefined) {
          const target = { namespace: name, name: object.metadata.name }
          // What a webhook refuses stays, and so does the namespace.
          await deleteObject(
            this.#server.context,
            definition,
            target,
            { propagationPolicy: 'Background' },
            request(),
          ).catch(() => undefined)
        }
      }
      left += store.list(definition.table, `${name}/`).length
    }
    const namespace = store.get(namespaceTable, name)
    if (left > 0 || namespace === undefined || namespace.metadata.deletionTimestamp === undefined) return
    if (arrayAt(namespace, 'spec', 'finalizers').length > 0)
      store.put(namespaceTable, name, withAt(namespace, ['spec'], {}))
    if (finalizersOf(namespace).length === 0) store.remove(namespaceTable, name)
  }
}

function request() {
  const user = 'system:serviceaccount:kube-system:namespace-controller'
  return writeRequest({
    caller: { user, groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'] },
    fieldManager: 'kube-controller-manager',
  })
}
