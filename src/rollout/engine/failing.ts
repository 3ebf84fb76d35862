import type { RolloutFailure } from '../../api/karpenter.ts'
import { toTimestamp } from '../../model/clock.ts'
import { shortText } from '../../model/short-text.ts'
import type { Findings } from './findings.ts'
import type { GateState } from './gates.ts'
import type { ClassFacts, RolloutInput } from './input.ts'
import { nodeReadyTimeoutMs } from './new-nodes.ts'
import {
  blamedClasses,
  brokenDown,
  changedClasses,
  imagesText,
  isChanged,
  isRolledBack,
  leftToReturn,
  neverCameUp,
  ofReturned,
  rollbackTargets,
} from './rollback.ts'
import type { Run } from './run.ts'
import { failedTargets, type Scope } from './scope.ts'

/** What a failure is judged by, and where what comes of it is noted. */
export interface FailingLook {
  readonly input: RolloutInput
  readonly gates: GateState | undefined
  readonly found: Findings
}

/** Of a step whose gates have failed: halts the rollout, or begins the way back where that is asked for and there is one. */
export function failStep(look: FailingLook, run: Run, scope: Scope, gate: Extract<GateState, { kind: 'failed' }>): Run {
  const { found, input } = look
  const { policy, now } = input
  const nodeClasses = gate.nodes === undefined ? undefined : blamedClasses(gate.nodes, run.pending, scope.covered)
  const halted: RolloutFailure = {
    reason: gate.reason,
    message: gate.message,
    time: toTimestamp(now),
    state: 'Halted',
    generation: policy.metadata.generation ?? 0,
    targets: failedTargets(scope),
    ...(nodeClasses === undefined ? {} : { nodeClasses }),
  }
  const asksForRollback = run.terms.onFailure === 'Rollback'
  const returns = asksForRollback ? rollbackTargets({ ...run, failure: halted }, scope.covered) : []
  const isReturning = returns.length > 0
  const cannot =
    asksForRollback && !isReturning
      ? '; there is nothing to return to: the images did not change, are those that were asked for by revision, or no others of the AMI family are known to be good'
      : ''
  const failure: RolloutFailure = {
    ...halted,
    message: `${halted.message}${cannot}`,
    state: isReturning ? 'RollingBack' : 'Halted',
  }
  const failed = { ...run, reachedAt: undefined, soakedUntil: undefined, pending: [], failed: 0, failure }
  blameImages(found, failed, scope)
  // Until it is back, also where no history is wanted: the rollback knows by it which images failed.
  found.end(failed, scope.covered, 'Halted', failure.message, { atLeast: isReturning ? 1 : 0 })
  const step = `step ${run.step.index + 1} of ${run.step.count}`
  found.tell('Halted', 'Warning', `rollout ${run.revision} has failed in ${step}: ${failure.message}`)
  if (!isReturning) return failed
  const names = returns.map(({ nodeClass, images }) => `${nodeClass.name} to ${imagesText(images)}`).join('; ')
  found.tell('RollingBack', 'Warning', `rolling back ${names}`)
  return goBack(look, failed, scope)
}

/** Carries the way back on, until the nodes run the earlier images or that has failed as well. */
export function goBack(look: FailingLook, run: Run & { readonly failure: RolloutFailure }, scope: Scope): Run {
  const { failure } = run
  const { found, input, gates } = look
  const { now } = input
  found.badImages = new Set(found.history[0]?.images)
  const targets = rollbackTargets(run, scope.covered)
  for (const { nodeClass, images } of targets) {
    found.verdict(nodeClass.name, nodeClass.images, 'bad')
    found.rollbacks.push({
      nodeClass: nodeClass.name,
      images,
      insteadOf: nodeClass.target,
      reason: shortText(`the rollout of ${imagesText(nodeClass.images)} failed: ${failure.message}`, reasonMax),
    })
  }
  if (!scope.covered.some(({ nodeClass }) => nodeClass !== undefined && isChanged(run, nodeClass.name))) {
    const message = `${failure.message}; the pools whose images it changed have left the policy`
    found.tell('Halted', 'Warning', message)
    return { ...run, pending: [], failure: { ...failure, message, state: 'Halted' } }
  }
  // Until the classes have the images again, new nodes are still made of the bad ones.
  if (targets.length > 0 || !scope.covered.some(isRolledBack)) return { ...run, pending: [], failed: 0 }
  found.discards.push(...neverCameUp(run, scope.covered, found.badImages))
  for (const { name, unreadyFrom = now } of brokenDown(run, scope.covered, found.badImages)) {
    const at = unreadyFrom + nodeReadyTimeoutMs(run.terms.gates)
    if (at <= now) found.discards.push(name)
    else found.timeouts.push(at)
  }
  if (gates?.kind === 'failed' && gates.reason === 'NodesFailed') {
    const message = `${failure.message}; the rollback has failed too: ${gates.message}`
    found.tell('Halted', 'Warning', message)
    return { ...run, failure: { ...failure, reason: 'RollbackFailed', message, state: 'Halted' } }
  }
  if (leftToReturn(run, scope.covered, found.badImages)) return run
  const message = `${failure.message}; the nodes${ofReturned(run)} are back on the last good images`
  found.end(run, scope.covered, 'RolledBack', message)
  found.tell('RolledBack', 'Normal', `rollout ${run.revision} is rolled back`)
  return { ...run, pending: [], failure: { ...failure, message, state: 'RolledBack' } }
}

/** Of the classes that still ask for them: where a rollback has begun, others are in their place. */
export function blameImages(
  found: Findings,
  run: Run,
  scope: Scope,
  isMeant: (nodeClass: ClassFacts) => boolean = () => true,
): void {
  for (const nodeClass of changedClasses(run, scope.covered).filter(isMeant)) {
    found.verdict(nodeClass.name, nodeClass.images, 'bad')
  }
}

/** As long as the class's status may hold. */
const reasonMax = 1_024
