import { conditionOf } from '../../api/conditions.ts'
import { messageOf } from '../../api/error-text.ts'
import type { EC2NodeClass, EC2NodeClassStatus } from '../../api/karpenter.ts'
import { awsGroup, finalizerEC2NodeClass } from '../../api/labels.ts'
import { nodeClassNameOf } from '../../api/node-class-ref.ts'
import { nodeClassKind } from '../../cloud/aws/keys.ts'
import { backOff, type Controller, done, type ReconcileResult, source, TerminalError } from '../../kube/controller.ts'
import { isConflict, isNotFound } from '../../kube/errors.ts'
import { ec2NodeClasses, nodeClaims } from '../../kube/karpenter-kinds.ts'
import type { Logger } from '../../kube/logger.ts'
import { mergePatchBetween } from '../../kube/merge-patch.ts'
import { keyOf } from '../../kube/resource.ts'
import type { Clock } from '../../model/clock.ts'
import { combineErrors } from '../../model/combine-errors.ts'
import { truncated } from '../truncated.ts'
import { isCountedOnly } from '../rollout/counted-only.ts'
import type { NodeClassDeps } from './deps.ts'
import { logDiscoveries } from './discoveries.ts'
import { minute, NodeClassDraft, type Step, type StepOutcome } from './draft.ts'
import { classFinalizer } from './finalize.ts'
import {
  amiStep,
  instanceProfileStep,
  placementGroupStep,
  reservationStep,
  securityGroupStep,
  subnetStep,
  unsupportedAlias,
} from './resolve-steps.ts'
import { type ValidationStep, validationStep } from './validation/validation-step.ts'

export interface NodeClassController extends Controller {
  /** Forgets verdicts, as a restart would. */
  flush(): void
}

/** Resolves what a class selects, checks that it can be launched from, and says so in its status. */
export function nodeClassController(deps: NodeClassDeps, log: Logger): NodeClassController {
  const validation: ValidationStep = validationStep(deps)
  const resolve = { cloud: deps.cloud, clock: deps.clock, log }
  const steps: readonly Step[] = [
    amiStep(resolve),
    ...(deps.gates.reservedCapacity ? [reservationStep(resolve)] : []),
    placementGroupStep(resolve),
    subnetStep(resolve),
    securityGroupStep(resolve),
    instanceProfileStep(resolve),
    validation,
  ]
  const classes = deps.caches.of(ec2NodeClasses)
  const own = new OwnFields(deps.clock)
  const finalize = classFinalizer(deps, (name) => validation.forget(name))
  return {
    name: 'nodeclass',
    kind: { group: awsGroup, kind: nodeClassKind },
    concurrency: 10,
    rateLimit: { baseMs: 100, maxMs: minute },
    sources: [
      source(ec2NodeClasses, ({ after, before }) =>
        isCountedOnly(whatAsks(before), whatAsks(after)) ? [] : [keyOf(after ?? before)],
      ),
      source(nodeClaims, (change) => {
        const name = change.kind === 'deleted' ? nodeClassNameOf(change.before) : undefined
        return name === undefined ? [] : [{ name }]
      }),
    ],
    triggers: [
      // Not tried again otherwise: only a change of the class or of the cluster's version helps.
      (enqueue) =>
        deps.cloud.version.subscribe(() => {
          for (const nodeClass of classes.list().filter(isAliasUnsupported)) enqueue(keyOf(nodeClass))
        }),
    ],
    flush: () => validation.flush(),
    async reconcile(key, context) {
      const nodeClass = classes.get(key)
      if (nodeClass === undefined) return done
      if (nodeClass.metadata.deletionTimestamp !== undefined) return finalize(nodeClass)
      const held = await addFinalizer(deps, nodeClass)
      return held === undefined ? backOff : reconcileStatus({ ...deps, log: context.log }, held, steps, own)
    },
  }
}

function isAliasUnsupported(nodeClass: EC2NodeClass): boolean {
  return conditionOf(nodeClass, 'AMIsReady')?.reason === unsupportedAlias
}

/**
 * The class without what two processes, as during a handover, may think differently of: they would answer each other's writes without end.
 * Subnets stand in the order of their free addresses, which every launch changes; and what an alias stands for each process has read at
 * another time. The next look, within minutes, puts right what others have written there.
 */
function whatAsks(nodeClass: EC2NodeClass | undefined): EC2NodeClass | undefined {
  if (nodeClass?.status === undefined) return nodeClass
  const { amis: _amis, imageHistory: _history, ...status } = nodeClass.status
  const subnets = status.subnets?.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return { ...nodeClass, status: { ...status, ...(subnets && { subnets }) } }
}

