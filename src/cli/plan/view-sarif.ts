import type { ObjectChange, Plan } from '../../rollout/plan/plan.ts'
import { countText } from '../count-text.ts'
import type { ManifestDocument } from '../input/documents.ts'
import { subjectOf } from '../simulate/shape.ts'
import { fieldText, groupNodes, heldBack, type Obstacle, obstacleSubject, unplaceable } from './summary.ts'

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

/** SARIF 2.1.0: each result stands at the manifest that causes it. */
export function planSARIF(plan: Plan, manifests: readonly ManifestDocument[]): object {
  const places = new Map<string, Place>()
  for (const document of manifests) {
    if (document.content.kind !== 'object') continue
    places.set(subjectOf(document.content.object), { file: document.file, ...document.locate([]) })
  }
  const cause = causeOf(plan.objects, places)
  const poolOfNode = new Map(plan.nodes.map(({ node, nodePool }) => [node, nodePool]))
  const placeOf = (pool: string): Place | undefined => places.get(`NodePool/${pool}`) ?? cause
  // One for each cause: code scanning refuses a log with tens of thousands of results.
  const obstacle = (id: RuleID, level: 'warning' | 'error', found: Obstacle): object =>
    result(
      id,
      level,
      `${obstacleSubject(found)}: ${found.message}`,
      placeOf(poolOfNode.get(found.nodes[0] ?? '') ?? ''),
    )
  const results = [
    ...groupNodes(plan.nodes).flatMap(({ nodePool, action, reason, fields, nodes }) => {
      if (action !== 'replace' && action !== 'remove') return []
      const details = fields.map(fieldText).join(', ')
      const verb = action === 'replace' ? 'replaces' : 'removes'
      const text = `${verb} ${countText(nodes.length, 'node')} of NodePool ${nodePool} (${reason ?? ''}${details === '' ? '' : `: ${details}`})`
      return [result(`plan/${action}`, 'warning', text, placeOf(nodePool))]
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
function causeOf(objects: readonly ObjectChange[], places: ReadonlyMap<string, Place>): Place | undefined {
  for (const { kind, name, change } of objects) {
    const place = change === 'unchanged' ? undefined : places.get(`${kind}/${name}`)
    if (place !== undefined) return place
  }
  return undefined
}

function result(ruleId: RuleID, level: 'warning' | 'error', text: string, place: Place | undefined): object {
  const locations =
    place === undefined
      ? []
      : [
          {
            physicalLocation: {
              artifactLocation: { uri: place.file.replaceAll('\\', '/') },
              region: { startLine: place.line, startColumn: place.column },
            },
          },
        ]
  return { ruleId, level, message: { text }, ...(locations.length === 0 ? {} : { locations }) }
}
