export { breakerGate } from './breaker-gate.ts'
export { circuitBreakerController } from './circuit-breaker-controller.ts'
export { LaunchGuard } from './launch-guard.ts'
export { VainLaunches } from './vain-launches.ts'
