import type { Node, Taint, Unsaved } from '../../api/kubernetes.ts'
import { type Clock, toTimestamp } from '../../model/clock.ts'
import type { TypeFacts } from '../aws/catalogue.ts'
import type { SimulatedAWS } from '../aws/simulated-aws.ts'
import type { InstanceRecord } from '../aws/state.ts'
import type { NodeBehaviour } from './behaviour.ts'
import { conditionsOf } from './node-conditions.ts'
import { systemOf } from './image-system.ts'
import { nodeResources } from './node-resources.ts'
import { parseUserData } from './user-data.ts'

interface NewNodeDeps {
  readonly aws: SimulatedAWS
  readonly clock: Clock
  readonly kubernetesVersion: string
}

/** The Node as a kubelet registers it, not ready yet. */
export function newNode(
  deps: NewNodeDeps,
  instance: InstanceRecord,
  facts: TypeFacts,
  behaviour: NodeBehaviour,
): Unsaved<Node> {
  const { aws, clock, kubernetesVersion } = deps
  const settings = parseUserData(instance.userData)
  const name = aws.nodeName(instance)
  const image = aws.state.images.find(({ id }) => id === instance.imageID)
  const { osImage, windowsBuild } = systemOf(image ?? { name: '', platform: 'linux' })
  const os = image?.platform ?? 'linux'
  const arch = instance.architecture === 'arm64' ? 'arm64' : 'amd64'
  const region = aws.account.region.name
  const notReady: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }
  const resources = nodeResources(facts, instance, settings, behaviour.memoryOverhead)
  const now = toTimestamp(clock.now())
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'beta.kubernetes.io/arch': arch,
        'beta.kubernetes.io/instance-type': instance.type,
        'beta.kubernetes.io/os': os,
        'failure-domain.beta.kubernetes.io/region': region,
        'failure-domain.beta.kubernetes.io/zone': instance.zone,
        'kubernetes.io/arch': arch,
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': os,
        'node.kubernetes.io/instance-type': instance.type,
        'topology.ebs.csi.aws.com/zone': instance.zone,
        'topology.k8s.aws/zone-id': instance.zoneID,
        'topology.kubernetes.io/region': region,
        'topology.kubernetes.io/zone': instance.zone,
        ...(windowsBuild === undefined ? {} : { 'node.kubernetes.io/windows-build': windowsBuild }),
        ...settings.labels,
        ...behaviour.extraLabels,
      },
      annotations: { 'node.alpha.kubernetes.io/ttl': '0' },
    },
    spec: {
      providerID: `aws:///${instance.zone}/${instance.id}`,
      taints: [...(behaviour.dropsTaints ? [] : settings.taints), notReady],
    },
    status: {
      ...resources,
      addresses: [
        { type: 'InternalIP', address: instance.privateIP },
        { type: 'InternalDNS', address: name },
        { type: 'Hostname', address: name },
      ],
      conditions: conditionsOf({ ...behaviour, healthy: false }, undefined, now),
      nodeInfo: {
        architecture: arch,
        operatingSystem: os,
        osImage,
        kernelVersion: '6.12.40',
        kubeletVersion: `v${kubernetesVersion}.0-eks-embedded`,
        kubeProxyVersion: `v${kubernetesVersion}.0-eks-embedded`,
        containerRuntimeVersion: 'containerd://2.1.4',
        machineID: instance.id.replace('i-', 'ec2'),
        systemUUID: instance.id.replace('i-', 'ec2'),
        bootID: instance.id.replace('i-', ''),
      },
    },
  }
}
