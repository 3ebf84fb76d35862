/**
 * How lists of built-in types merge, where it is not "atomic": the `x-kubernetes-list-type`, `x-kubernetes-list-map-keys` and
 * `x-kubernetes-patch-merge-key` of the published OpenAPI. The models carry none of it.
 */
export interface ListMerge {
  readonly keys: readonly string[]
  /** Strategic merge patch's single key, where it differs from the first of `keys`. */
  readonly patchKey?: string
  readonly retainKeys?: boolean
}

const byName: ListMerge = { keys: ['name'] }
const byType: ListMerge = { keys: ['type'] }
const ports: ListMerge = { keys: ['containerPort', 'protocol'], patchKey: 'containerPort' }

const containerLists: Readonly<Record<string, ListMerge>> = {
  env: byName,
  ports,
  volumeMounts: { keys: ['mountPath'] },
  volumeDevices: { keys: ['devicePath'] },
}

export const listMaps: Readonly<Record<string, Readonly<Record<string, ListMerge>>>> = {
  V1Container: containerLists,
  V1EphemeralContainer: containerLists,
  V1PodSpec: {
    containers: byName,
    initContainers: byName,
    ephemeralContainers: byName,
    imagePullSecrets: byName,
    schedulingGates: byName,
    hostAliases: { keys: ['ip'] },
    topologySpreadConstraints: { keys: ['topologyKey', 'whenUnsatisfiable'], patchKey: 'topologyKey' },
    volumes: { keys: ['name'], retainKeys: true },
    resourceClaims: { keys: ['name'], retainKeys: true },
  },
  V1PodStatus: { podIPs: { keys: ['ip'] }, resourceClaimStatuses: { keys: ['name'], retainKeys: true } },
  V1ResourceRequirements: { claims: byName },
  V1NodeStatus: { addresses: byType },
  V1ObjectMeta: { ownerReferences: { keys: ['uid'] } },
  V1ServiceSpec: { ports: { keys: ['port', 'protocol'], patchKey: 'port' } },
  V1ServiceAccount: { secrets: byName },
  V1CSINodeSpec: { drivers: byName },
  V1ValidatingWebhookConfiguration: { webhooks: byName },
  V1MutatingWebhookConfiguration: { webhooks: byName },
  V1ValidatingWebhook: { matchConditions: byName },
  V1MutatingWebhook: { matchConditions: byName },
  V1ValidatingAdmissionPolicySpec: { matchConditions: byName, variables: byName },
  V1JSONSchemaProps: { 'x-kubernetes-validations': { keys: ['rule'] } },
}

/** Lists whose items are identified by their own value. */
export const listSets: Readonly<Record<string, readonly string[]>> = {
  V1ObjectMeta: ['finalizers'],
  V1NodeSpec: ['podCIDRs'],
}

/** `conditions` merge by type everywhere. */
export const conditionsMerge: ListMerge = byType

/** Structs that an applier owns as one value. */
export const atomicStructs: ReadonlySet<string> = new Set([
  'V1ConfigMapKeySelector',
  'V1LabelSelector',
  'V1LocalObjectReference',
  'V1NodeSelector',
  'V1NodeSelectorTerm',
  'V1ObjectFieldSelector',
  'V1ObjectReference',
  'V1OwnerReference',
  'V1ResourceFieldSelector',
  'V1RoleRef',
  'V1ScopeSelector',
  'V1SecretKeySelector',
  'V1SecretReference',
  'V1TypedLocalObjectReference',
  'V1CrossVersionObjectReference',
])

/** Maps that an applier owns as one value. */
export const atomicMaps: Readonly<Record<string, readonly string[]>> = {
  V1PodSpec: ['nodeSelector'],
  V1ServiceSpec: ['selector'],
  V1ReplicationControllerSpec: ['selector'],
}

/** Structs whose patch may carry `$retainKeys` although they are no list items. */
export const retainKeysStructs: ReadonlySet<string> = new Set([
  'V1DeploymentStrategy',
  'V1Volume',
  'V1PodResourceClaim',
])
