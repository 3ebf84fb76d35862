export { nodeOverlayEvaluation, type OverlayEvaluationDeps } from './evaluation.ts'
export { OverlayStore } from './overlay-store.ts'
