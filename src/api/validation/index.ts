export { asInGo } from './cel-library.ts'
export {
  type Admitted,
  admit,
  type CompiledCustomResource,
  compileCustomResource,
  compileForStore,
  compileVersion,
} from './custom-resource.ts'
export { definitionErrors } from './definition.ts'
export { blocksRules, type FieldError, hasShape, rulesNotChecked } from './field-error.ts'
export { metadataErrors } from './metadata.ts'
export { compiledResourceOf } from './own-kinds.ts'
export { knownMetadata, metadataTypeErrors, unknownMetadata } from './metadata-fields.ts'
