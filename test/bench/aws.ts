import type { NodeClaim } from '../../src/api/karpenter.ts'
import { InterruptionHandler } from '../../src/controllers/interruption/handler.ts'
import { interruptionController } from '../../src/controllers/interruption/queue-controller.ts'
import { catalogue } from '../../src/embedded/aws/catalogue.ts'
import { nodeClaims } from '../../src/kube/karpenter-kinds.ts'
import { type AWSWorld, aLaunchClaim, anAWSWorld, aNodeClass, typeIn } from '../support/aws-world.ts'
import { aClaim } from '../support/controller-builders.ts'
import { aNotice } from '../support/interruption-world.ts'
import { aLaunchWorld } from '../support/launch-world.ts'

/**
 * `npm run bench:aws [-- -o json]`: what the AWS provider costs, on the simulated account. Processor time is this process's own; wall
 * time in the last two is that of the virtual clock, on which every call to AWS takes 50 ms, so it says what a real account would see.
 */
interface Result {
  readonly workload: string
  readonly count: number
  /** Processor time, the simulated account's own share included. */
  readonly cpuMs: number
  /** On the virtual clock; 0 where nothing waits. */
  readonly wallMs: number
  readonly perSecond: number
  readonly peakMB: number
  readonly calls: Readonly<Record<string, number>>
}

const latencyMs = 50

const everyType = [...catalogue().keys()]

/** Types and offerings read anew and resolved for one class, as every twelve hours and after each change of the catalogue. */
async function refresh(): Promise<Result> {
  const world = await anAWSWorld({ types: everyType })
  const nodeClass = aNodeClass()
  let best = Number.POSITIVE_INFINITY
  let types = 0
  for (let run = 0; run < 5; run += 1) {
    world.calls.length = 0
    // Past every cache's time, so that each run does the whole work.
    await world.clock.run({ until: () => false, withinMs: 24 * 3_600_000 })
    const started = process.cpuUsage()
    await world.drive(world.cloud.catalogue.update())
    types = world.cloud.instanceTypes.list(nodeClass).length
    best = Math.min(best, cpuMsSince(started))
  }
  return result('refresh of types and offerings', types, best, 0, callCounts(world))
}

/** The same list asked for again, as each scheduling pass does. */
async function cachedList(): Promise<Result> {
  const world = await anAWSWorld({ types: everyType })
  const nodeClass = aNodeClass()
  world.cloud.instanceTypes.list(nodeClass)
  const asked = 1_000
  const started = process.cpuUsage()
  for (let i = 0; i < asked; i += 1) world.cloud.instanceTypes.list(nodeClass)
  return result('list of types, nothing changed', asked, cpuMsSince(started), 0, {})
}

async function launchBurst(): Promise<Result> {
  const world = await aLaunchWorld({ types: ['m5.large', 'm5.xlarge', 'm6i.large', 'c5.large'] })
  world.nodeClasses.set('default', aNodeClass())
  for (const subnet of world.aws.state.subnets) Object.assign(subnet, { addresses: 4_000 })
  slowDown(world)
  world.calls.length = 0
  const claims: NodeClaim[] = Array.from({ length: 500 }, (_, index) =>
    aLaunchClaim([typeIn('m5.large', 'm5.xlarge', 'm6i.large', 'c5.large')], {
      metadata: { name: `web-${index}`, uid: `uid-${index}` },
    }),
  )
  const started = process.cpuUsage()
  const before = world.clock.now()
  const outcomes = await world.drive(Promise.allSettled(claims.map((claim) => world.cloud.provider.create(claim))))
  const failed = outcomes.filter(({ status }) => status === 'rejected')
  if (failed.length > 0)
    throw new Error(`${failed.length} launches failed: ${String(Reflect.get(failed[0] ?? {}, 'reason'))}`)
  const instances = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value.providerID] : []))
  if (new Set(instances).size !== claims.length) throw new Error('two claims got the same instance')
  return result('burst of launches', claims.length, cpuMsSince(started), world.clock.now() - before, callCounts(world))
}

/** As many notices as nodes, each about one of its own. */
async function interruptions(): Promise<Result> {
  const world = await anAWSWorld({ types: ['m5.large'] })
  world.aws.createQueue('interruptions')
  const count = 10_000
  const instanceID = (index: number): string => `i-${index.toString(16).padStart(17, '0')}`
  for (let index = 0; index < count; index += 1) {
    const providerID = `aws:///us-east-1a/${instanceID(index)}`
    await world.kube.create(nodeClaims, aClaim(`c${index}`, { status: { providerID } }))
  }
  for (let index = 0; index < count; index += 1) {
    const detail = { 'instance-id': instanceID(index), 'instance-action': 'terminate' }
    world.aws.sendMessage(JSON.stringify(aNotice('EC2 Spot Instance Interruption Warning', detail)), 'interruptions')
  }
  const handler = new InterruptionHandler({ ...world, disrupted: { increment: () => undefined } })
  slowDown(world)
  world.calls.length = 0
  const started = process.cpuUsage()
  const before = world.clock.now()
  await world.world.start(
    interruptionController({
      sqs: world.aws.clients.sqs,
      clock: world.clock,
      queueName: 'interruptions',
      region: world.aws.clients.region,
      handler,
      metrics: world.cloud.metrics,
    }),
  )
  const isDone = (): boolean => world.countOf('sqs:DeleteMessage') >= count
  await world.clock.run({ until: isDone, withinMs: 3_600_000 })
  if (!isDone()) throw new Error('some messages were not handled')
  const { items: left } = await world.kube.list(nodeClaims)
  if (left.length > 0) throw new Error(`${left.length} claims of interrupted instances are still there`)
  return result('queued interruptions', count, cpuMsSince(started), world.clock.now() - before, callCounts(world))
}

function slowDown(world: AWSWorld): void {
  world.aws.faults.add(() => ({ kind: 'delay', ms: latencyMs }))
}

function result(workload: string, count: number, cpuMs: number, wallMs: number, calls: Record<string, number>): Result {
  const seconds = Math.max(cpuMs, wallMs) / 1_000
  const peakMB = Math.round(process.memoryUsage().rss / 2 ** 20)
  return { workload, count, cpuMs: Math.round(cpuMs), wallMs, perSecond: Math.round(count / seconds), peakMB, calls }
}

function callCounts({ calls }: AWSWorld): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { name } of calls) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

function cpuMsSince(started: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(started)
  return (user + system) / 1_000
}

const results: Result[] = []
for (const bench of [refresh, cachedList, launchBurst, interruptions]) results.push(await bench())
if (process.argv.includes('json')) process.stdout.write(`${JSON.stringify(results, null, 2)}\n`)
else {
  console.table(results, ['workload', 'count', 'cpuMs', 'wallMs', 'perSecond', 'peakMB'])
  for (const { workload, calls } of results) console.log(`${workload}: ${JSON.stringify(calls)}`)
}
