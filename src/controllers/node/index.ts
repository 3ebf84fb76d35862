export { type EvictionQueue, evictionQueue, type EvictionQueueDeps } from './eviction-queue.ts'
export { nodeHydration } from './hydration.ts'
export { nodeTermination, type NodeTerminationDeps } from './termination.ts'
