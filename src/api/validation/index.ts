export {
  type Admitted,
  admit,
  type CompiledCustomResource,
  compileCustomResource,
  compileVersion,
} from './custom-resource.ts'
export { type DefinitionError, definitionErrors } from './definition.ts'
export { type FieldError, type FieldErrorType, hasShape } from './field-error.ts'
