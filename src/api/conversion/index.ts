export { convertAll, planConversion, planConversions, whyInconvertible } from './convert.ts'
export { applyEdits, type Edit, type Path } from './edits.ts'
export type { ConversionPlan } from './plan.ts'
