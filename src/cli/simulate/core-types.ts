import { isRecord, textOf } from '../../api/json.ts'
import type { PartialObject } from '../input/documents.ts'
import type { ShapeProblem } from '../input/problem-line.ts'

/**
 * A core object as an API server decodes it: a null field is one that is left out, a null text in a map is empty and a null amount zero.
 * What is of another type than it has there would be refused.
 */
export function decodeCore(object: PartialObject): {
  readonly object: PartialObject
  readonly problems: readonly ShapeProblem[]
} {
  const walk: Walk = { path: [], problems: [] }
  const kind = textOf(object.kind)
  const fields = { ...ofEveryKind, ...(Object.hasOwn(kinds, kind) ? kinds[kind] : {}) }
  const decoded = decodeStruct(object, struct(fields), walk)
  // A node may be without one; whoever reads nodes of a server finds one that is empty.
  const complete = kind === 'Node' && decoded['spec'] === undefined ? { ...decoded, spec: {} } : decoded
  return { object: complete as PartialObject, problems: walk.problems }
}

/** A scalar, a list (of one shape), a map (`each`) or a struct of the fields that are read; others are kept as they are. */
type Shape =
  | 'string'
  | 'number'
  | 'boolean'
  | 'intOrString'
  | 'amount'
  | 'any'
  | readonly [Shape]
  | { readonly each: Shape }
  | Struct

interface Struct {
  readonly fields: { readonly [field: string]: Shape }
  /** Those without which nothing can be made of it. */
  readonly required: readonly string[]
}

const struct = (fields: Struct['fields'], ...required: readonly string[]): Struct => ({ fields, required })
const texts: Shape = { each: 'string' }
/** What amounts must look like is judged where all of them are. */
const amounts: Shape = { each: 'amount' }

const metadata = struct({
  name: 'string',
  namespace: 'string',
  uid: 'string',
  creationTimestamp: 'string',
  deletionTimestamp: 'string',
  labels: texts,
  annotations: texts,
  finalizers: ['string'],
  ownerReferences: [struct({ apiVersion: 'string', kind: 'string', name: 'string', uid: 'string' })],
})
const expressions: Shape = [struct({ key: 'string', operator: 'string', values: ['string'] }, 'key', 'operator')]
const labelSelector = struct({ matchLabels: texts, matchExpressions: expressions })
const nodeTerm = struct({ matchExpressions: expressions, matchFields: expressions })
const nodeSelector = struct({ nodeSelectorTerms: [nodeTerm] })
const podTerm = struct({
  labelSelector,
  namespaces: ['string'],
  namespaceSelector: labelSelector,
  topologyKey: 'string',
  matchLabelKeys: ['string'],
  mismatchLabelKeys: ['string'],
})
const podAffinity = struct({
  requiredDuringSchedulingIgnoredDuringExecution: [podTerm],
  preferredDuringSchedulingIgnoredDuringExecution: [
    struct({ weight: 'number', podAffinityTerm: podTerm }, 'podAffinityTerm'),
  ],
})
const affinity = struct({
  nodeAffinity: struct({
    requiredDuringSchedulingIgnoredDuringExecution: nodeSelector,
    preferredDuringSchedulingIgnoredDuringExecution: [struct({ weight: 'number', preference: nodeTerm }, 'preference')],
  }),
  podAffinity,
  podAntiAffinity: podAffinity,
})
const resources = struct({
  requests: amounts,
  limits: amounts,
  claims: [struct({ name: 'string', request: 'string' })],
})
const container = struct({
  name: 'string',
  restartPolicy: 'string',
  env: [struct({ name: 'string', value: 'string' })],
  ports: [struct({ containerPort: 'number', hostPort: 'number', hostIP: 'string', protocol: 'string' })],
  resources,
})
const claimSpec = struct({
  accessModes: ['string'],
  storageClassName: 'string',
  volumeName: 'string',
  resources,
})
const podSpec = struct({
  nodeName: 'string',
  schedulerName: 'string',
  priority: 'number',
  priorityClassName: 'string',
  nodeSelector: texts,
  affinity,
  tolerations: [struct({ key: 'string', operator: 'string', value: 'string', effect: 'string' })],
  topologySpreadConstraints: [
    struct({
      topologyKey: 'string',
      whenUnsatisfiable: 'string',
      labelSelector,
      minDomains: 'number',
      nodeAffinityPolicy: 'string',
      nodeTaintsPolicy: 'string',
      matchLabelKeys: ['string'],
    }),
  ],
  containers: [container],
  initContainers: [container],
  volumes: [
    struct({
      name: 'string',
      persistentVolumeClaim: struct({ claimName: 'string' }),
      ephemeral: struct({ volumeClaimTemplate: struct({ metadata, spec: claimSpec }) }),
    }),
  ],
  overhead: amounts,
  resources,
  resourceClaims: [struct({ name: 'string', resourceClaimName: 'string', resourceClaimTemplateName: 'string' })],
  schedulingGates: [struct({ name: 'string' })],
  terminationGracePeriodSeconds: 'number',
  hostNetwork: 'boolean',
})
const conditions: Shape = [
  struct({ type: 'string', status: 'string', lastTransitionTime: 'string', reason: 'string', message: 'string' }),
]
const template = struct({ metadata, spec: podSpec })
const workload = struct({ replicas: 'number', selector: labelSelector, template })
const containerStatuses: Shape = [struct({ name: 'string', resources, allocatedResources: amounts })]
const counters: Shape = { each: struct({ value: 'any' }) }
const selectors: Shape = [struct({ cel: struct({ expression: 'string' }) })]
const deviceAsked = {
  deviceClassName: 'string',
  selectors,
  allocationMode: 'string',
  count: 'number',
  tolerations: [struct({ key: 'string', operator: 'string', value: 'string', effect: 'string' })],
  capacity: struct({ requests: amounts }),
} as const

