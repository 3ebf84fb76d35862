import type { NodeClaim } from '../../api/karpenter.ts'
import { nodeClassLabelKey } from '../../api/labels.ts'
import type { Node, Pod } from '../../api/kubernetes.ts'
import type { CloudProvider } from '../../cloud/provider.ts'
import type { Cache, Caches } from '../../kube/controller.ts'
import { nodeClaims } from '../../kube/karpenter-kinds.ts'
import { nodes, pods } from '../../kube/kinds.ts'
import type { ObjectKey } from '../../kube/resource.ts'
import { claimsByProviderID } from '../claim-indexes.ts'

/** Finds the other half of a machine. The two halves are joined by provider ID, never by name. */
export interface MachineLookup {
  readonly claims: Cache<NodeClaim>
  readonly nodes: Cache<Node>
  nodesOf(claim: NodeClaim): readonly Node[]
  claimsOf(node: Node): readonly NodeClaim[]
  /** Undefined also when several claims name the node's provider ID. */
  onlyClaimOf(node: Node): NodeClaim | undefined
  /** Undefined also when several nodes name the claim's provider ID. */
  onlyNodeOf(claim: NodeClaim): Node | undefined
  podsOn(nodeName: string): readonly Pod[]
}

const byProviderID = 'providerID'
const byNodeName = 'nodeName'

export function machineLookup(caches: Caches): MachineLookup {
  const claimCache = caches.of(nodeClaims)
  const nodeCache = caches.of(nodes)
  const podCache = caches.of(pods)
  const claimsAt = claimsByProviderID(claimCache)
  nodeCache.addIndex(byProviderID, providerIDs)
  podCache.addIndex(byNodeName, nodeNames)
  const nodesOf = (claim: NodeClaim): readonly Node[] =>
    present(claim.status?.providerID).flatMap((id) => nodeCache.by(byProviderID, id))
  const claimsOf = (node: Node): readonly NodeClaim[] => present(node.spec.providerID).flatMap(claimsAt)
  return {
    claims: claimCache,
    nodes: nodeCache,
    nodesOf,
    claimsOf,
    onlyClaimOf: (node) => onlyOne(claimsOf(node)),
    onlyNodeOf: (claim) => onlyOne(nodesOf(claim)),
    podsOn: (nodeName) => podCache.by(byNodeName, nodeName),
  }
}

/** Claims that name a NodeClass of another provider are not ours. */
export function isManagedClaim(claim: NodeClaim, cloud: Pick<CloudProvider, 'nodeClassKinds'>): boolean {
  const { group, kind } = claim.spec.nodeClassRef
  return cloud.nodeClassKinds.some((served) => served.group === group && served.kind === kind)
}

export function isManagedNode(node: Node, cloud: Pick<CloudProvider, 'nodeClassKinds'>): boolean {
  return cloud.nodeClassKinds.some((served) => node.metadata.labels?.[nodeClassLabelKey(served)] !== undefined)
}

/** Keys of the claims that a node may concern; for the sources of claim controllers. */
export function claimKeysOf(lookup: MachineLookup, ...versions: readonly (Node | undefined)[]): readonly ObjectKey[] {
  const names = new Set(
    versions.flatMap((node) => (node === undefined ? [] : lookup.claimsOf(node))).map((claim) => claim.metadata.name),
  )
  return [...names].map((name) => ({ name }))
}

function providerIDs({ spec }: Node): readonly string[] {
  return present(spec.providerID)
}

function nodeNames({ spec }: Pod): readonly string[] {
  return present(spec.nodeName)
}

function present(text: string | undefined): readonly string[] {
  return text === undefined || text === '' ? [] : [text]
}

function onlyOne<T>(list: readonly T[]): T | undefined {
  return list.length === 1 ? list[0] : undefined
}
