import { DescribeLaunchTemplatesCommand, type Instance, type Tag } from '@aws-sdk/client-ec2'
import { IAMClient, ListInstanceProfilesCommand } from '@aws-sdk/client-iam'
import type { NodeClaim } from '../../../src/api/karpenter.ts'
import { ec2NodeClasses, nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { deployments, nodes, pods } from '../../../src/kube/kinds.ts'
import type { KubeClient } from '../../../src/kube/port.ts'
import { eventually } from './eventually.ts'
import { aDeployment, aNodeClass, aNodePool, type FleetShape, plainFleet } from './fleet-manifests.ts'
import { credentials, type MotoAccount, region, type Release, releases } from './moto-account.ts'

/** One NodePool with its workload, seen as an administrator of both the cluster and the account sees it. */
export class Fleet {
  readonly #kube: KubeClient
  readonly #account: MotoAccount
  readonly #shape: FleetShape
  readonly #ofPool: string

  constructor(kube: KubeClient, account: MotoAccount, shape: FleetShape = plainFleet) {
    this.#kube = kube
    this.#account = account
    this.#shape = shape
    this.#ofPool = `karpenter.sh/nodepool=${shape.name}`
  }

  /** Applies everything and waits until every pod runs. */
  async start(release: Release, replicas: number): Promise<void> {
    await this.apply(release, replicas)
    await eventually(`${replicas} pods run`, () => this.allRun(replicas))
  }

  /** Without waiting for anything. */
  async apply(release: Release, replicas: number): Promise<void> {
    await this.#kube.create(ec2NodeClasses, aNodeClass(release, this.#shape))
    await this.#kube.create(nodePools, aNodePool(this.#shape))
    await this.#kube.create(deployments, aDeployment(replicas, this.#shape))
  }

  async scale(replicas: number): Promise<void> {
    const body = { spec: { replicas } }
    await this.#kube.patch(deployments, { namespace: 'default', name: this.#shape.name }, { kind: 'merge', body })
    await eventually(`${replicas} pods run`, () => this.allRun(replicas))
  }

  async release(release: Release): Promise<void> {
    const amiSelectorTerms = aNodeClass(release, this.#shape).spec?.amiSelectorTerms
    await this.#kube.patch(
      ec2NodeClasses,
      { name: this.#shape.name },
      { kind: 'merge', body: { spec: { amiSelectorTerms } } },
    )
  }

  /** Whether exactly so many pods are there, run, and are ready on nodes that are there. */
  async allRun(replicas: number): Promise<boolean> {
    const { items } = await this.#kube.list(pods, { namespace: 'default', labelSelector: `app=${this.#shape.name}` })
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
    const { items } = await this.#kube.list(nodes, { labelSelector: this.#ofPool })
    return items.map(({ metadata }) => metadata.name)
  }

  async claimNames(): Promise<readonly string[]> {
    return (await this.claims()).map(({ metadata }) => metadata.name)
  }

  async claims(): Promise<readonly NodeClaim[]> {
    return (await this.#kube.list(nodeClaims, { labelSelector: this.#ofPool })).items
  }

  /** Names, in order, of what stands for each node: its provider ID in the cluster and in the account. */
  async books(): Promise<{ readonly claims: string[]; readonly nodes: string[]; readonly instances: string[] }> {
    const claims = (await this.claims()).map(({ status }) => idOf(status?.providerID))
    const known = (await this.#kube.list(nodes, { labelSelector: this.#ofPool })).items
    const instances = (await this.instances()).map(({ InstanceId = '' }) => InstanceId)
    return {
      claims: claims.toSorted(),
      nodes: known.map(({ spec }) => idOf(spec.providerID)).toSorted(),
      instances: instances.toSorted(),
    }
  }

  /** Those of the account that live. */
  async instances(): Promise<readonly Instance[]> {
    const own = (tags: readonly Tag[] = []): boolean =>
      tags.some(({ Key, Value }) => Key === 'karpenter.sh/nodepool' && Value === this.#shape.name)
    return (await this.#account.liveInstances()).filter(({ Tags }) => own(Tags))
  }

  async isBalanced(): Promise<boolean> {
    const { claims, nodes: known, instances } = await this.books()
    return JSON.stringify(claims) === JSON.stringify(known) && JSON.stringify(known) === JSON.stringify(instances)
  }

  async allFrom(release: Release): Promise<boolean> {
    const instances = await this.instances()
    return instances.length > 0 && instances.every(({ ImageId }) => ImageId === releases[release])
  }

  async anyFrom(release: Release): Promise<boolean> {
    return (await this.instances()).some(({ ImageId }) => ImageId === releases[release])
  }

  /** Says yes to the guard of pools that have nodes, and deletes. */
  async deletePool(): Promise<void> {
    const annotations = { 'joinery.dev/confirm-delete': this.#shape.name }
    await this.#kube.patch(
      nodePools,
      { name: this.#shape.name },
      { kind: 'merge', body: { metadata: { annotations } } },
    )
    await this.#kube.delete(nodePools, { name: this.#shape.name }, { propagationPolicy: 'Foreground' })
  }

  /** Deletes everything and waits until neither cluster nor account show a trace of its machines. */
  async end(): Promise<void> {
    await ignoreMissing(this.#kube.delete(deployments, { namespace: 'default', name: this.#shape.name }))
    await ignoreMissing(this.deletePool())
    await eventually('no NodeClaim, node or instance is left', async () => {
      const { claims, nodes: known, instances } = await this.books()
      return claims.length + known.length + instances.length === 0
    })
    await ignoreMissing(this.#kube.delete(ec2NodeClasses, { name: this.#shape.name }))
    await eventually('the EC2NodeClass is gone', async () => {
      const { items } = await this.#kube.list(ec2NodeClasses)
      return items.every(({ metadata }) => metadata.name !== this.#shape.name)
    })
  }
}

/** Waits until the account holds nothing that an operator made. */
export async function accountIsClean(account: MotoAccount): Promise<void> {
  await eventually('no instance is left', async () => (await account.liveInstances()).length === 0)
  await eventually('no launch template is left', async () => {
    const { LaunchTemplates = [] } = await account.ec2.send(new DescribeLaunchTemplatesCommand({}))
    return LaunchTemplates.length === 0
  })
  const iam = new IAMClient({ endpoint: account.endpoint, region, credentials })
  try {
    await eventually('no instance profile is left', async () => {
      const { InstanceProfiles = [] } = await iam.send(new ListInstanceProfilesCommand({}))
      return InstanceProfiles.length === 0
    })
  } finally {
    iam.destroy()
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
