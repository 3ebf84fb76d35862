import { CreateSecurityGroupCommand, CreateTagsCommand, DescribeSubnetsCommand, EC2Client } from '@aws-sdk/client-ec2'
import { CreateClusterCommand, EKSClient } from '@aws-sdk/client-eks'
import { CreateRoleCommand, IAMClient } from '@aws-sdk/client-iam'
import { CreateQueueCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { expect, test, vi } from 'vitest'
import type { EC2NodeClass } from '../../../src/api/karpenter.ts'
import type { AWSClients } from '../../../src/cloud/aws/clients.ts'
import { type AWSCloud, createAWSCloudProvider } from '../../../src/cloud/aws/create-aws-cloud.ts'
import { VersionProvider } from '../../../src/cloud/aws/eks-cluster/version-provider.ts'
import { createSDKClients } from '../../../src/cloud/aws/sdk-clients.ts'
import { defaultAWSGates, defaultAWSSettings } from '../../../src/cloud/aws/settings.ts'
import { instanceGarbageCollector } from '../../../src/controllers/aws/instance-garbage-collection.ts'
import { profileGarbageCollector } from '../../../src/controllers/aws/profile-garbage-collection.ts'
import { InterruptionHandler } from '../../../src/controllers/interruption/handler.ts'
import { interruptionController } from '../../../src/controllers/interruption/queue-controller.ts'
import { nodeClassController } from '../../../src/controllers/nodeclass/controller.ts'
import { createCaches } from '../../../src/kube/caches.ts'
import { ec2NodeClasses, nodeClaims } from '../../../src/kube/karpenter-kinds.ts'
import { systemClock } from '../../../src/kube/system-clock.ts'
import { systemRandom } from '../../../src/kube/system-random.ts'
import { toTimestamp } from '../../../src/model/clock.ts'
import { aLaunchClaim, aNodeClass, capacityIn, typeIn } from '../../support/aws-world.ts'
import { MetricCounts } from '../../support/controller-world.ts'
import { FakeKubeClient } from '../../support/fake-kube-client.ts'
import { recordingLogger } from '../../support/recording-logger.ts'
import { startMoto } from '../support/moto.ts'
import { describeWithPeers } from '../support/peers.ts'

const region = 'us-east-1'
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }
const image = 'ami-0a1b2c3d4e5f60718'
const parameter = '/aws/service/eks/optimized-ami/1.33/amazon-linux-2023/x86_64/standard/recommended/image_id'
const signal = new AbortController().signal

/** moto knows neither reservations nor prices, so the gate is off and prices are the static ones. */
async function prepare(endpoint: string): Promise<{ clients: AWSClients; queueURL: string; sqs: SQSClient }> {
  const config = { endpoint, region, credentials }
  const ec2 = new EC2Client(config)
  const subnets = (await ec2.send(new DescribeSubnetsCommand({}))).Subnets ?? []
  const group = await ec2.send(
    new CreateSecurityGroupCommand({ GroupName: 'nodes', Description: 'nodes', VpcId: subnets[0]?.VpcId }),
  )
  await ec2.send(
    new CreateTagsCommand({
      Resources: [...subnets.map((subnet) => subnet.SubnetId ?? ''), group.GroupId ?? ''],
      Tags: [{ Key: 'karpenter.sh/discovery', Value: 'demo' }],
    }),
  )
  await new IAMClient(config).send(new CreateRoleCommand({ RoleName: 'node-role', AssumeRolePolicyDocument: '{}' }))
  await new EKSClient(config).send(
    new CreateClusterCommand({
      name: 'demo',
      version: '1.33',
      roleArn: 'arn:aws:iam::123456789012:role/x',
      resourcesVpcConfig: {},
    }),
  )
  const sqs = new SQSClient(config)
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'interruptions' }))
  vi.stubEnv('AWS_ACCESS_KEY_ID', credentials.accessKeyId)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', credentials.secretAccessKey)
  const clients = await createSDKClients({
    region,
    version: '0.0.0',
    endpoints: {
      ec2: endpoint,
      ssm: endpoint,
      iam: endpoint,
      sqs: endpoint,
      pricing: endpoint,
      eks: endpoint,
      sts: endpoint,
    },
    clock: systemClock(),
    metrics: new MetricCounts(),
    enableZonalShift: false,
  })
  return { clients, queueURL: QueueUrl ?? '', sqs }
}

