import { describe, expect, test } from 'vitest'
import {
  ClusterCIDR,
  type ClusterFactInputs,
  discoverCluster,
} from '../../../../../src/cloud/aws/eks-cluster/cluster.ts'
import { silentLogger } from '../../../../../src/kube/logger.ts'

const eksThat = (describeCluster: (input: { name?: string | undefined }) => unknown) => {
  const asked: (string | undefined)[] = []
  const client = {
    describeCluster: async (input: { name?: string | undefined }) => {
      asked.push(input.name)
      return { cluster: describeCluster(input) as never, $metadata: {} }
    },
  }
  return { asked, client }
}

const inputs: ClusterFactInputs = {
  clusterName: 'demo',
  clusterEndpoint: 'https://api.demo.example',
  clusterCABundle: '',
  kubernetesCA: 'b3VycyA=',
  readDNSIP: async () => '172.20.0.10',
}

describe('what nodes must know of the cluster', () => {
  const discover = (changes: Partial<ClusterFactInputs>, eks = eksThat(() => ({}))) =>
    discoverCluster(eks.client, { ...inputs, ...changes }, silentLogger)

  test('an endpoint that is set is not asked for', async () => {
    const eks = eksThat(() => ({ endpoint: 'https://eks.example' }))
    expect(await discover({}, eks)).toEqual({
      name: 'demo',
      endpoint: 'https://api.demo.example',
      caBundle: 'b3VycyA=',
      dnsIP: '172.20.0.10',
      ipFamily: 'IPv4',
    })
    expect(eks.asked).toEqual([])
  })

  test('another one EKS tells, or nobody', async () => {
    const eks = eksThat(() => ({ endpoint: 'https://eks.example' }))
    expect((await discover({ clusterEndpoint: '' }, eks)).endpoint).toBe('https://eks.example')
    expect(eks.asked).toEqual(['demo'])
    await expect(discover({ clusterEndpoint: '' })).rejects.toThrow('EKS does not tell the endpoint')
    const refusing = eksThat(() => {
      throw new Error('No cluster found for name: demo.')
    })
    await expect(discover({ clusterEndpoint: '' }, refusing)).rejects.toThrow(
      'failed to resolve cluster endpoint, No cluster found for name: demo.',
    )
  })

  test('a CA bundle that is set wins over our own', async () => {
    expect((await discover({ clusterCABundle: 'dGhlaXJz' })).caBundle).toBe('dGhlaXJz')
  })

  test.each([
    ['fd00:1::a', 'fd00:1::a', 'IPv6'],
    ['10.100.0.10', '10.100.0.10', 'IPv4'],
    [undefined, undefined, 'IPv4'],
    ['', undefined, 'IPv4'],
    ['None', undefined, 'IPv4'],
  ])('kube-dns at %s', async (address, dnsIP, ipFamily) => {
    expect(await discover({ readDNSIP: async () => address })).toMatchObject({ dnsIP, ipFamily })
  })

  test('an address that cannot be told now is no address that is not there: an IPv6 cluster would get IPv4 nodes', async () => {
    const readDNSIP = () => Promise.reject(new Error('etcdserver: leader changed'))
    await expect(discover({ readDNSIP })).rejects.toThrow('leader changed')
  })
})

describe('the service network', () => {
  test.each([
    [{ serviceIpv4Cidr: '172.20.0.0/16' }, '172.20.0.0/16'],
    [{ ipFamily: 'ipv6', serviceIpv6Cidr: 'fd00:1::/108' }, 'fd00:1::/108'],
  ])('of %j is asked for once', async (kubernetesNetworkConfig, want) => {
    const eks = eksThat(() => ({ kubernetesNetworkConfig }))
    const cidr = new ClusterCIDR(eks.client, 'demo')
    expect([cidr.known, await cidr.resolve(), await cidr.resolve(), cidr.known]).toEqual([undefined, want, want, want])
    expect(eks.asked).toEqual(['demo'])
  })

  test('is asked for again when EKS does not tell', async () => {
    const eks = eksThat(() => ({}))
    const cidr = new ClusterCIDR(eks.client, 'demo')
    for (const _try of [1, 2]) await expect(cidr.resolve()).rejects.toThrow('no CIDR found')
    expect(eks.asked).toHaveLength(2)
  })
})
