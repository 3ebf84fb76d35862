import {
  ec2NodeClassHash,
  ec2NodeClassHashAnnotations,
  ec2NodeClassHashVersion,
  type HashAnnotations,
  nodePoolHash,
  nodePoolHashAnnotations,
  nodePoolHashVersion,
  planHashStamps,
  type StampedHash,
} from '../../api/hash/index.ts'
import type { EC2NodeClass, EC2NodeClassSpec, NodeClaim, NodePool } from '../../api/karpenter.ts'
import type { KubeObject } from '../../api/kubernetes.ts'
import { awsGroup, labelNodePool } from '../../api/labels.ts'

/** The hash annotations as the controllers would have written them. */
export interface Stamped {
  readonly nodePools: ReadonlyMap<string, NodePool>
  readonly nodeClasses: ReadonlyMap<string, EC2NodeClass>
  /** By name. */
  readonly claims: ReadonlyMap<string, NodeClaim>
}

interface Side {
  readonly nodePools: readonly NodePool[]
  readonly nodeClasses: readonly EC2NodeClass[]
}

/**
 * Stamps first what is there now, which may carry claims over from another way of hashing, and then what is proposed: so a change of
 * version never looks like a change of the fleet.
 */
export function stampHashes(present: Side, proposed: Side, claims: readonly NodeClaim[]): Stamped {
  const stamped = new Map(claims.map((claim) => [claim.metadata.name, claim]))
  const carryOver = (parent: KubeObject, own: readonly NodeClaim[], hash: StampedHash, keys: HashAnnotations): void => {
    for (const { index, annotations } of planHashStamps(parent, own, hash, keys).claims) {
      const claim = own[index]
      if (claim !== undefined) stamped.set(claim.metadata.name, annotated(claim, annotations))
    }
  }
  const byPool = Map.groupBy(claims, ({ metadata }) => metadata.labels?.[labelNodePool] ?? '')
  for (const pool of present.nodePools) {
    const hash = { hash: nodePoolHash(pool), version: nodePoolHashVersion }
    carryOver(pool, byPool.get(pool.metadata.name) ?? [], hash, nodePoolHashAnnotations)
  }
  const byClass = Map.groupBy([...stamped.values()], ({ spec }) =>
    spec.nodeClassRef.group === awsGroup ? spec.nodeClassRef.name : '',
  )
  const trusted = new Map<string, bigint>()
  for (const nodeClass of present.nodeClasses) {
    const { name } = nodeClass.metadata
    const residue = residueOf(nodeClass)
    trusted.set(name, residue)
    const hash = { hash: classHash(nodeClass.spec, residue), version: ec2NodeClassHashVersion }
    carryOver(nodeClass, byClass.get(name) ?? [], hash, ec2NodeClassHashAnnotations)
  }
  // One controller stamps all classes, so what is not in the specs is the same for new ones.
  const [anyResidue = 0n] = trusted.values()
  return {
    nodePools: new Map(
      proposed.nodePools.map((pool) => [
        pool.metadata.name,
        annotated(pool, {
          [nodePoolHashAnnotations.hash]: nodePoolHash(pool),
          [nodePoolHashAnnotations.version]: nodePoolHashVersion,
        }),
      ]),
    ),
    nodeClasses: new Map(
      proposed.nodeClasses.map((nodeClass) => {
        const { name } = nodeClass.metadata
        const hash = classHash(nodeClass.spec, trusted.get(name) ?? anyResidue)
        const stamp = {
          [ec2NodeClassHashAnnotations.hash]: hash,
          [ec2NodeClassHashAnnotations.version]: ec2NodeClassHashVersion,
        }
        return [name, annotated(nodeClass, stamp)]
      }),
    ),
    claims: stamped,
  }
}

/**
 * What the stamp holds beside the spec: the hash of the cluster's CA bundle, which a plan does not know. A redacted user data gives
 * another residue, which is just as good as long as both sides have the same one.
 */
export function residueOf(nodeClass: Pick<EC2NodeClass, 'metadata' | 'spec'>): bigint {
  const { annotations = {} } = nodeClass.metadata
  const stamp = annotations[ec2NodeClassHashAnnotations.hash]
  const version = annotations[ec2NodeClassHashAnnotations.version]
  if (stamp === undefined || !/^\d{1,20}$/.test(stamp) || nodeClass.spec === undefined) return 0n
  if (version !== 'v5' && version !== 'v6') return 0n
  return BigInt(stamp) ^ BigInt(ec2NodeClassHash({ spec: nodeClass.spec }, '', version))
}

export function classHash(spec: EC2NodeClassSpec | undefined, residue: bigint): string {
  return spec === undefined ? '' : (BigInt(ec2NodeClassHash({ spec }, '')) ^ residue).toString()
}

function annotated<T extends KubeObject>(object: T, annotations: Readonly<Record<string, string>>): T {
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } },
  }
}
