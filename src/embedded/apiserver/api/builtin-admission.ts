import { tryParseQuantity } from '../../../model/quantity.ts'
import { forbidden } from '../errors.ts'
import { arrayAt, at, isObject, numberAt, objectAt, textAt, withAt } from '../json.ts'
import { type IncomingObject, nameOf, type StoredObject } from '../object.ts'
import type { KindDefinition } from '../registry/definition.ts'
import { withDefaults } from '../registry/pod-defaults.ts'
import type { ApiContext } from './context.ts'
import { withDefaultLimits } from './limit-ranges.ts'
import { type Refusal, withAccount } from './service-accounts.ts'

/**
 * What a real API server's own admission plugins fill in on creation: limits, priority, default tolerations, service account, storage class.
 * What they refuse they call as it was asked for: they come before a name is made up.
 */
export function applyCreateDefaults(
  context: ApiContext,
  definition: KindDefinition,
  object: IncomingObject,
  askedName: string,
): IncomingObject {
  const refusal: Refusal = (because) => forbidden(definition, askedName, because)
  switch (definition.table) {
    case '/pods':
      return withAccount(context, refusal, admitPod(context, refusal, withDefaultLimits(context, object)))
    case '/nodes':
      return admitNode(object)
    case '/persistentvolumeclaims':
      return admitClaim(context, object)
    case 'policy/poddisruptionbudgets':
      return withAt(object, ['status'], {
        disruptionsAllowed: 0,
        currentHealthy: 0,
        desiredHealthy: 0,
        expectedPods: 0,
      })
    default:
      return object
  }
}

/** How long a pod stays on a node that is not ready or unreachable, unless it says otherwise. */
const defaultTolerationSeconds = 300

function admitPod(context: ApiContext, refusal: Refusal, pod: IncomingObject): IncomingObject {
  const spec = objectAt(pod, 'spec') ?? {}
  const tolerations = [...arrayAt(spec, 'tolerations')]
  for (const key of ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']) {
    const tolerated = tolerations.some((toleration) => toleratesNoExecute(toleration, key))
    if (!tolerated) {
      tolerations.push({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: defaultTolerationSeconds })
    }
  }
  const complete = withDefaults(spec, {
    enableServiceLinks: true,
    ...overheadOf(context, refusal, pod),
  })
  return withAt(pod, ['spec'], { ...complete, tolerations, ...priorityOf(context, refusal, pod) })
}

/** A new node takes no pods before its readiness has been seen. */
function admitNode(node: IncomingObject): IncomingObject {
  const taints = arrayAt(node, 'spec', 'taints')
  const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }
  const known = taints.some(
    (taint) => textAt(taint, 'key') === notReady.key && textAt(taint, 'effect') === notReady.effect,
  )
  return known ? node : withAt(node, ['spec', 'taints'], [...taints, notReady])
}

function toleratesNoExecute(toleration: unknown, key: string): boolean {
  const effect = textAt(toleration, 'effect') ?? ''
  const own = textAt(toleration, 'key') ?? ''
  return (own === key || own === '') && (effect === '' || effect === 'NoExecute')
}

/** The class decides; who names another priority or policy beside it, or without any, is refused. */
function priorityOf(context: ApiContext, refusal: Refusal, pod: IncomingObject): Readonly<Record<string, unknown>> {
  const name = textAt(pod, 'spec', 'priorityClassName') ?? ''
  const found = name === '' ? globalDefault(context) : context.store.get('scheduling.k8s.io/priorityclasses', name)
  if (name !== '' && found === undefined) {
    throw refusal(`no PriorityClass with name ${name} was found`)
  }
  const computed = {
    priority: found === undefined ? 0 : (numberAt(found, 'value') ?? 0),
    preemptionPolicy: (found && textAt(found, 'preemptionPolicy')) ?? 'PreemptLowerPriority',
  }
  const refuse = (what: string, given: unknown, instead: unknown): never => {
    const by = `priority admission controller computed ${String(instead)} from the given PriorityClass name`
    throw refusal(`the ${what} (${String(given)}) must not be provided in pod spec; ${by}`)
  }
  const priority = numberAt(pod, 'spec', 'priority') ?? computed.priority
  if (priority !== computed.priority) refuse('integer value of priority', priority, computed.priority)
  const policy = textAt(pod, 'spec', 'preemptionPolicy') ?? computed.preemptionPolicy
  if (policy !== computed.preemptionPolicy) {
    refuse('string value of PreemptionPolicy', policy, computed.preemptionPolicy)
  }
  return { ...(found === undefined ? {} : { priorityClassName: found.metadata.name }), ...computed }
}

function globalDefault(context: ApiContext): StoredObject | undefined {
  return context.store
    .list('scheduling.k8s.io/priorityclasses')
    .find((candidate) => candidate['globalDefault'] === true)
}

function overheadOf(context: ApiContext, refusal: Refusal, pod: IncomingObject): Readonly<Record<string, unknown>> {
  const name = textAt(pod, 'spec', 'runtimeClassName')
  if (name === undefined) return {}
  const found = context.store.get('node.k8s.io/runtimeclasses', name)
  if (found === undefined) throw refusal(`pod rejected: RuntimeClass "${name}" not found`)
  const overhead = at(found, 'overhead', 'podFixed')
  return isObject(overhead) ? { overhead } : {}
}

function admitClaim(context: ApiContext, claim: IncomingObject): IncomingObject {
  if (at(claim, 'spec', 'storageClassName') !== undefined) return claim
  const fallback = context.store
    .list('storage.k8s.io/storageclasses')
    .find((candidate) => candidate.metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true')
  return fallback === undefined ? claim : withAt(claim, ['spec', 'storageClassName'], fallback.metadata.name)
}

/** A bound claim may ask for more where its class has volumes that can grow. */
export function enforceGrowth(
  context: ApiContext,
  definition: KindDefinition,
  claim: IncomingObject,
  old: StoredObject,
): void {
  if (definition.table !== '/persistentvolumeclaims') return
  const [wanted, had] = [claim, old].map((each) =>
    tryParseQuantity(textAt(each, 'spec', 'resources', 'requests', 'storage') ?? ''),
  )
  if (wanted === undefined || had === undefined || wanted.compare(had) <= 0) return
  const storageClass = context.store.get(
    'storage.k8s.io/storageclasses',
    textAt(claim, 'spec', 'storageClassName') ?? '',
  )
  if (storageClass?.['allowVolumeExpansion'] === true) return
  const because =
    'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize'
  throw forbidden(definition, nameOf(claim), because)
}
