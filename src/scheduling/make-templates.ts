import type { NodePool } from '../api/karpenter.ts'
import { noRequirements, type Requirements } from '../model/requirements.ts'
import type { Sliced } from '../model/sliced.ts'
import type { AmountSpace } from './amounts.ts'
import { type Bits, isEmptyBits } from './bitset.ts'
import type { CatalogIndex } from './catalog-index.ts'
import type { ClusterIndex } from './cluster-index.ts'
import type { SchedulingSettings } from './context.ts'
import { type Daemon, groupByDaemons } from './daemons.ts'
import { templateAnnotations, templateLabels } from './node-pools.ts'
import type { RequirementSpace } from './requirement-space.ts'
import type { ResolvedPool } from './resolved-pools.ts'
import type { SlicePace } from './slice-pace.ts'
import { fitIndexOf, groupSlotsOf, type Template, templateCandidates } from './template.ts'

/** A pool all of whose types its own requirements or minValues rule out: an event on the pool says so. */
export interface FilteredPool {
  readonly nodePool: NodePool
  readonly message: string
}

interface TemplateInput extends Pick<SchedulingSettings, 'minValuesPolicy' | 'nodePoolHash'> {
  readonly requirements: RequirementSpace
  readonly amounts: AmountSpace
  readonly cluster: ClusterIndex
  readonly daemons: readonly Daemon[]
  readonly vocabulary: Parameters<typeof groupByDaemons>[3]
  readonly pace: SlicePace
}

/** Templates of the pools that may open nodes, in their order. */
export function* makeTemplates(
  pools: readonly ResolvedPool[],
  input: TemplateInput,
): Sliced<{ templates: readonly Template[]; filteredPools: readonly FilteredPool[] }> {
  const templates: Template[] = []
  const filteredPools: FilteredPool[] = []
  for (const resolved of pools) {
    if (resolved.isHeld) continue
    const { pool, catalog, set } = resolved
    const requirements = input.requirements.get(set)
    const candidates = templateCandidates(catalog, set)
    const message = whyFiltered(catalog, candidates, input.minValuesPolicy === 'Strict' ? requirements : noRequirements)
    if (message !== undefined) {
      filteredPools.push({ nodePool: pool, message })
      continue
    }
    const types = typeIndexesOf(catalog, candidates)
    templates.push(templateOf(resolved, { index: templates.length, requirements, candidates, types }, input))
    if (input.pace.fills(workPerType * types.length * (1 + input.daemons.length))) yield
  }
  return { templates, filteredPools }
}

/** What it takes to see which daemons a type would host, for each of them. */
const workPerType = 5

/** Why no type is left, or too few of the values of which the requirements want some at least. */
function whyFiltered(catalog: CatalogIndex, candidates: Bits, wanted: Requirements): string | undefined {
  const message = 'NodePool requirements filtered out all compatible available instance types'
  if (isEmptyBits(candidates)) return message
  const isShort = minValuesOf(wanted).some(
    ({ key, minValues: least }) => catalog.distinctValues(key, candidates) < least,
  )
  return isShort ? `${message} due to minValues incompatibility` : undefined
}

function minValuesOf(requirements: Requirements): { readonly key: string; readonly minValues: number }[] {
  return [...requirements.values()].flatMap(({ key, minValues }) =>
    minValues === undefined ? [] : [{ key, minValues }],
  )
}

/** In the order of their first slots. */
function typeIndexesOf(catalog: CatalogIndex, candidates: Bits): readonly number[] {
  const kept = new Set<number>()
  for (const [slot, { typeIndex }] of catalog.slots.entries()) {
    if (((candidates[slot >>> 5] ?? 0) & (1 << (slot & 31))) !== 0) kept.add(typeIndex)
  }
  return [...kept]
}

function templateOf(
  { pool, catalog, set }: ResolvedPool,
  kept: {
    readonly index: number
    readonly requirements: Requirements
    readonly candidates: Bits
    readonly types: readonly number[]
  },
  { amounts, cluster, daemons, vocabulary, nodePoolHash, minValuesPolicy }: TemplateInput,
): Template {
  const { index, requirements, candidates, types } = kept
  const taints = pool.spec.template.spec.taints ?? []
  const { groups, groupOf } = groupByDaemons(
    types.flatMap((type) => catalog.types[type] ?? []),
    { taints, requirements },
    daemons,
    vocabulary,
  )
  const groupOfType = new Map(types.map((type, position) => [type, groupOf[position] ?? 0]))
  const groupOfSlot = catalog.slots.map(({ typeIndex }) => groupOfType.get(typeIndex) ?? 0)
  return {
    index,
    pool,
    name: pool.metadata.name,
    labels: templateLabels(pool),
    annotations: templateAnnotations(pool, nodePoolHash(pool)),
    taints,
    taintsID: cluster.taintsID(taints),
    set,
    catalog,
    groups,
    groupOf: groupOfSlot,
    groupSlots: groupSlotsOf(catalog.size, groups.length, groupOfSlot),
    fit: fitIndexOf(catalog, groups, groupOfSlot, amounts),
    candidates,
    lowersMinValues: minValuesPolicy === 'BestEffort',
  }
}
