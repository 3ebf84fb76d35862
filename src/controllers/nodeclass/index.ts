/** Controllers of EC2NodeClasses. */
export { type NodeClassController, nodeClassController } from './controller.ts'
export type { KubeletChecks, NodeClassDeps } from './deps.ts'
export { nodeClassHashController } from './hash.ts'
