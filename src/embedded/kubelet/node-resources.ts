import type { ResourceListText } from '../../api/kubernetes.ts'
import { parseQuantity } from '../../model/quantity.ts'
import type { TypeFacts } from '../aws/catalogue.ts'
import type { InstanceRecord } from '../aws/state.ts'
import type { KubeletSettings } from './user-data.ts'

export interface NodeResources {
  readonly capacity: ResourceListText
  readonly allocatable: ResourceListText
}

const ki = 1024
const mi = 1024 * 1024
const gi = 1024 * mi

/**
 * What a machine of this type reports. `memoryOverhead` is the part of the type's memory that firmware, hypervisor and kernel keep
 * for themselves, e.g. 0.065.
 */
export function nodeResources(
  facts: TypeFacts,
  instance: InstanceRecord,
  settings: KubeletSettings,
  memoryOverhead: number,
): NodeResources {
  const memory = Math.floor((facts.memoryMiB * mi * (1 - memoryOverhead)) / ki) * ki
  const pods = podsOf(facts, settings)
  const storage = storageBytes(facts, instance, settings)
  const capacity = {
    cpu: String(facts.vcpu),
    memory: `${memory / ki}Ki`,
    'ephemeral-storage': `${Math.floor(storage / ki)}Ki`,
    pods: String(pods),
    'hugepages-1Gi': '0',
    'hugepages-2Mi': '0',
  }
  // Amazon Linux reserves for the pods that the type's interfaces allow, however many the kubelet takes; Bottlerocket and Windows for these.
  const reservedPods = settings.reservesFor === 'pods' ? pods : podsByInterfaces(facts)
  const kubeReserved = {
    cpu: `${reservedMilliCPU(facts.vcpu)}m`,
    memory: `${255 + 11 * reservedPods}Mi`,
    'ephemeral-storage': '1Gi',
    ...settings.kubeReserved,
  }
  const reserved = (name: string) => amount(kubeReserved, name) + amount(settings.systemReserved, name)
  const evictMemory = threshold(settings.evictionHard['memory.available'], memory, 100 * mi)
  const evictStorage = threshold(settings.evictionHard['nodefs.available'], storage, storage * 0.1)
  return {
    capacity,
    allocatable: {
      ...capacity,
      cpu: `${Math.max(0, facts.vcpu * 1000 - Math.ceil(reserved('cpu') * 1000))}m`,
      memory: `${Math.max(0, Math.floor((memory - reserved('memory') - evictMemory) / ki))}Ki`,
      'ephemeral-storage': String(Math.max(0, Math.floor(storage - reserved('ephemeral-storage') - evictStorage))),
    },
  }
}

/** What device plugins and the VPC resource controller add some time after the node is there. */
export function extendedResources(
  facts: TypeFacts,
  instance: InstanceRecord,
  os: 'linux' | 'windows' = 'linux',
): Record<string, string> {
  const resources: Record<string, number> = {}
  for (const gpu of facts.gpus ?? []) {
    const name = gpu.manufacturer === 'AMD' ? 'amd.com/gpu' : 'nvidia.com/gpu'
    const count = gpu.count > 0 ? gpu.count : (gpu.logicalCount ?? 0)
    if (count > 0) resources[name] = (resources[name] ?? 0) + count
  }
  for (const device of facts.neuron ?? []) {
    resources['aws.amazon.com/neuron'] = device.count
    resources['aws.amazon.com/neuroncore'] = device.count * device.coresEach
  }
  const efa = instance.interfaces.filter(({ type }) => type.startsWith('efa')).length
  if (efa > 0) resources['vpc.amazonaws.com/efa'] = efa
  // EKS has each pod on Windows ask for one.
  if (os === 'windows') resources['vpc.amazonaws.com/PrivateIPv4Address'] = facts.net.ipv4PerEni - 1
  if (facts.net.trunking === true && facts.net.branchEnis !== undefined) {
    resources['vpc.amazonaws.com/pod-eni'] = facts.net.branchEnis
  }
  return Object.fromEntries(Object.entries(resources).map(([name, count]) => [name, String(count)]))
}

function podsOf(facts: TypeFacts, { maxPods = podsByInterfaces(facts), podsPerCore = 0 }: KubeletSettings): number {
  return podsPerCore > 0 ? Math.min(maxPods, podsPerCore * facts.vcpu) : maxPods
}

/** The VPC CNI gives each pod an address of an interface; two host-network pods need none. */
function podsByInterfaces({ net }: TypeFacts): number {
  const enis = net.cards.length === 1 && net.cards[0]?.count === 1 ? net.maxEnis : (net.cards[0]?.enis ?? net.maxEnis)
  return enis * (net.ipv4PerEni - 1) + 2
}

/** The share of each core that EKS images keep for the kubelet and the container runtime. */
function reservedMilliCPU(vcpu: number): number {
  const steps = [
    [1000, 0.06],
    [1000, 0.01],
    [2000, 0.005],
    [Number.POSITIVE_INFINITY, 0.0025],
  ] as const
  let left = vcpu * 1000
  let reserved = 0
  for (const [size, rate] of steps) {
    const part = Math.min(left, size)
    reserved += Math.floor(part * rate)
    left -= part
  }
  return reserved
}

function storageBytes(facts: TypeFacts, instance: InstanceRecord, settings: KubeletSettings): number {
  if (settings.localStorage && facts.local !== undefined) return facts.local.totalGB * 1e9
  // Bottlerocket keeps pods on its second volume; other images have one.
  const volume = instance.volumes.find(({ device }) => device === '/dev/xvdb') ?? instance.volumes[0]
  return (volume?.sizeGiB ?? 20) * gi
}

function amount(list: Readonly<Record<string, string>>, name: string): number {
  const text = list[name]
  return text === undefined ? 0 : parseQuantity(text).toNumber()
}

function threshold(text: string | undefined, total: number, usual: number): number {
  if (text === undefined) return usual
  if (!text.endsWith('%')) return parseQuantity(text).toNumber()
  const percent = Number(text.slice(0, -1))
  // A threshold of 100 % switches the signal off.
  return percent >= 100 ? 0 : (total * percent) / 100
}
