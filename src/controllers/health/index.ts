export { nodeRepair, type NodeRepairDeps } from './repair.ts'
