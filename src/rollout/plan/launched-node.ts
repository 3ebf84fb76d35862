import { labelHostname, labelInstanceType, labelNodePool } from '../../api/labels.ts'
import { allocatableOf, type InstanceType, type Offering } from '../../model/instance-type.ts'
import { availableOfferings } from '../../model/offering-price.ts'
import { Quantity } from '../../model/quantity.ts'
import type { Requirements } from '../../model/requirements.ts'
import { addResources, type Resources } from '../../model/resources.ts'
import type { StateNode } from '../../model/snapshot.ts'
import type { NodePlan, SchedulingSettings } from '../../scheduling/index.ts'
import { standInNode } from './stand-in-node.ts'

/** The node that comes of a plan, of the cheapest type and offering, in service and empty. Undefined for a plan that has no type to launch. */
export function toLaunchedNode(
  plan: NodePlan,
  name: string,
  { vocabulary }: SchedulingSettings,
): StateNode | undefined {
  const [type] = plan.instanceTypes
  if (type === undefined) return undefined
  const offering = cheapestOffering(type, plan.requirements, vocabulary.wellKnown)
  const labels = {
    ...singleValues(type.requirements),
    ...singleValues(plan.requirements),
    ...(offering === undefined ? {} : singleValues(offering.requirements)),
    ...plan.labels,
    [labelInstanceType]: type.name,
    [labelHostname]: name,
    [labelNodePool]: plan.nodePool,
  }
  const taints = plan.pool.spec.template.spec.taints ?? []
  const { annotations } = plan
  return {
    key: name,
    node: standInNode({ key: name, name, labels, annotations, taints }),
    nodeClaim: undefined,
    name,
    hostname: name,
    labels,
    annotations,
    taints,
    capacity: addResources(type.capacity, oneNode),
    allocatable: allocatableOf(type.capacity, type.overhead),
    managed: true,
    registered: true,
    initialized: true,
    markedForDeletion: false,
    nominatedUntil: 0,
    pods: [],
    volumeLimits: new Map(),
    nodePool: plan.nodePool,
  }
}

const oneNode: Resources = new Map([['nodes', Quantity.of(1)]])

function cheapestOffering(
  type: InstanceType,
  requirements: Requirements,
  wellKnown: ReadonlySet<string>,
): Offering | undefined {
  return availableOfferings(type, requirements, wellKnown).reduce<Offering | undefined>(
    (best, offering) => (best === undefined || offering.price < best.price ? offering : best),
    undefined,
  )
}

/** Requirements that leave just one value are what a node's label will say. */
function singleValues(requirements: Requirements): Record<string, string> {
  const labels: Record<string, string> = {}
  for (const { key, values, complement } of requirements.values()) {
    const [value] = values
    if (!complement && values.size === 1 && value !== undefined) labels[key] = value
  }
  return labels
}
