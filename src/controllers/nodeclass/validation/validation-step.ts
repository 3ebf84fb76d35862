import type { EC2NodeClass, NodePool } from '../../../api/karpenter.ts'
import { nodeClassNameOf } from '../../../api/node-class-ref.ts'
import {
  kubeletErrors,
  kubeletExpressionMessage,
  kubeletExpressionsDisabledMessage,
  unsupportedKubeletErrors,
  volumeSizeProblems,
} from '../../../api/runtime-validation/index.ts'
import { familyNameOf } from '../../../cloud/aws/ami/family.ts'
import { canonicalText, hash64 } from '../../../cloud/aws/canonical.ts'
import { causeChainText, isServerFault } from '../../../cloud/aws/errors.ts'
import { kubeletOf } from '../../../cloud/aws/instance-types/class-settings.ts'
import { expressionVariables } from '../../../cloud/aws/instance-types/resolve.ts'
import { compileExpression, ExpressionError } from '../../../cloud/aws/kubelet/expressions.ts'
import { KubeletDecodeError, type ManagedKubelet } from '../../../cloud/aws/kubelet/managed-kubelet.ts'
import { checkExpressions, expressionsOf } from '../../../cloud/aws/kubelet/resolve.ts'
import { launchTags, TagValidationError, type Tags } from '../../../cloud/aws/tags.ts'
import { specOf } from '../../../cloud/aws/wire.ts'
import { type Cache, TerminalError } from '../../../kube/controller.ts'
import { nodePools } from '../../../kube/karpenter-kinds.ts'
import { ExpiringMap } from '../../../model/expiring-map.ts'
import type { NodeClassDeps } from '../deps.ts'
import { again, minute, type NodeClassDraft, type Step, type StepOutcome } from '../draft.ts'
import { probeLaunch } from './probe.ts'
import { probeType } from './probe-type.ts'
import type { ValidationVerdict } from './verdict.ts'

const condition = 'ValidationSucceeded'
const verdictTtlMs = 30 * minute
const retryMs = 10 * minute
const dependencies = ['AMIsReady', 'InstanceProfileReady', 'SecurityGroupsReady', 'SubnetsReady']
const awaiting = 'Awaiting AMI, Instance Profile, Security Group, and Subnet resolution'

export interface ValidationStep extends Step {
  /** Forgets what was found out about a class. */
  forget(nodeClassName: string): void
  flush(): void
}

/** Judges a class in the order of its checks; the first that fails says why. */
export function validationStep(deps: NodeClassDeps): ValidationStep {
  // Asked for here, not in `run`: a cache must be known before the controllers start, or it is empty at first.
  const pools = deps.caches.of(nodePools)
  const verdicts = new ExpiringMap<string, ValidationVerdict>({ clock: deps.clock, ttlMs: verdictTtlMs })
  const latest: LatestKeys = new Map()
  return {
    name: 'validation',
    condition,
    forget: (name) => {
      latest.delete(name)
      verdicts.deleteMatching((key) => key.startsWith(`${name}:`))
    },
    flush: () => verdicts.clear(),
    async run(draft) {
      const early =
        (await checkCIDR(deps, draft)) ??
        checkKubelet(deps, draft) ??
        checkVolumes(draft) ??
        checkDependencies(draft) ??
        checkEvaluation(deps, draft)
      if (early !== undefined) return early
      const tags = checkTags(deps, draft)
      const key = verdictKey(draft.current, tags, latest)
      const known = verdicts.get(key)
      if (known !== undefined) return apply(draft, known)
      if (deps.settings.disableDryRun) {
        verdicts.set(key, { kind: 'valid' })
        return apply(draft, { kind: 'valid' })
      }
      return probe(deps, draft, tags, poolsOf(pools, draft.current), (verdict) => verdicts.set(key, verdict))
    },
  }
}

async function checkCIDR({ cloud }: NodeClassDeps, draft: NodeClassDraft): Promise<StepOutcome | undefined> {
  if (familyNameOf(specOf(draft.current)) !== 'AL2023') return undefined
  try {
    await cloud.cidr.resolve()
    return undefined
  } catch (error) {
    if (isServerFault(error)) return { kind: 'backOff' }
    draft.conditions.set(condition, 'False', 'ClusterCIDRResolutionFailed', 'Failed to detect the cluster CIDR')
    throw new Error(`detecting cluster CIDR, ${causeChainText(error)}`, { cause: error })
  }
}

function checkKubelet({ gates }: NodeClassDeps, draft: NodeClassDraft): StepOutcome | undefined {
  const spec = specOf(draft.current)
  if (spec.kubelet === undefined) return undefined
  const invalid = kubeletErrors(spec.kubelet)
  if (invalid.length > 0) return refuse(draft, 'InvalidKubeletConfiguration', invalid.join('; '))
  let kubelet: ManagedKubelet
  try {
    kubelet = kubeletOf(draft.current)
  } catch (error) {
    if (!(error instanceof KubeletDecodeError)) throw error
    return refuse(draft, 'InvalidKubeletConfiguration', error.message)
  }
  const expressions = expressionsOf(kubelet)
  if (expressions.length > 0 && !gates.nodeClassCEL) {
    return refuse(draft, 'KubeletExpressionsDisabled', kubeletExpressionsDisabledMessage)
  }
  for (const { field, text } of expressions) {
    const compiled = compileExpression(text)
    if (compiled.kind === 'invalid') {
      return refuse(draft, 'KubeletExpressionInvalid', kubeletExpressionMessage(field, text, compiled.error))
    }
  }
  const unsupported = unsupportedKubeletErrors(spec.kubelet, familyNameOf(spec))
  if (unsupported.length > 0) return refuse(draft, 'UnsupportedKubeletConfiguration', unsupported.join('; '))
  return undefined
}

