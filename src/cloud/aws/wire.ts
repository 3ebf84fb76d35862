import type {
  BlockDeviceMapping,
  EC2NodeClass,
  EC2NodeClassSpec,
  NetworkInterface,
  ResolvedAMI,
  ResolvedCapacityReservation,
  ResolvedSecurityGroup,
  ResolvedSubnet,
} from '../../api/karpenter.ts'

export type {
  BlockDeviceMapping,
  EC2NodeClassSpec as NodeClassSpec,
  NetworkInterface as NetworkInterfaceSpec,
  ResolvedAMI as StatusAMI,
  ResolvedCapacityReservation as StatusReservation,
  ResolvedSecurityGroup as StatusSecurityGroup,
  ResolvedSubnet as StatusSubnet,
}

const emptySpec: EC2NodeClassSpec = Object.freeze({
  subnetSelectorTerms: [],
  securityGroupSelectorTerms: [],
  amiSelectorTerms: [],
})

/** The schema lets a class come without a spec; it then selects nothing. */
export function specOf(nodeClass: Pick<EC2NodeClass, 'spec'>): EC2NodeClassSpec {
  return nodeClass.spec ?? emptySpec
}
