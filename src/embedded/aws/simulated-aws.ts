import type {
  AWSClients,
  EC2Client,
  EKSClient,
  SSMClient,
  STSClient,
  ZonalShiftClient,
} from '../../cloud/aws/clients.ts'
import type { Clock } from '../../model/clock.ts'
import type { TimeHold } from '../pace.ts'
import type { SeededRandom } from '../random.ts'
import { Account, type AWSTimings, defaultTimings, type InstanceEvent } from './account.ts'
import { regionFacts, type TypeFacts } from './catalogue.ts'
import { describeHandlers } from './ec2/describe.ts'
import { fleetHandlers } from './ec2/fleet.ts'
import { instanceHandlers, privateDNSName } from './ec2/instances.ts'
import { launchTemplateHandlers } from './ec2/launch-templates.ts'
import { AWSError, notFound, unauthorized } from './errors.ts'
import { FaultInjector } from './faults.ts'
import { iamHandlers } from './iam.ts'
import { type ImageFamily, type PublishOptions, publishImages } from './images.ts'
import { type Interruption, interruptionNotice, stateChangeNotice } from './notices.ts'
import { pricingHandlers } from './pricing.ts'
import { type Handlers, toClient } from './service.ts'
import { Queues } from './sqs.ts'
import { type AWSState, emptyState, type ImageRecord, type InstanceRecord } from './state.ts'

export interface SimulatedAWSOptions {
  readonly region: string
  readonly clock: Clock
  /** When given, calls are spread over turns of the event loop, and its time stands while they wait. */
  readonly pace?: TimeHold
  readonly random: SeededRandom
  readonly clusterName: string
  readonly kubernetesVersion: string
  readonly timings?: Partial<AWSTimings>
  /** Instance types to offer; all of the catalogue when absent. */
  readonly offers?: (facts: TypeFacts) => boolean
  readonly state?: AWSState
}

/** A spot interruption comes two minutes after its warning. */
const spotWarningMs = 120_000

/**
 * One AWS account in one region, in memory, behind the clients that the production code uses. What AWS decides by itself (capacity,
 * prices, new images, interruptions) is in the hands of whoever holds this object.
 */
export class SimulatedAWS {
  readonly clients: AWSClients
  readonly faults: FaultInjector
  readonly account: Account
  readonly #queues: Queues
  readonly #cluster: Readonly<Record<'name' | 'kubernetesVersion' | 'endpoint' | 'certificateAuthority', string>>

