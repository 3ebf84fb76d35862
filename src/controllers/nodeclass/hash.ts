import { ec2NodeClassHashAnnotations, planHashStamps } from '../../api/hash/index.ts'
import { awsGroup } from '../../api/labels.ts'
import { nodeClassKind } from '../../cloud/aws/keys.ts'
import { type Controller, done, source } from '../../kube/controller.ts'
import { ec2NodeClasses } from '../../kube/karpenter-kinds.ts'
import { keyOf } from '../../kube/resource.ts'
import { retriesOfFew } from '../few-objects.ts'
import { writeHashStamps } from '../hash-stamps.ts'
import { claimsByClass, type NodeClassDeps } from './deps.ts'

/** Stamps classes with the hash that drift compares, and carries claims over when the way of hashing changes. */
export function nodeClassHashController(deps: Pick<NodeClassDeps, 'kube' | 'caches' | 'cloud'>): Controller {
  const { kube, caches, cloud } = deps
  const classes = caches.of(ec2NodeClasses)
  const claims = claimsByClass(caches)

  return {
    name: 'nodeclass.hash',
    kind: { group: awsGroup, kind: nodeClassKind },
    concurrency: 10,
    rateLimit: retriesOfFew,
    sources: [source(ec2NodeClasses, ({ after, before }) => [keyOf(after ?? before)])],
    async reconcile(key) {
      const nodeClass = classes.get(key)
      if (nodeClass === undefined) return done
      const present = {
        hash: cloud.hash.of(nodeClass),
        version: cloud.hash.version,
        input: cloud.hash.inputOf(nodeClass),
      }
      const own = claims.of(nodeClass)
      const plan = planHashStamps(nodeClass, own, present, ec2NodeClassHashAnnotations)
      return await writeHashStamps(kube, ec2NodeClasses, nodeClass, own, plan)
    },
  }
}
