import { field, type FieldError } from '../errors.ts'
import { arrayAt, at, isObject, type JsonObject, objectAt, textAt, textMapAt, withAt } from '../json.ts'
import type { IncomingObject, StoredObject } from '../object.ts'
import { column, textColumn } from './columns.ts'
import { nodeColumns } from './columns-node.ts'
import { claimColumns, volumeColumns } from './columns-storage.ts'
import type { BuiltinKind } from './kind.ts'
import { ageColumn, createdColumn, nameColumn, withStatus } from './kind.ts'
import { defaultLimitRange, limitRangeErrors } from './limit-range.ts'
import { labelProblem } from './names.ts'
import { taintErrors } from './node-taints.ts'
import { defaultTemplate, withDefaults } from './pod-defaults.ts'
import { claimChangeErrors, claimErrors } from './claim-validation.ts'
import { configMapErrors, secretErrors } from './data-validation.ts'
import { defaultEndpoints, endpointsText } from './endpoints-strategy.ts'
import { quotaErrors } from './quota-validation.ts'
import { podSpecErrors } from './pod-validation/pod-spec.ts'
import { carryAllocated, defaultService } from './service-strategy.ts'
import { serviceErrors } from './service-validation.ts'

const core = { group: '', version: 'v1' } as const

export const coreKinds: readonly BuiltinKind[] = [
  {
    ...core,
    kind: 'Node',
    plural: 'nodes',
    model: 'V1Node',
    namespaced: false,
    shortNames: ['no'],
    subresources: ['status'],
    selectable: ['spec.unschedulable'],
    fields: { 'spec.unschedulable': (node) => String(at(node, 'spec', 'unschedulable') === true) },
    columns: nodeColumns,
    strategy: {
      keepsStatusOnCreate: true,
      applyDefaults: (node) =>
        withAt(withAt(node, ['spec'], objectAt(node, 'spec') ?? {}), ['status'], defaultNodeStatus(node)),
      validate: (node, old) => nodeErrors(node, old),
    },
  },
  {
    ...core,
    kind: 'Namespace',
    plural: 'namespaces',
    model: 'V1Namespace',
    namespaced: false,
    shortNames: ['ns'],
    subresources: ['finalize', 'status'],
    selectable: ['status.phase'],
    columns: [nameColumn, textColumn('Status', 'status.phase'), ageColumn],
    strategy: {
      validateName: labelProblem,
      prepareCreate: (namespace) =>
        withAt(withAt(namespace, ['status'], { phase: 'Active' }), ['spec'], { finalizers: ['kubernetes'] }),
      applyDefaults: (namespace) =>
        withAt(namespace, ['metadata', 'labels'], {
          ...textMapAt(namespace, 'metadata', 'labels'),
          'kubernetes.io/metadata.name': textAt(namespace, 'metadata', 'name'),
        }),
      prepareUpdate: (namespace, old) => withAt(namespace, ['spec'], objectAt(old, 'spec')),
    },
  },
  {
    ...core,
    kind: 'Service',
    plural: 'services',
    model: 'V1Service',
    namespaced: true,
    shortNames: ['svc'],
    categories: ['all'],
    subresources: ['status'],
    selectable: ['spec.clusterIP', 'spec.type'],
    columns: [
      nameColumn,
      textColumn('Type', 'spec.type'),
      textColumn('Cluster-IP', 'spec.clusterIP'),
      column('External-IP', externalAddress),
      column('Port(s)', servicePorts),
      ageColumn,
      column('Selector', (service) => labelsText(textMapAt(service, 'spec', 'selector')), 1),
    ],
    strategy: {
      validateName: labelProblem,
      prepareCreate: (service) => withAt(service, ['status'], { loadBalancer: {} }),
      prepareUpdate: carryAllocated,
      applyDefaults: defaultService,
      validate: serviceErrors,
    },
  },
  {
    ...core,
    kind: 'ConfigMap',
    plural: 'configmaps',
    model: 'V1ConfigMap',
    namespaced: true,
    shortNames: ['cm'],
    columns: [
      nameColumn,
      column('Data', (map) => Object.keys({ ...objectAt(map, 'data'), ...objectAt(map, 'binaryData') }).length),
      ageColumn,
    ],
    strategy: { validate: configMapErrors },
  },
  {
    ...core,
    kind: 'Secret',
    plural: 'secrets',
    model: 'V1Secret',
    namespaced: true,
    selectable: ['type'],
    columns: [
      nameColumn,
      textColumn('Type', 'type'),
      column('Data', (secret) => Object.keys(objectAt(secret, 'data') ?? {}).length),
      ageColumn,
    ],
    strategy: {
      applyDefaults: (secret) => withDefaults(mergeStringData(secret), { type: 'Opaque' }),
      validate: secretErrors,
    },
  },
  {
    ...core,
    kind: 'ServiceAccount',
    plural: 'serviceaccounts',
    model: 'V1ServiceAccount',
    namespaced: true,
    shortNames: ['sa'],
    columns: [nameColumn, ageColumn],
  },
  {
    ...core,
    kind: 'PersistentVolume',
    plural: 'persistentvolumes',
    model: 'V1PersistentVolume',
    namespaced: false,
    shortNames: ['pv'],
    subresources: ['status'],
    columns: volumeColumns,
    strategy: {
      prepareCreate: (volume) => withAt(volume, ['status'], { phase: 'Pending' }),
      applyDefaults: (volume) =>
        withAt(
          volume,
          ['spec'],
          withDefaults(objectAt(volume, 'spec') ?? {}, {
            persistentVolumeReclaimPolicy: 'Retain',
            volumeMode: 'Filesystem',
          }),
        ),
    },
  },
  {
    ...core,
    kind: 'PersistentVolumeClaim',
    plural: 'persistentvolumeclaims',
    model: 'V1PersistentVolumeClaim',
    namespaced: true,
    shortNames: ['pvc'],
    subresources: ['status'],
    columns: claimColumns,
    strategy: {
      prepareCreate: (claim) => withAt(withFinalizer(claim, pvcProtectionFinalizer), ['status'], { phase: 'Pending' }),
      applyDefaults: (claim) =>
        withAt(claim, ['spec'], withDefaults(objectAt(claim, 'spec') ?? {}, { volumeMode: 'Filesystem' })),
      validate: (claim, old) => [
        ...claimErrors(objectAt(claim, 'spec') ?? {}, 'spec'),
        ...claimChangeErrors(claim, old),
      ],
    },
  },
  {
    ...core,
    kind: 'PodTemplate',
    plural: 'podtemplates',
    model: 'V1PodTemplate',
    namespaced: true,
    tracksGeneration: true,
    strategy: {
      applyDefaults: (object) => withAt(object, ['template'], defaultTemplate(objectAt(object, 'template') ?? {})),
      validate: (object) => podSpecErrors(objectAt(object, 'template', 'spec') ?? {}, 'template.spec'),
    },
  },
  {
    ...core,
    kind: 'Endpoints',
    plural: 'endpoints',
    model: 'V1Endpoints',
    namespaced: true,
    shortNames: ['ep'],
    columns: [nameColumn, column('Endpoints', endpointsText), ageColumn],
    strategy: { applyDefaults: defaultEndpoints },
  },
  {
    ...core,
    kind: 'LimitRange',
    plural: 'limitranges',
    model: 'V1LimitRange',
    namespaced: true,
    shortNames: ['limits'],
    columns: [nameColumn, createdColumn],
    strategy: { applyDefaults: defaultLimitRange, validate: limitRangeErrors },
  },
  {
    ...core,
    kind: 'ResourceQuota',
    plural: 'resourcequotas',
    model: 'V1ResourceQuota',
    namespaced: true,
    shortNames: ['quota'],
    subresources: ['status'],
    columns: [
      nameColumn,
      column('Request', (quota) => quotaText(quota, false)),
      column('Limit', (quota) => quotaText(quota, true)),
      ageColumn,
    ],
    strategy: { prepareCreate: (quota) => withStatus(quota, {}), validate: quotaErrors },
  },
]

