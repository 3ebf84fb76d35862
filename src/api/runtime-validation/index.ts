export {
  kubeletErrors,
  kubeletExpressionsDisabledMessage,
  kubeletExpressionMessage,
  kubeletExpressions,
  unsupportedKubeletErrors,
} from './kubelet.ts'
export { nodeOverlayErrors } from './node-overlay.ts'
export { joinRuntimeErrors, nodePoolErrors, quantityErrors } from './node-pool.ts'
export { requirementErrors } from './requirements.ts'
export { restrictedTagKeys, tagsErrorMessage } from './tags.ts'
export { volumeSizeProblems } from './volume-sizes.ts'
