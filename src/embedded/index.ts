export { createEmbeddedCluster, type EmbeddedCluster, type EmbeddedClusterOptions } from './cluster.ts'
export { EmbeddedStateError, readEmbeddedState, writeEmbeddedState } from './persistence.ts'
