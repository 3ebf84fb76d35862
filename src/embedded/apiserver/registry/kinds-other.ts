import { jsonEqual } from '../../../api/json.ts'
import { field, type FieldError } from '../errors.ts'
import { arrayAt, at, type JsonObject, numberAt, objectAt, textAt, withAt } from '../json.ts'
import type { IncomingObject, StoredObject } from '../object.ts'
import { column, countColumn, selectorText, textColumn } from './columns.ts'
import { ingressColumns, parametersText } from './columns-other.ts'
import type { TableColumn } from './definition.ts'
import { defaultSlice, sliceAddresses, sliceErrors, slicePorts } from './endpoints-strategy.ts'
import { ingressClassErrors, ingressErrors } from './ingress-validation.ts'
import type { BuiltinKind } from './kind.ts'
import { ageColumn, createdColumn, nameColumn, withStatus } from './kind.ts'
import { pathSegmentProblem, qualifiedNameProblem } from './names.ts'
import { autoscalerKinds } from './kinds-autoscaler.ts'
import { defaultNetworkPolicy, networkPolicyErrors } from './network-policy-strategy.ts'
import { withDefaults } from './pod-defaults.ts'
import { bindingErrors, defaultBinding, roleErrors } from './rbac-strategy.ts'
import { labelSelectorErrors } from './workload-validation.ts'

const storage = { group: 'storage.k8s.io', version: 'v1' } as const
const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' } as const
const roles = {
  ...rbac,
  columns: [nameColumn, createdColumn],
  strategy: { validateName: pathSegmentProblem, validate: roleErrors },
} as const
const bindings = {
  ...rbac,
  columns: bindingColumns(),
  strategy: { validateName: pathSegmentProblem, applyDefaults: defaultBinding, validate: bindingErrors },
} as const
const resources = { group: 'resource.k8s.io', version: 'v1', tracksGeneration: true } as const

