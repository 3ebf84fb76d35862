/** Controllers of EC2NodeClasses. */
export { type NodeClassController, nodeClassController } from './controller.ts'
export type { NodeClassDeps } from './deps.ts'
export { nodeClassHashController } from './hash.ts'
