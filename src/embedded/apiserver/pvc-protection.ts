import type { Timer } from '../../model/clock.ts'
import { updateObject } from './api/update.ts'
import { arrayAt, textAt } from './json.ts'
import { finalizersOf, type StoredObject, withMetadata } from './object.ts'
import { pvcProtectionFinalizer } from './registry/kinds-core.ts'
import { type ApiServer, writeRequest } from './server.ts'

const claimTable = '/persistentvolumeclaims'
const podTable = '/pods'
/** How long after a change the controller looks. */
const delayMs = 10

/** Lets a deleted claim go once no unfinished pod uses it. */
export class PvcProtection {
  readonly #server: ApiServer
  readonly #deleted = new Map<string, StoredObject>()
  readonly #unsubscribe: () => void
  #timer: Timer | undefined

  constructor(server: ApiServer) {
    this.#server = server
    const { store } = server.context
    for (const claim of store.list(claimTable)) this.#note(claim)
    const stopClaims = store.subscribe(claimTable, ({ type, key, object }) => {
      if (type === 'DELETED') this.#deleted.delete(key)
      else this.#note(object)
    })
    const stopPods = store.subscribe(podTable, () => {
      if (this.#deleted.size > 0) this.#schedule()
    })
    this.#unsubscribe = () => {
      stopClaims()
      stopPods()
    }
  }

  stop(): void {
    this.#unsubscribe()
    this.#timer?.cancel()
  }

  #note(claim: StoredObject): void {
    if (claim.metadata.deletionTimestamp === undefined || !finalizersOf(claim).includes(pvcProtectionFinalizer)) return
    this.#deleted.set(`${claim.metadata.namespace ?? ''}/${claim.metadata.name}`, claim)
    this.#schedule()
  }

  #schedule(): void {
    this.#timer ??= this.#server.context.clock.schedule(delayMs, () => {
      this.#timer = undefined
      for (const claim of this.#deleted.values()) if (!this.#isUsed(claim)) void this.#release(claim)
    })
  }

  #isUsed(claim: StoredObject): boolean {
    const { namespace = '', name } = claim.metadata
    return this.#server.context.store.list(podTable, `${namespace}/`).some((pod) => {
      const phase = textAt(pod, 'status', 'phase')
      if (phase === 'Succeeded' || phase === 'Failed') return false
      // One that waits uses nothing yet, and would wait for the claim that waits for it.
      if ((textAt(pod, 'spec', 'nodeName') ?? '') === '') return false
      return arrayAt(pod, 'spec', 'volumes').some(
        (volume) => textAt(volume, 'persistentVolumeClaim', 'claimName') === name,
      )
    })
  }

  async #release(claim: StoredObject): Promise<void> {
    const { namespace, name } = claim.metadata
    const definition = this.#server.definition('', 'v1', 'persistentvolumeclaims')
    const change = (old: StoredObject): StoredObject => {
      const left = finalizersOf(old).filter((finalizer) => finalizer !== pvcProtectionFinalizer)
      return withMetadata(old, { finalizers: left.length === 0 ? undefined : left })
    }
    this.#deleted.delete(`${namespace ?? ''}/${name}`)
    try {
      const input = { target: { namespace, name }, subresource: undefined, change }
      await updateObject(
        this.#server.context,
        definition,
        input,
        writeRequest({ fieldManager: 'kube-controller-manager' }),
      )
    } catch {
      // Gone already, or changed meanwhile, which brings it back here.
    }
  }
}
