import type { EC2Instance } from '../../src/cloud/aws/instance/ec2-instance.ts'

/** What a launch has just made. */
export function aLaunchedInstance(id: string, more: Partial<EC2Instance> = {}): EC2Instance {
  return {
    id,
    launchedAt: 0,
    state: 'pending',
    imageID: '',
    instanceType: 'm5.large',
    zone: 'us-east-1a',
    zoneID: undefined,
    capacityType: 'spot',
    reservation: undefined,
    tenancy: 'default',
    securityGroupIDs: [],
    subnetID: '',
    tags: {},
    efaCount: 0,
    placementGroupID: undefined,
    partition: 0,
    ...more,
  }
}
