import type {
  NodeSelectorRequirement,
  NodeSelectorTerm,
  Taint,
  Toleration,
  TopologySpreadConstraint,
} from '../../src/api/kubernetes.ts'
import { allocatableOf, type InstanceType } from '../../src/model/instance-type.ts'
import { selects } from '../../src/model/label-selector.ts'
import { type PodInfo, podKey } from '../../src/model/pod.ts'
import { Quantity } from '../../src/model/quantity.ts'
import { addResources, type Resources } from '../../src/model/resources.ts'
import type { StateNode } from '../../src/model/snapshot.ts'
import type { NodePlan, Placement } from '../../src/scheduling/index.ts'
import { domainErrors } from './domain-checker.ts'

type Judged = Pick<Placement, 'newNodePlans' | 'existing' | 'failures' | 'deferred' | 'unattempted'>

interface JudgedNode {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly taints: readonly Taint[]
  readonly allocatable: Resources
  readonly before: readonly PodInfo[]
  readonly added: readonly PodInfo[]
}

/**
 * Judges a placement by what Kubernetes documents about scheduling, with no code in common with the solver: would these pods be
 * admitted to these nodes? A planned node is judged as each node it may become (type × zone × capacity type); one that works is enough.
 *
 * `nodes`: all of the cluster, those that take nothing included; what runs there counts for affinity and spread. Returns what is wrong,
 * in words; nothing when nothing is.
 */
export function violations(
  pods: readonly PodInfo[],
  placement: Judged,
  nodes: readonly StateNode[] = placement.existing.map(({ node }) => node),
): string[] {
  return [
    ...accountErrors(pods, placement),
    ...placement.existing.flatMap(({ node, pods: added }) => nodeErrors(existingNode(node, added))),
    ...placement.newNodePlans.flatMap((plan) => planErrors(plan)),
    ...hostErrors(placement),
    ...domainErrors(placement, nodes),
  ]
}

/** Every pod is placed once or has a reason. */
function accountErrors(pods: readonly PodInfo[], placement: Judged): string[] {
  const seen = new Map<string, number>()
  const note = (pod: PodInfo): void => void seen.set(podKey(pod), (seen.get(podKey(pod)) ?? 0) + 1)
  for (const plan of placement.newNodePlans) plan.pods.forEach(note)
  for (const existing of placement.existing) existing.pods.forEach(note)
  for (const { pod } of placement.failures) note(pod)
  placement.deferred.forEach(note)
  placement.unattempted.forEach(note)
  const lost = pods
    .filter((pod) => seen.get(podKey(pod)) !== 1)
    .map((pod) => `${podKey(pod)} is not accounted for once`)
  const reasonless = placement.failures
    .filter(({ text }) => text === '')
    .map(({ pod }) => `${podKey(pod)} has no reason`)
  return [...lost, ...reasonless]
}

function existingNode(node: StateNode, added: readonly PodInfo[]): JudgedNode {
  const { name, labels, taints, allocatable, pods } = node
  return { name, labels, taints, allocatable, before: pods, added }
}

function nodeErrors(node: JudgedNode): string[] {
  const used = addResources(...[...node.before, ...node.added].map(({ requests }) => requests))
  const overfull = [...used].filter(
    ([name, quantity]) => quantity.compare(node.allocatable.get(name) ?? Quantity.zero) > 0,
  )
  return [
    ...overfull.map(([name, quantity]) => `${node.name} has too little ${name} for ${quantity}`),
    ...node.added.flatMap((pod) => admissionErrors(pod, node)),
    ...portErrors(node),
  ]
}

function admissionErrors(pod: PodInfo, node: JudgedNode): string[] {
  const errors: string[] = []
  for (const [key, value] of Object.entries(pod.nodeSelector)) {
    if (node.labels[key] !== value) errors.push(`${podKey(pod)} selects ${key}=${value}, which ${node.name} is not`)
  }
  const terms = pod.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
  if (terms !== undefined && !terms.some((term) => matchesTerm(term, node.labels))) {
    errors.push(`${podKey(pod)} has no affinity to ${node.name}`)
  }
  for (const taint of node.taints) {
    if (taint.effect !== 'PreferNoSchedule' && !pod.tolerations.some((toleration) => covers(toleration, taint))) {
      errors.push(`${podKey(pod)} does not tolerate ${taint.key} of ${node.name}`)
    }
  }
  return errors
}

function matchesTerm(term: NodeSelectorTerm, labels: Readonly<Record<string, string>>): boolean {
  return (term.matchExpressions ?? []).every((expression) => matchesExpression(expression, labels[expression.key]))
}

function matchesExpression({ operator, values = [] }: NodeSelectorRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    case 'Gt':
      return Number(value) > Number(values[0])
    case 'Lt':
      return Number(value) < Number(values[0])
    default:
      return false
  }
}

function covers(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect !== undefined && toleration.effect !== taint.effect) return false
  if (toleration.key !== undefined && toleration.key !== '' && toleration.key !== taint.key) return false
  return toleration.operator === 'Exists' || (toleration.value ?? '') === (taint.value ?? '')
}