/** Keeps a claim while pods use it; the protection controller takes it away. */
export const pvcProtectionFinalizer = 'kubernetes.io/pvc-protection'

function withFinalizer(object: IncomingObject, finalizer: string): IncomingObject {
  const finalizers = arrayAt(object, 'metadata', 'finalizers')
  return finalizers.includes(finalizer)
    ? object
    : withAt(object, ['metadata', 'finalizers'], [...finalizers, finalizer])
}

const emptyNodeInfo = Object.fromEntries(
  [
    'architecture',
    'bootID',
    'containerRuntimeVersion',
    'kernelVersion',
    'kubeProxyVersion',
    'kubeletVersion',
    'machineID',
    'operatingSystem',
    'osImage',
    'systemUUID',
  ].map((name) => [name, '']),
)

/** What Go writes of an empty status, and the allocatable that follows from a capacity alone. */
function defaultNodeStatus(node: IncomingObject): JsonObject {
  const status = objectAt(node, 'status') ?? {}
  const complete = withDefaults(status, {
    daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
    nodeInfo: emptyNodeInfo,
    ...(status['capacity'] === undefined ? {} : { allocatable: status['capacity'] }),
  })
  const nodeInfo = objectAt(complete, 'nodeInfo') ?? {}
  const withInfo = withDefaults(nodeInfo, emptyNodeInfo)
  return withInfo === nodeInfo ? complete : { ...complete, nodeInfo: withInfo }
}

