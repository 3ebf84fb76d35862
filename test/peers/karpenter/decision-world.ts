import { isConditionTrue } from '../../../src/api/conditions.ts'
import type { EC2NodeClass, NodeOverlay, NodePool } from '../../../src/api/karpenter.ts'
import {
  capacityBuffers,
  ec2NodeClasses,
  nodeClaims,
  nodeOverlays,
  nodePools,
} from '../../../src/kube/karpenter-kinds.ts'
import {
  daemonSets,
  events,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  podTemplates,
} from '../../../src/kube/kinds.ts'
import type { KubeClient } from '../../../src/kube/port.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AWSEdge, startAWSEdge } from '../support/aws-edge.ts'
import { clusterReport } from '../support/cluster-report.ts'
import { connect } from '../support/client.ts'
import { startControlPlane } from '../support/control-plane.ts'
import { installCRDs } from '../support/crds.ts'
import { type Decisions, decisionsOf } from '../support/decisions.ts'
import { poolOfFleet } from '../support/ec2-requests.ts'
import { eventually } from '../support/eventually.ts'
import { aNodeClass } from '../support/fleet-manifests.ts'
import { karpenterCRDs, startKarpenter } from '../support/karpenter-process.ts'
import { type MotoAccount, startMotoAccount } from '../support/moto-account.ts'
import type { LogLine } from '../support/joinery-process.ts'
import { likeKarpenter, startOperator } from '../support/operator-process.ts'
import {
  buffersOf,
  daemonsOf,
  failedOf,
  neighboursOf,
  overlaysOf,
  podsOf,
  poolsOf,
  residentsOf,
  templatesOf,
  volumeClaimsOf,
  volumesOf,
} from './decision-objects.ts'
import { type ClassShape, reservationsAnswer, type Workload } from './workloads.ts'

/** All pods have been looked at by kube-scheduler, on however busy a machine, before the first of them is given a place. */
const batchSeconds = { idle: 12, max: 120 }

const attemptsMax = 3

/** What is to be decided about. */
export interface Asked {
  readonly classes: readonly ClassShape[]
  readonly workloads: readonly Workload[]
  /** Whether batches may follow the one that has all pods, of those for which there was no room in it. */
  readonly hasLaterBatches?: true
}

interface Decided {
  readonly decisions: Decisions
  readonly log: string
}

/**
 * What a controller decides about all workloads at once, in a world of its own. Where the machine was so busy that some pods came too
 * late for that, it is tried again: what is decided in two halves is another decision.
 */
export async function decide(who: 'Karpenter' | 'Joinery', asked: Asked): Promise<Decided> {
  for (let attempt = 1; ; attempt += 1) {
    const { isAtOnce, ...decided } = await attemptOf(who, asked)
    if (isAtOnce) return decided
    if (attempt === attemptsMax)
      throw new Error(`${who} did not see all pods at once, ${attempt} times\n${decided.log}`)
  }
}

async function attemptOf(
  who: 'Karpenter' | 'Joinery',
  { classes, workloads, hasLaterBatches }: Asked,
): Promise<Decided & { readonly isAtOnce: boolean }> {
  await using started = new AsyncDisposableStack()
  const controlPlane = await startControlPlane({ scheduler: 'run' })
  started.defer(() => controlPlane.stop())
  await installCRDs(controlPlane, await karpenterCRDs())
  const account = await startMotoAccount('1.36')
  started.defer(() => account.stop())
  const edge = await startAWSEdge(account.endpoint)
  started.defer(() => edge.stop())
  // moto invents other prices with each answer.
  const body = () => '<DescribeSpotPriceHistoryResponse><spotPriceHistorySet/></DescribeSpotPriceHistoryResponse>'
  edge.add({ action: 'DescribeSpotPriceHistory', times: Infinity, fault: { kind: 'answer', type: 'text/xml', body } })
  const reservations = { kind: 'answer', type: 'text/xml', body: reservationsAnswer } as const
  edge.add({ action: 'DescribeCapacityReservations', times: Infinity, fault: reservations })
  const kube = connect(controlPlane.kubeconfig)
  started.defer(() => kube.close())
  const { kubeconfig, url: endpoint } = controlPlane
  const env = { ...account.env, AWS_ENDPOINT_URL: edge.endpoint }
  const controller = await start(who, { kubeconfig, endpoint, account: { ...account, env } })
  started.defer(() => controller.dispose())
  for (const { name, spec } of classes) {
    await kube.create(ec2NodeClasses, aNodeClass('v20260101', { name, nodeClass: spec }))
  }
  await eventually('every class is judged', async () => (await kube.list(ec2NodeClasses)).items.every(isJudged))
  for (const daemon of workloads.flatMap(daemonsOf)) await kube.create(daemonSets, daemon)
  for (const pool of workloads.flatMap(poolsOf)) await kube.create(nodePools, pool)
  await eventually('every pool is judged', async () => (await kube.list(nodePools)).items.every(isJudged))
  for (const overlay of workloads.flatMap(overlaysOf)) await kube.create(nodeOverlays, overlay)
  await eventually('every overlay is judged', async () => (await kube.list(nodeOverlays)).items.every(isJudged))
  for (const template of workloads.flatMap(templatesOf)) await kube.create(podTemplates, template)
  for (const volume of workloads.flatMap(volumesOf)) await kube.create(persistentVolumes, volume)
  for (const claim of workloads.flatMap(volumeClaimsOf)) await kube.create(persistentVolumeClaims, claim)
  for (const workload of workloads) await settle(kube, workload)
  await Promise.all([
    ...workloads.flatMap(podsOf).map((pod) => kube.create(pods, pod)),
    ...workloads.flatMap(buffersOf).map((buffer) => kube.create(capacityBuffers, buffer)),
  ])
  for (const name of workloads.flatMap(failedOf)) await fail(kube, name)
  await settled(kube).catch(async (error: unknown) => {
    throw new Error(`${who} does not come to an end:\n${await controller.logTail(40)}\n${await clusterReport(kube)}`, {
      cause: error,
    })
  })
  const certificate = Buffer.from(controlPlane.caCertificate).toString('base64')
  const names = new Map([
    [endpoint, 'https://cluster'],
    [certificate, 'certificate of the cluster'],
    // A label of 1.15, in lists of the known ones.
    [' karpenter.k8s.aws/nitro-sandbox', ''],
  ])
  const lines = await controller.lines()
  const planned = lines.filter(isPlan)
  return {
    decisions: await decisionsOf({ kube, account, edge, names, until: secondBatchOf(lines) }),
    log: [fleetsAsked(edge), await controller.logTail()].join('\n'),
    isAtOnce: hasLaterBatches === true ? firstBatch(lines) >= waitingOf(workloads) : planned.length === 1,
  }
}

