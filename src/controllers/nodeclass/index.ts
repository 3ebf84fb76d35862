/** Controllers of EC2NodeClasses. */
export { nodeClassController } from './controller.ts'
export { nodeClassHashController } from './hash.ts'
