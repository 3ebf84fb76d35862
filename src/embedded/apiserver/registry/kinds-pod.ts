import { jsonEqual } from '../../../api/json.ts'
import { type FieldError, field } from '../errors.ts'
import { arrayAt, isObject, numberAt, objectAt, textAt, withAt } from '../json.ts'
import type { IncomingObject, StoredObject } from '../object.ts'
import { podColumns } from './columns-pod.ts'
import type { BuiltinKind } from './kind.ts'
import { withStatus } from './kind.ts'
import { defaultPodSpec } from './pod-defaults.ts'
import { podSpecErrors } from './pod-validation/pod-spec.ts'
import { qosClassOf } from './qos.ts'

export const podKind: BuiltinKind = {
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  model: 'V1Pod',
  namespaced: true,
  shortNames: ['po'],
  categories: ['all'],
  subresources: ['status', 'eviction', 'binding', 'log'],
  tracksGeneration: true,
  selectable: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'status.phase',
    'status.podIP',
    'status.nominatedNodeName',
  ],
  columns: podColumns,
  strategy: {
    applyDefaults: (pod) => withAt(pod, ['spec'], defaultPodSpec(objectAt(pod, 'spec') ?? {})),
    prepareCreate: (pod) => withStatus(pod, initialStatus(pod)),
    validate: (pod, old) => (old === undefined ? createErrors(pod) : changeErrors(pod, old)),
    gracePeriodSeconds,
  },
}

/** What the API server itself says about a new pod: the scheduling gates show up as a condition before any scheduler looks. */
function initialStatus(pod: IncomingObject): unknown {
  const status = { phase: 'Pending', qosClass: qosClassOf(objectAt(pod, 'spec') ?? {}) }
  if (arrayAt(pod, 'spec', 'schedulingGates').length === 0) return status
  return {
    ...status,
    conditions: [
      {
        type: 'PodScheduled',
        status: 'False',
        reason: 'SchedulingGated',
        message: 'Scheduling is blocked due to non-empty scheduling gates',
        lastProbeTime: null,
        lastTransitionTime: textAt(pod, 'metadata', 'creationTimestamp'),
      },
    ],
  }
}

/** A pod that no kubelet runs goes at once; a finished one needs no grace either. */
function gracePeriodSeconds(pod: StoredObject, requested: number | undefined): number {
  if (textAt(pod, 'spec', 'nodeName') === undefined) return 0
  const phase = textAt(pod, 'status', 'phase')
  if (phase === 'Succeeded' || phase === 'Failed') return 0
  return Math.max(0, requested ?? numberAt(pod, 'spec', 'terminationGracePeriodSeconds') ?? 30)
}

const changeMessage =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'

function createErrors(pod: IncomingObject): readonly FieldError[] {
  const spec = objectAt(pod, 'spec') ?? {}
  const errors = podSpecErrors(spec, 'spec')
  if (arrayAt(spec, 'schedulingGates').length > 0 && (textAt(spec, 'nodeName') ?? '') !== '') {
    errors.push(field.forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'))
  }
  return errors
}

function changeErrors(pod: IncomingObject, old: StoredObject): readonly FieldError[] {
  const before = objectAt(old, 'spec') ?? {}
  const after = objectAt(pod, 'spec') ?? {}
  if (before === after) return []
  const errors = podSpecErrors(after, 'spec')
  const gates = new Set(arrayAt(before, 'schedulingGates').map((gate) => textAt(gate, 'name')))
  arrayAt(after, 'schedulingGates').forEach((gate, index) => {
    if (!gates.has(textAt(gate, 'name'))) {
      errors.push(
        field.forbidden(
          `spec.schedulingGates[${index}].name`,
          `only deletion is allowed, but found new scheduling gate '${textAt(gate, 'name') ?? ''}'`,
        ),
      )
    }
  })
  const kept = new Set(arrayAt(after, 'tolerations').map((item) => JSON.stringify(item)))
  if (!arrayAt(before, 'tolerations').every((item) => kept.has(JSON.stringify(item)))) {
    errors.push(
      field.forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds'),
    )
  }
  const gated = gates.size > 0
  if (!jsonEqual(comparable(before, gated), comparable(after, gated)))
    errors.push(field.forbidden('spec', changeMessage))
  return errors
}

/** The spec without what may change. While a pod is gated its node selection may still be narrowed. */
function comparable(spec: object, gated: boolean): unknown {
  const rest: Record<string, unknown> = { ...spec }
  for (const name of ['activeDeadlineSeconds', 'tolerations', 'schedulingGates', 'ephemeralContainers'])
    delete rest[name]
  if (gated) for (const name of ['nodeSelector', 'affinity']) delete rest[name]
  for (const name of ['containers', 'initContainers']) {
    if (rest[name] === undefined) continue
    rest[name] = arrayAt(rest, name).map((container) =>
      isObject(container) ? { ...container, image: undefined } : container,
    )
  }
  return rest
}
