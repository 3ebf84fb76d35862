/** Per path below `spec` some values that admission accepts, the odd ones of each kind among them. */
export type Fields = Readonly<Record<string, readonly unknown[]>>

const taints = [
  { key: 'example.com/a', value: 'x', effect: 'NoSchedule' },
  { key: 'example.com/a', effect: 'NoExecute' },
  { key: 'b', value: '1.0', effect: 'PreferNoSchedule' },
]

/** Fields that a hash may look at; those it must not look at come with the numbered cases. */
export const hashedFields: Readonly<Record<'NodePool' | 'EC2NodeClass', Fields>> = {
  NodePool: {
    'template.metadata': [
      {},
      { labels: {} },
      { labels: { team: 'a' } },
      {
        labels: { 'example.com/team': '1', zone: '' },
        annotations: { 'example.com/owner': 'ü – "x"' },
      },
      { annotations: {} },
    ],
    'template.spec.taints': [
      [],
      [taints[0]],
      [taints[1], taints[0]],
      [taints[0], taints[1], taints[2]],
      [taints[0], taints[0]],
    ],
    'template.spec.startupTaints': [[], [taints[2]], [taints[2], taints[0]]],
    'template.spec.expireAfter': ['Never', '720h', '43200m', '0s', '1h30m5s', '100000h'],
    'template.spec.terminationGracePeriod': ['0s', '30s', '48h', '1h0m1s'],
    'template.spec.nodeClassRef': [
      { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
      { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'another-one' },
    ],
    weight: [1, 100],
    limits: [{}, { cpu: '1000' }],
  },
  EC2NodeClass: {
    userData: ['', '#!/bin/sh\necho é ✓\n', '[settings.kubernetes]\nkube-api-qps = 30\n'],
    tags: [{}, { team: 'a' }, { b: '', a: 'x', 'example.com/ü': '→' }],
    context: ['', 'fake-context'],
    detailedMonitoring: [true, false],
    associatePublicIPAddress: [true, false],
    instanceStorePolicy: ['RAID0'],
    amiFamily: ['AL2023', 'Bottlerocket', 'Custom'],
    amiSelectorTerms: [
      [{ alias: 'al2023@latest' }],
      [{ alias: 'al2023@v20260101' }],
      [{ id: 'ami-0123456789abcdef0' }],
    ],
    kubelet: [
      {},
      { maxPods: 110 },
      { maxPods: 0, podsPerCore: 10 },
      { clusterDNS: [] },
      { clusterDNS: ['10.0.0.10', '10.0.0.11'], cpuCFSQuota: false },
      { kubeReserved: { cpu: '200m', memory: '100Mi' }, systemReserved: { 'ephemeral-storage': '1Gi', pid: '100' } },
      {
        evictionHard: { 'memory.available': '5%' },
        evictionSoft: { 'nodefs.available': '10%' },
        evictionSoftGracePeriod: { 'nodefs.available': '1m0s' },
      },
      {
        evictionMaxPodGracePeriod: 60,
        imageGCHighThresholdPercent: 85,
        imageGCLowThresholdPercent: 80,
        cpuCFSQuota: true,
      },
    ],
    blockDeviceMappings: [
      [],
      [{ deviceName: '/dev/xvda', ebs: { volumeSize: '20Gi' } }],
      [
        {
          deviceName: '/dev/xvda',
          rootVolume: true,
          ebs: { volumeSize: '1024Gi', volumeType: 'gp3', iops: 3000, throughput: 125 },
        },
      ],
      [
        {
          deviceName: '/dev/xvdb',
          ebs: { volumeSize: '1500G', encrypted: true, kmsKeyID: 'alias/x', deleteOnTermination: false },
        },
        { deviceName: '/dev/xvda', rootVolume: false, ebs: { volumeSize: '2Ti', volumeType: 'io2', iops: 10_000 } },
      ],
      [{ deviceName: '/dev/xvda', ebs: { snapshotID: 'snap-0123456789abcdef0', volumeInitializationRate: 100 } }],
      [{ deviceName: '/dev/xvda', ebs: { volumeSize: '59000Gi', encrypted: false } }],
    ],
    metadataOptions: [
      {},
      { httpEndpoint: 'disabled', httpProtocolIPv6: 'enabled', httpPutResponseHopLimit: 2, httpTokens: 'optional' },
      { httpPutResponseHopLimit: 64 },
    ],
    networkInterfaces: [
      [{ networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' }],
      [
        { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' },
        { networkCardIndex: 1, deviceIndex: 1, interfaceType: 'efa-only' },
      ],
    ],
    connectionTracking: [
      {},
      { tcpEstablishedTimeout: 60 },
      { udpStreamTimeout: 120, udpTimeout: 45, tcpEstablishedTimeout: 3600 },
    ],
    cpuOptions: [{}, { nestedVirtualization: 'enabled' }, { nestedVirtualization: 'disabled' }],
    placementGroupSelector: [{ name: 'group' }, { id: 'pg-0123456789abcdef0' }],
    ipPrefixCount: [0, 2],
  },
}