/** Not one of Karpenter's checks: it cannot read such a class at all. */
function checkVolumes(draft: NodeClassDraft): undefined {
  const problems = volumeSizeProblems(specOf(draft.current))
  if (problems.length === 0) return undefined
  const texts = problems.map(({ path, message }) => `${path}: ${message}`)
  return refuse(draft, 'InvalidBlockDeviceMappings', texts.join('; '))
}

function checkDependencies(draft: NodeClassDraft): StepOutcome | undefined {
  const statuses = dependencies.map((type) => draft.conditions.get(type)?.status ?? 'Unknown')
  if (statuses.includes('False')) draft.conditions.set(condition, 'False', 'DependenciesNotReady', awaiting)
  else if (statuses.includes('Unknown')) draft.conditions.set(condition, 'Unknown', 'DependenciesNotReady', awaiting)
  else return undefined
  return again(retryMs)
}

function checkEvaluation({ cloud, gates }: NodeClassDeps, draft: NodeClassDraft): StepOutcome | undefined {
  const kubelet = kubeletOf(draft.current)
  if (!gates.nodeClassCEL || expressionsOf(kubelet).length === 0) return undefined
  if (cloud.catalogue.types.size === 0) return { kind: 'backOff' }
  const settings = cloud.instanceTypes.settingsOf(draft.current)
  try {
    for (const info of cloud.catalogue.types.values()) checkExpressions(kubelet, expressionVariables(info, settings))
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    return refuse(draft, 'KubeletExpressionEvaluationFailed', error.message)
  }
  return undefined
}

function checkTags({ settings }: NodeClassDeps, draft: NodeClassDraft): Tags {
  try {
    return launchTags(draft.current, undefined, settings.clusterName)
  } catch (error) {
    if (error instanceof TagValidationError) refuse(draft, 'TagValidationFailed', error.message)
    throw error
  }
}

async function probe(
  deps: NodeClassDeps,
  draft: NodeClassDraft,
  tags: Tags,
  pools: readonly NodePool[],
  keep: (verdict: ValidationVerdict) => void,
): Promise<StepOutcome> {
  const nodeClass = draft.current
  const type = probeType(nodeClass, pools, deps.cloud)
  if (type === undefined) throw new Error('no instance types satisfy requirements of amis')
  const outcome = await probeLaunch(deps.cloud, deps.clients.ec2, { nodeClass, pools, type, tags })
  switch (outcome.kind) {
    case 'undecided':
      return { kind: 'backOff' }
    case 'failed':
      if (outcome.keep) keep(outcome.verdict)
      draft.conditions.set(condition, 'False', outcome.verdict.reason, outcome.verdict.message)
      return outcome.keep ? again(retryMs) : { kind: 'backOff' }
    case 'passed':
      keep({ kind: 'valid' })
      return apply(draft, { kind: 'valid' })
  }
}

function poolsOf(pools: Cache<NodePool>, nodeClass: EC2NodeClass): NodePool[] {
  return pools.list().filter((pool) => nodeClassNameOf(pool) === nodeClass.metadata.name)
}

function apply(draft: NodeClassDraft, verdict: ValidationVerdict): StepOutcome {
  if (verdict.kind === 'valid') draft.conditions.setTrue(condition)
  else draft.conditions.set(condition, 'False', verdict.reason, verdict.message)
  return again(retryMs)
}

/** Only a change of the class can help, so it is not tried again before. */
function refuse(draft: NodeClassDraft, reason: string, message: string): never {
  draft.conditions.set(condition, 'False', reason, message)
  throw new TerminalError(message)
}

/** Of every class the text that its latest key was made from: a class that stays as it is gets its key every minute. */
type LatestKeys = Map<string, { readonly text: string; readonly key: string }>

function verdictKey(nodeClass: EC2NodeClass, tags: Tags, latest: LatestKeys): string {
  const { status, spec, metadata } = nodeClass
  const parts = {
    subnets: status?.subnets ?? [],
    securityGroups: status?.securityGroups ?? [],
    amis: status?.amis ?? [],
    instanceProfile: status?.instanceProfile ?? '',
    spec: spec ?? {},
    annotations: metadata.annotations ?? {},
    tags,
  }
  const text = JSON.stringify(parts)
  const known = latest.get(metadata.name)
  if (known?.text === text) return known.key
  const key = `${metadata.name}:${hash64(canonicalText(parts))}`
  latest.set(metadata.name, { text, key })
  return key
}
