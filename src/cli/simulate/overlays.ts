import type { LabelVocabulary } from '../../api/label-rules.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import { nodeOverlayErrors } from '../../api/runtime-validation/index.ts'
import { applyOverlays, evaluateOverlays } from '../../scheduling/node-overlay.ts'
import type { SimulationObjects } from './objects.ts'

/** The snapshot with the input's NodeOverlays applied to every pool's types; overlays that fail validation are left out. */
export function overlaid(
  snapshot: Snapshot,
  objects: SimulationObjects,
  { aliases, wellKnown }: LabelVocabulary,
): Snapshot {
  const pools = snapshot.nodePools.flatMap((pool) => {
    const list = snapshot.instanceTypes.get(pool.metadata.name)
    return list?.kind === 'resolved' ? [{ pool, types: list.types }] : []
  })
  const overlays = objects.nodeOverlays.filter((overlay) => nodeOverlayErrors(overlay).length === 0)
  const { updates } = evaluateOverlays({ overlays, pools, aliases, wellKnownLabels: wellKnown })
  const instanceTypes = new Map(snapshot.instanceTypes)
  for (const { pool, types } of pools) {
    const { name } = pool.metadata
    instanceTypes.set(name, { kind: 'resolved', types: applyOverlays(types, updates.get(name) ?? new Map()) })
  }
  return { ...snapshot, instanceTypes }
}
