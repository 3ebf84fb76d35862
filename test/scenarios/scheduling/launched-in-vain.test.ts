import { expect, test } from 'vitest'
import type { Pod } from '../../../src/api/kubernetes.ts'
import { capacityBuffers, nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { deployments, events, nodes, pods, podTemplates } from '../../../src/kube/kinds.ts'
import { containerOf, deploymentOf } from '../../support/deployments.ts'
import { aFleet, anEmbeddedOperator } from '../../support/embedded-operator.ts'

const minute = 60_000
const key = { namespace: 'default', name: 'odd' }
const taint = { key: 'example.com/scan', value: 'pending', effect: 'NoSchedule' } as const

/** A fleet on each node of which somebody sets a taint as soon as there is one, and that keeps its nodes; a pod that does not tolerate it. */
async function aTaintedFleet(featureGates: Readonly<Record<string, boolean>> = {}) {
  const world = await anEmbeddedOperator({ featureGates })
  const { client, clock } = world.cluster
  await aFleet(world.cluster)
  const body = { spec: { disruption: { consolidateAfter: 'Never' } } }
  await client.patch(nodePools, { name: 'default' }, { kind: 'merge', body })
  await clock.run({ forMs: minute })
  const claims = new Set<string>()
  let isTainting = true
  const run = async (forMs: number): Promise<void> => {
    for (let ran = 0; ran < forMs; ran += 5_000) {
      await clock.run({ forMs: 5_000 })
      for (const { metadata } of (await client.list(nodeClaims)).items) claims.add(metadata.name)
      if (!isTainting) continue
      for (const { metadata, spec } of (await client.list(nodes)).items) {
        const isOurs = metadata.labels?.['karpenter.sh/nodepool'] !== undefined
        if (!isOurs || spec.taints?.some((has) => has.key === taint.key) === true) continue
        const taints = [...(spec.taints ?? []), taint]
        await client.patch(nodes, { name: metadata.name }, { kind: 'merge', body: { spec: { taints } } })
      }
    }
  }
  const untaint = async (): Promise<void> => {
    isTainting = false
    for (const { metadata, spec } of (await client.list(nodes)).items) {
      const taints = spec.taints?.filter((has) => has.key !== taint.key) ?? []
      await client.patch(nodes, { name: metadata.name }, { kind: 'merge', body: { spec: { taints } } })
    }
  }
  const told = async (wanted: string): Promise<readonly (string | undefined)[]> =>
    (await client.list(events)).items.filter(({ reason }) => reason === wanted).map(({ message }) => message)
  return { ...world, client, claims, run, untaint, told }
}

const odd = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: key,
  spec: {
    nodeSelector: { 'karpenter.sh/nodepool': 'default' },
    containers: [containerOf({ cpu: '300m', memory: '300Mi' })],
  },
} as unknown as Pod

test('a pod that no node takes launches two, then one more now and then; once a node takes it, it runs at once', async () => {
  const { client, claims, run, untaint, told, stop } = await aTaintedFleet()
  try {
    await client.create(pods, odd)
    await run(15 * minute)
    expect(claims.size).toBe(2)
    expect((await told('LaunchedInVain'))[0]).toMatch(
      /was launched for pod default\/odd and did not take it: untolerated taint example\.com\/scan=pending:NoSchedule$/,
    )
    expect((await told('FailedScheduling')).join('\n')).toMatch(
      /2 nodes launched for it did not take it, last \S+: untolerated taint \S+; next try at 2/,
    )
    await run(44 * minute)
    expect(claims.size).toBe(3)
    await untaint()
    await run(2 * minute)
    expect((await client.get(pods, key)).status?.phase).toBe('Running')
    expect(claims.size).toBe(3)
  } finally {
    await stop()
  }
})

test('an edit of the pool lets the pod launch a node at once', async () => {
  const { client, claims, run, stop } = await aTaintedFleet()
  try {
    await client.create(pods, odd)
    await run(10 * minute)
    expect(claims.size).toBe(2)
    const body = {
      spec: { template: { metadata: { labels: { team: 'new' } } }, disruption: { budgets: [{ nodes: '0' }] } },
    }
    await client.patch(nodePools, { name: 'default' }, { kind: 'merge', body })
    await run(3 * minute)
    expect(claims.size).toBeGreaterThan(2)
  } finally {
    await stop()
  }
})

test('a buffer whose stand-ins no node takes launches two, then one more now and then; it says so', async () => {
  const { client, claims, run, told, stop } = await aTaintedFleet({ CapacityBuffer: true })
  const metadata = { namespace: 'default', name: 'spare' }
  try {
    const template = { metadata: { labels: { app: 'spare' } }, spec: odd.spec }
    await client.create(podTemplates, { apiVersion: 'v1', kind: 'PodTemplate', metadata, template } as never)
    await client.create(capacityBuffers, {
      apiVersion: 'autoscaling.x-k8s.io/v1beta1',
      kind: 'CapacityBuffer',
      metadata,
      spec: { podTemplateRef: { name: 'spare' }, replicas: 1 },
    })
    await run(15 * minute)
    expect(claims.size).toBe(2)
    expect((await told('LaunchedInVain'))[0]).toMatch(
      /was launched for pod default\/capacity-buffer-spare-1 and did not take it: untolerated taint example\.com\/scan/,
    )
    const { status } = await client.get(capacityBuffers, metadata)
    expect(status?.conditions?.map(({ message }) => message)).toContain(
      '0/1 virtual pods required new capacity, 1 failed',
    )
    await run(15 * minute)
    expect(claims.size).toBe(3)
  } finally {
    await stop()
  }
})

test('a hundred replicas launch what they need, and nothing holds them', async () => {
  const { cluster, stop } = await anEmbeddedOperator()
  const { client, clock } = cluster
  try {
    await aFleet(cluster)
    const spec = {
      containers: [containerOf({ cpu: '900m', memory: '900Mi' })],
      nodeSelector: { 'karpenter.sh/nodepool': 'default' },
    }
    await client.create(deployments, deploymentOf('web', 100, spec))
    await clock.run({ forMs: 10 * minute })
    const running = (await client.list(pods, { namespace: 'default' })).items.filter(
      ({ status }) => status?.phase === 'Running',
    )
    expect(running).toHaveLength(100)
    expect((await client.list(events)).items.filter(({ reason }) => reason === 'LaunchedInVain')).toEqual([])
  } finally {
    await stop()
  }
})
