import type { KubeObject } from '../../src/api/kubernetes.ts'
import { makePlan, type MakePlanOptions } from '../../src/cli/plan/make-plan.ts'
import { sortObjects } from '../../src/cli/simulate/objects.ts'
import { coreGates } from '../../src/operator/option-table.ts'
import type { Plan } from '../../src/rollout/plan/plan.ts'
import { aFleetCatalogue, fleetNow } from './fleet-objects.ts'

/**
 * The plan of manifests on a cluster, both as objects; a new node is ready after two minutes, an old one gone a minute later. The operator
 * keeps static pools at their replicas.
 */
export function planOf(
  cluster: readonly KubeObject[],
  manifests: readonly KubeObject[],
  options: Partial<MakePlanOptions> = {},
): Plan {
  return makePlan({ ...objectsOf(cluster), catalogues: [aFleetCatalogue()] }, objectsOf(manifests), {
    now: Date.parse(fleetNow),
    region: 'us-east-1',
    prune: false,
    featureGates: { ...coreGates, StaticCapacity: true },
    resolved: new Map(),
    timing: { launchMs: 120_000, drainMs: 60_000 },
    ...options,
  })
}

function objectsOf(objects: readonly KubeObject[]) {
  return sortObjects(
    objects.map((object, index) => ({
      file: 'test',
      index,
      content: { kind: 'object', object: { ...object } },
      locate: () => ({ line: 1, column: 1 }),
    })),
  )
}