/** Undefined when the class changed meanwhile or is gone. */
async function addFinalizer({ kube }: NodeClassDeps, nodeClass: EC2NodeClass): Promise<EC2NodeClass | undefined> {
  const { name, resourceVersion, finalizers = [] } = nodeClass.metadata
  if (finalizers.includes(finalizerEC2NodeClass)) return nodeClass
  const body = { metadata: { resourceVersion, finalizers: [...finalizers, finalizerEC2NodeClass] } }
  try {
    return await kube.patch(ec2NodeClasses, { name }, { kind: 'merge', body })
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return undefined
    throw error
  }
}

async function reconcileStatus(
  deps: NodeClassDeps & { readonly log: Logger },
  nodeClass: EC2NodeClass,
  steps: readonly Step[],
  own: OwnFields,
): Promise<ReconcileResult> {
  const draft = new NodeClassDraft(nodeClass, {
    reservedCapacity: deps.gates.reservedCapacity,
    now: deps.clock.now(),
  })
  const outcomes: StepOutcome[] = []
  const errors: unknown[] = []
  for (const step of steps) {
    try {
      outcomes.push(await step.run(draft))
    } catch (error) {
      errors.push(error)
      tellFailure(deps, draft, step, error)
    }
  }
  logDiscoveries(nodeClass.status, draft.current.status, deps.log)
  if ((await patchStatus(deps, nodeClass, draft.current, own)) === 'conflict') return backOff
  const retryable = errors.filter((error) => !(error instanceof TerminalError))
  if (retryable.length > 0) throw combineErrors(errors)
  if (errors.length > 0) {
    const cause = combineErrors(errors)
    throw new TerminalError(cause.message, { cause })
  }
  return combine(outcomes)
}

/** Why a class is not ready stands in no condition that could not be judged; one that is judged for this generation holds for now. */
function tellFailure({ recorder }: NodeClassDeps, draft: NodeClassDraft, { condition }: Step, error: unknown): void {
  if (error instanceof TerminalError) return
  const { metadata } = draft.current
  const known = draft.conditions.get(condition)
  if (known?.status === 'True' && known.observedGeneration === metadata.generation) return
  recorder.publish({
    object: draft.current,
    type: 'Warning',
    reason: 'ResolutionFailed',
    message: `${condition} cannot be told, ${truncated(messageOf(error))}`,
    dedupeValues: [metadata.uid, condition],
  })
}

async function patchStatus(
  { kube }: NodeClassDeps,
  before: EC2NodeClass,
  after: EC2NodeClass,
  own: OwnFields,
): Promise<'written' | 'conflict'> {
  const status = mergePatchBetween(before.status ?? {}, own.kept(after.status ?? {}))
  if (status === undefined) return 'written'
  const { name, resourceVersion } = before.metadata
  try {
    const written = await kube.patch(
      ec2NodeClasses,
      { name },
      { kind: 'merge', body: { metadata: { resourceVersion }, status } },
      { subresource: 'status' },
    )
    if ('imageHistory' in status) own.note(written)
    return 'written'
  } catch (error) {
    if (isConflict(error)) return 'conflict'
    if (isNotFound(error)) return 'written'
    throw error
  }
}

/** A definition may be replaced by one that keeps the fields. */
const askAgainMs = 3_600_000

/** Karpenter's own definition knows no image history and drops it: sending it again each time would be writes without end. */
class OwnFields {
  readonly #clock: Clock
  #droppedAt: number | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  kept(status: EC2NodeClassStatus): EC2NodeClassStatus {
    if (this.#droppedAt === undefined || this.#clock.monotonicMs() - this.#droppedAt >= askAgainMs) return status
    const { imageHistory: _history, pinnedImages: _pin, ...known } = status
    return known
  }

  note(written: EC2NodeClass): void {
    this.#droppedAt = written.status?.imageHistory === undefined ? this.#clock.monotonicMs() : undefined
  }
}

/** The soonest wish wins. */
function combine(outcomes: readonly StepOutcome[]): ReconcileResult {
  if (outcomes.some((outcome) => outcome.kind === 'backOff')) return backOff
  const delays = outcomes.flatMap((outcome) =>
    outcome.kind === 'requeue' && outcome.afterMs > 0 ? [outcome.afterMs] : [],
  )
  return delays.length === 0 ? done : { kind: 'requeue', afterMs: Math.min(...delays) }
}
