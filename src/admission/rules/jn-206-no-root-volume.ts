import { type AMIFamilyName, resolvedAMIFamily } from '../../api/ami-family.ts'
import type { Rule } from '../rule.ts'

/** The device where the kubelet keeps its data, which a mapping must name or be marked as. Custom images decide for themselves. */
const dataDevices: Readonly<Record<AMIFamilyName, string | undefined>> = {
  AL2: '/dev/xvda',
  AL2023: '/dev/xvda',
  Bottlerocket: '/dev/xvdb',
  Custom: undefined,
  Windows2019: '/dev/sda1',
  Windows2022: '/dev/sda1',
  Windows2025: '/dev/sda1',
}

export const noRootVolume: Rule = {
  id: 'JN-206',
  title: 'Block devices without the one that holds pods and images',
  severity: 'warn',
  looksAt: 'object',
  fix: 'Add the device of the AMI family, or mark one mapping with rootVolume: true.',
  check(subject) {
    const spec = subject.kind === 'EC2NodeClass' ? subject.object.spec : undefined
    const mappings = spec?.blockDeviceMappings ?? []
    if (spec === undefined || mappings.length === 0 || mappings.some(({ rootVolume }) => rootVolume === true)) return []
    const device = dataDevices[resolvedAMIFamily(spec)]
    if (device !== undefined && mappings.some(({ deviceName }) => deviceName === device)) return []
    const wanted =
      device === undefined ? 'no mapping has rootVolume: true' : `no mapping is for ${device} or has rootVolume: true`
    return [{ path: 'spec.blockDeviceMappings', message: `${wanted}; ephemeral storage is then a guess` }]
  },
}
