export { evictionQueue } from './eviction-queue.ts'
export { nodeHydration } from './hydration.ts'
export { nodeTermination } from './termination.ts'
