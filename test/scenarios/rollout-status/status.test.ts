import { expect, test } from 'vitest'
import { deployment, nodeClass, nodePool } from '../../../src/cli/demo/manifests.ts'
import { type Stack, type StackOptions, startStack } from '../../../src/cli/embedded/stack.ts'
import { conditionOf } from '../../../src/api/conditions.ts'
import { customResourceDefinitions, type EC2NodeClass, type NodePool } from '../../../src/api/karpenter.ts'
import type { KubeObject, PodDisruptionBudget, Unsaved } from '../../../src/api/kubernetes.ts'
import { annotationDoNotDisrupt, taintDisruptedKey } from '../../../src/api/labels.ts'
import { ec2NodeClasses, nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { deployments, nodes, podDisruptionBudgets, pods } from '../../../src/kube/kinds.ts'
import { argoHealth, fluxHealth } from '../../support/gitops-health.ts'

const minute = 60_000
const key = { name: 'default' }
const taint = (effect: 'NoSchedule' | 'NoExecute') => ({ key: 'team', value: 'a', effect })
const tolerations = [{ key: 'team', operator: 'Exists' as const }]

/** Three nodes, each with one pod, which tolerates whatever the pool's taint becomes. */
async function aFleet(options: Pick<StackOptions, 'crds'> = {}) {
  const stack = await startStack({ seed: 11, region: 'us-west-2', ...options })
  const { cluster } = stack
  const { template, ...spec } = nodePool.spec
  const tainted = { ...template, spec: { ...template.spec, taints: [taint('NoSchedule')] } }
  const disruption = { consolidationPolicy: 'WhenEmpty' as const, consolidateAfter: '30s', budgets: [{ nodes: '1' }] }
  await cluster.client.create(ec2NodeClasses, nodeClass)
  await cluster.client.create(nodePools, { ...nodePool, spec: { ...spec, template: tainted, disruption } })
  const app = deployment({ name: 'app', replicas: 3, cpu: '5', memory: '4Gi' })
  const podTemplate = app.spec.template
  const tolerant = { ...podTemplate, spec: { ...podTemplate.spec, tolerations } }
  await cluster.client.create(deployments, { ...app, spec: { ...app.spec, template: tolerant } })
  expect(await cluster.clock.run({ until: () => running(stack) === 3, withinMs: 30 * minute })).toBe(true)
  await cluster.clock.run({ forMs: 5 * minute })
  return stack
}

const running = ({ operator }: Stack): number =>
  operator.caches
    .of(pods)
    .list()
    .filter(({ metadata, status }) => metadata.labels?.['app'] === 'app' && status?.phase === 'Running').length

const claimNames = ({ operator }: Stack): readonly string[] =>
  operator.caches
    .of(nodeClaims)
    .list()
    .map(({ metadata }) => metadata.name)

/** Every version of the pool and of its class, with what Argo CD and Flux say of it, and how many of the old nodes were left. */
function follow(stack: Stack, old: ReadonlySet<string>) {
  const seen: { kind: string; reconciling: string; argo: string; flux: string; oldLeft: number }[] = []
  const look = (kind: string, object: NodePool | EC2NodeClass): void => {
    seen.push({
      kind,
      reconciling: conditionOf(object, 'Reconciling')?.status ?? 'absent',
      argo: argoHealth(kind, object).status,
      flux: fluxHealth(kind, object),
      oldLeft: claimNames(stack).filter((name) => old.has(name)).length,
    })
  }
  const { caches } = stack.operator
  const stops = [
    caches.of(nodePools).subscribe(({ after }) => after !== undefined && look('NodePool', after)),
    caches.of(ec2NodeClasses).subscribe(({ after }) => after !== undefined && look('EC2NodeClass', after)),
  ]
  return { seen, stop: () => stops.forEach((stop) => stop()) }
}

/** Our CRDs without what Karpenter's do not have: their API server drops those fields of a status. */
function asKarpenters(crd: (typeof customResourceDefinitions)[number]): KubeObject {
  const ours =
    /^(observedGeneration|currentHash|targetHash|target|currentImages|targetImages|pinnedImages|imageHistory|rollout|(upToDate|drifted|ready|blocked)Nodes|blockedBy)$/
  const versions = crd.spec.versions.map((version) => {
    const root = version.schema?.openAPIV3Schema
    const status = root?.properties?.['status']
    if (root === undefined || status === undefined) return version
    const known = Object.fromEntries(Object.entries(status.properties ?? {}).filter(([name]) => !ours.test(name)))
    const properties = { ...root.properties, status: { ...status, properties: known } }
    return { ...version, schema: { openAPIV3Schema: { ...root, properties } } }
  })
  return { ...crd, spec: { ...crd.spec, versions } } as unknown as KubeObject
}

const distinct = (texts: readonly string[]): readonly string[] =>
  texts.filter((text, index) => text !== texts[index - 1])

test('an edited taint: messages name it, counts follow, and health waits for the last old node', async () => {
  const stack = await aFleet()
  const { cluster, operator } = stack
  const old = new Set(claimNames(stack))
  expect(old.size).toBe(3)
  const { seen, stop } = follow(stack, old)

  const body = { spec: { template: { spec: { taints: [taint('NoExecute')] } } } }
  const edited = await cluster.client.patch(nodePools, key, { kind: 'merge', body })
  await cluster.clock.run({ forMs: 5_000 })
  const change = 'spec.template.spec.taints[0].effect: NoSchedule -> NoExecute'
  for (const claim of operator.caches.of(nodeClaims).list()) {
    expect(conditionOf(claim, 'Drifted')).toMatchObject({
      reason: 'NodePoolDrifted',
      message: `NodePoolDrifted: ${change} (generation ${edited.metadata.generation})`,
    })
  }
  const pool = await cluster.client.get(nodePools, key)
  expect(pool.status).toMatchObject({ driftedNodes: 3, upToDateNodes: 0, observedGeneration: pool.metadata.generation })

  const isDone = (): boolean => claimNames(stack).every((name) => !old.has(name)) && running(stack) === 3
  expect(await cluster.clock.run({ until: isDone, withinMs: 120 * minute })).toBe(true)
  await cluster.clock.run({ forMs: minute })
  stop()

  const ofPool = seen.filter(({ kind }) => kind === 'NodePool')
  // The first version is the edit itself, which still carries what was said of the version before.
  expect(distinct(ofPool.map(({ reconciling }) => reconciling))).toEqual(['False', 'True', 'False'])
  expect(distinct(ofPool.map(({ argo }) => argo))).toEqual(['Progressing', 'Healthy'])
  expect(distinct(ofPool.map(({ flux }) => flux))).toEqual(['Progressing', 'Healthy'])
  expect(ofPool.filter(({ argo, flux, oldLeft }) => (argo === 'Healthy' || flux === 'Healthy') && oldLeft > 0)).toEqual(
    [],
  )
  const after = await cluster.client.get(nodePools, key)
  expect(after.status).toMatchObject({ driftedNodes: 0, blockedNodes: 0, currentHash: after.status?.targetHash })
  await stack.stop()
}, 120_000)

test('a new image: the class says so, the message names both images, and the class is healthy when the old one is gone', async () => {
  const stack = await aFleet()
  const { cluster, operator } = stack
  const old = new Set(claimNames(stack))
  const [before = ''] = (await cluster.client.get(ec2NodeClasses, key)).status?.targetImages ?? []
  const { seen, stop } = follow(stack, old)
  const [image] = cluster.aws.publishImage('al2023', { version: 'v20260401' })
  const isFound = (): boolean =>
    operator.caches
      .of(nodeClaims)
      .list()
      .some((claim) => conditionOf(claim, 'Drifted') !== undefined)
  expect(await cluster.clock.run({ until: isFound, withinMs: 60 * minute })).toBe(true)
  await cluster.clock.run({ forMs: 5_000 })
  const drifted = operator.caches
    .of(nodeClaims)
    .list()
    .flatMap((claim) => conditionOf(claim, 'Drifted') ?? [])
  const named = (id: string) => `${id} \\(amazon-eks-node-al2023\\S+ of \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ\\)`
  expect(drifted[0]?.message).toMatch(
    new RegExp(`^AMIDrift: status.amis: ${named(before)} -> ${named(image?.id ?? '')}$`),
  )
  expect((await cluster.client.get(ec2NodeClasses, key)).status).toMatchObject({
    currentImages: [before],
    targetImages: [image?.id],
    driftedNodes: 3,
  })
  const isDone = (): boolean => claimNames(stack).every((name) => !old.has(name)) && running(stack) === 3
  expect(await cluster.clock.run({ until: isDone, withinMs: 120 * minute })).toBe(true)
  await cluster.clock.run({ forMs: minute })
  stop()
  for (const kind of ['NodePool', 'EC2NodeClass']) {
    const ofKind = seen.filter((one) => one.kind === kind)
    const whileMoving = ofKind.slice(ofKind.findIndex(({ reconciling }) => reconciling === 'True'))
    expect([kind, distinct(whileMoving.map(({ argo }) => argo))]).toEqual([kind, ['Progressing', 'Healthy']])
    expect(whileMoving.filter(({ argo, oldLeft }) => argo === 'Healthy' && oldLeft > 0)).toEqual([])
  }
  await stack.stop()
}, 120_000)

test('a budget of pods that lets none go: blocked, after a while Degraded, and Progressing again when it does', async () => {
  const stack = await aFleet()
  const { cluster } = stack
  const budget: Unsaved<PodDisruptionBudget> = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'guard', namespace: 'default' },
    spec: { maxUnavailable: 0, selector: { matchLabels: { app: 'app' } } },
  }
  await cluster.client.create(podDisruptionBudgets, budget)
  const body = { spec: { template: { spec: { taints: [taint('NoExecute')] } } } }
  await cluster.client.patch(nodePools, key, { kind: 'merge', body })
  await cluster.clock.run({ forMs: minute })
  const pool = await cluster.client.get(nodePools, key)
  expect(pool.status).toMatchObject({
    driftedNodes: 3,
    blockedNodes: 3,
    blockedBy: [{ reason: 'PDBBlocked', nodes: 3, message: expect.stringContaining('guard') }],
  })
  expect(argoHealth('NodePool', pool).status).toBe('Progressing')
  await cluster.clock.run({ forMs: 16 * minute })
  const stuck = await cluster.client.get(nodePools, key)
  expect([argoHealth('NodePool', stuck).status, fluxHealth('NodePool', stuck)]).toEqual(['Degraded', 'Degraded'])
  expect(conditionOf(stuck, 'Stalled')).toMatchObject({ status: 'True', reason: 'PDBBlocked' })
  expect(conditionOf(stuck, 'Ready')).toMatchObject({ status: 'True' })

  const spec = { maxUnavailable: 1 }
  await cluster.client.patch(
    podDisruptionBudgets,
    { namespace: 'default', name: 'guard' },
    { kind: 'merge', body: { spec } },
  )
  await cluster.clock.run({ forMs: 2 * minute })
  expect(argoHealth('NodePool', await cluster.client.get(nodePools, key)).status).toBe('Progressing')
  const isDone = async (): Promise<string> => argoHealth('NodePool', await cluster.client.get(nodePools, key)).status
  await cluster.clock.run({ forMs: 60 * minute })
  expect(await isDone()).toBe('Healthy')
  await stack.stop()
}, 120_000)

