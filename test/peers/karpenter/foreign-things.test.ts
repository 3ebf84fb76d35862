import { setTimeout as sleep } from 'node:timers/promises'
import {
  CreateLaunchTemplateCommand,
  DescribeInstancesCommand,
  DescribeLaunchTemplatesCommand,
  RunInstancesCommand,
} from '@aws-sdk/client-ec2'
import { beforeAll, expect, test } from 'vitest'
import { ec2NodeClasses, nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { deployments } from '../../../src/kube/kinds.ts'
import { minute } from '../../simulation/time.ts'
import { hasCompatibilityLine } from '../support/compatibility-page.ts'
import { installCRDs } from '../support/crds.ts'
import { eventually } from '../support/eventually.ts'
import { aNodeClass } from '../support/fleet-manifests.ts'
import { karpenterCRDs, startKarpenter } from '../support/karpenter-process.ts'
import { clusterName, releases } from '../support/moto-account.ts'
import { likeKarpenter, startOperator } from '../support/operator-process.ts'
import { describeWithPeers } from '../support/peers.ts'
import { startEmptyWorld } from '../support/real-world.ts'
import { type ComparedFleet, same, small } from './compared-fleet.ts'
import { claimsOf, merge, runs } from './fleet-hands.ts'
import { poolOf, sharedClass, workloadOf } from './fleet-objects.ts'

/** By then Karpenter has looked through its launch templates. */
const lookedThroughMs = 2.5 * minute
const otherTemplate = 'eks-auto-mode'
const fleet: ComparedFleet = { name: 'mistaken', groups: [small], change: () => Promise.resolve(), ends: same }

/** What is left of things in the account that are somebody else's. */
interface Left {
  readonly instance: string | undefined
  readonly hasTemplate: boolean
}

await describeWithPeers(
  'what docs/compatibility.md says of instances and launch templates of somebody else',
  ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'moto', 'karpenter'],
  () => {
    let theirs: Left
    let ours: Left
    beforeAll(async () => {
      ;[theirs, ours] = await Promise.all([leftBy('Karpenter'), leftBy('Joinery')])
    })

    test.each([
      'A NodeClaim whose `status.providerID` names an instance that was not launched for the cluster',
      "A launch template that carries `eks:eks-cluster-name` and is none of Karpenter's",
    ])('has the line: %s', async (line) => {
      expect(await hasCompatibilityLine(line)).toBe(true)
    })

    test('an instance that a deleted NodeClaim names is ended by Karpenter alone', () => {
      expect([theirs.instance, ours.instance]).toEqual(['terminated', 'running'])
    })

    test('a launch template of EKS Auto Mode is deleted by Karpenter alone', () => {
      expect([theirs.hasTemplate, ours.hasTemplate]).toEqual([false, true])
    })
  },
)

async function leftBy(who: 'Karpenter' | 'Joinery'): Promise<Left> {
  const world = await startEmptyWorld()
  await using started = world.stops
  const { kube, controlPlane, account } = world
  await installCRDs(controlPlane, await karpenterCRDs())
  await account.ec2.send(
    new CreateLaunchTemplateCommand({
      LaunchTemplateName: otherTemplate,
      LaunchTemplateData: { ImageId: releases.v20260101 },
      TagSpecifications: [
        { ResourceType: 'launch-template', Tags: [{ Key: 'eks:eks-cluster-name', Value: clusterName }] },
      ],
    }),
  )
  const options = { kubeconfig: controlPlane.kubeconfig, endpoint: controlPlane.url, account }
  const controller =
    who === 'Karpenter' ? await startKarpenter(options) : await startOperator({ ...options, flags: likeKarpenter })
  started.defer(() => controller.dispose())
  await kube.create(ec2NodeClasses, aNodeClass('v20260101', { name: sharedClass }))
  await kube.create(nodePools, poolOf(fleet))
  await kube.create(deployments, workloadOf(fleet.name, small))
  await eventually(
    'its pod runs',
    async () => (await claimsOf(kube, fleet.name)).length === 1 && runs(kube, fleet.name),
  )
  const { Instances: [other] = [] } = await account.ec2.send(
    new RunInstancesCommand({ ImageId: releases.v20260101, InstanceType: 'm5.large', MinCount: 1, MaxCount: 1 }),
  )
  const InstanceIds = [other?.InstanceId ?? 'none']
  for (const { metadata } of await claimsOf(kube, fleet.name)) {
    const patch = merge({ status: { providerID: `aws:///us-east-1a/${InstanceIds.join('')}` } })
    await kube.patch(nodeClaims, { name: metadata.name }, patch, { subresource: 'status' })
    await kube.delete(nodeClaims, { name: metadata.name })
  }
  await sleep(lookedThroughMs)
  const { Reservations = [] } = await account.ec2.send(new DescribeInstancesCommand({ InstanceIds }))
  const { LaunchTemplates = [] } = await account.ec2.send(new DescribeLaunchTemplatesCommand({}))
  return {
    instance: Reservations[0]?.Instances?.[0]?.State?.Name,
    hasTemplate: LaunchTemplates.some(({ LaunchTemplateName }) => LaunchTemplateName === otherTemplate),
  }
}
