import { customResourceDefinitions } from '../../../src/api/karpenter.ts'
import { admit, type CompiledCustomResource, compileVersion } from '../../../src/api/validation/index.ts'
import type { CaseKind, CaseObject } from '../../support/api-cases.ts'
import type { ControlPlane } from './control-plane.ts'
import { warningTexts } from './warnings.ts'

/** What admission says about an object. */
export interface Verdict {
  /** `path: text` of each mistake, sorted. */
  readonly errors: readonly string[]
  /** What would be stored. */
  readonly spec?: unknown
  readonly unknownFields?: readonly string[]
}

/** With the generated definitions, by our own validation; `stored` is what the object replaces. */
export function judgedByUs(object: CaseObject, stored?: CaseObject): Verdict {
  const admitted = admit(resourceOf(object.kind), object, stored)
  if (admitted.errors.length > 0) return { errors: textsOf(admitted.errors.map(({ message }) => message)) }
  return { errors: [], spec: (admitted.object as CaseObject).spec, unknownFields: admitted.unknownFields.toSorted() }
}

/** By the API server and the definitions that it has. */
export async function judgedByServer(
  controlPlane: ControlPlane,
  object: CaseObject,
  method: 'POST' | 'PUT' = 'POST',
): Promise<Verdict> {
  const path = method === 'POST' ? pathOf(object) : `${pathOf(object)}/${object.metadata.name}`
  const { status, body, headers } = await controlPlane.request(
    method,
    `${path}?dryRun=All&fieldValidation=Warn`,
    object,
  )
  if (status === 200 || status === 201) {
    const unknownFields = warningTexts(headers).map((text) => /^unknown field "(.*)"$/.exec(text)?.[1] ?? text)
    return { errors: [], spec: (body as CaseObject).spec, unknownFields: unknownFields.sort() }
  }
  const { message, details } = body as { message: string; details?: { causes?: { field: string; message: string }[] } }
  const causes = details?.causes ?? []
  return {
    errors:
      causes.length === 0 ? [`${status}: ${message}`] : textsOf(causes.map((one) => `${one.field}: ${one.message}`)),
  }
}

/** The mistakes, in no order: on updates a server repeats what is wrong with metadata. */
function textsOf(messages: readonly string[]): string[] {
  return [...new Set(messages)].sort()
}

/** Where objects of the kind are. */
export function pathOf({ apiVersion, kind }: CaseObject): string {
  return `/apis/${apiVersion}/${definitionOf(kind).spec.names.plural}`
}

function definitionOf(kind: CaseKind) {
  const definition = customResourceDefinitions.find(({ spec }) => spec.names.kind === kind)
  if (definition === undefined) throw new Error(`no definition of ${kind}`)
  return definition
}

function resourceOf(kind: CaseKind): CompiledCustomResource {
  const definition = definitionOf(kind)
  const compiled = compileVersion(definition, definition.spec.versions[0]?.name ?? '')
  if (compiled === undefined) throw new Error(`${kind} is not served`)
  return compiled
}
