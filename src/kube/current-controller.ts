import { AsyncLocalStorage } from 'node:async_hooks'

const storage = new AsyncLocalStorage<string>()

/** Name of the controller whose reconciliation is running; empty outside of one. For metrics of calls that controllers make. */
export function currentController(): string {
  return storage.getStore() ?? ''
}

/** Everything that `run` begins, awaited or not, counts as the controller's. */
export function runAsController<T>(name: string, run: () => T): T {
  return storage.run(name, run)
}
