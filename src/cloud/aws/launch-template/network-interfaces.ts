import type { LaunchTemplateInstanceNetworkInterfaceSpecificationRequest as Interface } from '@aws-sdk/client-ec2'
import type { NodeClassSpec } from '../wire.ts'

export interface NetworkInputs {
  readonly spec: NodeClassSpec
  readonly securityGroupIDs: readonly string[]
  readonly ipFamily: 'IPv4' | 'IPv6'
  /** Interfaces of the type when the claim asks for EFA, else 0. */
  readonly efaCount: number
  /** Whether the first network card takes no EFA. */
  readonly plainFirstCard: boolean
}

/** The template's interfaces: the class's own, else EFA interfaces, else one. They carry the security groups. */
export function networkInterfaces(inputs: NetworkInputs): Interface[] {
  const { spec, efaCount, plainFirstCard } = inputs
  const Groups = [...inputs.securityGroupIDs]
  const addressed = addressing(inputs)
  if (spec.networkInterfaces !== undefined && spec.networkInterfaces.length > 0) {
    return spec.networkInterfaces.map((wanted) => ({
      NetworkCardIndex: wanted.networkCardIndex,
      DeviceIndex: wanted.deviceIndex,
      InterfaceType: wanted.interfaceType,
      Groups,
      ...(wanted.interfaceType === 'efa-only' ? {} : addressed),
    }))
  }
  if (efaCount > 0) {
    return Array.from({ length: plainFirstCard ? efaCount + 1 : efaCount }, (_, index) => ({
      NetworkCardIndex: index,
      DeviceIndex: index === 0 ? 0 : 1,
      InterfaceType: plainFirstCard && index === 0 ? 'interface' : 'efa',
      Groups,
      ...addressed,
    }))
  }
  return [{ DeviceIndex: 0, Groups, ...addressed }]
}

/** What an interface that gets addresses of its own carries. */
function addressing({ spec, ipFamily }: NetworkInputs): Interface {
  const v6 = ipFamily === 'IPv6'
  const tracking = spec.connectionTracking
  const { tcpEstablishedTimeout, udpStreamTimeout, udpTimeout } = tracking ?? {}
  const tracked = tcpEstablishedTimeout !== undefined || udpStreamTimeout !== undefined || udpTimeout !== undefined
  return {
    ...(spec.associatePublicIPAddress === undefined ? {} : { AssociatePublicIpAddress: spec.associatePublicIPAddress }),
    ...(spec.ipPrefixCount === undefined
      ? {}
      : v6
        ? { Ipv6PrefixCount: spec.ipPrefixCount }
        : { Ipv4PrefixCount: spec.ipPrefixCount }),
    ...(v6 ? { PrimaryIpv6: true, Ipv6AddressCount: 1 } : {}),
    ...(tracked
      ? {
          ConnectionTrackingSpecification: {
            ...(tcpEstablishedTimeout === undefined ? {} : { TcpEstablishedTimeout: tcpEstablishedTimeout }),
            ...(udpStreamTimeout === undefined ? {} : { UdpStreamTimeout: udpStreamTimeout }),
            ...(udpTimeout === undefined ? {} : { UdpTimeout: udpTimeout }),
          },
        }
      : {}),
  }
}
