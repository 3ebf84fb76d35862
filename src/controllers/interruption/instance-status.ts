import type { Filter, InstanceStatus } from '@aws-sdk/client-ec2'
import type { EC2Client } from '../../cloud/aws/clients.ts'
import { isUnauthorized } from '../../cloud/aws/errors.ts'
import type { AWSMetrics } from '../../cloud/aws/metric-table.ts'
import { readPages } from '../../cloud/aws/paginate.ts'
import { done, requeueAfter, type SingletonController } from '../../kube/controller.ts'
import type { Clock } from '../../model/clock.ts'
import { oneByOne } from '../one-by-one.ts'
import { SteadyMoments } from '../steady-moments.ts'
import type { InterruptionHandler } from './handler.ts'
import { kindOfCategory, toUnhealthy, type UnhealthyInstance } from './status-records.ts'

export interface InstanceStatusDeps {
  readonly ec2: Pick<EC2Client, 'describeInstanceStatus'>
  readonly clock: Clock
  readonly handler: InterruptionHandler
  readonly metrics: Pick<AWSMetrics, 'instanceStatusUnhealthy'>
}

const intervalMs = 60_000

const queries: readonly Filter[] = [
  { Name: 'instance-status.status', Values: ['impaired'] },
  { Name: 'system-status.status', Values: ['impaired'] },
  {
    Name: 'event.code',
    Values: ['instance-reboot', 'system-reboot', 'system-maintenance', 'instance-retirement', 'instance-stop'],
  },
]

/** Looks every minute for instances that fail EC2's checks or have an event scheduled. */
export function instanceStatusController(deps: InstanceStatusDeps): SingletonController {
  let counted: ReadonlySet<string> = new Set()
  const moments = new SteadyMoments(deps.clock)
  return {
    name: 'interruption.instancestatus',
    async reconcile({ log }) {
      let statuses: readonly InstanceStatus[]
      try {
        statuses = await describe(deps)
      } catch (error) {
        if (!isUnauthorized(error)) throw error
        log.error({ err: error }, 'not authorized to call ec2:DescribeInstanceStatus, no longer polling it')
        return done
      }
      const now = deps.clock.now()
      const unhealthy = statuses.flatMap(
        (status) => toUnhealthy(status, now, (key, moment) => moments.begun(key, moment)) ?? [],
      )
      counted = count(deps, unhealthy, counted)
      const findings = unhealthy.flatMap(({ id, categories }) =>
        categories.map((category) => ({ id, kind: kindOfCategory[category] })),
      )
      await oneByOne(findings, async ({ id, kind }) => {
        await deps.handler.handle(kind, [id], log.child({ messageKind: kind }))
      })
      return requeueAfter(intervalMs)
    },
  }
}

/** The first record of an instance counts, as the three queries overlap. */
async function describe({ ec2 }: InstanceStatusDeps): Promise<readonly InstanceStatus[]> {
  const found = new Map<string, InstanceStatus>()
  for (const filter of queries) {
    const statuses = await readPages(
      (token) => ec2.describeInstanceStatus({ Filters: [filter], MaxResults: 1_000, ...token }),
      (page) => page.InstanceStatuses,
    )
    for (const status of statuses) {
      const id = status.InstanceId ?? ''
      if (!found.has(id)) found.set(id, status)
    }
  }
  return [...found.values()]
}

/** Once for each instance and category, and again only after it was well in between. */
function count(
  { handler, metrics }: InstanceStatusDeps,
  unhealthy: readonly UnhealthyInstance[],
  before: ReadonlySet<string>,
): ReadonlySet<string> {
  const seen = new Set<string>()
  for (const { id, categories } of unhealthy) {
    if (!handler.owns(id)) continue
    for (const category of categories) {
      const key = `${id}/${category}`
      seen.add(key)
      if (!before.has(key)) metrics.instanceStatusUnhealthy.increment({ category })
    }
  }
  return seen
}
