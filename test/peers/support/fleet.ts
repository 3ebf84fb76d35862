import { DescribeLaunchTemplatesCommand } from '@aws-sdk/client-ec2'
import { IAMClient, ListInstanceProfilesCommand } from '@aws-sdk/client-iam'
import { ec2NodeClasses, nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { deployments, nodes, pods } from '../../../src/kube/kinds.ts'
import type { KubeClient } from '../../../src/kube/port.ts'
import { eventually } from './eventually.ts'
import { aDeployment, aNodeClass, aNodePool, fleetName } from './fleet-manifests.ts'
import { credentials, type MotoAccount, region, type Release, releases } from './moto-account.ts'

/** One NodePool with its workload, seen as an administrator of both the cluster and the account sees it. */
export class Fleet {
  readonly #kube: KubeClient
  readonly #account: MotoAccount

  constructor(kube: KubeClient, account: MotoAccount) {
    this.#kube = kube
    this.#account = account
  }

  /** Applies everything and waits until every pod runs. */
  async start(release: Release, replicas: number): Promise<void> {
    await this.#kube.create(ec2NodeClasses, aNodeClass(release))
    await this.#kube.create(nodePools, aNodePool())
    await this.#kube.create(deployments, aDeployment(replicas))
    await eventually(`${replicas} pods run`, () => this.allRun(replicas))
  }

  async scale(replicas: number): Promise<void> {
    const body = { spec: { replicas } }
    await this.#kube.patch(deployments, { namespace: 'default', name: fleetName }, { kind: 'merge', body })
    await eventually(`${replicas} pods run`, () => this.allRun(replicas))
  }

  async release(release: Release): Promise<void> {
    const amiSelectorTerms = aNodeClass(release).spec?.amiSelectorTerms
    await this.#kube.patch(ec2NodeClasses, { name: fleetName }, { kind: 'merge', body: { spec: { amiSelectorTerms } } })
  }

  /** Whether exactly so many pods are there, run, and are ready on nodes that are there. */
  async allRun(replicas: number): Promise<boolean> {
    const { items } = await this.#kube.list(pods, { namespace: 'default', labelSelector: `app=${fleetName}` })
    const present = new Set(await this.nodeNames())
    const running = items.filter(
      ({ metadata, spec, status }) =>
        metadata.deletionTimestamp === undefined &&
        status?.phase === 'Running' &&
        status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true &&
        present.has(spec.nodeName ?? ''),
    )
    return items.length === replicas && running.length === replicas
  }

  async nodeNames(): Promise<readonly string[]> {
    const { items } = await this.#kube.list(nodes, { labelSelector: `karpenter.sh/nodepool=${fleetName}` })
    return items.map(({ metadata }) => metadata.name)
  }

  async claimNames(): Promise<readonly string[]> {
    return (await this.#kube.list(nodeClaims)).items.map(({ metadata }) => metadata.name)
  }

  /** Names, in order, of what stands for each node: its provider ID in the cluster and in the account. */
  async books(): Promise<{ readonly claims: string[]; readonly nodes: string[]; readonly instances: string[] }> {
    const claims = (await this.#kube.list(nodeClaims)).items.map(({ status }) => idOf(status?.providerID))
    const known = (await this.#kube.list(nodes, { labelSelector: `karpenter.sh/nodepool=${fleetName}` })).items
    const instances = (await this.#account.liveInstances()).map(({ InstanceId = '' }) => InstanceId)
    return {
      claims: claims.toSorted(),
      nodes: known.map(({ spec }) => idOf(spec.providerID)).toSorted(),
      instances: instances.toSorted(),
    }
  }

  async isBalanced(): Promise<boolean> {
    const { claims, nodes: known, instances } = await this.books()
    return JSON.stringify(claims) === JSON.stringify(known) && JSON.stringify(known) === JSON.stringify(instances)
  }

  async allFrom(release: Release): Promise<boolean> {
    const instances = await this.#account.liveInstances()
    return instances.length > 0 && instances.every(({ ImageId }) => ImageId === releases[release])
  }

  async anyFrom(release: Release): Promise<boolean> {
    return (await this.#account.liveInstances()).some(({ ImageId }) => ImageId === releases[release])
  }

  async deletePool(): Promise<void> {
    await this.#kube.delete(nodePools, { name: fleetName }, { propagationPolicy: 'Foreground' })
  }

  /** Deletes what is left and waits until neither cluster nor account show a trace. */
  async end(): Promise<void> {
    await ignoreMissing(this.#kube.delete(deployments, { namespace: 'default', name: fleetName }))
    await ignoreMissing(this.deletePool())
    await eventually('no NodeClaim, node or instance is left', async () => {
      const { claims, nodes: known, instances } = await this.books()
      return claims.length + known.length + instances.length === 0
    })
    await ignoreMissing(this.#kube.delete(ec2NodeClasses, { name: fleetName }))
    await eventually('the EC2NodeClass is gone', async () => (await this.#kube.list(ec2NodeClasses)).items.length === 0)
    await eventually('no launch template is left', async () => {
      const { LaunchTemplates } = await this.#account.ec2.send(new DescribeLaunchTemplatesCommand({}))
      return (LaunchTemplates ?? []).length === 0
    })
    await eventually('no instance profile is left', async () => (await this.#profiles()) === 0)
  }

  async #profiles(): Promise<number> {
    const iam = new IAMClient({ endpoint: this.#account.endpoint, region, credentials })
    try {
      return ((await iam.send(new ListInstanceProfilesCommand({}))).InstanceProfiles ?? []).length
    } finally {
      iam.destroy()
    }
  }
}

function idOf(providerID: string | undefined): string {
  return providerID?.split('/').at(-1) ?? ''
}

async function ignoreMissing(deletion: Promise<unknown>): Promise<void> {
  await deletion.catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'NotFound')) throw error
  })
}