/** Policy, storage, scheduling, coordination, RBAC, networking, autoscaling and device kinds: mostly kept as they are sent. */
export const otherKinds: readonly BuiltinKind[] = [
  {
    group: 'policy',
    version: 'v1',
    kind: 'PodDisruptionBudget',
    plural: 'poddisruptionbudgets',
    model: 'V1PodDisruptionBudget',
    namespaced: true,
    shortNames: ['pdb'],
    subresources: ['status'],
    tracksGeneration: true,
    columns: [
      nameColumn,
      column('Min Available', (pdb) => budgetText(pdb, 'minAvailable')),
      column('Max Unavailable', (pdb) => budgetText(pdb, 'maxUnavailable')),
      countColumn('Allowed Disruptions', 'status.disruptionsAllowed'),
      ageColumn,
    ],
    strategy: { validate: pdbErrors, unconditionalUpdate: false },
  },
  {
    ...storage,
    kind: 'StorageClass',
    plural: 'storageclasses',
    model: 'V1StorageClass',
    namespaced: false,
    shortNames: ['sc'],
    columns: [
      column('Name', storageClassName),
      textColumn('Provisioner', 'provisioner'),
      textColumn('ReclaimPolicy', 'reclaimPolicy'),
      textColumn('VolumeBindingMode', 'volumeBindingMode'),
      column('AllowVolumeExpansion', (object) => String(object['allowVolumeExpansion'] === true)),
      ageColumn,
    ],
    strategy: {
      applyDefaults: (object) => withDefaults(object, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
      validate: (object, old) => [
        ...storageClassErrors(object),
        ...immutableFields(object, old, ['provisioner', 'parameters', 'reclaimPolicy', 'volumeBindingMode']),
      ],
    },
  },
  { ...storage, kind: 'CSINode', plural: 'csinodes', model: 'V1CSINode', namespaced: false },
  { ...storage, kind: 'CSIDriver', plural: 'csidrivers', model: 'V1CSIDriver', namespaced: false },
  {
    ...storage,
    kind: 'CSIStorageCapacity',
    plural: 'csistoragecapacities',
    model: 'V1CSIStorageCapacity',
    namespaced: true,
  },
  {
    ...storage,
    kind: 'VolumeAttachment',
    plural: 'volumeattachments',
    model: 'V1VolumeAttachment',
    namespaced: false,
    subresources: ['status'],
    columns: [
      nameColumn,
      textColumn('Attacher', 'spec.attacher'),
      textColumn('PV', 'spec.source.persistentVolumeName'),
      textColumn('Node', 'spec.nodeName'),
      column('Attached', (object) => String(at(object, 'status', 'attached') === true)),
      ageColumn,
    ],
    strategy: { prepareCreate: (object) => withAt(object, ['status'], { attached: false }) },
  },
  {
    group: 'scheduling.k8s.io',
    version: 'v1',
    kind: 'PriorityClass',
    plural: 'priorityclasses',
    model: 'V1PriorityClass',
    namespaced: false,
    shortNames: ['pc'],
    columns: [
      nameColumn,
      textColumn('Value', 'value'),
      column('Global-Default', (object) => String(object['globalDefault'] === true)),
      ageColumn,
      textColumn('PreemptionPolicy', 'preemptionPolicy'),
    ],
    strategy: {
      // It has a generation that no change counts.
      prepareCreate: (object) => withAt(object, ['metadata', 'generation'], 1),
      applyDefaults: (object) => withDefaults(object, { preemptionPolicy: 'PreemptLowerPriority' }),
      validate: (object, old) => [
        ...priorityClassErrors(object),
        ...immutable(object, old, ['value'], 'may not be changed in an update.'),
        ...immutableFields(object, old, ['preemptionPolicy']),
      ],
    },
  },
  {
    group: 'coordination.k8s.io',
    version: 'v1',
    kind: 'Lease',
    plural: 'leases',
    model: 'V1Lease',
    namespaced: true,
    columns: [nameColumn, textColumn('Holder', 'spec.holderIdentity'), ageColumn],
    strategy: { unconditionalUpdate: false, validate: leaseErrors },
  },
  {
    group: 'discovery.k8s.io',
    version: 'v1',
    kind: 'EndpointSlice',
    plural: 'endpointslices',
    model: 'V1EndpointSlice',
    namespaced: true,
    tracksGeneration: true,
    columns: [
      nameColumn,
      textColumn('AddressType', 'addressType'),
      column('Ports', slicePorts),
      column('Endpoints', sliceAddresses),
      ageColumn,
    ],
    strategy: { applyDefaults: defaultSlice, validate: sliceErrors },
  },
  {
    group: 'node.k8s.io',
    version: 'v1',
    kind: 'RuntimeClass',
    plural: 'runtimeclasses',
    model: 'V1RuntimeClass',
    namespaced: false,
    columns: [nameColumn, textColumn('Handler', 'handler'), ageColumn],
  },
  { ...roles, kind: 'Role', plural: 'roles', model: 'V1Role', namespaced: true },
  { ...roles, kind: 'ClusterRole', plural: 'clusterroles', model: 'V1ClusterRole', namespaced: false },
  {
    ...bindings,
    kind: 'RoleBinding',
    plural: 'rolebindings',
    model: 'V1RoleBinding',
    namespaced: true,
  },
  {
    ...bindings,
    kind: 'ClusterRoleBinding',
    plural: 'clusterrolebindings',
    model: 'V1ClusterRoleBinding',
    namespaced: false,
  },
  ...autoscalerKinds,
  {
    group: 'networking.k8s.io',
    version: 'v1',
    kind: 'Ingress',
    plural: 'ingresses',
    model: 'V1Ingress',
    namespaced: true,
    shortNames: ['ing'],
    subresources: ['status'],
    tracksGeneration: true,
    columns: ingressColumns,
    strategy: {
      prepareCreate: (object) => withStatus(object, { loadBalancer: {} }),
      validate: ingressErrors,
    },
  },
  {
    group: 'networking.k8s.io',
    version: 'v1',
    kind: 'IngressClass',
    plural: 'ingressclasses',
    model: 'V1IngressClass',
    namespaced: false,
    tracksGeneration: true,
    columns: [nameColumn, textColumn('Controller', 'spec.controller'), column('Parameters', parametersText), ageColumn],
    strategy: { validate: ingressClassErrors },
  },
  {
    group: 'networking.k8s.io',
    version: 'v1',
    kind: 'NetworkPolicy',
    plural: 'networkpolicies',
    model: 'V1NetworkPolicy',
    namespaced: true,
    shortNames: ['netpol'],
    tracksGeneration: true,
    strategy: { applyDefaults: defaultNetworkPolicy, validate: networkPolicyErrors },
    columns: [
      nameColumn,
      column('Pod-Selector', (object) => selectorText(objectAt(object, 'spec', 'podSelector'))),
      ageColumn,
    ],
  },
  {
    ...resources,
    kind: 'ResourceClaim',
    plural: 'resourceclaims',
    model: 'ResourceV1ResourceClaim',
    namespaced: true,
    subresources: ['status'],
    tracksGeneration: false,
  },
  {
    ...resources,
    kind: 'ResourceClaimTemplate',
    plural: 'resourceclaimtemplates',
    model: 'V1ResourceClaimTemplate',
    namespaced: true,
    tracksGeneration: false,
  },
  { ...resources, kind: 'DeviceClass', plural: 'deviceclasses', model: 'V1DeviceClass', namespaced: false },
  {
    ...resources,
    kind: 'ResourceSlice',
    plural: 'resourceslices',
    model: 'V1ResourceSlice',
    namespaced: false,
    selectable: ['spec.nodeName', 'spec.driver'],
  },
]

function budgetText(pdb: StoredObject, name: string): string {
  const value = at(pdb, 'spec', name)
  return value === undefined ? 'N/A' : String(value)
}

function pdbErrors(object: IncomingObject, _old: StoredObject | undefined): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {}
  const errors: FieldError[] = []
  const { minAvailable, maxUnavailable } = spec
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    errors.push(field.invalid('spec', goBudget(spec), 'minAvailable and maxUnavailable cannot be both set'))
  }
  for (const [name, value] of Object.entries({ minAvailable, maxUnavailable })) {
    if (typeof value === 'number' && value < 0) {
      errors.push(field.invalid(`spec.${name}`, value, 'must be greater than or equal to 0'))
    }
    if (typeof value === 'string' && !/^\d+%$/.test(value)) {
      errors.push(
        field.invalid(
          `spec.${name}`,
          value,
          "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
        ),
      )
    } else if (typeof value === 'string' && Number.parseInt(value, 10) > 100) {
      errors.push(field.invalid(`spec.${name}`, value, 'must not be greater than 100%'))
    }
  }
  errors.push(...labelSelectorErrors(objectAt(spec, 'selector'), 'spec.selector'))
  const policy = textAt(spec, 'unhealthyPodEvictionPolicy')
  if (policy !== undefined && !['IfHealthyBudget', 'AlwaysAllow'].includes(policy)) {
    errors.push(field.notSupported('spec.unhealthyPodEvictionPolicy', policy, ['AlwaysAllow', 'IfHealthyBudget']))
  }
  return errors
}

