import type { CustomResourceDefinition, StructuralSchema } from '../custom-resource-definition.ts'
import { isRecord } from '../json.ts'
import { compileRules, ruleErrors } from './cel-rules.ts'
import { compileClean } from './clean.ts'
import { applyDefaults, compileFill } from './defaulting.ts'
import { blocksRules, type FieldError, rulesNotChecked } from './field-error.ts'
import { KnownParts } from './known-parts.ts'
import { prune, type Pruned } from './pruning.ts'
import { scaleErrors } from './scale.ts'
import { listTypeErrors, structuralErrors } from './structural.ts'

/** One version of a custom resource, as an API server handles its objects. Nothing given to it is changed. */
export interface CompiledCustomResource {
  readonly schema: StructuralSchema
  /** Drops unknown fields and says which. */
  prune(object: unknown): Pruned
  /** Fills in defaults; a null where none is allowed counts as absent. */
  default(object: unknown): unknown
  /** Errors of a pruned and defaulted object; with `old`, of its update. */
  validate(object: unknown, old?: unknown): FieldError[]
  /** All of this at once. */
  admit(object: unknown, old?: unknown): Admitted
}

const compiled = new WeakMap<StructuralSchema, CompiledCustomResource>()
const compiledForStore = new WeakMap<StructuralSchema, CompiledCustomResource>()

/** Compiles `openAPIV3Schema` of a version; once per schema object. `replicasPath` is that of its subresource `scale`. */
export function compileCustomResource(schema: StructuralSchema, replicasPath?: string): CompiledCustomResource {
  const known = compiled.get(schema) ?? compile(schema, { replicasPath, memory: undefined })
  compiled.set(schema, known)
  return known
}

/** The same for whoever never changes an object: what was looked at once is not looked at again. */
export function compileForStore(schema: StructuralSchema, replicasPath?: string): CompiledCustomResource {
  const known = compiledForStore.get(schema) ?? compile(schema, { replicasPath, memory: emptyMemory() })
  compiledForStore.set(schema, known)
  return known
}

/** Of each step the fields in which it found nothing. */
type Memory = Readonly<Record<'whole' | 'complete' | 'clean' | 'kept', KnownParts>>

function emptyMemory(): Memory {
  return { whole: new KnownParts(), complete: new KnownParts(), clean: new KnownParts(), kept: new KnownParts() }
}

function compile(
  schema: StructuralSchema,
  { replicasPath, memory }: { readonly replicasPath: string | undefined; readonly memory: Memory | undefined },
): CompiledCustomResource {
  const rules = compileRules(schema)
  const isClean = compileClean(schema, memory?.clean)
  const ofScale = (object: unknown): FieldError[] =>
    replicasPath === undefined ? [] : scaleErrors(object, replicasPath)
  const fill = compileFill(schema) ?? ((object: unknown) => object)
  const resource: CompiledCustomResource = {
    schema,
    prune: (object) => prune(object, schema, memory?.whole),
    default: (object) => applyDefaults(object, schema, memory?.complete),
    admit(object, old) {
      const filled = fill(object)
      if (isClean(filled)) {
        return {
          object: filled,
          unknownFields: [],
          errors: [...ofScale(filled), ...ruleErrors(filled, rules, '', old)],
        }
      }
      const { value, dropped } = resource.prune(object)
      const completed = resource.default(value)
      const errors = isRecord(completed) ? resource.validate(completed, old) : resource.validate(completed)
      return { object: completed, unknownFields: dropped, errors }
    },
    validate(object, old) {
      if (isClean(object)) return [...ofScale(object), ...ruleErrors(object, rules, '', old, memory?.kept)]
      const structural = structuralErrors(object, schema, '', old)
      const errors = [...structural, ...ofScale(object), ...listTypeErrors(object, schema, '', old)]
      return errors.some(blocksRules)
        ? [...errors, rulesNotChecked()]
        : [...errors, ...ruleErrors(object, rules, '', old)]
    },
  }
  return resource
}

/** The served version of a definition; undefined when it has none of that name. */
export function compileVersion(
  definition: CustomResourceDefinition,
  version: string,
): CompiledCustomResource | undefined {
  const served = definition.spec.versions.find(({ name, served }) => name === version && served)
  if (served === undefined) return undefined
  const replicasPath = served.subresources?.scale?.specReplicasPath
  return compileCustomResource(served.schema?.openAPIV3Schema ?? openSchema, replicasPath)
}

const openSchema: StructuralSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

export interface Admitted {
  /** Pruned and defaulted. */
  readonly object: unknown
  readonly unknownFields: readonly string[]
  readonly errors: readonly FieldError[]
}

/** Everything an API server does to an object on its way in: prune, default, validate. */
export function admit(resource: CompiledCustomResource, object: unknown, old?: unknown): Admitted {
  return resource.admit(object, old)
}
