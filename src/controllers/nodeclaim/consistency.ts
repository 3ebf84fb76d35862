import type { NodeClaim } from '../../api/karpenter.ts'
import type { Node } from '../../api/kubernetes.ts'
import { isConditionTrue } from '../../api/conditions.ts'
import type { CloudProvider } from '../../cloud/provider.ts'
import { backOff, type Caches, type Controller, done, requeueAfter, source } from '../../kube/controller.ts'
import { isConflict, isNotFound } from '../../kube/errors.ts'
import { nodeClaims } from '../../kube/karpenter-kinds.ts'
import { nodes } from '../../kube/kinds.ts'
import type { KubeClient } from '../../kube/port.ts'
import type { EventRecorder } from '../../kube/recorder.ts'
import { keyOf } from '../../kube/resource.ts'
import type { Clock } from '../../model/clock.ts'
import { fixedText } from '../../model/fixed-text.ts'
import { compareText } from '../../model/order.ts'
import { toResources } from '../../model/resources.ts'
import { scaledConcurrency } from '../concurrency.ts'
import { draftOf, saveStatus } from './claim-draft.ts'
import { claimLog } from './claim-log.ts'
import { claimKeysOf, isManagedClaim, machineLookup } from './lookup.ts'

export interface ConsistencyDeps {
  readonly kube: KubeClient
  readonly caches: Caches
  readonly clock: Clock
  readonly cloud: Pick<CloudProvider, 'nodeClassKinds'>
  readonly recorder: EventRecorder
  readonly cpuMilli: number
}

const everyMs = 600_000
/** Less than this share of what was predicted, and pods planned for the node may not fit it. */
const shareMin = 0.9

/** Compares what a node turned out to be with what its claim predicted, and says so when it is less. */
export function nodeClaimConsistency(deps: ConsistencyDeps): Controller {
  const lookup = machineLookup(deps.caches)
  /** When each claim, by UID, was last looked at. */
  const checkedAt = new Map<string, number>()
  return {
    name: 'nodeclaim.consistency',
    kind: { group: 'karpenter.sh', kind: 'NodeClaim' },
    sources: [
      source(nodeClaims, (change) => {
        if (change.kind === 'deleted') checkedAt.delete(change.before.metadata.uid)
        return change.after === undefined ? [] : [keyOf(change.after)]
      }),
      source(nodes, ({ after, before }) => claimKeysOf(lookup, after, before)),
    ],
    concurrency: scaledConcurrency(10, 1_000, deps.cpuMilli),
    async reconcile(key, { log }) {
      const claim = lookup.claims.get(key)
      if (claim === undefined || !isManagedClaim(claim, deps.cloud)) return done
      if ((claim.status?.providerID ?? '') === '') return done
      const now = deps.clock.monotonicMs()
      const last = checkedAt.get(claim.metadata.uid)
      if (last !== undefined && now - last < everyMs) return requeueAfter(last + everyMs - now)
      // A machine without a node yet has had its turn, too: Karpenter measures it once it has had time to initialize.
      checkedAt.set(claim.metadata.uid, now)
      const node = lookup.onlyNodeOf(claim)
      if (node === undefined) return requeueAfter(everyMs)
      const issues = shapeIssues(claim, node)
      const draft = draftOf(claim, deps.clock)
      if (issues.length === 0) draft.conditions.setTrue('ConsistentStateFound')
      else {
        draft.conditions.set('ConsistentStateFound', 'False', 'ConsistencyCheckFailed', 'Consistency Check Failed')
      }
      for (const issue of issues) {
        claimLog(log, claim).info({ issue }, 'failed consistency check')
        deps.recorder.publish({
          object: claim,
          type: 'Warning',
          reason: 'FailedConsistencyCheck',
          message: issue,
          dedupeValues: [claim.metadata.uid, issue],
        })
      }
      try {
        await saveStatus(deps.kube, draft, 'optimistic')
      } catch (error) {
        checkedAt.delete(claim.metadata.uid)
        if (isConflict(error)) return backOff
        if (!isNotFound(error)) throw error
      }
      return requeueAfter(everyMs)
    },
  }
}

/** Only resources that were asked for and predicted are compared; before initialization devices may still be missing. */
function shapeIssues(claim: NodeClaim, node: Node): readonly string[] {
  if (claim.metadata.deletionTimestamp !== undefined || !isConditionTrue(claim, 'Initialized')) return []
  const predicted = toResources(claim.status?.capacity)
  const found = toResources(node.status?.capacity)
  return [...toResources(claim.spec.resources?.requests)]
    .toSorted(([a], [b]) => compareText(a, b))
    .flatMap(([name, requested]) => {
      const expected = predicted.get(name)
      if (requested.isZero || expected === undefined || expected.isZero) return []
      const actual = found.get(name)
      const share = (actual?.toNumber() ?? 0) / expected.toNumber()
      if (share >= shareMin) return []
      const percent = fixedText(share * 100, 1)
      return [
        `expected ${expected.toString()} of resource ${name}, but found ${actual?.toString() ?? '0'} (${percent}% of expected)`,
      ]
    })
}
