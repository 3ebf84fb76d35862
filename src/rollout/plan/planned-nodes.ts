import { toTimestamp } from '../../model/clock.ts'
import type { StateNode } from '../../model/snapshot.ts'
import type { JudgedNode } from './node-verdicts.ts'
import type { PlannedNode, PlanWave } from './plan.ts'
import type { Timeline } from './timeline.ts'

/** `waveOf`: the wave of each node that goes, by name. */
export function plannedNode({ stateNode, verdict }: JudgedNode, waveOf: ReadonlyMap<string, number>): PlannedNode {
  const { name, nodePool, nodeClaim } = stateNode
  const common = { node: name, nodeClaim: nodeClaim?.metadata.name ?? '', nodePool }
  const wave = waveOf.get(name) ?? null
  switch (verdict.kind) {
    case 'stay':
      return { ...common, action: 'stay', reason: null, fields: [], wave: null }
    case 'inPlace':
      return {
        ...common,
        action: 'inPlace',
        reason: verdict.reason ?? null,
        fields: shown(verdict.fields),
        wave: null,
      }
    case 'replace':
      return {
        ...common,
        action: 'replace',
        reason: verdict.finding.reason,
        fields: shown(verdict.finding.fields),
        wave,
      }
    case 'remove':
      return { ...common, action: 'remove', reason: verdict.reason, fields: shown(verdict.fields), wave }
  }
}

/** JSON has no undefined: a side that lacks the field is null. */
function shown(fields: PlannedNode['fields']): PlannedNode['fields'] {
  return fields.map((field) => ({ path: field.path, old: field.old ?? null, new: field.new ?? null }))
}

/** Nodes that begin to go at the same time, those that go at once first. */
export function wavesOf({ starts }: Timeline, going: readonly StateNode[], now: number): readonly PlanWave[] {
  const byTime = new Map<number, string[]>()
  const at = (time: number): string[] => {
    const names = byTime.get(time) ?? []
    byTime.set(time, names)
    return names
  }
  for (const { name } of going) at(now).push(name)
  for (const start of starts) at(start.at).push(start.candidate.name)
  return [...byTime]
    .toSorted(([a], [b]) => a - b)
    .map(([time, nodes], index) => ({ wave: index + 1, notBefore: toTimestamp(time), nodes }))
}
