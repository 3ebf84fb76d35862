import { httpsTransport, type WebhookTransport } from '../../src/embedded/apiserver/index.ts'

/**
 * How the API server's questions to admission webhooks went. They are asked over TLS, on sockets of this machine, and one after the other:
 * which of two is answered first the seed does not decide.
 */
export class AdmissionDoor {
  answers = 0
  #last: Promise<unknown> = Promise.resolve()
  /** Why no answer came, and how often. */
  readonly failures = new Map<string, number>()

  readonly transport: WebhookTransport = async (call) => {
    const asked = this.#last.then(() => httpsTransport(call))
    this.#last = asked.catch(() => undefined)
    try {
      const text = await asked
      this.answers += 1
      return text
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      this.failures.set(why, (this.failures.get(why) ?? 0) + 1)
      throw error
    }
  }

  get failed(): number {
    return [...this.failures.values()].reduce((sum, count) => sum + count, 0)
  }
}
