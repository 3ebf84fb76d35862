/** Reacting to what AWS says about instances. */
export { type InterruptionDeps, InterruptionHandler } from './handler.ts'
export { type InstanceStatusDeps, instanceStatusController } from './instance-status.ts'
export { interruptionController, type QueueDeps } from './queue-controller.ts'
