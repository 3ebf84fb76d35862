import type { Clock } from '../../../model/clock.ts'
import type { Random } from '../../../model/random.ts'
import type { FieldError } from '../errors.ts'
import type { IncomingObject, StoredObject } from '../object.ts'
import type { KindDefinition } from '../registry/definition.ts'
import type { Registry } from '../registry/registry.ts'
import type { Store } from '../store.ts'
import type { Bookmarks } from './bookmarks.ts'

/** Who calls. Certificates and tokens name the user; in-memory clients say it themselves. */
export interface Caller {
  readonly user: string
  readonly groups: readonly string[]
}

/** What comes with a write beside its object. */
export interface WriteRequest {
  readonly caller: Caller
  readonly fieldManager: string
  readonly dryRun: boolean
  /** What happens to fields the schema does not have. */
  readonly fieldValidation: 'Ignore' | 'Warn' | 'Strict'
  readonly warn: (message: string) => void
}

export interface Target {
  readonly namespace: string | undefined
  readonly name: string
}

type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'

/** A write on its way through admission. */
export interface AdmissionAttempt {
  readonly definition: KindDefinition
  readonly subresource: string | undefined
  readonly operation: Operation
  readonly target: Target
  readonly object: IncomingObject | undefined
  readonly old: StoredObject | undefined
  readonly request: WriteRequest
}

/**
 * Admission beyond the built-in rules. Both may answer at once, which keeps the server synchronous while no webhook matches;
 * a rejection is thrown.
 */
export interface Admission {
  mutate(attempt: AdmissionAttempt): IncomingObject | undefined | Promise<IncomingObject | undefined>
  validate(attempt: AdmissionAttempt): void | Promise<void>
}

/** Schema work for kinds that a CRD brought. */
export interface CustomSchemas {
  /** Prunes, applies defaults; `unknown` lists what was pruned. */
  admit(definition: KindDefinition, object: IncomingObject): { object: IncomingObject; unknown: readonly string[] }
  validate(definition: KindDefinition, object: IncomingObject, old: StoredObject | undefined): readonly FieldError[]
}

/** Whether pods get a service account, which has to exist, as where Kubernetes' controllers run. */
export type ServiceAccounts = 'admitted' | 'ignored'

export interface ApiContext {
  readonly store: Store
  readonly registry: Registry
  readonly clock: Clock
  readonly random: Random
  readonly admission: Admission
  readonly schemas: CustomSchemas
  readonly serviceAccounts: ServiceAccounts
  readonly bookmarks: Bookmarks
}
