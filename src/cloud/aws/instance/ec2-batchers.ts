import type {
  CreateFleetError,
  CreateFleetRequest,
  CreateFleetResult,
  Instance,
  InstanceStateChange,
} from '@aws-sdk/client-ec2'
import type { Clock } from '../../../model/clock.ts'
import { ExpiringMap } from '../../../model/expiring-map.ts'
import { type BatchAnswer, Batcher, type BatcherMetrics } from '../batcher.ts'
import { canonicalText } from '../canonical.ts'
import type { EC2Client } from '../clients.ts'
import { isRateLimited, isUnauthorized, isUnheard } from '../errors.ts'
import { readPages } from '../paginate.ts'

/** What a batch tells one caller: its own instance, or none, and all errors of the fleet. */
export interface FleetAnswer {
  readonly fleetID: string | undefined
  readonly instance: FleetInstance | undefined
  readonly errors: readonly CreateFleetError[]
}

export interface FleetInstance {
  readonly id: string
  readonly instanceType: string | undefined
  readonly subnetID: string | undefined
  readonly zone: string | undefined
  readonly imageID: string | undefined
}

export const liveStates = ['pending', 'running', 'stopping', 'stopped', 'shutting-down'] as const

export interface EC2Batchers {
  /** The request's capacity must be 1. */
  createFleet(request: CreateFleetRequest): Promise<FleetAnswer>
  /** Undefined when there is no live instance of that id. */
  describeInstance(id: string): Promise<Instance | undefined>
  terminateInstance(id: string): Promise<void>
}

export interface EC2BatcherOptions {
  readonly ec2: Pick<EC2Client, 'createFleet' | 'describeInstances' | 'terminateInstances'>
  readonly clock: Clock
  readonly metrics: BatcherMetrics
}

/** How long an instance is ended alone after a refusal. Shorter refuses the others with it more often; longer takes more calls once that is mended. */
const aloneMs = 600_000

export function createBatchers(options: EC2BatcherOptions): EC2Batchers {
  const { ec2, clock, metrics } = options
  const fleets = new Batcher<CreateFleetRequest, FleetAnswer>({
    name: 'create_fleet',
    clock,
    metrics,
    idleMs: 35,
    maxMs: 1_000,
    itemsMax: 1_000,
    keyOf: canonicalText,
    execute: (requests) => runFleet(ec2, requests),
  })
  // Whatever instances are asked for go into one call.
  const byID = { clock, metrics, idleMs: 100, maxMs: 1_000, itemsMax: 500, keyOf: () => '' }
  const describes = new Batcher<string, Instance | undefined>({
    ...byID,
    name: 'describe_instances',
    execute: (ids) => runDescribe(ec2, ids),
  })
  const alone = new ExpiringMap<string, true>({ clock, ttlMs: aloneMs })
  const terminations = new Batcher<string, void>({
    ...byID,
    name: 'terminate_instances',
    keyOf: (id) => (alone.has(id) ? id : ''),
    execute: async (ids) => {
      try {
        return await runTerminate(ec2, ids)
      } catch (error) {
        // Policies allow this by an instance's tags: one that they keep must not keep the others for ever.
        if (isUnauthorized(error)) for (const id of ids) alone.set(id, true)
        throw error
      }
    },
  })
  return {
    createFleet: (request) => {
      if (request.TargetCapacitySpecification?.TotalTargetCapacity !== 1) {
        return Promise.reject(new Error('expected to receive a single instance only'))
      }
      return fleets.add(request)
    },
    describeInstance: (id) => describes.add(id),
    terminateInstance: (id) => terminations.add(id),
  }
}

async function runFleet(
  ec2: Pick<EC2Client, 'createFleet'>,
  requests: readonly CreateFleetRequest[],
): Promise<BatchAnswer<FleetAnswer>[]> {
  const [request] = requests
  if (request === undefined) return []
  const result = await ec2.createFleet({
    ...request,
    TargetCapacitySpecification: {
      ...request.TargetCapacitySpecification,
      TotalTargetCapacity: requests.length,
    },
  })
  const errors = result.Errors ?? []
  const instances = instancesOf(result)
  return requests.map((_request, index) => {
    const instance = instances[index]
    const given = instance !== undefined || errors.length > 0 ? errors : [tooFew]
    return { kind: 'value', value: { fleetID: result.FleetId, instance, errors: given } }
  })
}