  constructor(options: SimulatedAWSOptions) {
    const { clock, random, clusterName, kubernetesVersion } = options
    this.account = new Account({
      region: regionFacts(options.region),
      clock,
      random,
      timings: { ...defaultTimings, ...options.timings },
      state: options.state ?? emptyState(),
      ...(options.offers === undefined ? {} : { offers: options.offers }),
    })
    this.faults = new FaultInjector(clock, options.pace)
    this.#queues = new Queues(this.account)
    this.#cluster = {
      name: clusterName,
      kubernetesVersion,
      endpoint: `https://${clusterName}.${options.region}.eks.amazonaws.com`,
      certificateAuthority: Buffer.from('embedded').toString('base64'),
    }
    this.clients = this.#makeClients()
    this.account.onInstance(({ instance, state }) => {
      if (state !== 'pending') this.#queues.send(stateChangeNotice(this.account, instance.id, state))
    })
  }

  get state(): AWSState {
    return this.account.state
  }

  /** Tells of every change of an instance's state. Returns how to stop. */
  onInstance(listener: (event: InstanceEvent) => void): () => void {
    return this.account.onInstance(listener)
  }

  nodeName(instance: InstanceRecord): string {
    return privateDNSName(this.account, instance)
  }

  /** Publishes a new image of every variant of the family; aliases ending in `@latest` resolve to it from now on. */
  publishImage(family: ImageFamily, options: Omit<PublishOptions, 'kubernetesVersion'>): readonly ImageRecord[] {
    return publishImages(this.account, family, { ...options, kubernetesVersion: this.#cluster.kubernetesVersion })
  }

  /** An image of this account, found by name, id or tag. */
  addImage(image: Partial<ImageRecord> & Pick<ImageRecord, 'name'>): ImageRecord {
    const record: ImageRecord = {
      id: this.account.newID('ami'),
      architecture: 'x86_64',
      platform: 'linux',
      ownerID: this.account.id,
      createdAt: this.account.clock.now(),
      state: 'available',
      public: false,
      tags: {},
      ...image,
    }
    this.state.images.push(record)
    return record
  }

  deprecateImage(id: string, at: number = this.account.clock.now()): void {
    const image = this.state.images.find((candidate) => candidate.id === id)
    if (image === undefined) throw notFound.image(id)
    image.deprecatedAt = at
  }

  deregisterImage(id: string): void {
    const image = this.state.images.find((candidate) => candidate.id === id)
    if (image === undefined) throw notFound.image(id)
    image.state = 'deregistered'
  }

  createQueue(name: string): void {
    this.#queues.create(name)
  }

  sendMessage(body: string, queueName?: string): void {
    this.#queues.send(body, queueName)
  }

  /** Sends the warning; a spot instance is gone two minutes later, whatever anybody does. */
  interrupt(instanceID: string, kind: Interruption): void {
    const instance = this.#mustFind(instanceID)
    this.#queues.send(interruptionNotice(this.account, kind, instanceID))
    if (kind === 'rebalance') return
    if (kind === 'scheduledChange') {
      instance.events.push({
        code: 'instance-reboot',
        description: 'The instance is scheduled for a reboot',
        notBefore: this.account.clock.now() + 86_400_000,
      })
      return
    }
    this.account.reclaim(instance, this.account.clock.now() + spotWarningMs)
  }

  /** As somebody would in the console. */
  terminateOutOfBand(instanceID: string): void {
    this.account.enter(this.#mustFind(instanceID), 'shutting-down', 'Client.UserInitiatedShutdown')
  }

  stopOutOfBand(instanceID: string): void {
    this.account.enter(this.#mustFind(instanceID), 'stopping', 'Client.UserInitiatedShutdown')
  }

  /** Makes status checks of the instance fail, or pass again. */
  setImpaired(instanceID: string, category: 'instance' | 'system', impaired: boolean): void {
    const instance = this.#mustFind(instanceID)
    instance.impaired = instance.impaired.filter((entry) => entry.category !== category)
    if (impaired) instance.impaired.push({ category, since: this.account.clock.now() })
  }

  /** From now on the pool, or all pools that match, hold `limit` instances more. Later calls win over earlier ones. */
  setCapacity(pool: { type?: string; zone?: string; capacityType?: 'on-demand' | 'spot' }, limit: number): void {
    this.state.capacity.push({ ...pool, limit, instanceIDs: [] })
  }

  /** All pools are unlimited again. */
  clearCapacity(): void {
    this.state.capacity = []
  }

  /** US dollars per hour. */
  setSpotPrice(type: string, zone: string, price: number): void {
    this.state.spotPrices[`${type}/${zone}`] = price
  }

  setZonalShift(zoneID: string, forMs: number): void {
    const expiresAt = this.account.clock.now() + forMs
    this.state.zonalShifts.push({ awayFrom: zoneID, expiresAt, status: 'APPLIED' })
  }

  /** Takes the permission for one action (`ec2:CreateFleet`) away. Returns how to give it back. */
  deny(action: string, because?: string): () => void {
    return this.faults.add((call) => {
      if (`${call.service}:${call.action}` !== action) return undefined
      const error =
        call.service === 'ec2'
          ? unauthorized(action, because)
          : new AWSError('AccessDeniedException', `User is not authorized to perform: ${action}`, { status: 403 })
      return { kind: 'fail', error }
    })
  }

  toJSON(): AWSState {
    return structuredClone(this.state)
  }

  load(state: AWSState): void {
    this.account.load(structuredClone(state))
  }

  #mustFind(instanceID: string): InstanceRecord {
    const instance = this.account.instance(instanceID)
    if (instance === undefined) throw notFound.instance(instanceID)
    return instance
  }

  #makeClients(): AWSClients {
    const { account, faults } = this
    const ec2: Handlers<EC2Client> = {
      ...describeHandlers(account),
      ...launchTemplateHandlers(account),
      ...fleetHandlers(account),
      ...instanceHandlers(account),
    }
    return {
      region: account.region.name,
      ec2: toClient<EC2Client>('ec2', faults, ec2),
      ssm: toClient<SSMClient>('ssm', faults, ssmHandlers(account)),
      iam: toClient('iam', faults, iamHandlers(account)),
      sqs: toClient('sqs', faults, this.#queues.handlers()),
      pricing: toClient('pricing', faults, pricingHandlers(account)),
      eks: toClient<EKSClient>('eks', faults, this.#eksHandlers()),
      sts: toClient<STSClient>('sts', faults, {
        getCallerIdentity: () => ({
          Account: account.id,
          UserId: 'AROAEMBEDDED:controller',
          Arn: account.arn('sts', 'assumed-role/controller/embedded'),
        }),
      }),
      zonalShift: toClient<ZonalShiftClient>('arc-zonal-shift', faults, {
        getManagedResource: () => ({
          zonalShifts: account.state.zonalShifts.map(({ awayFrom, expiresAt, status }) => ({
            awayFrom,
            expiryTime: new Date(expiresAt),
            appliedStatus: status,
          })),
        }),
      }),
    }
  }

  #eksHandlers(): Handlers<EKSClient> {
    return {
      describeCluster: (input) => {
        const { name, kubernetesVersion, endpoint, certificateAuthority } = this.#cluster
        if (input.name !== name) {
          throw new AWSError('ResourceNotFoundException', `No cluster found for name: ${input.name}.`, {
            service: 'EKS',
            status: 404,
          })
        }
        return {
          cluster: {
            name,
            arn: this.account.arn('eks', `cluster/${name}`),
            version: kubernetesVersion,
            endpoint,
            status: 'ACTIVE',
            certificateAuthority: { data: certificateAuthority },
            kubernetesNetworkConfig: { serviceIpv4Cidr: '172.20.0.0/16', ipFamily: 'ipv4' },
          },
        }
      },
    }
  }
}

function ssmHandlers(account: Account): Handlers<SSMClient> {
  return {
    getParameter: (input) => {
      // An ARN names the parameter after `:parameter`.
      const name = input.Name?.replace(/^arn:.*?:parameter/, '') ?? ''
      const value = Object.hasOwn(account.state.parameters, name) ? account.state.parameters[name] : undefined
      if (value === undefined) throw new AWSError('ParameterNotFound', '', { service: 'SSM' })
      return {
        Parameter: {
          Name: name,
          Type: 'String',
          Value: value,
          Version: 1,
          ARN: account.arn('ssm', `parameter${name}`),
        },
      }
    },
  }
}
