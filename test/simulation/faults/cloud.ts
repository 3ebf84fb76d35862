import type { CreateFleetRequest, CreateFleetResult } from '@aws-sdk/client-ec2'
import { AWSError, internalError, throttled } from '../../../src/embedded/aws/errors.ts'
import type { Interceptor } from '../../../src/embedded/aws/faults.ts'
import type { InstanceRecord } from '../../../src/embedded/aws/state.ts'
import { ec2NodeClasses } from '../../../src/kube/karpenter-kinds.ts'
import { anInstance, every, type Fault, type FaultContext, inOneOf, type Inject, nothing } from './fault.ts'
import { minute } from '../world.ts'

function calls({ world }: FaultContext, interceptor: Interceptor): () => void {
  return world.stack.cluster.aws.faults.add(interceptor)
}

/** Done to one machine; what it returns undoes it. */
function byHand(act: (cluster: Cluster, instance: InstanceRecord) => (() => void) | undefined | void): Inject {
  return (context) => {
    const instance = anInstance(context)
    if (instance === undefined) return nothing
    return act(context.world.stack.cluster, instance) ?? nothing
  }
}

type Cluster = FaultContext['world']['stack']['cluster']

/** Such lists are asked for every twelve hours only: without a restart the fault would mostly be over before. */
function afterRestart(context: FaultContext, interceptor: Interceptor): () => void {
  const end = calls(context, interceptor)
  context.world.stack.cluster.clock.schedule(30_000, () => context.restart())
  return end
}

/** An image that anybody may use, of an account that nobody named. */
function publishForeign(aws: Cluster['aws'], name: string): void {
  aws.addImage({ name, ownerID: '666666666666', public: true })
}

const emptyLists: ReadonlyMap<string, object> = new Map([
  ['DescribeInstanceTypes', { InstanceTypes: [] }],
  ['DescribeInstanceTypeOfferings', { InstanceTypeOfferings: [] }],
  ['DescribeSpotPriceHistory', { SpotPriceHistory: [] }],
])

const expired = (): AWSError => new AWSError('RequestExpired', 'Request has expired.')

const noCapacity = { ErrorCode: 'InsufficientInstanceCapacity', ErrorMessage: 'no capacity' }

