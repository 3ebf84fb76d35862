import { type AMIFamilyName, resolvedAMIFamily } from '../ami-family.ts'
import type { BlockDeviceMapping, EC2NodeClassSpec } from '../karpenter.ts'
import { goJson } from './go-json.ts'
import { hashOf, hashText, type HashValue } from './structural-hash.ts'
import {
  map,
  plainBool,
  plainInt,
  plainText,
  pointerTo,
  pointerToBool,
  pointerToInt,
  pointerToText,
  slice,
  struct,
} from './values.ts'
import { typedKubelet } from './typed-kubelet.ts'
import { canonicalQuantityText } from './volume-size.ts'

export const ec2NodeClassHashVersion = 'v6'
/** v5 is what release 1.14.1 writes: computed for comparisons and for the way back, never stamped by default. */
export type EC2NodeClassHashVersion = 'v5' | 'v6'

interface Hashed {
  readonly spec: EC2NodeClassSpec
}

/**
 * The value of karpenter.k8s.aws/ec2nodeclass-hash. `caBundle` is the controller's option, or the base64 text of the CA that its
 * Kubernetes client trusts, or empty.
 */
export function ec2NodeClassHash(nodeClass: Hashed, caBundle: string, version: EC2NodeClassHashVersion = 'v6'): string {
  const family: AMIFamilyName = resolvedAMIFamily(nodeClass.spec)
  const common = hashOf(specValue(nodeClass.spec, version)) ^ hashText(family) ^ hashText(caBundle)
  return (version === 'v6' ? common ^ hashText(kubeletText(nodeClass.spec.kubelet)) : common).toString()
}

/** The kubelet settings as they enter the hash. */
function kubeletText(kubelet: EC2NodeClassSpec['kubelet']): string {
  return kubelet === undefined || kubelet === null || Object.keys(kubelet).length === 0 ? 'null' : goJson(kubelet)
}

function specValue(spec: EC2NodeClassSpec, version: EC2NodeClassHashVersion): HashValue {
  return struct('EC2NodeClassSpec', {
    PlacementGroupSelector: pointerTo(spec.placementGroupSelector, ({ name, id }) =>
      struct('PlacementGroupSelector', { Name: pointerToText(name), ID: pointerToText(id) }),
    ),
    AssociatePublicIPAddress: pointerToBool(spec.associatePublicIPAddress),
    UserData: pointerToText(spec.userData),
    Role: plainText(spec.role),
    InstanceProfile: pointerToText(spec.instanceProfile),
    Tags: map(spec.tags),
    ...(version === 'v5' ? { Kubelet: pointerTo(spec.kubelet, typedKubelet) } : {}),
    BlockDeviceMappings: slice(spec.blockDeviceMappings, blockDeviceMapping),
    InstanceStorePolicy: pointerToText(spec.instanceStorePolicy),
    NetworkInterfaces: slice(spec.networkInterfaces, ({ networkCardIndex, deviceIndex, interfaceType }) =>
      struct('NetworkInterface', {
        NetworkCardIndex: plainInt('int32', networkCardIndex),
        DeviceIndex: plainInt('int32', deviceIndex),
        InterfaceType: plainText(interfaceType),
      }),
    ),
    DetailedMonitoring: pointerToBool(spec.detailedMonitoring),
    MetadataOptions: pointerTo(spec.metadataOptions, (options) =>
      struct('MetadataOptions', {
        HTTPEndpoint: pointerToText(options.httpEndpoint),
        HTTPProtocolIPv6: pointerToText(options.httpProtocolIPv6),
        HTTPPutResponseHopLimit: pointerToInt('int64', options.httpPutResponseHopLimit),
        HTTPTokens: pointerToText(options.httpTokens),
      }),
    ),
    ConnectionTracking: pointerTo(spec.connectionTracking, (tracking) =>
      struct('ConnectionTracking', {
        TCPEstablishedTimeout: pointerToInt('int32', tracking.tcpEstablishedTimeout),
        UDPStreamTimeout: pointerToInt('int32', tracking.udpStreamTimeout),
        UDPTimeout: pointerToInt('int32', tracking.udpTimeout),
      }),
    ),
    Context: pointerToText(spec.context),
    CPUOptions: pointerTo(spec.cpuOptions, ({ nestedVirtualization }) =>
      struct('CPUOptions', { NestedVirtualization: pointerToText(nestedVirtualization) }),
    ),
  })
}

function blockDeviceMapping({ deviceName, ebs, rootVolume }: BlockDeviceMapping): HashValue {
  return struct('BlockDeviceMapping', {
    DeviceName: pointerToText(deviceName),
    EBS: pointerTo(ebs, (device) =>
      struct('BlockDevice', {
        DeleteOnTermination: pointerToBool(device.deleteOnTermination),
        Encrypted: pointerToBool(device.encrypted),
        IOPS: pointerToInt('int64', device.iops),
        KMSKeyID: pointerToText(device.kmsKeyID),
        SnapshotID: pointerToText(device.snapshotID),
        Throughput: pointerToInt('int64', device.throughput),
        VolumeInitializationRate: pointerToInt('int32', device.volumeInitializationRate),
        VolumeSize: pointerTo(device.volumeSize, (size) => ({ kind: 'text', value: canonicalQuantityText(size) })),
        VolumeType: pointerToText(device.volumeType),
      }),
    ),
    RootVolume: plainBool(rootVolume),
  })
}
