import type { StructuralSchema } from '../../../api/custom-resource-definition.ts'
import type { FieldError, ResourceName } from '../errors.ts'
import type { JsonObject } from '../json.ts'
import type { IncomingObject, StoredObject } from '../object.ts'
import type { FieldGetter } from '../field-selectors.ts'
import type { StructType } from '../types/type-node.ts'

export type Subresource = 'status' | 'scale' | 'eviction' | 'binding' | 'log' | 'finalize'

/** Everything the server knows about one kind in one version. Built-in kinds and installed CRDs look alike from here on. */
export interface KindDefinition extends ResourceName {
  readonly version: string
  readonly singular: string
  readonly listKind: string
  readonly namespaced: boolean
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  /** Where objects of all versions of this kind are stored. */
  readonly table: string
  /** The version objects are stored in; others are read by renaming `apiVersion`, or by `conversion`. */
  readonly storageVersion: string
  /** Where this version differs from the stored one in more than its name. */
  readonly conversion: Conversion | undefined
  readonly type: StructType
  readonly subresources: ReadonlySet<Subresource>
  readonly scale: ScalePaths | undefined
  /** `metadata.generation` counts changes outside metadata and status. */
  readonly tracksGeneration: boolean
  /** Fields a field selector may name, beside `metadata.name` and `metadata.namespace`. */
  readonly fields: Readonly<Record<string, FieldGetter>>
  readonly columns: readonly TableColumn[]
  readonly strategy: Strategy
  /** Set for kinds that a CustomResourceDefinition brought. */
  readonly custom: CustomKind | undefined
}

/** Between a version and the one that is stored. Each way undoes the other. */
export interface Conversion {
  /** What the stored objects are called, as in the messages about them. */
  readonly stored: ResourceName
  readonly toStored: (object: JsonObject) => StoredObject
  readonly fromStored: (object: StoredObject) => StoredObject
}

export interface ScalePaths {
  readonly specReplicas: readonly string[]
  readonly statusReplicas: readonly string[]
  /** Where the selector lies: text, or a LabelSelector object. */
  readonly selector: readonly string[] | undefined
}

/** One column of a Table. Priority 1 columns are printed only with `-o wide`. */
export interface TableColumn {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  readonly format?: string
  readonly description?: string
  readonly priority: 0 | 1
  readonly value: (object: StoredObject, now: number) => unknown
}

/** What differs between kinds in how writes are handled. */
export interface Strategy {
  /** Fills in what the API documents as defaults. Runs on every write. */
  readonly applyDefaults: (object: IncomingObject) => IncomingObject
  /** Problems of a new object (`old` undefined) or of a change. */
  readonly validate: (object: IncomingObject, old: StoredObject | undefined) => readonly FieldError[]
  readonly validateStatus: (object: IncomingObject, old: StoredObject) => readonly FieldError[]
  /** Changes a new object beyond defaults: initial status, allocated addresses. */
  readonly prepareCreate: (object: IncomingObject) => IncomingObject
  /** Runs on updates outside the status subresource. */
  readonly prepareUpdate: (object: IncomingObject, old: StoredObject) => IncomingObject
  /** How long a delete waits, given what the request asks; 0 removes at once. */
  readonly gracePeriodSeconds: (object: StoredObject, requested: number | undefined) => number
  readonly validateName: (name: string) => string | undefined
  /** A client may set the status when it creates the object, as kubelets do. */
  readonly keepsStatusOnCreate: boolean
  /** A PUT without resourceVersion overwrites whatever is there. */
  readonly unconditionalUpdate: boolean
}

/** What a CustomResourceDefinition adds: the schema does the work that code does for built-in kinds. */
interface CustomKind {
  readonly schema: StructuralSchema | undefined
  readonly crdName: string
  /** Where its subresource `scale`, if it has one, reads how many are wanted. */
  readonly replicasPath: string | undefined
}

export function apiVersionOf({ group, version }: { group: string; version: string }): string {
  return group === '' ? version : `${group}/${version}`
}

/** Which fields of a write belong to nobody but the server, per subresource. */
export function hasStatus(definition: KindDefinition): boolean {
  return definition.subresources.has('status')
}