/** What AWS does. */
export const cloudFaults: readonly Fault[] = [
  {
    id: 'F21',
    name: 'CreateFleet answers in part',
    inject: (c) =>
      calls(c, ({ action, input }) => {
        if (action !== 'CreateFleet' || c.random.next() >= 0.5) return undefined
        const { TargetCapacitySpecification: target } = input as CreateFleetRequest
        const wanted = target?.TotalTargetCapacity ?? 0
        if (target === undefined || wanted <= 1)
          return { kind: 'answer', output: { Instances: [], Errors: [noCapacity] } }
        target.TotalTargetCapacity = Math.floor(wanted / 2)
        return {
          kind: 'change',
          by: (output) => {
            const result = output as CreateFleetResult
            return { ...result, Errors: [...(result.Errors ?? []), noCapacity] }
          },
        }
      }),
  },
  {
    id: 'F22',
    name: 'no capacity in a zone, or at all',
    inject: ({ world, random }) => {
      const { aws } = world.stack.cluster
      const zone = ['us-west-2a', 'us-west-2b', 'us-west-2c'][random.below(3)] ?? 'us-west-2a'
      aws.setCapacity(random.next() < 0.3 ? {} : { zone }, 0)
      return () => aws.clearCapacity()
    },
  },
  {
    id: 'F23',
    name: 'throttling',
    inject: (c) => calls(c, () => (c.random.next() < 0.6 ? { kind: 'fail', error: throttled() } : undefined)),
  },
  {
    id: 'F24',
    name: 'errors after the effect',
    inject: (c) =>
      calls(c, () => {
        const draw = c.random.next()
        if (draw < 0.2) return { kind: 'failAfterEffect', error: internalError() }
        return draw < 0.3 ? { kind: 'delay', ms: c.random.below(20_000) } : undefined
      }),
  },
  {
    id: 'F25',
    name: 'new machines are invisible for a while',
    inject: (c) => {
      const { aws, clock } = c.world.stack.cluster
      c.invariants.allowances.cloudIsStale = true
      const invisibleMs = 1_000 + c.random.below(119_000)
      const end = calls(c, ({ action, input }) => {
        if (action !== 'DescribeInstances' || typeof input !== 'object' || input === null || !('InstanceIds' in input))
          return undefined
        const ids = Array.isArray(input.InstanceIds) ? input.InstanceIds : []
        const young = ids.find((id) => clock.now() - (aws.account.instance(String(id))?.launchedAt ?? 0) < invisibleMs)
        return young === undefined
          ? undefined
          : {
              kind: 'fail',
              error: new AWSError('InvalidInstanceID.NotFound', `The instance ID '${String(young)}' does not exist`),
            }
      })
      return () => {
        c.invariants.allowances.cloudIsStale = false
        end()
      }
    },
  },
  inOneOf('F26', 'terminated, stopped or robbed of its tags by hand', {
    terminated: byHand(({ aws }, { id }) => aws.terminateOutOfBand(id)),
    stopped: byHand(({ aws }, { id }) => aws.stopOutOfBand(id)),
    untagged: byHand((_cluster, instance) => {
      const { tags } = instance
      instance.tags = {}
      return () => {
        instance.tags = tags
      }
    }),
  }),
  {
    id: 'F27',
    name: 'spot interruptions, rebalance, scheduled events',
    inject: (c) => {
      for (let index = 0; index < 1 + c.random.below(4); index += 1) {
        const instance = anInstance(c)
        if (instance === undefined) return nothing
        const kind = c.random.next() < 0.4 ? 'spot' : c.random.next() < 0.5 ? 'rebalance' : 'scheduledChange'
        if (kind !== 'spot' || instance.lifecycle === 'spot') c.world.stack.cluster.aws.interrupt(instance.id, kind)
      }
      return nothing
    },
  },
  {
    id: 'F28',
    name: 'odd messages in the queue',
    inject: (c) => {
      const { aws } = c.world.stack.cluster
      const odd = [
        'not json',
        '{}',
        JSON.stringify({
          version: '0',
          source: 'aws.ec2',
          'detail-type': 'EC2 Spot Instance Interruption Warning',
          detail: { 'instance-id': 'i-0123456789abcdef0', 'instance-action': 'terminate' },
        }),
        JSON.stringify({
          version: '0',
          account: '999999999999',
          source: 'aws.ec2',
          'detail-type': 'Something New',
          detail: null,
        }),
        ...aws.state.instances.slice(0, 1).map(({ id }) =>
          JSON.stringify({
            version: '0',
            account: '999999999999',
            source: 'aws.ec2',
            'detail-type': 'EC2 Spot Instance Interruption Warning',
            detail: { 'instance-id': id, 'instance-action': 'terminate' },
          }),
        ),
      ]
      for (const body of [...odd, ...odd]) aws.sendMessage(body)
      return nothing
    },
  },
  inOneOf('F29', 'price and type lists fail, or are empty', {
    fail: (c) =>
      afterRestart(c, ({ service, action }) =>
        service === 'pricing' || action === 'DescribeSpotPriceHistory' || action === 'DescribeInstanceTypes'
          ? { kind: 'fail', error: internalError() }
          : undefined,
      ),
    empty: (c) =>
      afterRestart(c, ({ action }) => {
        const output = emptyLists.get(action)
        return output === undefined ? undefined : { kind: 'answer', output }
      }),
  }),
  inOneOf('F30', 'the image alias moves, images are deregistered, others have their name', {
    moves: ({ world, random }) => {
      const { aws } = world.stack.cluster
      const version = `v2027${String(random.below(10_000)).padStart(4, '0')}`
      publishForeign(aws, 'amazon-eks-node-al2023-x86_64-standard-1.33-v99999999')
      aws.publishImage('al2023', { version })
      return nothing
    },
    // Those that new machines would start from; what has been deregistered may be restored.
    deregistered: async ({ world }) => {
      const { aws, client } = world.stack.cluster
      const { items } = await client.list(ec2NodeClasses)
      const chosen = new Set(items.flatMap(({ status }) => status?.amis ?? []).map(({ id }) => id))
      const images = aws.state.images.filter(({ id, state }) => chosen.has(id) && state === 'available')
      for (const { id } of images) aws.deregisterImage(id)
      return () => {
        for (const image of images) image.state = 'available'
      }
    },
    // A class that goes by the name, and somebody's public images that fit it and are newer.
    'same name': async ({ world }) => {
      const { aws, client } = world.stack.cluster
      const { spec } = await client.get(ec2NodeClasses, { name: 'default' })
      const selected = (body: object) =>
        client.patch(ec2NodeClasses, { name: 'default' }, { kind: 'merge', body: { spec: body } })
      const names = aws.state.images.filter(({ name, ownerAlias }) => ownerAlias === 'amazon' && /al2023/.test(name))
      for (const { name } of names) publishForeign(aws, name)
      publishForeign(aws, 'amazon-eks-node-al2023-x86_64-standard-1.33-v99999999')
      const byName = { name: 'amazon-eks-node-al2023-x86_64-standard-*' }
      await selected({ amiFamily: 'AL2023', amiSelectorTerms: [byName] })
      return () => {
        const { amiFamily = null, amiSelectorTerms } = spec ?? {}
        void selected({ amiFamily, amiSelectorTerms }).catch(() => undefined)
      }
    },
  }),
  inOneOf('F31', 'subnets run out of addresses, security groups go', {
    addresses: ({ world, random }) => {
      const subnets = world.stack.cluster.aws.state.subnets
      const subnet = subnets[random.below(Math.max(1, subnets.length))]
      if (subnet === undefined) return nothing
      const { addresses } = subnet
      subnet.addresses = 0
      return () => {
        subnet.addresses = addresses
      }
    },
    groups: ({ world }) => {
      const { state } = world.stack.cluster.aws
      const { securityGroups } = state
      state.securityGroups = []
      return () => {
        state.securityGroups = securityGroups
      }
    },
  }),
  inOneOf('F32', 'launch templates or instance profiles are deleted by somebody', {
    // Between a template and its use: the operator itself deletes those that it has not used for a minute.
    templates: (c) =>
      calls(c, ({ action }) => {
        if (action === 'CreateFleet' && c.random.next() < 0.5) c.world.stack.cluster.aws.state.launchTemplates.splice(0)
        return undefined
      }),
    profiles: (c) =>
      every(c, minute, async () => {
        c.world.stack.cluster.aws.state.instanceProfiles.splice(0)
      }),
  }),
  inOneOf('F33', 'permissions are taken away, credentials expire', {
    permissions: ({ world, random }) => {
      const actions = [
        'ec2:CreateFleet',
        'ec2:TerminateInstances',
        'ec2:DescribeInstances',
        'ec2:CreateLaunchTemplate',
        'ssm:GetParameter',
      ]
      return world.stack.cluster.aws.deny(actions[random.below(actions.length)] ?? 'ec2:CreateFleet')
    },
    credentials: (c) => calls(c, () => ({ kind: 'fail', error: expired() })),
  }),
  {
    id: 'F34',
    name: 'the cloud clock differs',
    inject: ({ world, random }) => {
      const skew = (random.next() < 0.5 ? -1 : 1) * random.below(5 * 60_000)
      for (const instance of world.stack.cluster.aws.state.instances) instance.launchedAt += skew
      return nothing
    },
  },
]
