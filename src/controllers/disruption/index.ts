export type { DisruptionCluster, DisruptionDeps, DisruptionSettings, StaticPools } from './deps.ts'
export { disruptionController } from './controller.ts'
export { OrchestrationQueue, type QueuedCommand } from './orchestration-queue.ts'
export { type NodeVerdict, VerdictBook } from './verdicts.ts'
