import type { CapacityBuffer, EC2NodeClass, NodeOverlay, NodePool } from '../../src/api/karpenter.ts'
import type { Unsaved } from '../../src/api/kubernetes.ts'
import type { Stack } from '../../src/cli/embedded/stack.ts'
import { labelCapacityType, labelHostname } from '../../src/api/labels.ts'
import { capacityBuffers, nodeOverlays, nodePools } from '../../src/kube/karpenter-kinds.ts'
import { aReservation } from '../support/reservation-record.ts'
import { aNodeClass, aPool, type PoolShape, type Shape } from './objects.ts'
import { ignoreNotFound } from './ignore-not-found.ts'
import type { World } from './world.ts'

/** Days on which everything that has a gate is in use: what it needs in the cluster and the account, and what people do with it. */

export const everyGate = {
  NodeRepair: true,
  ReservedCapacity: true,
  SpotToSpotConsolidation: true,
  NodeOverlay: true,
  StaticCapacity: true,
  CapacityBuffer: true,
}

export const featurePools: readonly PoolShape[] = [
  { name: 'general', capacityTypes: ['reserved', 'on-demand'], budget: '20%' },
  { name: 'spot', capacityTypes: ['spot'], budget: '2', weight: 10, cpu: '32' },
  {
    name: 'brief',
    budget: '50%',
    weight: 20,
    cpu: '24',
    expireAfter: '5h',
    terminationGracePeriod: '15m',
    consolidationPolicy: 'Balanced',
  },
]

/** What asks more of a scheduler than room. */
export const featureShapes: readonly Shape[] = [
  { name: 'apart', replicas: 4, cpu: '500m', memory: '1Gi', apart: true, maxUnavailable: 1 },
  { name: 'exporter', replicas: 3, cpu: '250m', memory: '512Mi', hostPort: 9_100 },
  { name: 'near', replicas: 4, cpu: '500m', memory: '1Gi', near: 'cache' },
  {
    name: 'mixed',
    replicas: 6,
    cpu: '500m',
    memory: '1Gi',
    spreadOver: { key: labelCapacityType, whenUnsatisfiable: 'ScheduleAnyway' },
  },
  {
    name: 'loose',
    replicas: 6,
    cpu: '500m',
    memory: '1Gi',
    spreadOver: { key: labelHostname, whenUnsatisfiable: 'ScheduleAnyway' },
  },
]

const reservationTags = { 'joinery.dev/simulation': 'reserved' }

export function aReservingClass(): Unsaved<EC2NodeClass> {
  return aNodeClass({ capacityReservationSelectorTerms: [{ tags: reservationTags }] })
}

function aStaticPool(): Unsaved<NodePool> {
  const pool = aPool({ name: 'fixed' })
  return { ...pool, spec: { template: pool.spec.template, replicas: 2, limits: { nodes: '4' } } }
}

/** Room for pods like those of the web Deployment. */
export function aBuffer(size: Pick<CapacityBuffer['spec'], 'replicas' | 'percentage'>): Unsaved<CapacityBuffer> {
  return {
    apiVersion: 'autoscaling.x-k8s.io/v1beta1',
    kind: 'CapacityBuffer',
    metadata: { name: 'web', namespace: 'default' },
    spec: { scalableRef: { apiGroup: 'apps', kind: 'Deployment', name: 'web' }, ...size },
  }
}

function anOverlay(): Unsaved<NodeOverlay> {
  return {
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'NodeOverlay',
    metadata: { name: 'discount' },
    spec: {
      requirements: [{ key: 'karpenter.k8s.aws/instance-family', operator: 'In', values: ['m6i'] }],
      priceAdjustment: '-15%',
      weight: 1,
    },
  }
}

export async function createFeatures({ cluster }: Stack): Promise<void> {
  const { client, aws } = cluster
  for (const [index, zone] of aws.account.region.zones.slice(0, 2).entries()) {
    const place = { zone: zone.name, zoneID: zone.id, ownerID: aws.account.id }
    const more = { instanceType: 'm6i.xlarge', total: 2, tags: reservationTags }
    aws.state.reservations.push(aReservation({ id: `cr-${index}`, ...place, ...more }))
  }
  await client.create(nodePools, aStaticPool())
  await client.create(capacityBuffers, aBuffer({ percentage: 20 }))
  await client.create(nodeOverlays, anOverlay())
}

/** Somebody changes one of them. */
export async function changeFeature({ random, stack }: World): Promise<string> {
  const { client, aws } = stack.cluster
  const patch = (call: Promise<unknown>): Promise<unknown> => call.catch(ignoreNotFound)
  switch (random.below(5)) {
    case 0: {
      const replicas = random.below(4)
      await patch(client.patch(nodePools, { name: 'fixed' }, { kind: 'merge', body: { spec: { replicas } } }))
      return `the static pool is scaled to ${replicas}`
    }
    case 1: {
      const percentage = 10 * random.below(6)
      const key = { namespace: 'default', name: 'web' }
      await patch(client.patch(capacityBuffers, key, { kind: 'merge', body: { spec: { percentage } } }))
      return `the buffer is to hold ${percentage} %`
    }
    case 2: {
      const priceAdjustment = `${random.below(2) === 0 ? '-' : '+'}${1 + random.below(40)}%`
      await patch(
        client.patch(nodeOverlays, { name: 'discount' }, { kind: 'merge', body: { spec: { priceAdjustment } } }),
      )
      return `the overlay changes prices by ${priceAdjustment}`
    }
    case 3: {
      const policies = ['Balanced', 'WhenEmpty', 'WhenEmptyOrUnderutilized'] as const
      const consolidationPolicy = policies[random.below(policies.length)]
      const body = { spec: { disruption: { consolidationPolicy } } }
      await patch(client.patch(nodePools, { name: 'brief' }, { kind: 'merge', body }))
      return `NodePool brief consolidates ${consolidationPolicy}`
    }
    default: {
      const reservation = aws.state.reservations[random.below(Math.max(1, aws.state.reservations.length))]
      if (reservation === undefined) return 'no reservation to change'
      reservation.total = random.below(4)
      return `reservation ${reservation.id} is for ${reservation.total} machines`
    }
  }
}
