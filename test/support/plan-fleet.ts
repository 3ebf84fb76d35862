import type { EC2NodeClass, NodePool } from '../../src/api/karpenter.ts'
import type { KubeObject } from '../../src/api/kubernetes.ts'
import type { Plan } from '../../src/rollout/plan/plan.ts'
import {
  aFleetClass,
  aFleetPool,
  aMachine,
  aPodOn,
  type FleetPodOptions,
  type FleetPoolOptions,
  type MachineOptions,
} from './fleet-objects.ts'

interface FleetOptions {
  readonly pool?: NodePool
  readonly nodeClass?: EC2NodeClass
  /** By node: what is special about it. */
  readonly machines?: Readonly<Record<string, MachineOptions & { readonly pods?: readonly FleetPodOptions[] }>>
  readonly others?: readonly KubeObject[]
}

/** Three full nodes, unless told otherwise: no pod of one fits on another. */
export function aFleet({ pool = aFleetPool(), nodeClass = aFleetClass(), machines, others = [] }: FleetOptions = {}) {
  const full = { cpu: '1500m' }
  const nodes = Object.entries(machines ?? { n1: {}, n2: {}, n3: {} }).flatMap(
    ([name, { pods = [full], ...options }]) => [
      ...aMachine(name, pool, nodeClass, options),
      ...pods.map((pod, index) => aPodOn(name, `pod-${name}-${index}`, pod)),
    ],
  )
  return [pool, nodeClass, ...nodes, ...others]
}

export const doNotDisrupt = { 'karpenter.sh/do-not-disrupt': 'true' }

/** A change that drifts every node. */
export const labelled: FleetPoolOptions = { labels: { team: 'a' } }

/** By node: what becomes of it, and why. */
export function actions(plan: Plan): Readonly<Record<string, string>> {
  return Object.fromEntries(
    plan.nodes.map(({ node, action, reason }) => [node, reason === null ? action : `${action} ${reason}`]),
  )
}

/** Each with its number, the time of day and its nodes. */
export function waves(plan: Plan): readonly string[] {
  return plan.waves.map(({ wave, notBefore, nodes }) => `${wave} ${notBefore.slice(11, 19)} ${nodes.join(' ')}`)
}
