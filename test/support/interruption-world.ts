import { InterruptionHandler } from '../../src/controllers/interruption/handler.ts'
import { instanceStatusController } from '../../src/controllers/interruption/instance-status.ts'
import { interruptionController } from '../../src/controllers/interruption/queue-controller.ts'
import { nodeClaims } from '../../src/kube/karpenter-kinds.ts'
import { nodes } from '../../src/kube/kinds.ts'
import { anAWSWorld, type AWSWorld } from './aws-world.ts'
import { aClaim, aNode } from './controller-builders.ts'

export interface InterruptionWorld extends AWSWorld {
  readonly handler: InterruptionHandler
  send(body: string | object): Promise<void>
  claimExists(name?: string): Promise<boolean>
}

/** Both interruption controllers over a queue named `interruptions`, and one claim with its node on instance i-0aa1. */
export async function anInterruptionWorld(): Promise<InterruptionWorld> {
  const world = await anAWSWorld({ types: ['m5.large'] })
  world.aws.createQueue('interruptions')
  const disrupted = {
    increment: (labels: object) => {
      world.counts.counter({ name: 'disrupted' }).increment(labels)
    },
  }
  const handler = new InterruptionHandler({
    kube: world.kube,
    caches: world.caches,
    clock: world.clock,
    recorder: world.recorder,
    cloud: world.cloud,
    disrupted,
  })
  const providerID = 'aws:///us-east-1a/i-0aa1'
  await world.kube.create(
    nodeClaims,
    aClaim('c1', {
      metadata: {
        labels: {
          'karpenter.sh/nodepool': 'web',
          'node.kubernetes.io/instance-type': 'm5.large',
          'topology.kubernetes.io/zone': 'us-east-1a',
          'karpenter.sh/capacity-type': 'spot',
        },
        finalizers: ['karpenter.sh/termination'],
      },
      status: { providerID },
    }),
  )
  await world.kube.create(nodes, aNode('n1', { providerID }))
  await world.world.start(
    interruptionController({
      sqs: world.aws.clients.sqs,
      clock: world.clock,
      queueName: 'interruptions',
      region: world.aws.clients.region,
      handler,
      metrics: world.cloud.metrics,
    }),
    instanceStatusController({ ec2: world.aws.clients.ec2, clock: world.clock, handler, metrics: world.cloud.metrics }),
  )
  return {
    ...world,
    handler,
    send: async (body) => {
      world.aws.sendMessage(typeof body === 'string' ? body : JSON.stringify(body), 'interruptions')
      await world.world.run(25_000)
    },
    claimExists: async (name = 'c1') =>
      (await world.kube.get(nodeClaims, { name })).metadata.deletionTimestamp === undefined,
  }
}

/** An EventBridge message about i-0aa1. */
export function aNotice(detailType: string, detail: object, more: object = {}): object {
  return {
    version: '0',
    id: '6f1d',
    'detail-type': detailType,
    source: 'aws.ec2',
    account: '111122223333',
    time: '2026-01-01T00:00:00Z',
    region: 'us-east-1',
    resources: ['arn:aws:ec2:us-east-1:111122223333:instance/i-0aa1'],
    detail,
    ...more,
  }
}