function portErrors(node: JudgedNode): string[] {
  const taken = new Set<string>()
  const errors: string[] = []
  for (const pod of [...node.before, ...node.added]) {
    for (const { port, protocol } of pod.hostPorts) {
      const key = `${protocol}/${port}`
      if (taken.has(key) && node.added.includes(pod)) errors.push(`${podKey(pod)} shares port ${key} on ${node.name}`)
      taken.add(key)
    }
  }
  return errors
}

function planErrors(plan: NodePlan): string[] {
  const everything = plan.instanceTypes.flatMap((type) => outcomes(plan, type))
  if (everything.length === 0) return [`a plan of ${plan.nodePool} can become no node`]
  const found = everything.map(nodeErrors)
  const best = found.toSorted((a, b) => a.length - b.length)[0] ?? []
  const full = plan.instanceTypes.filter((type) => outcomes(plan, type).every((node) => !hasRoom(node)))
  return [...best, ...full.map((type) => `${type.name} has too little room for the pods of its plan`)]
}

function hasRoom(node: JudgedNode): boolean {
  const used = addResources(...node.added.map(({ requests }) => requests))
  return [...used].every(([name, quantity]) => quantity.compare(node.allocatable.get(name) ?? Quantity.zero) <= 0)
}

function outcomes(plan: NodePlan, type: InstanceType): JudgedNode[] {
  const admits = (key: string, value: string): boolean => {
    const requirement = plan.requirements.get(key)
    return requirement === undefined || requirement.values.has(value) !== requirement.complement
  }
  return type.offerings
    .filter(
      ({ available, requirements }) =>
        available && [...requirements].every(([key, { values }]) => [...values].every((value) => admits(key, value))),
    )
    .map((offering) => {
      const labels: Record<string, string> = { ...plan.labels }
      for (const set of [type.requirements, offering.requirements]) {
        for (const [key, { complement, values }] of set) {
          const [value] = values
          if (!complement && values.size === 1 && value !== undefined) labels[key] = value
        }
      }
      return {
        name: `${plan.nodePool}/${type.name}`,
        labels,
        taints: plan.pool.spec.template.spec.taints ?? [],
        allocatable: allocatableOf(type.capacity, type.overhead),
        before: [],
        added: plan.pods,
      }
    })
}

/** Anti-affinity and spread over hostnames, which do not depend on what a planned node becomes. */
function hostErrors(placement: Pick<Placement, 'newNodePlans' | 'existing'>): string[] {
  const groups: { name: string; before: readonly PodInfo[]; added: readonly PodInfo[] }[] = [
    ...placement.newNodePlans.map((plan, i) => ({ name: `plan ${i}`, before: [], added: plan.pods })),
    ...placement.existing.map(({ node, pods }) => ({ name: node.name, before: node.pods, added: pods })),
  ]
  const errors: string[] = []
  for (const { name, before, added } of groups) {
    for (const pod of added) {
      const others = [...before, ...added].filter((other) => other !== pod)
      for (const other of others) {
        if (repels(pod, other)) errors.push(`${podKey(pod)} avoids ${podKey(other)}, which is on ${name}, too`)
        if (before.includes(other) && repels(other, pod))
          errors.push(`${podKey(other)} avoids ${podKey(pod)} on ${name}`)
      }
    }
    for (const pod of added) {
      for (const constraint of pod.topologySpreadConstraints) {
        if (isHardHostSpread(constraint) && constraint.labelSelector !== undefined) {
          if (!selects(constraint.labelSelector, pod.labels)) continue
          const peers = [...before, ...added].filter(
            (other) =>
              other.namespace === pod.namespace &&
              other.deletedAt === undefined &&
              selects(constraint.labelSelector, other.labels),
          )
          // Pods that differ in what they tolerate or require are measured apart, and pods without the constraint may come later.
          const alike = peers.every((other) => constraintsText(other) === constraintsText(pod))
          if (alike && peers.length > constraint.maxSkew) {
            errors.push(`${peers.length} pods of a spread of ${constraint.maxSkew} are on ${name}`)
          }
        }
      }
    }
  }
  return errors
}

function repels(pod: PodInfo, other: PodInfo): boolean {
  const terms = pod.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
  return terms.some(
    ({ topologyKey, labelSelector }) =>
      topologyKey === 'kubernetes.io/hostname' &&
      other.deletedAt === undefined &&
      other.namespace === pod.namespace &&
      selects(labelSelector, other.labels),
  )
}

function isHardHostSpread({ topologyKey, whenUnsatisfiable }: TopologySpreadConstraint): boolean {
  return topologyKey === 'kubernetes.io/hostname' && whenUnsatisfiable === 'DoNotSchedule'
}

function constraintsText({ topologySpreadConstraints, tolerations, affinity, nodeSelector }: PodInfo): string {
  return JSON.stringify([topologySpreadConstraints, tolerations, affinity, nodeSelector])
}
