import type { NodeClaim } from '../api/karpenter.ts'
import { labelNodePool } from '../api/labels.ts'
import type { Cache } from '../kube/controller.ts'

/** The claims of a pool, by its name. */
export function claimsByPool(claims: Cache<NodeClaim>): (pool: string) => readonly NodeClaim[] {
  claims.addIndex(byPool, poolNames)
  return (pool) => claims.by(byPool, pool)
}

/** The claims of a machine: usually one. */
export function claimsByProviderID(claims: Cache<NodeClaim>): (providerID: string) => readonly NodeClaim[] {
  claims.addIndex(byProviderID, providerIDs)
  return (providerID) => claims.by(byProviderID, providerID)
}

/** The pool that a claim names, if any. */
export function poolNames({ metadata }: NodeClaim): readonly string[] {
  const pool = metadata.labels?.[labelNodePool]
  return pool === undefined ? [] : [pool]
}

const byPool = 'nodepool'
const byProviderID = 'providerID'

function providerIDs({ status }: NodeClaim): readonly string[] {
  return status?.providerID === undefined || status.providerID === '' ? [] : [status.providerID]
}
