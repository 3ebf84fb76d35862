import { type AnnotationPatch, ec2NodeClassHashAnnotations, planHashStamps } from '../../api/hash/index.ts'
import type { KubeObject } from '../../api/kubernetes.ts'
import { awsGroup } from '../../api/labels.ts'
import { nodeClassKind } from '../../cloud/aws/keys.ts'
import { type Controller, done, requeueAfter, source } from '../../kube/controller.ts'
import { isNotFound } from '../../kube/errors.ts'
import { ec2NodeClasses, nodeClaims } from '../../kube/karpenter-kinds.ts'
import { keyOf, type Resource } from '../../kube/resource.ts'
import { claimsByClass, type NodeClassDeps } from './deps.ts'

/** A fleet that another controller launched lacks all its records; nothing waits for them. */
const recordsAtOnce = 100
const recordsEveryMs = 2_000

/** Stamps classes with the hash that drift compares, and carries claims over when the way of hashing changes. */
export function nodeClassHashController(deps: Pick<NodeClassDeps, 'kube' | 'caches' | 'cloud'>): Controller {
  const { kube, caches, cloud } = deps
  const classes = caches.of(ec2NodeClasses)
  const claims = claimsByClass(caches)

  const annotate = async <T extends KubeObject>(
    resource: Resource<T>,
    object: KubeObject | undefined,
    annotations: AnnotationPatch,
  ): Promise<void> => {
    if (object === undefined) return
    try {
      await kube.patch(resource, keyOf(object), { kind: 'merge', body: { metadata: { annotations } } })
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
      const present = {
        hash: cloud.hash.of(nodeClass),
        version: cloud.hash.version,
        input: cloud.hash.inputOf(nodeClass),
      }
      const own = claims.of(nodeClass)
      const plan = planHashStamps(nodeClass, own, present, ec2NodeClassHashAnnotations)
      await Promise.all(plan.claims.map(({ index, annotations }) => annotate(nodeClaims, own[index], annotations)))
      if (plan.parent !== undefined) await annotate(ec2NodeClasses, nodeClass, plan.parent)
      const records = plan.records.slice(0, recordsAtOnce)
      await Promise.all(records.map(({ index, annotations }) => annotate(nodeClaims, own[index], annotations)))
      return plan.records.length > records.length ? requeueAfter(recordsEveryMs) : done
    },
  }
}
