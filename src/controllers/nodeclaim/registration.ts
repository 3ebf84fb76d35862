import { messageOf } from '../../api/error-text.ts'
import type { NodeClaim } from '../../api/karpenter.ts'
import type { Node } from '../../api/kubernetes.ts'
import type { CloudProvider } from '../../cloud/provider.ts'
import { isConflict, isNotFound } from '../../kube/errors.ts'
import { nodes } from '../../kube/kinds.ts'
import type { KubeClient } from '../../kube/port.ts'
import type { EventRecorder } from '../../kube/recorder.ts'
import { mergePatchBetween } from '../../kube/merge-patch.ts'
import { matchesTaint } from '../../model/taints.ts'
import type { ControllerMetrics } from '../metric-table.ts'
import { labelNodePool, labelRegistered, taintUnregistered, labelZone } from '../../api/labels.ts'
import type { ClaimDraft } from './claim-draft.ts'
import { hasInstance } from './launch.ts'
import type { MachineLookup } from './lookup.ts'
import { type HookFindings, runRegistrationHooks } from './registration-hooks.ts'
import type { RegistrationOutcomes } from './registration-outcomes.ts'
import { markRegistered, syncedNode } from './node-sync.ts'
import type { ClaimStep, ClaimStepContext, ClaimStepOutcome } from './step.ts'

export interface RegistrationDeps {
  readonly kube: KubeClient
  readonly lookup: MachineLookup
  readonly cloud: Pick<CloudProvider, 'registrationHooks'>
  readonly recorder: EventRecorder
  readonly registrations: RegistrationOutcomes
  readonly metrics: Pick<ControllerMetrics, 'nodesCreated'>
  /** Called with the name of the claim before its node may take pods; absent when pods are not nominated. */
  readonly announce?: (claim: string) => Promise<void>
}

/** Joins the claim to the node that its instance became, and makes the node carry what the claim asks for. */
export function registrationStep(deps: RegistrationDeps): ClaimStep {
  return async (draft, context) => {
    const { before, claim, conditions } = draft
    if (!conditions.isUnknown('Registered')) {
      conditions.refresh('Registered')
      if (!conditions.isTrue('Registered')) return {}
      return (await refusalOf(deps.registrations.settle(claim))) ?? {}
    }
    // No pods come before the launch is written down: who takes the claim apart would not know what to drain.
    const [node, ...others] = hasInstance(before) ? deps.lookup.nodesOf(claim) : []
    if (node === undefined) {
      conditions.set('Registered', 'Unknown', 'NodeNotFound', 'Node not registered with cluster')
      return {}
    }
    if (others.length > 0) {
      conditions.set('Registered', 'False', 'MultipleNodesFound', 'Invariant violated, matched multiple nodes')
      return {}
    }
    return register(deps, draft, node, context)
  }
}

async function register(
  deps: RegistrationDeps,
  { claim, before, conditions }: ClaimDraft,
  node: Node,
  { log }: ClaimStepContext,
): Promise<ClaimStepOutcome> {
  reportMissingTaint(deps, before, node, log)
  const hooks = await runRegistrationHooks(deps.cloud.registrationHooks, claim)
  claim.metadata.labels = { ...claim.metadata.labels, ...hooks.labels }
  const clear = hooks.waiting.length === 0
  const synced = syncedNode(node, claim)
  if (clear) await deps.announce?.(claim.metadata.name)
  const refused = await refusalOf(patchNode(deps.kube, node, clear ? markRegistered(synced) : synced))
  if (refused !== undefined) return refused
  if (!clear) return awaitHooks(hooks, conditions, log)
  // The node takes pods from here on, so the claim says so whatever becomes of its pool's health: unregistered it would not be drained.
  claim.status = { ...claim.status, nodeName: node.metadata.name }
  conditions.setTrue('Registered')
  // As long as the claim may not be written, each pass comes here anew.
  if (node.metadata.labels?.[labelRegistered] !== 'true') {
    log.info({ Node: { name: node.metadata.name } }, 'registered nodeclaim')
    deps.metrics.nodesCreated.increment({
      nodepool: claim.metadata.labels[labelNodePool] ?? '',
      zone: claim.metadata.labels[labelZone] ?? '',
    })
  }
  return (await refusalOf(deps.registrations.record(claim))) ?? {}
}

/** What to do about a write that did not succeed. */
async function refusalOf(write: Promise<void>): Promise<ClaimStepOutcome | undefined> {
  try {
    await write
    return undefined
  } catch (error) {
    return isConflict(error) ? { conflict: true } : { error }
  }
}

function awaitHooks(
  hooks: HookFindings,
  conditions: ClaimDraft['conditions'],
  log: ClaimStepContext['log'],
): ClaimStepOutcome {
  const names = hooks.waiting.join(', ')
  conditions.set('Registered', 'Unknown', 'RegistrationHookPending', names)
  log.debug({ hooks: hooks.waiting }, 'awaiting registration hooks')
  return { error: hooks.error, requeueAfterMs: hooks.requeueAfterMs }
}

/** A node that joined without the taint may already have pods that were scheduled by guesswork. */
function reportMissingTaint(deps: RegistrationDeps, claim: NodeClaim, node: Node, log: ClaimStepContext['log']): void {
  if (node.metadata.labels?.[labelRegistered] !== undefined) return
  if ((node.spec.taints ?? []).some((taint) => matchesTaint(taint, taintUnregistered))) return
  log.error({ taint: taintUnregistered.key }, 'node claim registration error')
  deps.recorder.publish({
    object: claim,
    type: 'Warning',
    reason: 'UnregisteredTaintMissing',
    message: `Missing ${taintUnregistered.key} taint which prevents registration related race conditions on Karpenter-managed nodes`,
    dedupeValues: [claim.metadata.uid],
  })
}

async function patchNode(kube: KubeClient, before: Node, after: Node): Promise<void> {
  const patch = mergePatchBetween(
    { metadata: before.metadata, spec: before.spec },
    { metadata: after.metadata, spec: after.spec },
  )
  if (patch === undefined) return
  const metadata = typeof patch['metadata'] === 'object' ? patch['metadata'] : {}
  const body = { ...patch, metadata: { ...metadata, resourceVersion: before.metadata.resourceVersion } }
  try {
    await kube.patch(nodes, { name: before.metadata.name }, { kind: 'merge', body })
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) throw error
    throw new Error(`patching node, ${messageOf(error)}`, { cause: error })
  }
}
