import { describe, expect, test } from 'vitest'
import type { KubeObject, Pod } from '../../../../src/api/kubernetes.ts'
import { recordedKinds } from '../../../../src/cli/snapshot/read-cluster.ts'
import { redact } from '../../../../src/cli/snapshot/redact.ts'
import { builtinTypes } from '../../../../src/embedded/apiserver/types/builtin-types.gen.ts'
import { builtinType } from '../../../../src/embedded/apiserver/types/builtin.ts'
import type { TypeNode } from '../../../../src/embedded/apiserver/types/type-node.ts'
import { apiVersionOf, type Resource } from '../../../../src/kube/resource.ts'
import { toPodInfo } from '../../../../src/model/to-pod-info.ts'

function filledScalar(scalar: Extract<TypeNode, { kind: 'scalar' }>['scalar'], path: string): unknown {
  if (scalar === 'string' || scalar === 'byte') return `<${path}>`
  if (scalar === 'time' || scalar === 'microTime') return '2026-01-01T00:00:00Z'
  return scalar === 'boolean' ? true : 1
}

/** A value with all fields that Kubernetes has there, in which every text says where it stands. */
function filled(type: TypeNode, path: string): unknown {
  switch (type.kind) {
    case 'scalar':
      return filledScalar(type.scalar, path)
    case 'any':
      return { anything: `<${path}>` }
    case 'list':
      return [filled(type.items, path)]
    case 'map':
      return { [`<${path}.key>`]: filled(type.values, path) }
    case 'struct':
      return Object.fromEntries(
        [...type.fields].map(([name, field]) => [name, filled(field.type, path === '' ? name : `${path}.${name}`)]),
      )
  }
}

function modelOf({ version, kind }: Resource): string {
  // Core has a type of this name, too.
  if (kind === 'ResourceClaim') return 'ResourceV1ResourceClaim'
  return `${version.charAt(0).toUpperCase()}${version.slice(1)}${kind}`
}

function filledObject(resource: Resource): KubeObject {
  const value = filled(builtinType(modelOf(resource)), '') as KubeObject
  return { ...value, apiVersion: apiVersionOf(resource), kind: resource.kind }
}

function placesIn(object: object): string[] {
  const texts = JSON.stringify(object).matchAll(/<([^<>]*)>/g)
  return [...new Set([...texts].map(([, place = '']) => place))].toSorted()
}

const expressions = String.raw`(key|operator|values|effect)`
const labelSelector = String.raw`(matchLabels(\.key)?|matchExpressions\.${expressions})`
const nodeSelector = String.raw`nodeSelectorTerms\.(matchExpressions|matchFields)\.${expressions}`
const podTerm = String.raw`(labelSelector\.${labelSelector}|namespaces|namespaceSelector\.${labelSelector}|topologyKey|matchLabelKeys|mismatchLabelKeys)`
const podAffinity = String.raw`(requiredDuringSchedulingIgnoredDuringExecution|preferredDuringSchedulingIgnoredDuringExecution\.podAffinityTerm)\.${podTerm}`
const nodeAffinity = String.raw`(requiredDuringSchedulingIgnoredDuringExecution\.${nodeSelector}|preferredDuringSchedulingIgnoredDuringExecution\.preference\.(matchExpressions|matchFields)\.${expressions})`
const resources = String.raw`((requests|limits)\.key|claims\.(name|request))`
const names = String.raw`metadata\.(name|generateName|namespace|uid|resourceVersion|labels(\.key)?|finalizers|ownerReferences\.(apiVersion|kind|name|uid))`
const claimSpec = String.raw`(accessModes|storageClassName|volumeName|volumeMode|resources\.${resources})`
const container = String.raw`(name|restartPolicy|ports\.(hostIP|protocol)|resources\.${resources})`
const podSpec = [
  'nodeName|schedulerName|priorityClassName|restartPolicy|runtimeClassName',
  String.raw`nodeSelector(\.key)?`,
  String.raw`affinity\.(nodeAffinity\.${nodeAffinity}|(podAffinity|podAntiAffinity)\.${podAffinity})`,
  String.raw`tolerations\.(key|operator|value|effect)`,
  String.raw`topologySpreadConstraints\.(topologyKey|whenUnsatisfiable|nodeAffinityPolicy|nodeTaintsPolicy|matchLabelKeys|labelSelector\.${labelSelector})`,
  String.raw`(containers|initContainers)\.${container}`,
  String.raw`volumes\.(name|persistentVolumeClaim\.claimName|ephemeral\.volumeClaimTemplate\.(${names}|spec\.${claimSpec}))`,
  String.raw`overhead\.key|resources\.${resources}|resourceClaims\.\w+|schedulingGates\.name`,
].join('|')
const template = String.raw`template\.(${names}|spec\.(${podSpec}))`
const device = String.raw`(deviceClassName|allocationMode|selectors\.cel\.expression|tolerations\.(key|operator|value|effect)|capacity\.requests(\.key)?)`