/** As Go prints the internal type in messages. */
function goBudget(spec: JsonObject): JsonObject {
  return {
    MinAvailable: spec['minAvailable'] ?? null,
    Selector: spec['selector'] ?? null,
    MaxUnavailable: spec['maxUnavailable'] ?? null,
    UnhealthyPodEvictionPolicy: spec['unhealthyPodEvictionPolicy'] ?? null,
  }
}

/** Classes of the cluster itself, by the only values that they may have. */
const systemPriorities: Readonly<Record<string, number>> = {
  'system-node-critical': 2_000_001_000,
  'system-cluster-critical': 2_000_000_000,
}
const userPriorityMax = 1_000_000_000

function priorityClassErrors(object: IncomingObject): readonly FieldError[] {
  const errors: FieldError[] = []
  const name = textAt(object, 'metadata', 'name') ?? ''
  const value = numberAt(object, 'value') ?? 0
  if (name.startsWith('system-')) {
    if (systemPriorities[name] !== value) {
      const detail = `priority class names with 'system-' prefix are reserved for system use only. error: ${name} is not a known system priority class`
      errors.push(field.forbidden('metadata.name', detail))
    }
  } else if (value > userPriorityMax) {
    const detail = `maximum allowed value of a user defined priority is ${userPriorityMax}`
    errors.push(field.forbidden('value', detail))
  }
  return [...errors, ...choice(object, 'preemptionPolicy', ['PreemptLowerPriority', 'Never'])]
}

