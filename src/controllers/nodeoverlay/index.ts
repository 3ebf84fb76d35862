export { nodeOverlayEvaluation } from './evaluation.ts'
export { OverlayStore } from './overlay-store.ts'