/** What a decision reads of each kind of Kubernetes' own, beside its names. */
const told: Readonly<Record<string, string>> = {
  Namespace: '',
  Node: String.raw`spec\.(providerID|taints\.(key|value|effect))|status\.(phase|(capacity|allocatable)\.key|conditions\.\w+)`,
  Pod: String.raw`spec\.(${podSpec})|status\.(phase|nominatedNodeName|resize|conditions\.(type|status|reason)|resourceClaimStatuses\.\w+|(containerStatuses|initContainerStatuses)\.(name|resources\.${resources}|allocatedResources\.key))`,
  DaemonSet: String.raw`spec\.(selector\.${labelSelector}|${template})`,
  Deployment: String.raw`spec\.(selector\.${labelSelector}|${template})`,
  ReplicaSet: String.raw`spec\.(selector\.${labelSelector}|${template})`,
  StatefulSet: String.raw`spec\.(selector\.${labelSelector}|${template}|volumeClaimTemplates\.(${names}|spec\.${claimSpec}))`,
  Service: String.raw`spec\.selector(\.key)?`,
  PodDisruptionBudget: String.raw`spec\.(selector\.${labelSelector}|unhealthyPodEvictionPolicy)|status\.disruptedPods\.key`,
  PersistentVolumeClaim: String.raw`spec\.${claimSpec}|status\.phase`,
  PersistentVolume: String.raw`spec\.(storageClassName|capacity\.key|csi\.driver|nodeAffinity\.required\.${nodeSelector})|status\.phase`,
  StorageClass: String.raw`provisioner|volumeBindingMode|allowedTopologies\.matchLabelExpressions\.(key|values)`,
  CSINode: String.raw`spec\.drivers\.(name|nodeID|topologyKeys)`,
  PriorityClass: 'preemptionPolicy',
  PodTemplate: template,
  ResourceClaim: String.raw`spec\.devices\.(requests\.(name|exactly\.${device}|firstAvailable\.(name|${device}))|constraints\.(requests|matchAttribute|distinctAttribute))|status\.(reservedFor\.\w+|allocation\.(nodeSelector\.${nodeSelector}|devices\.results\..*))`,
  DeviceClass: String.raw`spec\.selectors\.cel\.expression`,
  ResourceSlice: String.raw`spec\.(driver|nodeName|nodeSelector\.${nodeSelector}|pool\.name|devices\..*|sharedCounters\..*)`,
}

const own = recordedKinds.filter((resource) => builtinTypes[modelOf(resource)] === undefined)
const ofKubernetes = recordedKinds.filter((resource) => builtinTypes[modelOf(resource)] !== undefined)

describe('of what Kubernetes has in an object a snapshot tells what a decision reads, and nothing else', () => {
  test.each(ofKubernetes.map((resource) => [resource.kind, resource] as const))('%s', (kind, resource) => {
    const isTold = new RegExp(`^(${names}|${told[kind] ?? ''})$`)
    const full = filledObject(resource)
    expect(placesIn(redact(full))).toEqual(placesIn(full).filter((place) => isTold.test(place)))
  })

  test('which is said here of each kind that is recorded', () => {
    expect(ofKubernetes.map(({ kind }) => kind).toSorted()).toEqual(Object.keys(told).toSorted())
    expect(own).toHaveLength(6)
  })

  test('a pod is to the solver what it was, but for annotations that nobody asks for', () => {
    const pods = recordedKinds.filter(({ kind }) => kind === 'Pod').map((resource) => filledObject(resource) as Pod)
    expect(pods).toHaveLength(1)
    for (const pod of pods) {
      const annotations = { 'karpenter.sh/do-not-disrupt': '1h', 'controller.kubernetes.io/pod-deletion-cost': '7' }
      const annotated = (more: Readonly<Record<string, string>>): Pod => ({
        ...pod,
        metadata: { ...pod.metadata, annotations: { ...more, ...annotations } },
      })
      expect(toPodInfo(redact(annotated({ 'example.com/token': 'secret' })))).toEqual(toPodInfo(annotated({})))
    }
  })
})

describe("annotations of our kinds and Karpenter's", () => {
  const annotations = {
    'joinery.dev/pause-until': '2026-01-01T00:00:00Z',
    'karpenter.sh/nodepool-hash': '1',
    'compatibility.karpenter.k8s.aws/cluster-name-tagged': 'true',
    'example.com/note': 'private',
    'evilkarpenter.sh/note': 'private',
    // Copies of the manifest, with the user data that is a digest in the spec.
    'kubectl.kubernetes.io/last-applied-configuration': '{"password":"x"}',
    'kapp.k14s.io/original': '{"password":"x"}',
    'kapp.k14s.io/original-diff': '- type: test',
    'objectset.rio.cattle.io/applied': 'H4sIAAAA',
  }
  test.each(own.map((resource) => [resource.kind, resource] as const))('%s', (kind, resource) => {
    const metadata = { name: 'a', uid: 'a', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }
    const object = { apiVersion: apiVersionOf(resource), kind, metadata: { ...metadata, annotations }, spec: { a: 1 } }
    const kept = Object.keys(redact(object).metadata.annotations ?? {})
    // What a plan has manifests of it compares with them, whatever they say.
    const isPlanned = ['NodePool', 'EC2NodeClass', 'NodeOverlay', 'RolloutPolicy'].includes(kind)
    expect(kept).toEqual(Object.keys(annotations).slice(0, isPlanned ? 5 : 3))
    expect(redact(object)).toMatchObject({ spec: { a: 1 } })
  })
})
