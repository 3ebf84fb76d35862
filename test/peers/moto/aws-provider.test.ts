import { expect, test, vi } from 'vitest'
import type { EC2NodeClass } from '../../../src/api/karpenter.ts'
import { type AWSCloud, createAWSCloudProvider } from '../../../src/cloud/aws/create-aws-cloud.ts'
import { VersionProvider } from '../../../src/cloud/aws/eks-cluster/version-provider.ts'
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
import { nodeRole, releases, startMotoAccount } from '../support/moto-account.ts'
import { clientsOf } from '../support/moto-clients.ts'
import { createQueue } from '../support/moto-queue.ts'
import { describeWithPeers } from '../support/peers.ts'
import { aReconcileContext } from '../../support/reconcile-context.ts'

await describeWithPeers('the AWS provider against moto', ['moto'], () => {
  test('resolves a class, launches, reads, ends, and clears away what was left', async () => {
    const account = await startMotoAccount('1.33')
    try {
      // moto knows neither reservations nor prices, so the gate is off and prices are the static ones.
      const clients = await clientsOf(account)
      const messages = await createQueue(account, 'interruptions')
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
        clock,
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
        region: clients.region,
        handler,
        metrics: cloud.metrics,
      })
      const { status: _none, ...fresh } = aNodeClass({ role: nodeRole })
      await kube.create(ec2NodeClasses, fresh)
      const stop = new AbortController()
      caches.start(stop.signal)
      await caches.synced()

      await controller.reconcile({ name: 'default' }, aReconcileContext(log))
      const nodeClass = await kube.get(ec2NodeClasses, { name: 'default' })
      known.set('default', nodeClass)
      expect(nodeClass.status?.conditions?.find((it) => it.type === 'Ready')).toMatchObject({ status: 'True' })
      expect(nodeClass.status?.amis?.map((it) => it.id)).toEqual([releases.v20260201])
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

      const groups = nodeClass.status?.securityGroups?.map(({ id }) => id) ?? []
      expect(groups).toEqual([account.securityGroupID])
      const inGroups = (await account.liveInstances()).map((it) => it.SecurityGroups?.map(({ GroupId }) => GroupId))
      expect(inGroups).toEqual([groups, groups])

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
      await messages.send(JSON.stringify(body))
      messages.stop()
      await queue.reconcile(aReconcileContext(log))
      expect((await kube.get(nodeClaims, { name: 'web-abc' })).metadata.deletionTimestamp).toBeDefined()

      await cloud.provider.delete(claim)
      await expect(cloud.provider.delete(claim)).rejects.toMatchObject({ code: 'NodeClaimNotFound' })

      // The orphan is younger than the grace period, and it is this process's own: nothing happens to it yet.
      await garbage.reconcile(aReconcileContext(log))
      expect((await cloud.provider.list()).map((it) => it.providerID)).toEqual([orphan.providerID])

      await clients.iam.createInstanceProfile({ InstanceProfileName: 'stray', Path: '/karpenter/us-east-1/demo/gone/' })
      await clients.iam.createInstanceProfile({ InstanceProfileName: 'foreign', Path: '/' })
      await profiles.reconcile(aReconcileContext(log))
      const left =
        (await clients.iam.listInstanceProfiles({})).InstanceProfiles?.map((it) => it.InstanceProfileName) ?? []
      expect(left).toContain('foreign')
      expect(left).not.toContain('stray')
      expect(left).toContain(nodeClass.status?.instanceProfile)
      cloud.stop()
      stop.abort()
    } finally {
      vi.unstubAllEnvs()
      await account.stop()
    }
  })
})
