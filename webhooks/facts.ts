import { type AdmissionFacts, selectorMatchesOf } from '../src/admission/index.ts'
import { ec2NodeClassHashAnnotations, nodePoolHashAnnotations } from '../src/api/hash/index.ts'
import { memberOf } from '../src/api/json.ts'
import type { EC2NodeClass, NodeClaim, NodePool } from '../src/api/karpenter.ts'
import type { KubeObject } from '../src/api/kubernetes.ts'
import { pick } from '../src/api/pick.ts'
import type { Cache, Caches } from '../src/kube/controller.ts'
import { ec2NodeClasses, nodeClaims, nodePools } from '../src/kube/karpenter-kinds.ts'
import type { Projection } from '../src/kube/projections.ts'
import type { Resource } from '../src/kube/resource.ts'
import type { TypeOutline } from '../src/model/instance-type.ts'
import type { ReviewRequest } from './review.ts'

/**
 * What caches keep for these facts. A claim may name hundreds of instance types: of a few thousand whole ones the webhook would have no
 * memory for anything else, and what a change does to a node is told by its labels, hashes and image.
 */
export const factProjections: ReadonlyMap<Resource, Projection> = new Map([
  [nodeClaims as Resource, (object: KubeObject): KubeObject => claimOutline(object as NodeClaim)],
])

function claimOutline({ apiVersion, kind, metadata, spec, status }: NodeClaim): KubeObject {
  const kept = pick(metadata, ['name', 'uid', 'resourceVersion', 'creationTimestamp', 'deletionTimestamp', 'labels'])
  const annotations = pick(metadata.annotations ?? {}, hashes)
  // Nobody has vouched for the shape of what is stored.
  const reference = { nodeClassRef: memberOf(spec, 'nodeClassRef') }
  const imageID = memberOf(status, 'imageID')
  const image = imageID === undefined ? {} : { status: { imageID } }
  const outline = { apiVersion, kind, metadata: { ...kept, annotations }, spec: reference, ...image }
  return outline
}

const hashes = [nodePoolHashAnnotations, ec2NodeClassHashAnnotations].flatMap(({ hash, version }) => [hash, version])

/**
 * Instance types that a pool could be given, from memory: no call may be made during a review. Undefined when nothing is known, as for
 * a region without a table.
 */
export type CatalogueSource = (
  pool: NodePool,
  nodeClasses: readonly EC2NodeClass[],
) => readonly TypeOutline[] | undefined

/**
 * What the rules that depend on the cluster look at: watched objects only, so that a review never waits for a call. A kind that has
 * not been read yet is unknown, and rules that need it say nothing.
 */
export function cachedFacts(
  caches: Caches,
  more: AdmissionFacts = {},
  catalogueOf: CatalogueSource = () => undefined,
): (request: ReviewRequest) => AdmissionFacts {
  const pools = caches.of(nodePools)
  const classes = caches.of(ec2NodeClasses)
  const claims = caches.of(nodeClaims)
  return ({ object, oldObject }) => {
    const knownPools = listed(pools)
    const knownClasses = listed(classes)
    const knownClaims = listed(claims)
    const selectorMatches =
      object?.kind === 'EC2NodeClass' && oldObject !== undefined
        ? selectorMatchesOf(oldObject as EC2NodeClass, (object as EC2NodeClass).spec)
        : undefined
    return {
      ...more,
      catalogueOf: (pool) => catalogueOf(pool, knownClasses ?? []),
      ...(knownPools === undefined ? {} : { nodePools: knownPools }),
      ...(knownClasses === undefined ? {} : { nodeClasses: knownClasses }),
      ...(knownClaims === undefined ? {} : { nodeClaims: knownClaims }),
      ...(selectorMatches === undefined ? {} : { selectorMatches }),
    }
  }
}

function listed<T extends KubeObject>(cache: Cache<T>): readonly T[] | undefined {
  return cache.synced ? cache.list() : undefined
}
