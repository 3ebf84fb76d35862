import { conditionOf } from '../../api/conditions.ts'
import type { NodeClaim } from '../../api/karpenter.ts'
import {
  annotationEC2NodeClassHash as hashKey,
  annotationEC2NodeClassHashVersion as versionKey,
  awsGroup,
} from '../../api/labels.ts'
import { nodeClassKind } from '../../cloud/aws/keys.ts'
import { type Controller, done, source } from '../../kube/controller.ts'
import { isNotFound } from '../../kube/errors.ts'
import { ec2NodeClasses, nodeClaims } from '../../kube/karpenter-kinds.ts'
import { mergePatchBetween } from '../../kube/merge-patch.ts'
import { keyOf } from '../../kube/resource.ts'
import { claimsByClass, type NodeClassDeps } from './deps.ts'

/** Stamps classes with the hash that drift compares, and carries claims over when the way of hashing changes. */
export function nodeClassHashController(deps: Pick<NodeClassDeps, 'kube' | 'caches' | 'hash'>): Controller {
  const { kube, caches, hash } = deps
  const classes = caches.of(ec2NodeClasses)
  const claims = claimsByClass(caches)

  const carryOver = async (claim: NodeClaim, current: string): Promise<void> => {
    // A claim that has drifted keeps its old hash, or it would look as if it had not.
    const drifted = conditionOf(claim, 'Drifted') !== undefined
    const annotations = { [versionKey]: hash.version, ...(drifted ? {} : { [hashKey]: current }) }
    try {
      await kube.patch(nodeClaims, keyOf(claim), { kind: 'merge', body: { metadata: { annotations } } })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  return {
    name: 'nodeclass.hash',
    kind: { group: awsGroup, kind: nodeClassKind },
    concurrency: 10,
    sources: [source(ec2NodeClasses, ({ after, before }) => [keyOf(after ?? before)])],
    async reconcile(key) {
      const nodeClass = classes.get(key)
      if (nodeClass === undefined) return done
      const current = hash.of(nodeClass)
      const { annotations = {} } = nodeClass.metadata
      if (annotations[versionKey] !== hash.version) {
        const outdated = claims
          .of(nodeClass)
          .filter((claim) => claim.metadata.annotations?.[versionKey] !== hash.version)
        await Promise.all(outdated.map((claim) => carryOver(claim, current)))
      }
      const wanted = { ...annotations, [hashKey]: current, [versionKey]: hash.version }
      const changed = mergePatchBetween(annotations, wanted)
      if (changed === undefined) return done
      try {
        await kube.patch(ec2NodeClasses, key, { kind: 'merge', body: { metadata: { annotations: changed } } })
      } catch (error) {
        if (!isNotFound(error)) throw error
      }
      return done
    },
  }
}
