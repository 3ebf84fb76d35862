import { jsonEqual } from '../../api/json.ts'
import { isNotFound, KubeError } from '../../kube/errors.ts'
import { type Timer, toTimestamp } from '../../model/clock.ts'
import { deleteObject } from './api/delete.ts'
import { arrayAt, isObject, withAt } from './json.ts'
import { remainsConditions } from './namespace-conditions.ts'
import { finalizersOf, type StoredObject } from './object.ts'
import { type ApiServer, writeRequest } from './server.ts'

const namespaceTable = '/namespaces'
/** How long after a change the controller looks. */
const delayMs = 10
/** The longest pause between two tries of what is refused; each is twice the one before. */
const retryMaxMs = 30_000

/** Empties namespaces that are being deleted, and removes them once nothing is left. */
export class NamespaceController {
  readonly #server: ApiServer
  readonly #terminating = new Set<string>()
  readonly #unsubscribe: () => void
  #timer: Timer | undefined
  /** Until what was refused is tried once more. */
  #again: Timer | undefined
  #pauseMs = delayMs

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
    this.#again?.cancel()
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
    let isRefused = false
    for (const name of [...this.#terminating].sort()) if (await this.#empty(name)) isRefused = true
    this.#again?.cancel()
    this.#again = undefined
    this.#pauseMs = isRefused ? Math.min(retryMaxMs, this.#pauseMs * 2) : delayMs
    if (isRefused) this.#again = this.#server.context.clock.schedule(this.#pauseMs, () => this.#schedule())
  }

  /** True where something in it may not be deleted, say because a webhook refuses. */
  async #empty(name: string): Promise<boolean> {
    const { store, registry, clock } = this.#server.context
    const refusals: string[] = []
    const tables = new Map(registry.all().flatMap((each) => (each.namespaced ? [[each.table, each] as const] : [])))
    for (const [table, definition] of tables) {
      for (const object of store.list(table, `${name}/`)) {
        if (object.metadata.deletionTimestamp !== undefined) continue
        const target = { namespace: name, name: object.metadata.name }
        try {
          await deleteObject(this.#server.context, definition, target, { propagationPolicy: 'Background' }, request())
        } catch (error) {
          if (!(error instanceof KubeError)) throw error
          if (!isNotFound(error)) refusals.push(error.message)
        }
      }
    }
    const namespace = store.get(namespaceTable, name)
    if (namespace?.metadata.deletionTimestamp === undefined) return false
    const resources = new Map<string, number>()
    const finalizers = new Map<string, number>()
    for (const [table, { group, plural }] of tables) {
      const left = store.list(table, `${name}/`)
      if (left.length > 0) resources.set(`${plural}.${group}`, left.length)
      for (const finalizer of left.flatMap(finalizersOf))
        finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1)
    }
    if (resources.size > 0) {
      const before = arrayAt(namespace, 'status', 'conditions').filter(isObject)
      const conditions = remainsConditions({ resources, finalizers, refusals }, before, toTimestamp(clock.now()))
      if (!jsonEqual(before, conditions))
        store.put(namespaceTable, name, withAt(namespace, ['status', 'conditions'], conditions))
      return refusals.length > 0
    }
    if (arrayAt(namespace, 'spec', 'finalizers').length > 0)
      store.put(namespaceTable, name, withAt(namespace, ['spec'], {}))
    if (finalizersOf(namespace).length === 0) store.remove(namespaceTable, name)
    return false
  }
}

function request() {
  const user = 'system:serviceaccount:kube-system:namespace-controller'
  return writeRequest({
    caller: { user, groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'] },
    fieldManager: 'kube-controller-manager',
  })
}