await describeWithPeers('the AWS provider against moto', ['moto'], () => {
  test('resolves a class, launches, reads, ends, and clears away what was left', async () => {
    const moto = await startMoto({
      parameters: [{ region, name: parameter, value: image }],
      images: [
        {
          ami_id: image,
          name: 'amazon-eks-node-al2023-x86_64-standard-1.33-v20260101',
          architecture: 'x86_64',
          owner_id: '123456789012',
          public: true,
          virtualization_type: 'hvm',
          state: 'available',
          root_device_type: 'ebs',
          root_device_name: '/dev/xvda',
          description: 'EKS node',
          image_type: 'machine',
          hypervisor: 'xen',
          image_location: 'amazon/eks-node',
          platform: null,
          sriov: 'simple',
        },
      ],
    })
    try {
      const { clients, queueURL, sqs } = await prepare(moto.endpoint)
      const clock = systemClock()
      const log = recordingLogger()
      const kube = new FakeKubeClient(() => toTimestamp(clock.now()))
      const caches = createCaches({ client: kube, clock, random: systemRandom(), log })
      const recorder = { publish: () => undefined }
      const metrics = new MetricCounts()
      const settings = { ...defaultAWSSettings, clusterName: 'demo' }
      const gates = { ...defaultAWSGates, reservedCapacity: false }
      const classes = caches.of(ec2NodeClasses)
      const version = new VersionProvider({
        eks: clients.eks,
        clusterName: 'demo',
        eksControlPlane: true,
        log,
        readServerVersion: () => Promise.reject(new Error('unused')),
      })
      await version.update()
      const known = new Map<string, EC2NodeClass>()
      const cloud: AWSCloud = createAWSCloudProvider({
        clients,
        clock,
        random: systemRandom(),
        settings,
        gates,
        version,
        log,
        recorder,
        metrics,
        minValuesPolicy: 'Strict',
        cluster: {
          name: 'demo',
          endpoint: 'https://api.demo.example',
          caBundle: '',
          dnsIP: '172.20.0.10',
          ipFamily: 'IPv4',
        },
        lookup: { nodeClass: (name) => known.get(name), nodePool: () => undefined },
      })
      await cloud.start()
      expect(cloud.catalogue.types.size).toBeGreaterThan(1_000)

      const shared = { kube, caches, clock, recorder, cloud, clients, settings, gates }
      const controller = nodeClassController(shared, log)
      const garbage = instanceGarbageCollector(shared)
      const profiles = profileGarbageCollector(shared)
      const handler = new InterruptionHandler({ ...shared, disrupted: { increment: () => undefined } })
      const queue = interruptionController({
        sqs: clients.sqs,
        clock,
        queueName: 'interruptions',
        handler,
        metrics: cloud.metrics,
      })
      const { status: _none, ...fresh } = aNodeClass()
      await kube.create(ec2NodeClasses, fresh)
      const stop = new AbortController()
      caches.start(stop.signal)
      await caches.synced()

      await controller.reconcile({ name: 'default' }, { log, signal })
      const nodeClass = await kube.get(ec2NodeClasses, { name: 'default' })
      known.set('default', nodeClass)
      expect(nodeClass.status?.conditions?.find((it) => it.type === 'Ready')).toMatchObject({ status: 'True' })
      expect(nodeClass.status?.amis?.map((it) => it.id)).toEqual([image])
      await vi.waitFor(() => expect(classes.get({ name: 'default' })?.status?.instanceProfile).toBeDefined())

      const launched = await cloud.provider.create(aLaunchClaim([typeIn('m5.large'), capacityIn('on-demand')]))
      expect(launched.labels).toMatchObject({
        'node.kubernetes.io/instance-type': 'm5.large',
        'karpenter.sh/capacity-type': 'on-demand',
      })
      const orphan = await cloud.provider.create(aLaunchClaim([typeIn('m5.xlarge'), capacityIn('spot')]))
      expect((await cloud.provider.list()).map((it) => it.providerID).toSorted()).toEqual(
        [launched.providerID, orphan.providerID].toSorted(),
      )

      const claim = await kube.create(nodeClaims, {
        ...aLaunchClaim([], { status: { providerID: launched.providerID } }),
        metadata: { name: 'web-abc', labels: launched.labels, finalizers: ['karpenter.sh/termination'] },
      })
      await vi.waitFor(() => expect(caches.of(nodeClaims).get({ name: 'web-abc' })).toBeDefined())
      const detail = {
        'instance-id': launched.providerID.slice(launched.providerID.lastIndexOf('/') + 1),
        'instance-action': 'terminate',
      }
      const body = {
        version: '0',
        source: 'aws.ec2',
        'detail-type': 'EC2 Spot Instance Interruption Warning',
        time: new Date().toISOString(),
        detail,
      }
      await sqs.send(new SendMessageCommand({ QueueUrl: queueURL, MessageBody: JSON.stringify(body) }))
      await queue.reconcile({ log, signal })
      expect((await kube.get(nodeClaims, { name: 'web-abc' })).metadata.deletionTimestamp).toBeDefined()

      await cloud.provider.delete(claim)
      await expect(cloud.provider.delete(claim)).rejects.toMatchObject({ code: 'NodeClaimNotFound' })

      // The orphan is younger than the grace period, and it is this process's own: nothing happens to it yet.
      await garbage.reconcile({ log, signal })
      expect((await cloud.provider.list()).map((it) => it.providerID)).toEqual([orphan.providerID])

      await clients.iam.createInstanceProfile({ InstanceProfileName: 'stray', Path: '/karpenter/us-east-1/demo/gone/' })
      await clients.iam.createInstanceProfile({ InstanceProfileName: 'foreign', Path: '/' })
      await profiles.reconcile({ log, signal })
      const left =
        (await clients.iam.listInstanceProfiles({})).InstanceProfiles?.map((it) => it.InstanceProfileName) ?? []
      expect(left).toContain('foreign')
      expect(left).not.toContain('stray')
      expect(left).toContain(nodeClass.status?.instanceProfile)
      cloud.stop()
      stop.abort()
    } finally {
      vi.unstubAllEnvs()
      await moto.stop()
    }
  })
})