function storageClassErrors(object: IncomingObject): readonly FieldError[] {
  const provisioner = textAt(object, 'provisioner') ?? ''
  const problem = provisioner === '' ? undefined : qualifiedNameProblem(provisioner.toLowerCase())
  return [
    ...(provisioner === '' ? [field.required('provisioner')] : []),
    ...(problem === undefined ? [] : [field.invalid('provisioner', provisioner.toLowerCase(), problem)]),
    ...choice(object, 'reclaimPolicy', ['Delete', 'Retain']),
    ...choice(object, 'volumeBindingMode', ['Immediate', 'WaitForFirstConsumer']),
  ]
}

function choice(object: JsonObject, name: string, supported: readonly string[]): readonly FieldError[] {
  const value = textAt(object, name)
  return value === undefined || supported.includes(value) ? [] : [field.notSupported(name, value, supported)]
}

function leaseErrors(lease: IncomingObject): readonly FieldError[] {
  const seconds = numberAt(lease, 'spec', 'leaseDurationSeconds')
  return seconds === undefined || seconds > 0
    ? []
    : [field.invalid('spec.leaseDurationSeconds', seconds, 'must be greater than 0')]
}

function immutableFields(
  object: IncomingObject,
  old: StoredObject | undefined,
  names: readonly string[],
): readonly FieldError[] {
  if (old === undefined) return []
  return names
    .filter((name) => !jsonEqual(old[name], object[name]))
    .map((name) => field.invalid(name, object[name], 'field is immutable'))
}

function immutable(
  object: IncomingObject,
  old: StoredObject | undefined,
  names: readonly string[],
  message: string,
): readonly FieldError[] {
  if (old === undefined) return []
  return names
    .filter((name) => !jsonEqual(old[name], object[name]))
    .map((name) => field.forbidden(name, message.replace('$', name)))
}

function storageClassName(object: StoredObject): string {
  const isDefault = object.metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true'
  return isDefault ? `${object.metadata.name} (default)` : object.metadata.name
}

function bindingColumns(): readonly TableColumn[] {
  return [
    nameColumn,
    column('Role', (object) => `${textAt(object, 'roleRef', 'kind') ?? ''}/${textAt(object, 'roleRef', 'name') ?? ''}`),
    ageColumn,
    column('Users', (object) => subjectsText(object, 'User'), 1),
    column('Groups', (object) => subjectsText(object, 'Group'), 1),
    column('ServiceAccounts', (object) => subjectsText(object, 'ServiceAccount'), 1),
  ]
}

function subjectsText(object: StoredObject, kind: string): string {
  return arrayAt(object, 'subjects')
    .filter((subject) => textAt(subject, 'kind') === kind)
    .map((subject) => {
      const namespace = kind === 'ServiceAccount' ? textAt(subject, 'namespace') : undefined
      return `${namespace === undefined ? '' : `${namespace}/`}${textAt(subject, 'name') ?? ''}`
    })
    .join(', ')
}
