import { createDefaultAccount, isDefaultAccount } from './api/service-accounts.ts'
import type { ApiServer } from './server.ts'

/** How long after a deletion the account is there again. */
const delayMs = 10

/** Brings the default service account of a namespace back when somebody deletes it. */
export class AccountController {
  readonly #unsubscribe: () => void

  constructor({ context }: ApiServer) {
    const { store, clock } = context
    this.#unsubscribe = store.subscribe('/serviceaccounts', ({ type, object }) => {
      if (type !== 'DELETED' || !isDefaultAccount(object)) return
      clock.schedule(delayMs, () => {
        const namespace = store.get('/namespaces', object.metadata.namespace ?? '')
        if (namespace !== undefined && namespace.metadata.deletionTimestamp === undefined) {
          createDefaultAccount(context, namespace)
        }
      })
    })
  }

  stop(): void {
    this.#unsubscribe()
  }
}
