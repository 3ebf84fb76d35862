import type { BlockDevice, BlockDeviceMapping, EC2NodeClassSpec, MetadataOptions } from '../../src/api/karpenter.ts'

const device: BlockDevice = {
  deleteOnTermination: false,
  encrypted: false,
  iops: 0,
  kmsKeyID: 'fakeKMSKeyID',
  snapshotID: 'fakeSnapshot',
  throughput: 0,
  volumeSize: '2G',
  volumeType: 'standard',
}
const second: BlockDeviceMapping = { deviceName: 'map-device-2' }
const tags = { 'keyTag-1': 'valueTag-1', 'keyTag-2': 'valueTag-2' }
const options: MetadataOptions = {
  httpEndpoint: 'disabled',
  httpProtocolIPv6: 'disabled',
  httpPutResponseHopLimit: 1,
  httpTokens: 'optional',
}
const spec: EC2NodeClassSpec = {
  subnetSelectorTerms: [],
  securityGroupSelectorTerms: [],
  amiSelectorTerms: [],
  role: 'role-1',
  tags,
  context: 'fake-context',
  detailedMonitoring: false,
  associatePublicIPAddress: false,
  metadataOptions: options,
  userData: 'userdata-test-1',
  blockDeviceMappings: [{ deviceName: 'map-device-1', ebs: device }, second],
}

/** The EC2NodeClass from which the published hash vectors vary one field each, with its parts. */
export const publishedClass = { device, second, tags, options, spec }
