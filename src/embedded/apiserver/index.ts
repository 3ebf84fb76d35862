export { type ClientIdentity, clientFor } from './client.ts'
export { createApiServer } from './create.ts'
export type { ClientCall, Fault, FaultInjection } from './faults.ts'
export { type ApiServer, type ApiServerOptions, systemCaller, writeRequest } from './server.ts'
