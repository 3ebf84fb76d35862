import type { CustomResourceDefinition, StructuralSchema } from '../custom-resource-definition.ts'
import { childPath } from '../json.ts'
import { brokenRules, compileRules } from './cel-rules.ts'
import { re2 } from './patterns.ts'

export interface DefinitionError {
  readonly path: string
  readonly message: string
}

/** What keeps a CustomResourceDefinition from being served: names, versions, and whether its schemas are structural. */
export function definitionErrors(definition: CustomResourceDefinition): DefinitionError[] {
  const { spec, metadata } = definition
  const errors: DefinitionError[] = []
  if (metadata.name !== `${spec.names.plural}.${spec.group}`) {
    errors.push({ path: 'metadata.name', message: 'must be spec.names.plural+"."+spec.group' })
  }
  const storage = spec.versions.filter((version) => version.storage).length
  if (storage !== 1)
    errors.push({ path: 'spec.versions', message: 'must have exactly one version marked as storage version' })
  for (const [index, version] of spec.versions.entries()) {
    const path = `spec.versions[${index}].schema.openAPIV3Schema`
    const schema = version.schema?.openAPIV3Schema
    if (schema === undefined) {
      errors.push({ path, message: 'Required value: schemas are required' })
      continue
    }
    if (schema.type !== 'object') errors.push({ path: `${path}.type`, message: 'must be object at the root' })
    errors.push(...schemaErrors(schema, path))
    for (const broken of brokenRules(compileRules(schema)))
      errors.push({ path, message: `compilation failed: ${broken}` })
  }
  return errors
}

function schemaErrors(schema: StructuralSchema, path: string): DefinitionError[] {
  const errors: DefinitionError[] = []
  const open = schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true
  if (schema.type === undefined && !open)
    errors.push({ path: `${path}.type`, message: 'Required value: must not be empty for specified object fields' })
  if (schema.properties !== undefined && schema.additionalProperties !== undefined) {
    errors.push({
      path: `${path}.additionalProperties`,
      message: 'Forbidden: additionalProperties and properties are mutual exclusive',
    })
  }
  if (schema.type === 'array' && schema.items === undefined)
    errors.push({ path: `${path}.items`, message: 'Required value: must be specified' })
  if (schema['x-kubernetes-list-type'] === 'map' && (schema['x-kubernetes-list-map-keys'] ?? []).length === 0) {
    errors.push({
      path: `${path}.x-kubernetes-list-map-keys`,
      message: 'Required value: must not be empty if x-kubernetes-list-type is map',
    })
  }
  if (schema.pattern !== undefined && !isPattern(schema.pattern))
    errors.push({ path: `${path}.pattern`, message: 'must be a valid regular expression' })
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    errors.push(...schemaErrors(child, childPath(`${path}.properties`, name)))
  }
  if (typeof schema.additionalProperties === 'object')
    errors.push(...schemaErrors(schema.additionalProperties, `${path}.additionalProperties`))
  if (schema.items !== undefined) errors.push(...schemaErrors(schema.items, `${path}.items`))
  return errors
}

function isPattern(pattern: string): boolean {
  try {
    re2(pattern)
    return true
  } catch {
    return false
  }
}
