import type { EKSClient } from '../clients.ts'
import type { Logger } from '../../../kube/logger.ts'
import { causeChainText } from '../errors.ts'
import { isIPv6 } from './ip-family.ts'

/** What bootstrap must know of the cluster. */
export interface ClusterFacts {
  readonly name: string
  readonly endpoint: string
  /** Base64 of the PEM; empty when unknown. */
  readonly caBundle: string
  readonly dnsIP: string | undefined
  readonly ipFamily: 'IPv4' | 'IPv6'
}

class ClusterDiscoveryError extends Error {
  readonly code = 'ClusterDiscovery'
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'ClusterDiscoveryError'
  }
}

export interface ClusterFactInputs {
  readonly clusterName: string
  readonly clusterEndpoint: string
  readonly clusterCABundle: string
  /** Base64 of the CA of the Kubernetes client's configuration; empty when it has none. */
  readonly kubernetesCA: string
  /** `spec.clusterIP` of Service kube-system/kube-dns; undefined where there is none. Rejects when that cannot be told just now. */
  readDNSIP(): Promise<string | undefined>
}

/** @throws ClusterDiscoveryError when the endpoint is neither set nor known to EKS, and what kept the address of kube-dns from being told */
export async function discoverCluster(eks: EKSClient, inputs: ClusterFactInputs, log: Logger): Promise<ClusterFacts> {
  const endpoint = inputs.clusterEndpoint === '' ? await readEndpoint(eks, inputs.clusterName) : inputs.clusterEndpoint
  const dnsIP = await readDNS(inputs, log)
  return {
    name: inputs.clusterName,
    endpoint,
    caBundle: inputs.clusterCABundle === '' ? inputs.kubernetesCA : inputs.clusterCABundle,
    dnsIP,
    ipFamily: dnsIP !== undefined && isIPv6(dnsIP) ? 'IPv6' : 'IPv4',
  }
}

/** The service network, asked of EKS once and then remembered. */
export class ClusterCIDR {
  readonly #eks: EKSClient
  readonly #clusterName: string
  #cidr: string | undefined

  constructor(eks: EKSClient, clusterName: string) {
    this.#eks = eks
    this.#clusterName = clusterName
  }

  get known(): string | undefined {
    return this.#cidr
  }

  /** Rejects with what EKS answered, or ClusterDiscoveryError when it names no network. */
  async resolve(): Promise<string> {
    if (this.#cidr !== undefined) return this.#cidr
    const answer = await this.#eks.describeCluster({ name: this.#clusterName })
    const network = answer.cluster?.kubernetesNetworkConfig
    const cidr = network?.serviceIpv4Cidr ?? network?.serviceIpv6Cidr
    if (cidr === undefined) throw new ClusterDiscoveryError('no CIDR found in DescribeCluster output')
    this.#cidr = cidr
    return cidr
  }
}

async function readEndpoint(eks: EKSClient, name: string): Promise<string> {
  let endpoint: string | undefined
  try {
    endpoint = (await eks.describeCluster({ name })).cluster?.endpoint
  } catch (error) {
    // Who waits for the start is told each reason once, by its text.
    throw new ClusterDiscoveryError(`failed to resolve cluster endpoint, ${causeChainText(error)}`, error)
  }
  if (endpoint === undefined) throw new ClusterDiscoveryError('EKS does not tell the endpoint of the cluster')
  return endpoint
}

async function readDNS(inputs: ClusterFactInputs, log: Logger): Promise<string | undefined> {
  const address = await inputs.readDNSIP()
  if (address === undefined || address === '' || address === 'None') return undefined
  log.debug({ 'kube-dns-ip': address }, 'discovered kube dns')
  return address
}
