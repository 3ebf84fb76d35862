import type { SimulatedAWS } from './aws/simulated-aws.ts'

export interface VPCOptions {
  readonly clusterName: string
  /** Letters of the zones to put subnets in, e.g. `['a', 'b', 'c']`. */
  readonly zones: readonly string[]
  /** Name of the IAM role of nodes. */
  readonly nodeRole: string
  readonly interruptionQueue: string
}

/** How many days before the start the first images were published. */
const imageAgeMs = 20 * 86_400_000

/** What a cluster's Terraform would have made: a VPC with a private and a public subnet per zone, security groups, roles, a queue. */
export function createVPC(aws: SimulatedAWS, { clusterName, zones, nodeRole, interruptionQueue }: VPCOptions): void {
  const { account, state } = aws
  const vpcID = account.newID('vpc')
  const discovery = { 'karpenter.sh/discovery': clusterName }
  for (const [index, letter] of zones.entries()) {
    const zone = `${account.region.name}${letter}`
    const zoneID = account.zoneID(zone)
    if (zoneID === '') throw new Error(`the region ${account.region.name} has no zone ${zone}`)
    const common = { vpcID, zone, zoneID }
    state.subnets.push(
      {
        ...common,
        id: account.newID('subnet'),
        cidr: `10.0.${32 * index}.0/19`,
        addresses: 8187,
        tags: { ...discovery, Name: `${clusterName}-private-${zone}`, 'kubernetes.io/role/internal-elb': '1' },
        public: false,
      },
      {
        ...common,
        id: account.newID('subnet'),
        cidr: `10.0.${224 + index}.0/24`,
        addresses: 251,
        tags: { Name: `${clusterName}-public-${zone}`, 'kubernetes.io/role/elb': '1' },
        public: true,
      },
    )
  }
  state.securityGroups.push(
    {
      id: account.newID('sg'),
      name: `${clusterName}-node`,
      vpcID,
      tags: { ...discovery, Name: `${clusterName}-node` },
    },
    { id: account.newID('sg'), name: 'default', vpcID, tags: {} },
  )
  state.roles.push(nodeRole)
  const createdAt = account.clock.now() - imageAgeMs
  const version = `v${new Date(createdAt).toISOString().slice(0, 10).replaceAll('-', '')}`
  aws.publishImage('al2023', { version, createdAt })
  aws.publishImage('bottlerocket', { version: '1.49.0', createdAt })
  aws.createQueue(interruptionQueue)
}