function start(
  who: 'Karpenter' | 'Joinery',
  options: { readonly kubeconfig: string; readonly endpoint: string; readonly account: MotoAccount },
) {
  const { idle, max } = batchSeconds
  const gates = 'NodeOverlay=true,CapacityBuffer=true'
  return who === 'Karpenter'
    ? startKarpenter({
        ...options,
        env: { BATCH_IDLE_DURATION: `${idle}s`, BATCH_MAX_DURATION: `${max}s`, FEATURE_GATES: gates },
      })
    : startOperator({
        ...options,
        flags: [
          ...likeKarpenter,
          `--feature-gates=${gates}`,
          `--batch-idle-duration=${idle}s`,
          `--batch-max-duration=${max}s`,
        ],
      })
}

function isJudged({ status }: NodePool | EC2NodeClass | NodeOverlay): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value !== 'Unknown') === true
}

/**
 * Until every claim is launched, there is nothing that was not there a batch ago, nor told, and a pass has seen that the nodes which are
 * on their way have room for the buffers.
 */
async function settled(kube: KubeClient): Promise<void> {
  let before = ''
  await eventually('all is decided', async () => {
    const { items } = await kube.list(nodeClaims)
    const known = `${items.length} claims, ${(await kube.list(events)).items.length} events`
    const buffers = (await kube.list(capacityBuffers)).items
    const isDone =
      items.length > 0 &&
      known === before &&
      items.every(({ status }) => status?.providerID !== undefined) &&
      buffers.every((buffer) => isConditionTrue(buffer, 'Provisioning'))
    before = known
    if (!isDone) await sleep(1.5 * batchSeconds.idle * 1_000)
    return isDone
  })
}

/** With the stand-ins of buffers, and without what has ended, which is decided about or not. */
function waitingOf(workloads: readonly Workload[]): number {
  const stillWaiting = workloads.flatMap(({ groups, buffer }) => [
    ...groups.filter(({ hasFailed }) => hasFailed === undefined),
    ...(buffer === undefined ? [] : [buffer]),
  ])
  return stillWaiting.reduce((sum, { count }) => sum + count, 0)
}

/** Brings its neighbour, whose taints are its own alone once what runs there has come. */
async function settle(kube: KubeClient, workload: Workload): Promise<void> {
  for (const node of neighboursOf(workload)) {
    await kube.create(nodes, node)
    for (const resident of residentsOf(workload)) await kube.create(pods, resident)
    const taints = workload.neighbour?.taints ?? []
    await kube.patch(nodes, { name: workload.name }, { kind: 'merge', body: { spec: { taints } } })
  }
}

/** As what waited for a node does when it is deleted, and something holds on to it. */
async function fail(kube: KubeClient, name: string): Promise<void> {
  const pod = { namespace: 'default', name }
  await eventually(
    `kube-scheduler has looked at ${name}`,
    async () =>
      (await kube.get(pods, pod)).status?.conditions?.some(({ reason }) => reason === 'Unschedulable') === true,
  )
  await kube.patch(pods, pod, { kind: 'merge', body: { status: { phase: 'Failed' } } }, { subresource: 'status' })
}

/** One line for each call, since claims that are launched twice and calls that are made twice look alike in decisions. */
function fleetsAsked(edge: AWSEdge): string {
  const calls = edge.callsOf('CreateFleet').map(({ body, status = 'no answer' }) => {
    const form = new URLSearchParams(body)
    const capacity = form.get('TargetCapacitySpecification.TotalTargetCapacity')
    return `CreateFleet of ${poolOfFleet(body)} for ${capacity}, token ${form.get('ClientToken')}: ${status}`
  })
  return calls.join('\n')
}

function isPlan({ message }: LogLine): boolean {
  return message === 'computed new nodeclaim(s) to fit pod(s)'
}

/**
 * When a second batch was decided, of which there may be none. What later batches add is drawn: they try machines under way in the order
 * of their names, which are random.
 */
function secondBatchOf(lines: readonly LogLine[]): string | undefined {
  const second = lines.filter(isPlan)[1]
  return second && String(second['time'])
}

/** How many pods it had, those included that were left out since no node can take them. */
function firstBatch(lines: readonly LogLine[]): number {
  const found = lines.findIndex(({ message }) => message === 'found provisionable pod(s)')
  const ignored = lines
    .slice(0, Math.max(found, 0))
    .filter(({ message }) => message === 'ignoring pod')
    .map(({ Pod }) => JSON.stringify(Pod))
  return countOf(String(lines[found]?.['Pods'])) + new Set(ignored).size
}

/** Of a list that may end in `and 7 other(s)`. */
function countOf(list: string): number {
  return list.split(', ').length + Number(/ and (\d+) other/.exec(list)?.[1] ?? 0)
}
