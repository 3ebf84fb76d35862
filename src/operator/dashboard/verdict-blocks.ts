import { isConditionTrue } from '../../api/conditions.ts'
import type { MethodVerdict } from '../../controllers/disruption/index.ts'
import type { DisruptionMethod } from '../../disruption/command.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import type { NodeBlock } from './fleet-view.ts'

const driftMethods: ReadonlySet<DisruptionMethod> = new Set<DisruptionMethod>(['drift', 'staticDrift'])

/** What keeps each node, by name: of a drifted node what drift said of it, of another one what consolidation said, each code once. */
export function blocksFromVerdicts(
  verdicts: readonly MethodVerdict[],
  { nodes }: Pick<Snapshot, 'nodes'>,
): ReadonlyMap<string, readonly NodeBlock[]> {
  const drifted = new Set(
    nodes.flatMap(({ name, nodeClaim }) =>
      nodeClaim !== undefined && isConditionTrue(nodeClaim, 'Drifted') ? [name] : [],
    ),
  )
  const blocks = new Map<string, NodeBlock[]>()
  for (const { node, method, code, message } of verdicts) {
    if (driftMethods.has(method) !== drifted.has(node)) continue
    const known = blocks.get(node) ?? []
    if (!known.some((block) => block.code === code)) blocks.set(node, [...known, { code, message }])
  }
  return blocks
}