/** What of each kind is read, and of which type an API server has it. */
const kinds: Readonly<Record<string, { readonly [field: string]: Shape }>> = {
  Pod: {
    spec: podSpec,
    status: struct({
      phase: 'string',
      conditions,
      nominatedNodeName: 'string',
      startTime: 'string',
      resize: 'string',
      containerStatuses,
      initContainerStatuses: containerStatuses,
      resourceClaimStatuses: [struct({ name: 'string', resourceClaimName: 'string' })],
    }),
  },
  Node: {
    spec: struct({
      providerID: 'string',
      taints: [struct({ key: 'string', value: 'string', effect: 'string' })],
      unschedulable: 'boolean',
    }),
    status: struct({ capacity: amounts, allocatable: amounts, conditions }),
  },
  Deployment: { spec: workload },
  ReplicaSet: { spec: workload },
  DaemonSet: { spec: workload },
  StatefulSet: {
    spec: struct({
      replicas: 'number',
      selector: labelSelector,
      template,
      volumeClaimTemplates: [struct({ metadata, spec: claimSpec }, 'metadata', 'spec')],
    }),
  },
  ReplicationController: { spec: struct({ selector: texts }) },
  PodTemplate: { template },
  PodDisruptionBudget: {
    spec: struct({ selector: labelSelector, minAvailable: 'intOrString', maxUnavailable: 'intOrString' }),
    status: struct({ disruptionsAllowed: 'number', disruptedPods: texts }),
  },
  PersistentVolumeClaim: { spec: claimSpec, status: struct({ phase: 'string' }) },
  PersistentVolume: {
    spec: struct({
      storageClassName: 'string',
      csi: struct({ driver: 'string', volumeHandle: 'string' }),
      nodeAffinity: struct({ required: nodeSelector }),
    }),
  },
  StorageClass: {
    provisioner: 'string',
    volumeBindingMode: 'string',
    allowedTopologies: [struct({ matchLabelExpressions: [struct({ key: 'string', values: ['string'] }, 'key')] })],
  },
  CSINode: { spec: struct({ drivers: [struct({ name: 'string', allocatable: struct({ count: 'number' }) })] }) },
  PriorityClass: { value: 'number', globalDefault: 'boolean' },
  Service: { spec: struct({ selector: texts }) },
  ResourceClaim: {
    spec: struct({
      devices: struct({
        requests: [
          struct({
            name: 'string',
            exactly: struct({ ...deviceAsked, adminAccess: 'boolean' }),
            firstAvailable: [struct({ ...deviceAsked, name: 'string' })],
          }),
        ],
        constraints: [struct({ requests: ['string'], matchAttribute: 'string', distinctAttribute: 'string' })],
      }),
    }),
    status: struct({
      allocation: struct({
        devices: struct({
          results: [
            struct({
              request: 'string',
              driver: 'string',
              pool: 'string',
              device: 'string',
              adminAccess: 'boolean',
              shareID: 'string',
            }),
          ],
        }),
        nodeSelector,
      }),
      reservedFor: [struct({ resource: 'string', name: 'string', uid: 'string' })],
    }),
  },
  DeviceClass: { spec: struct({ selectors }) },
  ResourceSlice: {
    spec: struct({
      driver: 'string',
      nodeName: 'string',
      nodeSelector,
      allNodes: 'boolean',
      perDeviceNodeSelection: 'boolean',
      pool: struct({ name: 'string', generation: 'number', resourceSliceCount: 'number' }),
      devices: [
        struct({
          name: 'string',
          attributes: {
            each: struct({ bool: 'boolean', int: 'number', string: 'string', version: 'string' }),
          },
          capacity: counters,
          consumesCounters: [struct({ counterSet: 'string', counters })],
          nodeName: 'string',
          nodeSelector,
          allNodes: 'boolean',
          taints: [struct({ key: 'string', value: 'string', effect: 'string' })],
          allowMultipleAllocations: 'boolean',
        }),
      ],
      sharedCounters: [struct({ name: 'string', counters })],
    }),
  },
}