function nodeErrors(node: IncomingObject, old: StoredObject | undefined): readonly FieldError[] {
  const errors: FieldError[] = []
  const before = textAt(old, 'spec', 'providerID')
  if (before !== undefined && before !== '' && before !== textAt(node, 'spec', 'providerID')) {
    errors.push(field.forbidden('spec.providerID', 'node updates may not change providerID except from "" to valid'))
  }
  return [...errors, ...taintErrors(arrayAt(node, 'spec', 'taints'))]
}

function mergeStringData(secret: IncomingObject): IncomingObject {
  const texts = textMapAt(secret, 'stringData')
  const encoded = Object.entries(texts).map(([key, text]) => [key, Buffer.from(text, 'utf8').toString('base64')])
  const { stringData: _merged, ...rest } = { ...secret }
  if (encoded.length === 0) return secret['stringData'] === undefined ? secret : rest
  return { ...rest, data: { ...objectAt(secret, 'data'), ...Object.fromEntries(encoded) } }
}

function servicePorts(service: StoredObject): string {
  const ports = arrayAt(service, 'spec', 'ports')
  if (ports.length === 0) return '<none>'
  return ports
    .map((port) => {
      if (!isObject(port)) return ''
      const outside = port['nodePort'] === undefined ? '' : `:${String(port['nodePort'])}`
      return `${String(port['port'])}${outside}/${textAt(port, 'protocol') ?? 'TCP'}`
    })
    .join(',')
}

function externalAddress(service: StoredObject): string {
  const listed = arrayAt(service, 'spec', 'externalIPs').map(String)
  switch (textAt(service, 'spec', 'type') ?? '') {
    case 'ExternalName':
      return textAt(service, 'spec', 'externalName') ?? ''
    case 'LoadBalancer': {
      const given = arrayAt(service, 'status', 'loadBalancer', 'ingress')
        .map((ingress) => textAt(ingress, 'ip') ?? textAt(ingress, 'hostname') ?? '')
        .filter((address) => address !== '')
      return [...given, ...listed].join(',') || '<pending>'
    }
    default:
      return listed.join(',') || '<none>'
  }
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  const parts = Object.entries(labels).map(([key, value]) => `${key}=${value}`)
  return parts.length === 0 ? '<none>' : parts.join(',')
}

/** What is used of each bound, of limits or of everything else. */
function quotaText(quota: StoredObject, ofLimits: boolean): string {
  const used = textMapAt(quota, 'status', 'used')
  return Object.entries(textMapAt(quota, 'status', 'hard'))
    .filter(([resource]) => resource.startsWith('limits.') === ofLimits)
    .map(([resource, hard]) => `${resource}: ${used[resource] ?? '0'}/${hard}`)
    .join(', ')
}
