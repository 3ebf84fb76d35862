import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Node, Pod, PodSpec, Unsaved } from '../../../src/api/kubernetes.ts'
import { SeededRandom } from '../../../src/embedded/random.ts'
import { toNodeState } from '../../../src/embedded/scheduler/node-state.ts'
import { place } from '../../../src/embedded/scheduler/placement.ts'
import { preempt } from '../../../src/embedded/scheduler/preemption.ts'
import type { Caches } from '../../../src/kube/controller.ts'
import type { HTTPClient } from '../../../src/kube/http-client.ts'
import { nodes, podDisruptionBudgets, pods, priorityClasses } from '../../../src/kube/kinds.ts'
import { connect } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { describeWithPeers } from '../support/peers.ts'
import { useControlPlane } from '../support/use-control-plane.ts'

const namespace = 'default'
const classes = { batch: -10, web: 5, payments: 100, urgent: 1000 } as const
/** What the plugin for resource claims adds, which is off in the versions that the embedded cluster stands for. */
const ofDevices = 'no new claims to deallocate, '
type ClassName = keyof typeof classes
const lesser: readonly ClassName[] = ['batch', 'web', 'payments']

/** Beside the same nodes, pods and budgets, what does kube-scheduler do for a pod that finds no place, and what does the embedded one? */
await describeWithPeers('preemption as by kube-scheduler', ['kube-apiserver', 'kube-scheduler'], () => {
  const controlPlane = useControlPlane({ scheduler: 'run' })
  let kube: HTTPClient
  beforeAll(async () => {
    kube = connect(controlPlane().kubeconfig)
    for (const [name, value] of Object.entries(classes)) {
      await kube.create(priorityClasses, {
        apiVersion: 'scheduling.k8s.io/v1',
        kind: 'PriorityClass',
        metadata: { name },
        value,
      })
    }
    await kube.create(priorityClasses, {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: 'polite' },
      value: 500,
      preemptionPolicy: 'Never',
    })
  })
  afterAll(() => kube.close())

  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])('the victims of fleet %i', async (seed) => {
    const random = new SeededRandom(seed)
    const batch = `fleet-${seed}`
    for (let node = 0; node < 3; node += 1) {
      await aNode(`${batch}-${node}`, { batch })
      for (let pod = 0; pod < 8; pod += 1) {
        const priorityClassName = lesser[random.below(lesser.length)] ?? 'web'
        const cpu = 500 * (1 + random.below(2))
        const startTime = new Date(Date.UTC(2026, 0, 1, 0, random.below(59), pod * 3 + node)).toISOString()
        const labels = { batch, app: random.below(2) === 0 ? 'guarded' : 'free' }
        const spec = { nodeName: `${batch}-${node}`, priorityClassName, ...asking(`${cpu}m`) }
        if (pod < 4 || random.below(3) > 0) await aPod(`${batch}-${node}-${pod}`, labels, { spec, startTime })
      }
    }
    await aBudget(batch, { batch, app: 'guarded' }, random.below(3))
    await same(batch, asking(random.below(2) === 0 ? '3' : '2500m'))
  })

  test('a pod that would fit beside a pod that keeps it away, or whose port is taken', async () => {
    const labels = { batch: 'away' }
    await aNode('away-0', labels)
    const term = { labelSelector: { matchLabels: { app: 'lonely' } }, topologyKey: 'kubernetes.io/hostname' }
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } }
    await aPod('away-lonely', { ...labels, app: 'lonely' }, { spec: { ...onNode('away-0', 'web'), affinity } })
    const ports = [{ containerPort: 80, hostPort: 8080 }]
    await aPod('away-port', labels, { spec: { ...onNode('away-0', 'web'), ...asking('1', { ports }) } })
    await same('away', { ...asking('1', { ports }), affinity }, { app: 'lonely' })
  })

  test('nothing that may go, no node that it could help, and a pod that pushes nobody aside', async () => {
    await aNode('none-0', { batch: 'none' })
    await aPod('none-full', {}, { spec: { ...onNode('none-0', 'urgent'), ...asking('4') } })
    await same('none', asking('1'))
    await aNode('huge-0', { batch: 'huge' })
    await aPod('huge-full', {}, { spec: { ...onNode('huge-0', 'web'), ...asking('4') } })
    await same('huge', asking('64'))
    await same('huge', { ...asking('1'), priorityClassName: 'polite' })
  })

  async function same(batch: string, wanted: PodSpec, labels: Record<string, string> = {}): Promise<void> {
    const world = await worldOf(kube)
    tried += 1
    const name = `${batch}-urgent-${tried}`
    const spec: PodSpec = { nodeSelector: { batch }, priorityClassName: 'urgent', ...wanted }
    await aPod(name, labels, { spec })
    const refusedOf = async () => {
      const { status } = await kube.get(pods, { namespace, name })
      const condition = status?.conditions?.find(({ type }) => type === 'PodScheduled')
      return condition?.status === 'False' ? { message: condition.message, status } : undefined
    }
    await eventually('it has been tried', async () => (await refusedOf()) !== undefined)
    const pod = { ...(await kube.get(pods, { namespace, name })), status: {} }
    const placement = place(pod, world)
    if (placement.kind === 'placed') throw new Error(`${name} has a place on ${placement.node.name}`)
    const ours = preempt(pod, placement, world)
    const victims = ours.kind === 'victims' ? ours.victims.map(({ metadata }) => metadata.name).toSorted() : []
    await eventually('its victims are on their way', async () => (await leaving(batch)).length >= victims.length)
    const theirs = await refusedOf()
    expect({
      message: theirs?.message?.replace(ofDevices, ''),
      nominatedNodeName: theirs?.status?.nominatedNodeName,
      victims: await leaving(batch),
    }).toEqual({
      message: ours.kind === 'victims' ? placement.message : `${placement.message} preemption: ${ours.message}`,
      nominatedNodeName: ours.kind === 'victims' ? ours.node.name : undefined,
      victims,
    })
    await kube.delete(pods, { namespace, name }, { gracePeriodSeconds: 0 })
  }

  let tried = 0

  async function leaving(batch: string): Promise<readonly string[]> {
    const { items } = await kube.list(pods, { namespace })
    return items
      .filter(
        ({ metadata, spec }) => metadata.deletionTimestamp !== undefined && spec.nodeName?.startsWith(`${batch}-`),
      )
      .map(({ metadata }) => metadata.name)
      .toSorted()
  }

  async function aNode(name: string, labels: Record<string, string>): Promise<void> {
    const amounts = { cpu: '4', memory: '8Gi', pods: '10' }
    await kube.create(nodes, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { ...labels, 'kubernetes.io/hostname': name } },
      spec: {},
      status: { allocatable: amounts, capacity: amounts },
    } satisfies Unsaved<Node>)
    // The API server gives every new node a taint of its own.
    await kube.patch(nodes, { name }, { kind: 'merge', body: { spec: { taints: null } } })
  }

  async function aPod(
    name: string,
    labels: Record<string, string>,
    { spec, startTime }: { readonly spec: PodSpec; readonly startTime?: string },
  ): Promise<void> {
    await kube.create(pods, { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, labels }, spec })
    if (startTime === undefined) return
    const body = { status: { phase: 'Running', startTime } }
    await kube.patch(pods, { namespace, name }, { kind: 'merge', body }, { subresource: 'status' })
  }

  async function aBudget(name: string, matchLabels: Record<string, string>, disruptionsAllowed: number): Promise<void> {
    const { metadata } = await kube.create(podDisruptionBudgets, {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name, namespace },
      spec: { selector: { matchLabels }, minAvailable: 1 },
    })
    const status = { disruptionsAllowed, currentHealthy: 9, desiredHealthy: 1, expectedPods: 9 }
    const body = { status: { ...status, observedGeneration: metadata.generation ?? 1 } }
    await kube.patch(podDisruptionBudgets, { namespace, name }, { kind: 'merge', body }, { subresource: 'status' })
  }
})

async function worldOf(kube: HTTPClient) {
  const [itsNodes, itsPods, budgets] = await Promise.all([
    kube.list(nodes),
    kube.list(pods),
    kube.list(podDisruptionBudgets),
  ])
  const states = itsNodes.items.map((node) =>
    toNodeState(
      node,
      itsPods.items.filter(({ spec }) => spec.nodeName === node.metadata.name),
    ),
  )
  const of = (resource: unknown) => ({ list: () => (resource === podDisruptionBudgets ? budgets.items : []) })
  return { states, caches: { of } as unknown as Caches, namespaces: () => ({}) }
}

function asking(cpu: string, more: Partial<Pod['spec']['containers'][number]> = {}) {
  return {
    containers: [{ name: 'app', image: 'registry.example/app:1', resources: { requests: { cpu } }, ...more }],
  }
}

function onNode(nodeName: string, priorityClassName: ClassName) {
  return { nodeName, priorityClassName, ...asking('100m') }
}
