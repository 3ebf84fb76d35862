import { nodeClassNameOf } from '../../api/node-class-ref.ts'
import type { ObjectChange, Plan } from '../../rollout/plan/plan.ts'
import { isOfClass } from '../../rollout/node-standing.ts'
import { countText } from '../count-text.ts'
import type { ManifestDocument } from '../input/documents.ts'
import { sortObjects } from '../simulate/objects.ts'
import { subjectOf } from '../input/problem-line.ts'
import { artifactURI } from '../artifact-uri.ts'
import {
  fieldText,
  groupNodes,
  heldBack,
  type NodeGroup,
  type Obstacle,
  obstacleSubject,
  unplaceable,
} from './summary.ts'

const rules = {
  'plan/replace': 'The change replaces nodes',
  'plan/remove': 'The change removes nodes',
  'plan/blocked': 'Something holds a replacement back',
  'plan/unplaceable-pod': 'A pod would fit nowhere',
  'plan/limit': 'A limit of a NodePool is reached',
} as const
type RuleID = keyof typeof rules

interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
}

/**
 * SARIF 2.1.0: each result stands at the manifest that causes it. Of what only `--prune` takes away it is the first of the manifests: GitHub
 * refuses a log with a result that stands nowhere.
 */
export function planSARIF(plan: Plan, manifests: readonly ManifestDocument[]): object {
  const documents = new Map(
    manifests.flatMap((document) =>
      document.content.kind === 'object' ? [[subjectOf(document.content.object), document] as const] : [],
    ),
  )
  const cause = changedDocument(plan.objects, documents) ?? plannedDocument(plan.objects, documents)
  const poolOfNode = new Map(plan.nodes.map(({ node, nodePool }) => [node, nodePool]))
  const placeOf = (pool: string): Place | undefined => placeIn(documents.get(`NodePool/${pool}`) ?? cause)
  const classOfPool = new Map(
    sortObjects(manifests).nodePools.map((pool) => [pool.metadata.name, nodeClassNameOf(pool)]),
  )
  const placeOfChange = ({ nodePool, action, reason, fields }: NodeGroup): Place | undefined => {
    const isByClass = action === 'replace' && isOfClass(reason ?? '')
    const name = classOfPool.get(nodePool)
    const nodeClass = isByClass
      ? changedDocument(plan.objects, documents, (it) => it.kind === 'EC2NodeClass' && it.name === (name ?? it.name))
      : undefined
    return placeIn(nodeClass ?? documents.get(`NodePool/${nodePool}`) ?? cause, fields[0]?.path)
  }
  // One for each cause: code scanning refuses a log with tens of thousands of results.
  const obstacle = (id: RuleID, level: 'warning' | 'error', found: Obstacle): object =>
    result(
      id,
      level,
      `${obstacleSubject(found)}: ${found.message}`,
      placeOf(poolOfNode.get(found.nodes[0] ?? '') ?? ''),
    )
  const results = [
    ...groupNodes(plan.nodes).flatMap((group) => {
      const { nodePool, action, reason, fields, nodes } = group
      if (action !== 'replace' && action !== 'remove') return []
      const details = fields.map(fieldText).join(', ')
      const verb = action === 'replace' ? 'replaces' : 'removes'
      const text = `${verb} ${countText(nodes.length, 'node')} of NodePool ${nodePool} (${reason ?? ''}${details === '' ? '' : `: ${details}`})`
      return [result(`plan/${action}`, 'warning', text, placeOfChange(group))]
    }),
    ...heldBack(plan).map((held) => obstacle('plan/blocked', 'warning', held)),
    ...unplaceable(plan).map((pods) => obstacle('plan/unplaceable-pod', 'error', pods)),
    ...plan.limits.map(({ nodePool, message }) =>
      result('plan/limit', 'error', `${nodePool}: ${message}`, placeOf(nodePool)),
    ),
  ]
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'joinery plan',
            rules: Object.entries(rules).map(([id, text]) => ({ id, shortDescription: { text } })),
          },
        },
        results,
      },
    ],
  }
}

/** Where a node's own pool is in no manifest, the first changed object is to blame, e.g. its class. */
function changedDocument(
  objects: readonly ObjectChange[],
  documents: ReadonlyMap<string, ManifestDocument>,
  isMeant: (object: ObjectChange) => boolean = () => true,
): ManifestDocument | undefined {
  for (const object of objects) {
    const document = object.change === 'unchanged' ? undefined : documents.get(`${object.kind}/${object.name}`)
    if (document !== undefined && isMeant(object)) return document
  }
  return undefined
}

function plannedDocument(
  objects: readonly ObjectChange[],
  documents: ReadonlyMap<string, ManifestDocument>,
): ManifestDocument | undefined {
  return objects.flatMap(({ kind, name }) => documents.get(`${kind}/${name}`) ?? [])[0]
}

/** Of the field, where the manifest has it under that path; else of the object. */
function placeIn(document: ManifestDocument | undefined, path?: string): Place | undefined {
  if (document === undefined) return undefined
  const keys = (path ?? '').split(/[.[\]]+/).filter((key) => key !== '')
  return { file: document.file, ...document.locate(keys.map((key) => (/^\d+$/.test(key) ? Number(key) : key))) }
}

function result(ruleId: RuleID, level: 'warning' | 'error', text: string, place: Place | undefined): object {
  const locations =
    place === undefined
      ? []
      : [
          {
            physicalLocation: {
              artifactLocation: { uri: artifactURI(place.file) },
              region: { startLine: place.line, startColumn: place.column },
            },
          },
        ]
  return { ruleId, level, message: { text }, ...(locations.length === 0 ? {} : { locations }) }
}
