import { durationMs } from '../../api/duration.ts'
import type { RolloutPolicySpec, RolloutStep, RolloutTerms } from '../../api/karpenter.ts'

/** Where a rollout goes next, and how long it stays there. */
export interface StepPlan {
  readonly index: number
  /** Of all steps, the closing one included. */
  readonly count: number
  /** Nodes to be replaced by its end, of those that were there when the rollout began. */
  readonly goal: number
  readonly soakMs: number
  /** Closes the rollout: takes also what has turned up since the rollout began. */
  readonly isLast: boolean
}

/** A number of nodes, or a share of them, rounded up. A negative one, which definitions once let through, is none. */
export function nodeCount(value: number | string, total: number): number {
  if (typeof value === 'number') return Math.max(0, value)
  const percent = /^(\d+)%$/.exec(value)?.[1]
  return percent === undefined ? Number(value) : Math.ceil((total * Number(percent)) / 100)
}

/** The part of the spec that stays in force until the step is over. */
export function termsOf(spec: RolloutPolicySpec, generation: number): RolloutTerms {
  return {
    generation,
    ...(spec.steps === undefined ? {} : { steps: spec.steps }),
    ...(spec.gates === undefined ? {} : { gates: spec.gates }),
    ...(spec.onFailure === undefined ? {} : { onFailure: spec.onFailure }),
  }
}

/** As status may hold them: a stored policy may ask for what its definition refuses by now, and the whole status would be refused with it. */
export function writableTerms(terms: RolloutTerms): RolloutTerms {
  const { maxFailedNodes, maxUnhealthyNodes } = terms.gates ?? {}
  if (!isNegative(maxFailedNodes) && !isNegative(maxUnhealthyNodes)) return terms
  return {
    ...terms,
    gates: {
      ...terms.gates,
      ...(isNegative(maxFailedNodes) ? { maxFailedNodes: 0 } : {}),
      ...(isNegative(maxUnhealthyNodes) ? { maxUnhealthyNodes: 0 } : {}),
    },
  }
}

function isNegative(count: number | string | undefined): boolean {
  return typeof count === 'number' && count < 0
}

/**
 * The first step that goes further than `reached`: steps of a policy that was changed on the way are found by how far they go, not by
 * their number. After the listed steps comes one for the rest, unless the last listed one already covers all nodes.
 */
export function nextStep(steps: readonly RolloutStep[], total: number, reached: number): StepPlan {
  const goals = steps.map((step) => Math.min(nodeCount(step.nodes, total), total))
  const coversAll = (goals.at(-1) ?? 0) >= total && steps.length > 0
  const count = coversAll ? steps.length : steps.length + 1
  const index = goals.findIndex((goal) => goal > reached)
  const step = steps[index]
  if (step === undefined) return { index: count - 1, count, goal: total, soakMs: 0, isLast: true }
  const goal = goals[index] ?? total
  return { index, count, goal, soakMs: soakMsAt(steps, index, total, goal), isLast: goal >= total }
}

/** The step that is under way, as it was planned when it began. */
export function presentStep(steps: readonly RolloutStep[], index: number, total: number, goal: number): StepPlan {
  const count = Math.max(index + 1, nextStep(steps, total, total).count)
  return { index, count, goal, soakMs: soakMsAt(steps, index, total, goal), isLast: goal >= total }
}

/** Whether a step has gone further than it was planned for, as from a deadline on. */
export function isBeyondPlan(steps: readonly RolloutStep[], { index, goal }: StepPlan, total: number): boolean {
  const step = steps[index]
  return step !== undefined && goal > Math.min(nodeCount(step.nodes, total), total)
}

/** How many nodes a step itself replaces: goals count from the start of the rollout. */
export function ownNodes(steps: readonly RolloutStep[], { index, goal }: StepPlan, total: number): number {
  const before = Math.max(0, ...steps.slice(0, index).map(({ nodes }) => nodeCount(nodes, total)))
  return Math.max(1, goal - before)
}

/**
 * The longest soak of the step and of those after it that go no further. In a small pool steps fall together, and what was to be watched for
 * two hours at a fifth of the nodes is not to go on after the ten minutes of its first node.
 */
function soakMsAt(steps: readonly RolloutStep[], index: number, total: number, goal: number): number {
  const [own, ...later] = steps.slice(index)
  const further = later.findIndex(({ nodes }) => Math.min(nodeCount(nodes, total), total) > goal)
  const together = own === undefined ? [] : [own, ...(further === -1 ? later : later.slice(0, further))]
  return Math.max(0, ...together.map(({ soak }) => (soak === undefined ? 0 : durationMs(soak))))
}
