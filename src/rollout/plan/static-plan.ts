import type { NodePool } from '../../api/karpenter.ts'
import { labelZone } from '../../api/labels.ts'
import type { InstanceType } from '../../model/instance-type.ts'
import { cheapestFirst, cheapestPrice } from '../../model/offering-price.ts'
import { intersects, labelRequirements, mergeRequirements, type Requirements } from '../../model/requirements.ts'
import type { Snapshot, StateNode } from '../../model/snapshot.ts'
import { type NodePlan, type SchedulingSettings, toStaticNodePlan } from '../../scheduling/index.ts'

/** What a static pool's bare template may become. */
interface Template {
  readonly types: readonly InstanceType[]
  readonly settings: SchedulingSettings
}

/**
 * The cheapest node that a static pool's bare template could become; undefined where no type is known for it. In the place of another one
 * it comes to the same zone, as long as the template allows that.
 */
export function staticPlan(
  pool: NodePool,
  { instanceTypes }: Pick<Snapshot, 'instanceTypes'>,
  settings: SchedulingSettings,
  replaced?: StateNode,
): NodePlan | undefined {
  const list = instanceTypes.get(pool.metadata.name)
  if (list?.kind !== 'resolved' || pool.spec.replicas === undefined) return undefined
  const template = { types: list.types, settings }
  const { aliases } = settings.vocabulary
  const bare = toStaticNodePlan(pool, settings)
  const anywhere = bare.requirements
  const zone = replaced?.labels[labelZone]
  const there = mergeRequirements(anywhere, labelRequirements(zone === undefined ? {} : { [labelZone]: zone }, aliases))
  const requirements = cheapestOf(template, there) === undefined ? anywhere : there
  const cheapest = cheapestOf(template, requirements)
  if (cheapest === undefined) return undefined
  return { ...bare, requirements, instanceTypes: [cheapest.type], price: cheapest.price }
}

function cheapestOf(
  { types, settings: { vocabulary } }: Template,
  requirements: Requirements,
): { readonly type: InstanceType; readonly price: number } | undefined {
  const fitting = types.filter((type) => intersects(type.requirements, requirements))
  const [type] = cheapestFirst(fitting, requirements, vocabulary.wellKnown)
  if (type === undefined) return undefined
  const price = cheapestPrice(type, requirements, vocabulary.wellKnown)
  return Number.isFinite(price) ? { type, price } : undefined
}