const tooFew: CreateFleetError = { ErrorCode: 'too few instances returned', ErrorMessage: 'too few instances returned' }

function instancesOf(result: CreateFleetResult): FleetInstance[] {
  return (result.Instances ?? []).flatMap((instance) => {
    const overrides = instance.LaunchTemplateAndOverrides?.Overrides
    return (instance.InstanceIds ?? []).map((id) => ({
      id,
      instanceType: instance.InstanceType ?? overrides?.InstanceType,
      subnetID: overrides?.SubnetId,
      zone: overrides?.AvailabilityZone,
      imageID: overrides?.ImageId,
    }))
  })
}

async function runDescribe(
  ec2: Pick<EC2Client, 'describeInstances'>,
  ids: readonly string[],
): Promise<BatchAnswer<Instance | undefined>[]> {
  const unique = [...new Set(ids)]
  const found = new Map<string, BatchAnswer<Instance | undefined>>()
  try {
    for (const instance of await describe(ec2, unique)) {
      found.set(instance.InstanceId ?? '', { kind: 'value', value: instance })
    }
  } catch (error) {
    if (isOfAll(error, unique)) throw error
    // One id that is gone fails the whole call, so each is asked for alone below.
  }
  await Promise.all(
    unique
      .filter((id) => !found.has(id))
      .map(async (id) => {
        try {
          found.set(id, { kind: 'value', value: (await describe(ec2, [id]))[0] })
        } catch (error) {
          found.set(id, { kind: 'error', error })
        }
      }),
  )
  return ids.map((id) => found.get(id) ?? { kind: 'value', value: undefined })
}

function describe(ec2: Pick<EC2Client, 'describeInstances'>, ids: readonly string[]): Promise<Instance[]> {
  return readPages(
    (token) =>
      ec2.describeInstances({
        InstanceIds: [...ids],
        Filters: [{ Name: 'instance-state-name', Values: [...liveStates] }],
        ...token,
      }),
    (page) => page.Reservations?.flatMap((reservation) => reservation.Instances ?? []),
  )
}

async function runTerminate(
  ec2: Pick<EC2Client, 'terminateInstances'>,
  ids: readonly string[],
): Promise<BatchAnswer<void>[]> {
  const unique = [...new Set(ids)]
  const outcome = new Map<string, BatchAnswer<void>>()
  try {
    for (const id of terminating(await ec2.terminateInstances({ InstanceIds: unique }))) {
      outcome.set(id, { kind: 'value', value: undefined })
    }
  } catch (error) {
    if (isOfAll(error, unique)) throw error
    // One unknown id fails the call for all: each is terminated alone below.
  }
  await Promise.all(
    unique
      .filter((id) => !outcome.has(id))
      .map(async (id) => {
        try {
          await ec2.terminateInstances({ InstanceIds: [id] })
          outcome.set(id, { kind: 'value', value: undefined })
        } catch (error) {
          outcome.set(id, { kind: 'error', error })
        }
      }),
  )
  return ids.map((id) => outcome.get(id) ?? { kind: 'value', value: undefined })
}

/** Whether asking for each alone would only repeat the answer. */
function isOfAll(error: unknown, ids: readonly string[]): boolean {
  return ids.length === 1 || isRateLimited(error) || isUnauthorized(error) || isUnheard(error)
}

function terminating(result: { TerminatingInstances?: InstanceStateChange[] | undefined }): string[] {
  return (result.TerminatingInstances ?? [])
    .filter(({ CurrentState }) => CurrentState?.Name === 'shutting-down' || CurrentState?.Name === 'terminated')
    .flatMap(({ InstanceId }) => InstanceId ?? [])
}