const ofEveryKind: { readonly [field: string]: Shape } = { apiVersion: 'string', metadata }

/** One path that follows the walk, since a fleet has a million fields and nearly all are fine. */
interface Walk {
  readonly path: (string | number)[]
  readonly problems: ShapeProblem[]
}

function decodeIn(key: string | number, value: unknown, shape: Shape, walk: Walk): unknown {
  walk.path.push(key)
  const decoded = decode(value, shape, walk)
  walk.path.pop()
  return decoded
}

/** The very same where nothing is null: a large snapshot is not copied. */
function decode(value: unknown, shape: Shape, walk: Walk): unknown {
  if (typeof shape === 'string') {
    if (!isScalar(value, shape)) tellMistyped(value, shape, walk)
    return value
  }
  if ('fields' in shape || 'each' in shape) {
    if (!isRecord(value)) return tellMistyped(value, 'object', walk)
    return 'fields' in shape ? decodeStruct(value, shape, walk) : decodeEach(value, shape.each, walk)
  }
  if (!Array.isArray(value)) return tellMistyped(value, 'array', walk)
  const decoded = value.map((item: unknown, index) => decodeIn(index, item, shape[0], walk))
  return decoded.some((item, index) => item !== value[index]) ? decoded : value
}

type Fields = Readonly<Record<string, unknown>>

function decodeStruct(value: Fields, { fields, required }: Struct, walk: Walk): Fields {
  let copy: Record<string, unknown> | undefined
  for (const field of Object.keys(value)) {
    const inner = value[field]
    const shape = Object.hasOwn(fields, field) ? fields[field] : undefined
    if (shape === undefined || inner === undefined) continue
    const decoded = inner === null ? undefined : decodeIn(field, inner, shape, walk)
    if (decoded === inner) continue
    copy ??= { ...value }
    if (decoded === undefined) delete copy[field]
    else copy[field] = decoded
  }
  const decoded = copy ?? value
  for (const field of required) {
    if (decoded[field] === undefined) walk.problems.push({ path: [...walk.path, field], message: 'Required value' })
  }
  return decoded
}

function decodeEach(value: Fields, shape: Shape, walk: Walk): Fields {
  const entries = Object.entries(value)
  const zero = shape === 'string' ? '' : shape === 'amount' ? '0' : undefined
  const decoded = entries.map(([key, inner]) =>
    inner === null && zero !== undefined ? zero : decodeIn(key, inner, shape, walk),
  )
  if (entries.every(([, inner], index) => inner === decoded[index])) return value
  return Object.fromEntries(entries.map(([key], index) => [key, decoded[index]]))
}

function isScalar(value: unknown, shape: Extract<Shape, string>): boolean {
  switch (shape) {
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === shape
    case 'intOrString':
      return typeof value === 'string' || Number.isInteger(value)
    case 'amount':
    case 'any':
      return true
  }
}

function tellMistyped(value: unknown, type: string, { path, problems }: Walk): unknown {
  const isWhole = typeof value === 'object' && value !== null
  const shown = isWhole ? (Array.isArray(value) ? 'array' : 'object') : value
  problems.push({ path: [...path], message: `Invalid value: ${JSON.stringify(shown)}: must be of type ${type}` })
  return value
}
