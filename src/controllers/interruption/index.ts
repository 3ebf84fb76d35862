/** Reacting to what AWS says about instances. */
export { InterruptionHandler } from './handler.ts'
export { instanceStatusController } from './instance-status.ts'
export { interruptionController } from './queue-controller.ts'