test('a node that cannot end: after an hour Degraded, since its pool waits for it, and Healthy once its pods are gone', async () => {
  const stack = await aFleet()
  const { cluster, operator } = stack
  const body = { spec: { template: { spec: { taints: [taint('NoExecute')] } } } }
  await cluster.client.patch(nodePools, key, { kind: 'merge', body })
  // The first node waits for its replacement when somebody begins to guard what runs on it.
  const leaving = (): string | undefined =>
    operator.caches
      .of(nodes)
      .list()
      .find(({ spec }) => spec.taints?.some((one) => one.key === taintDisruptedKey))?.metadata.name
  expect(await cluster.clock.run({ until: () => leaving() !== undefined, withinMs: 20 * minute })).toBe(true)
  const guarded = operator.caches
    .of(pods)
    .list()
    .find(({ metadata, spec }) => metadata.labels?.['app'] === 'app' && spec.nodeName === leaving())
  const guard = async (value: string | null): Promise<void> => {
    const { namespace = '', name } = guarded?.metadata ?? { name: '' }
    const annotations = { [annotationDoNotDisrupt]: value }
    await cluster.client.patch(pods, { namespace, name }, { kind: 'merge', body: { metadata: { annotations } } })
  }
  await guard('true')

  await cluster.clock.run({ forMs: 59 * minute })
  const waiting = await cluster.client.get(nodePools, key)
  expect(argoHealth('NodePool', waiting).status).toBe('Progressing')
  // The budget of one node is used up by the one that lingers.
  expect(waiting.status?.blockedBy).toEqual([expect.objectContaining({ reason: 'BudgetExhausted', nodes: 2 })])
  await cluster.clock.run({ forMs: 2 * minute })
  const stuck = await cluster.client.get(nodePools, key)
  expect([argoHealth('NodePool', stuck).status, fluxHealth('NodePool', stuck)]).toEqual(['Degraded', 'Degraded'])
  expect(conditionOf(stuck, 'Stalled')).toMatchObject({
    status: 'True',
    reason: 'TerminationBlocked',
    message: expect.stringMatching(/^1 node\(s\) blocked: ip-\S+: deleted at \S+Z, pods do not leave it$/),
  })

  await guard(null)
  await cluster.clock.run({ forMs: 60 * minute })
  expect(argoHealth('NodePool', await cluster.client.get(nodePools, key)).status).toBe('Healthy')
  await stack.stop()
}, 120_000)

