import type { SimulatedAWS } from './aws/simulated-aws.ts'
import type { InstanceRecord } from './aws/state.ts'

/** The instance of a managed node group: it is not ours to touch, and the cluster's own pods run on it. */
export function addSystemNode(aws: SimulatedAWS, names: { clusterName: string; nodeRole: string }): InstanceRecord {
  const { account, state } = aws
  const subnet = state.subnets.find((candidate) => !candidate.public)
  const image = state.images.find(({ architecture }) => architecture === 'x86_64')
  const group = state.securityGroups[0]
  if (subnet === undefined || image === undefined || group === undefined) throw new Error('there is no VPC yet')
  const profile = `${names.clusterName}-system`
  state.instanceProfiles.push({
    name: profile,
    path: '/',
    roles: [names.nodeRole],
    tags: {},
    createdAt: account.clock.now(),
  })
  const userData = [
    'apiVersion: node.eks.aws/v1alpha1',
    'kind: NodeConfig',
    'spec:',
    '  kubelet:',
    '    flags:',
    '    - --node-labels="eks.amazonaws.com/nodegroup=system,eks.amazonaws.com/capacityType=ON_DEMAND"',
  ].join('\n')
  const now = account.clock.now()
  const instance: InstanceRecord = {
    id: account.newID('i'),
    type: 'm5.large',
    zone: subnet.zone,
    zoneID: subnet.zoneID,
    subnetID: subnet.id,
    vpcID: subnet.vpcID,
    privateIP: '10.0.0.10',
    imageID: image.id,
    architecture: 'x86_64',
    state: 'pending',
    since: now,
    launchedAt: now,
    tags: { 'eks:cluster-name': names.clusterName, 'eks:nodegroup-name': 'system' },
    lifecycle: 'on-demand',
    capacityReservationsOnly: false,
    launchTemplateID: account.newID('lt'),
    fleetID: `fleet-${account.random.uuid()}`,
    securityGroupIDs: [group.id],
    instanceProfile: profile,
    userData: Buffer.from(userData).toString('base64'),
    tenancy: 'default',
    interfaces: [{ id: account.newID('eni'), type: 'interface', card: 0, device: 0 }],
    volumes: [{ device: '/dev/xvda', sizeGiB: 20 }],
    monitoring: false,
    impaired: [],
    events: [],
  }
  account.addInstance(instance)
  return instance
}
