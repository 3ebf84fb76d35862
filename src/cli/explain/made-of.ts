import {
  changedFields,
  ec2NodeClassHashAnnotations,
  ec2NodeClassHashInput,
  type HashRecord,
  hashesDiffer,
  type ImageIdentity,
  nodePoolHashAnnotations,
  nodePoolHashInput,
  noRecordText,
  recordOf,
} from '../../api/hash/index.ts'
import type { EC2NodeClass, NodeClaim, NodePool } from '../../api/karpenter.ts'
import type { LabelAliases } from '../../model/requirements.ts'
import { requirementChanges } from '../../disruption/pool-drift.ts'
import type { SpecChange, Fact } from './explanation.ts'

export interface MadeOf {
  /** From which generation of which object, and which image. */
  readonly facts: readonly Fact[]
  /** All that is asked for differently now, of both objects: the condition names only the first reason's. */
  readonly changes: readonly SpecChange[]
}

/** What a node was made of, by the records on its claim, against what its NodePool and EC2NodeClass say now. */
export function madeOf(
  claim: NodeClaim,
  {
    pool,
    nodeClass,
    aliases,
  }: { readonly pool?: NodePool; readonly nodeClass?: EC2NodeClass; readonly aliases: LabelAliases },
): MadeOf {
  const ofPool = recordOf(claim, nodePoolHashAnnotations)
  const ofClass = recordOf(claim, ec2NodeClassHashAnnotations)
  const isPoolChanged = pool !== undefined && hashesDiffer(pool, claim, nodePoolHashAnnotations)
  const isClassChanged = nodeClass !== undefined && hashesDiffer(nodeClass, claim, ec2NodeClassHashAnnotations)
  return {
    facts: [
      ...fromFact('NodePool', pool?.metadata.generation, ofPool, isPoolChanged),
      ...fromFact('EC2NodeClass', nodeClass?.metadata.generation, ofClass, isClassChanged),
      ...(ofClass?.image === undefined ? [] : [{ name: 'image', value: imageText(ofClass.image) }]),
    ],
    changes: [
      ...(pool !== undefined && isPoolChanged && ofPool !== undefined
        ? changesOf('NodePool', changedFields(ofPool, nodePoolHashInput(pool)))
        : []),
      ...(pool === undefined ? [] : changesOf('NodePool', requirementChanges(claim, pool, aliases))),
      ...(isClassChanged && ofClass !== undefined ? changesOf('EC2NodeClass', classChanges(ofClass, nodeClass)) : []),
    ],
  }
}

/** The CA bundle is the controller's, which is not asked here. */
function classChanges(record: HashRecord, nodeClass: EC2NodeClass): ReturnType<typeof changedFields> {
  const { spec } = nodeClass
  if (spec === undefined) return []
  const { clusterCABundle: _bundle, ...input } = record.input
  return changedFields({ input }, ec2NodeClassHashInput({ spec }, ''))
}

function fromFact(
  kind: string,
  generation: number | undefined,
  record: HashRecord | undefined,
  isChanged: boolean,
): readonly Fact[] {
  const name = `made from ${kind}`
  if (record === undefined) return isChanged ? [{ name, value: noRecordText }] : []
  const now = generation === undefined || generation === record.generation ? '' : `, which is at ${generation} now`
  return [{ name, value: `generation ${record.generation}${now}` }]
}

function changesOf(object: SpecChange['object'], fields: ReturnType<typeof changedFields>): readonly SpecChange[] {
  return fields.map(({ path, old, new: now }) => ({ object, path, old: old ?? null, new: now ?? null }))
}

function imageText({ id, name, creationDate }: ImageIdentity): string {
  return [
    id,
    ...(name === undefined ? [] : [name]),
    ...(creationDate === undefined ? [] : [`of ${creationDate}`]),
  ].join(' ')
}
