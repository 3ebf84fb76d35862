import type { EC2NodeClass, NodeClaim } from '../../../api/karpenter.ts'
import { familyNameOf } from '../ami/family.ts'
import type { ClusterFacts } from '../eks-cluster/cluster.ts'
import type { CapacityType } from '../keys.ts'
import type { ManagedKubelet } from '../kubelet/managed-kubelet.ts'
import { bindsDirectoriesItself } from '../userdata/bottlerocket-version.ts'
import type { UserDataInputs } from '../userdata/inputs.ts'
import { bootstrapLabels, bootstrapTaints } from '../userdata/node-labels.ts'
import { specOf } from '../wire.ts'
import type { TemplateGroup } from './groups.ts'

export interface BootstrapInputs {
  readonly nodeClass: EC2NodeClass
  readonly nodeClaim: Pick<NodeClaim, 'metadata' | 'spec'>
  readonly cluster: ClusterFacts
  readonly clusterCIDR: string | undefined
  readonly kubelet: ManagedKubelet
  readonly capacityType: CapacityType
  readonly group: Pick<TemplateGroup, 'maxPods' | 'kubelet'>
}

export function userDataInputs(inputs: BootstrapInputs): UserDataInputs {
  const { nodeClass, nodeClaim, cluster, capacityType } = inputs
  const spec = specOf(nodeClass)
  const family = familyNameOf(spec)
  const replaced = replacements(inputs)
  return {
    family,
    clusterName: cluster.name,
    clusterEndpoint: cluster.endpoint,
    caBundle: cluster.caBundle,
    clusterCIDR: inputs.clusterCIDR,
    kubelet: withReplacements(inputs.kubelet, replaced),
    rawKubelet: withReplacements(spec.kubelet ?? {}, replaced),
    taints: bootstrapTaints(nodeClaim.spec),
    labels: bootstrapLabels(nodeClaim.metadata.labels ?? {}, capacityType, family),
    customUserData: spec.userData,
    raid0: spec.instanceStorePolicy === 'RAID0',
    bindsDirectoriesItself: launchesBottlerocketThatBinds(nodeClass),
  }
}

/** What a rollback or an undo has pinned is no release that the selector names. */
function launchesBottlerocketThatBinds(nodeClass: EC2NodeClass): boolean {
  const { amis = [], pinnedImages } = nodeClass.status ?? {}
  const spec = specOf(nodeClass)
  return bindsDirectoriesItself(pinnedImages === undefined ? spec : { ...spec, amiSelectorTerms: [] }, amis)
}

/** Values that replace what the class says; `null` takes a field out. */
type Replacements = { readonly [K in keyof ManagedKubelet]?: ManagedKubelet[K] | null }

function replacements({ kubelet, group, cluster }: BootstrapInputs): Replacements {
  const { clusterDNS = [] } = kubelet
  return {
    ...(typeof kubelet.maxPods === 'number' ? {} : { maxPods: group.maxPods }),
    ...(clusterDNS.length > 0 ? {} : { clusterDNS: cluster.dnsIP === undefined ? null : [cluster.dnsIP] }),
    ...(group.kubelet === undefined
      ? {}
      : {
          kubeReserved: nonEmpty(group.kubelet.kubeReserved),
          systemReserved: nonEmpty(group.kubelet.systemReserved),
        }),
  }
}

function nonEmpty(map: Readonly<Record<string, string>> | undefined): Readonly<Record<string, string>> | null {
  return map === undefined || Object.keys(map).length === 0 ? null : map
}

function withReplacements<T extends object>(kubelet: T, replaced: Replacements): T {
  const entries = Object.entries(replaced)
  const removed = new Set(entries.filter(([, value]) => value === null).map(([field]) => field))
  const kept = Object.entries(kubelet).filter(([field]) => !removed.has(field))
  return Object.fromEntries([...kept, ...entries.filter(([, value]) => value !== null)]) as T
}