test("with Karpenter's own CRDs the conditions alone tell health checks what they need", async () => {
  const stack = await aFleet({ crds: customResourceDefinitions.map(asKarpenters) })
  const { cluster } = stack
  const old = new Set(claimNames(stack))
  const { seen, stop } = follow(stack, old)
  const body = { spec: { template: { spec: { taints: [taint('NoExecute')] } } } }
  await cluster.client.patch(nodePools, key, { kind: 'merge', body })
  await cluster.clock.run({ forMs: 5_000 })
  const pool = await cluster.client.get(nodePools, key)
  expect(pool.status).not.toHaveProperty('driftedNodes')
  expect(pool.status).not.toHaveProperty('target')
  expect(conditionOf(pool, 'Reconciling')?.message).toMatch(/^3 of 3 node\(s\).*; target \d+-[0-9a-f]{8}$/)
  const isDone = (): boolean => claimNames(stack).every((name) => !old.has(name)) && running(stack) === 3
  expect(await cluster.clock.run({ until: isDone, withinMs: 120 * minute })).toBe(true)
  await cluster.clock.run({ forMs: minute })
  stop()
  const ofPool = seen.filter(({ kind }) => kind === 'NodePool')
  expect(distinct(ofPool.map(({ argo }) => argo))).toEqual(['Progressing', 'Healthy'])
  expect(distinct(ofPool.map(({ flux }) => flux))).toEqual(['Progressing', 'Healthy'])
  expect(ofPool.filter(({ argo, oldLeft }) => argo === 'Healthy' && oldLeft > 0)).toEqual([])
  await stack.stop()
}, 120_000)

test("a class that is deleted is kept until its nodes are gone: indexes of one cache do not get into each other's way", async () => {
  const stack = await aFleet()
  const { cluster } = stack
  await cluster.client.delete(ec2NodeClasses, key)
  await cluster.clock.run({ forMs: 2 * minute })
  expect((await cluster.client.get(ec2NodeClasses, key)).metadata.deletionTimestamp).toBeDefined()
  await stack.stop()
}, 60_000)
