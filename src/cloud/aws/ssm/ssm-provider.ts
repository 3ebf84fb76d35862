import type { Clock } from '../../../model/clock.ts'
import { ExpiringMap } from '../../../model/expiring-map.ts'
import type { SSMClient } from '../clients.ts'

export interface Parameter {
  /** Name or ARN. */
  readonly name: string
  readonly kind: 'alias' | 'user'
  /** Whether its value may change: then its image is watched for deprecation. */
  readonly mutable: boolean
}

interface Entry {
  readonly parameter: Parameter
  readonly value: string
}

/** AWS's own parameters name the images of a release; a user's may be moved any time. */
const aliasTtlMs = 24 * 3_600_000
const userTtlMs = 5 * 60_000

export class SSMProvider {
  readonly #ssm: SSMClient
  readonly #cache: ExpiringMap<string, Entry>

  constructor(options: { readonly ssm: SSMClient; readonly clock: Clock }) {
    this.#ssm = options.ssm
    this.#cache = new ExpiringMap({ clock: options.clock, ttlMs: aliasTtlMs })
  }

  /** The parameter's value; undefined when it has none. Rejects with what SSM answered. */
  async get(parameter: Parameter): Promise<string | undefined> {
    const known = this.#cache.get(parameter.name)
    if (known !== undefined) return known.value
    const answer = await this.#ssm.getParameter({ Name: parameter.name })
    const value = answer.Parameter?.Value
    if (value === undefined) return undefined
    this.#cache.set(parameter.name, { parameter, value }, parameter.kind === 'user' ? userTtlMs : aliasTtlMs)
    return value
  }

  /** Cached values that may move to another image. */
  mutableValues(): readonly { readonly name: string; readonly value: string }[] {
    return this.#cache
      .entries()
      .filter(([, entry]) => entry.parameter.mutable)
      .map(([name, entry]) => ({ name, value: entry.value }))
  }

  invalidate(name: string): void {
    this.#cache.delete(name)
  }

  clear(): void {
    this.#cache.clear()
  }
}
