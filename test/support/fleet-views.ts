import type { FleetView, NodeView, PoolView } from '../../src/operator/dashboard/fleet-view.ts'
import { aStanding } from './rollout-standing.ts'

/** Views as the dashboard and `joinery top` show them. */

export const viewedAt = Date.parse('2026-03-01T12:00:00Z')

export function aNodeView(name: string, more: Partial<NodeView> = {}): NodeView {
  return {
    name,
    claim: `${name}-claim`,
    pool: 'general',
    state: 'Ready',
    instanceType: 'm5.large',
    zone: 'us-west-2a',
    capacityType: 'spot',
    cpu: { requested: 1, allocatable: 2 },
    memory: { requested: 2 ** 30, allocatable: 4 * 2 ** 30 },
    pods: 3,
    usdPerHour: 0.1,
    createdAt: viewedAt - 3_600_000,
    drifted: null,
    blocked: [],
    ...more,
  }
}

export function aPoolView(name = 'general', more: Partial<PoolView> = {}): PoolView {
  return {
    ...aStanding({ name }),
    nodeClass: 'linux',
    presentNodes: 2,
    cpu: { requested: 2, allocatable: 4 },
    memory: { requested: 2 ** 31, allocatable: 2 ** 33 },
    cost: { usdPerHour: 0.2, unknownNodes: 0 },
    ...more,
  }
}

export function aFleetView(nodes: readonly NodeView[], pools: readonly PoolView[] = [aPoolView()]): FleetView {
  return {
    cluster: 'shop',
    totals: {
      nodes: nodes.length,
      readyNodes: nodes.filter(({ state }) => state === 'Ready').length,
      pods: 6,
      waitingPods: 1,
      cpu: { requested: 2, allocatable: 4 },
      memory: { requested: 2 ** 31, allocatable: 2 ** 33 },
      cost: { usdPerHour: 0.2, unknownNodes: 0 },
    },
    pools,
    classes: [],
    nodes,
  }
}
