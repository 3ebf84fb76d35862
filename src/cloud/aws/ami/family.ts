import { type AMIFamilyName, resolvedAMIFamily } from '../../../api/ami-family.ts'
import type { BlockDeviceMapping, NodeClassSpec } from '../wire.ts'

/** How nodes of one AMI family differ. */
export interface AMIFamily {
  readonly name: AMIFamilyName
  /** Devices when the class names none; empty: the AMI decides. */
  readonly defaultDevices: readonly BlockDeviceMapping[]
  /** The device whose size is the kubelet's ephemeral storage. */
  readonly ephemeralDevice: string | undefined
  readonly defaultEphemeralStorage: string
  /** Whether pods take addresses of the instance's network interfaces, which then bound their number. */
  readonly podsLimitedByENI: boolean
  readonly honoursPodsPerCore: boolean
  /** What the default kube-reserved memory grows with. */
  readonly reservedMemoryFollows: 'eniLimit' | 'maxPods'
  /** Whether the whole kubelet document reaches the node, or only the twelve managed fields. */
  readonly rawKubelet: boolean
  /** Value of the `node.kubernetes.io/windows-build` label. */
  readonly windowsBuild: string | undefined
}

const linux = {
  podsLimitedByENI: true,
  honoursPodsPerCore: true,
  reservedMemoryFollows: 'eniLimit',
  rawKubelet: false,
  windowsBuild: undefined,
  defaultEphemeralStorage: '20Gi',
} as const

function windows(name: AMIFamilyName, build: string): AMIFamily {
  return {
    name,
    defaultDevices: [device('/dev/sda1', '50Gi')],
    ephemeralDevice: '/dev/sda1',
    defaultEphemeralStorage: '50Gi',
    podsLimitedByENI: false,
    honoursPodsPerCore: true,
    reservedMemoryFollows: 'maxPods',
    rawKubelet: false,
    windowsBuild: build,
  }
}

const families: Readonly<Record<AMIFamilyName, AMIFamily>> = {
  AL2: { ...linux, name: 'AL2', defaultDevices: [device('/dev/xvda', '20Gi')], ephemeralDevice: '/dev/xvda' },
  AL2023: {
    ...linux,
    name: 'AL2023',
    defaultDevices: [device('/dev/xvda', '20Gi')],
    ephemeralDevice: '/dev/xvda',
    rawKubelet: true,
  },
  Bottlerocket: {
    ...linux,
    name: 'Bottlerocket',
    defaultDevices: [device('/dev/xvda', '4Gi'), device('/dev/xvdb', '20Gi')],
    ephemeralDevice: '/dev/xvdb',
    honoursPodsPerCore: false,
    reservedMemoryFollows: 'maxPods',
  },
  Custom: { ...linux, name: 'Custom', defaultDevices: [], ephemeralDevice: undefined },
  Windows2019: windows('Windows2019', '10.0.17763'),
  Windows2022: windows('Windows2022', '10.0.20348'),
  Windows2025: windows('Windows2025', '10.0.26100'),
}

/** `spec.amiFamily`, else the family of the alias, else Custom. */
export function familyNameOf(spec: NodeClassSpec): AMIFamilyName {
  return resolvedAMIFamily(spec)
}

export function familyOf(spec: NodeClassSpec): AMIFamily {
  return families[familyNameOf(spec)]
}

export function isWindows(family: AMIFamily): boolean {
  return family.windowsBuild !== undefined
}

export interface Alias {
  /** As written before the first `@`. */
  readonly family: string
  readonly version: string
}

export function aliasOf(spec: NodeClassSpec): Alias | undefined {
  const text = spec.amiSelectorTerms.find((term) => term.alias !== undefined)?.alias
  return text === undefined ? undefined : parseAlias(text)
}

function parseAlias(text: string): Alias {
  const at = text.indexOf('@')
  return at < 0 ? { family: text, version: '' } : { family: text.slice(0, at), version: text.slice(at + 1) }
}

function device(deviceName: string, volumeSize: string): BlockDeviceMapping {
  return { deviceName, ebs: { volumeSize, volumeType: 'gp3', encrypted: true } }
}
