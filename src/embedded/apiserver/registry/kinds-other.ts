import { field, type FieldError } from '../errors.ts'
import { at, numberAt, objectAt, withAt } from '../json.ts'
import type { IncomingObject } from '../object.ts'
import { column, countColumn, selectorText, textColumn } from './columns.ts'
import { resourceClaimColumns, resourceSliceColumns } from './columns-device.ts'
import { bindingColumns, ingressColumns, parametersText } from './columns-other.ts'
import { csiNodeColumns } from './columns-storage.ts'
import { budgetErrors, budgetText } from './disruption-budget-strategy.ts'
import { defaultSlice, sliceAddresses, sliceErrors, slicePorts } from './endpoints-strategy.ts'
import { ingressClassErrors, ingressErrors } from './ingress-validation.ts'
import type { BuiltinKind } from './kind.ts'
import { ageColumn, createdColumn, nameColumn, withStatus } from './kind.ts'
import { pathSegmentProblem } from './names.ts'
import { autoscalerKinds } from './kinds-autoscaler.ts'
import { defaultNetworkPolicy, networkPolicyErrors } from './network-policy-strategy.ts'
import { withDefaults } from './pod-defaults.ts'
import { priorityClassErrors } from './priority-class-strategy.ts'
import { bindingErrors, defaultBinding, roleErrors } from './rbac-strategy.ts'
import { storageClassErrors, storageClassName } from './storage-class-strategy.ts'

const storage = { group: 'storage.k8s.io', version: 'v1' } as const
const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' } as const
const roles = {
  ...rbac,
  columns: [nameColumn, createdColumn],
  strategy: { validateName: pathSegmentProblem, validate: roleErrors },
} as const
const bindings = {
  ...rbac,
  columns: bindingColumns,
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
    strategy: { validate: budgetErrors, unconditionalUpdate: false },
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
      validate: storageClassErrors,
    },
  },
  {
    ...storage,
    kind: 'CSINode',
    plural: 'csinodes',
    model: 'V1CSINode',
    namespaced: false,
    columns: csiNodeColumns,
  },
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
      validate: priorityClassErrors,
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
    columns: resourceClaimColumns,
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
    columns: resourceSliceColumns,
  },
]

function leaseErrors(lease: IncomingObject): readonly FieldError[] {
  const seconds = numberAt(lease, 'spec', 'leaseDurationSeconds')
  return seconds === undefined || seconds > 0
    ? []
    : [field.invalid('spec.leaseDurationSeconds', seconds, 'must be greater than 0')]
}
