export { nodeRepair } from './repair.ts'
