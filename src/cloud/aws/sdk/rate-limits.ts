import { TokenBucket } from '../../../kube/token-bucket.ts'

export type AWSService = 'ec2' | 'ssm' | 'iam' | 'sqs' | 'pricing' | 'eks' | 'sts' | 'arc-zonal-shift'

interface Limit {
  readonly perSecond: number
  readonly burst: number
}

/**
 * EC2 throttles each account and region by token buckets per kind of call; a call that is refused still costs a token. These stay a
 * tenth below the published buckets, so that others in the account find room and nothing of ours is refused.
 */
const describe: Limit = { perSecond: 18, burst: 90 }
const mutate: Limit = { perSecond: 4.5, burst: 45 }

const limits: Readonly<Record<string, Limit>> = {
  'ec2:DescribeInstances': { perSecond: 18, burst: 90 },
  'ec2:DescribeSpotPriceHistory': { perSecond: 9, burst: 45 },
  'ec2:CreateLaunchTemplate': mutate,
  'ec2:DeleteLaunchTemplate': mutate,
  'ec2:CreateFleet': mutate,
  // Dry runs draw on the small bucket of real launches.
  'ec2:RunInstances': { perSecond: 1.8, burst: 4 },
  'ec2:TerminateInstances': { perSecond: 4.5, burst: 90 },
  'ec2:CreateTags': { perSecond: 9, burst: 90 },
}

/** Where a service publishes one quota for all calls, or none at all. SQS has no limit on standard queues. */
const serviceLimits: Readonly<Record<AWSService, Limit | undefined>> = {
  ec2: describe,
  ssm: { perSecond: 30, burst: 30 },
  iam: { perSecond: 10, burst: 20 },
  sqs: undefined,
  pricing: { perSecond: 9, burst: 9 },
  eks: { perSecond: 5, burst: 10 },
  sts: { perSecond: 20, burst: 20 },
  'arc-zonal-shift': { perSecond: 2, burst: 4 },
}

/** One bucket for each action that was called. */
export class RateLimits {
  readonly #buckets = new Map<string, TokenBucket>()

  /** Takes a token; returns how long to wait before the call may go out. */
  reserve(service: AWSService, action: string, nowMs: number): number {
    const limit = limits[`${service}:${action}`] ?? serviceLimits[service]
    if (limit === undefined) return 0
    const key = service === 'ec2' ? `${service}:${action}` : service
    let bucket = this.#buckets.get(key)
    if (bucket === undefined) {
      bucket = new TokenBucket(limit.perSecond, limit.burst)
      this.#buckets.set(key, bucket)
    }
    return bucket.reserve(nowMs)
  }
}
