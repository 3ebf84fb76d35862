import { expect, test } from 'vitest'
import { disruptionController, OrchestrationQueue, VerdictBook } from '../../../../src/controllers/disruption/index.ts'
import type { PodInfo } from '../../../../src/model/pod.ts'
import type { StateNode } from '../../../../src/model/snapshot.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import { aPool, aRunningPod, aStateNode, aWorld, minute, noon } from '../../../support/disruption-builders.ts'
import { disruptionDeps } from '../../../support/disruption-deps.ts'

/** The events of one pass over the nodes, at noon. */
async function told(nodes: readonly StateNode[], pools = [aPool({ disruption: { consolidateAfter: 'Never' } })]) {
  const world = aControllerWorld()
  const deps = disruptionDeps(world, { snapshot: () => aWorld({ nodes, pools, now: noon }) })
  await world.start(disruptionController(deps, new OrchestrationQueue(deps), new VerdictBook()))
  await world.run(1_000)
  const events = world.recorder.published
  return { ...world, events: [...new Set(events.map(textOf))] }
}

const textOf = ({ object, type, reason, message }: { object: object; type: string; reason: string; message: string }) =>
  `${'kind' in object ? object.kind : ''} ${type} ${reason}: ${message}`

const annotated = (value: string, more: Partial<PodInfo> = {}) => [
  aStateNode('a', { pods: [aRunningPod({ annotations: { 'karpenter.sh/do-not-disrupt': value }, ...more })] }),
]

const invalid = 'Pod Warning InvalidDoNotDisruptAnnotation: Invalid karpenter.sh/do-not-disrupt annotation: '

test.each([
  ['case 31: zero', '0s', 'duration "0s" must be positive, ignoring annotation'],
  ['case 31: negative', '-5m', 'duration "-5m" must be positive, ignoring annotation'],
  [
    'case 31: words',
    'soon',
    'failed to parse "soon" as a duration: time: invalid duration "soon", ignoring annotation',
  ],
])('%s, the pod is told that its protection is none', async (_name, value, message) => {
  const { events } = await told(annotated(value))
  expect(events.filter((text) => text.startsWith('Pod '))).toEqual([invalid + message])
})

test('a pod is told until when it is protected, and when it is not any more', async () => {
  const held = await told(annotated('10m', { startedAt: noon - 9 * minute }))
  expect(held.events).toContain(
    'Pod Normal DoNotDisruptUntil: The karpenter.sh/do-not-disrupt grace period will elapse at 2026-06-14T12:01:00Z',
  )
  const free = await told(annotated('10m', { startedAt: noon - 11 * minute }))
  expect(free.events).toContain(
    'Pod Normal DoNotDisruptGracePeriodElapsed: The karpenter.sh/do-not-disrupt grace period has elapsed, pod is now disruptable',
  )
})

test('a pod that has not started is protected without an end that could be told', async () => {
  const { events } = await told(annotated('10m', { startedAt: undefined }))
  expect(events.filter((text) => text.startsWith('Pod '))).toEqual([])
})

test.each([
  ['has ended', { phase: 'Succeeded' }],
  ['is going', { deletedAt: noon }],
] as const)('a pod that %s protects nothing, and is told nothing of it', async (_what, more) => {
  for (const value of ['10m', '1h', 'soon']) {
    const { events } = await told(annotated(value, { startedAt: noon - 11 * minute, ...more }))
    expect(events.filter((text) => text.startsWith('Pod '))).toEqual([])
  }
})

const blocked = 'Normal DisruptionBlocked: Nodeclaim does not have an associated node'

test('case 44: of a claim without a node the claim is told, and nobody else', async () => {
  expect((await told([aStateNode('a', { node: 'none' })])).events).toEqual([`NodeClaim ${blocked}`])
})

test('case 43: a node without a claim is not told anything, nor are its pods', async () => {
  const pods = [aRunningPod({ annotations: { 'karpenter.sh/do-not-disrupt': 'soon' } })]
  expect((await told([aStateNode('a', { claim: 'none', pods })])).events).toEqual([])
})

test('case 52: node and claim of a pool that never consolidates are told, once in a quarter of an hour', async () => {
  const { events, recorder } = await told([aStateNode('a')])
  const message = 'Normal Unconsolidatable: NodePool "default" has consolidation disabled'
  expect(events).toEqual([`Node ${message}`, `NodeClaim ${message}`])
  for (const { dedupeMs } of recorder.published) expect(dedupeMs).toBe(15 * minute)
})

test('cases 17 and 18: a schedule that cannot be read is logged in each pass, and the pool says that it is frozen', async () => {
  const budgets = [{ nodes: '5', schedule: '0 0 * * tue-mon', duration: '1h', reasons: ['Drifted' as const] }]
  const pools = [aPool({ disruption: { consolidateAfter: '0s', budgets } })]
  const { events, logged, run } = await told([aStateNode('a')], pools)
  expect(events).toEqual([
    'NodePool Normal DisruptionBlocked: No allowed disruptions for disruption reason Empty due to blocking budget',
  ])
  await run(20_000)
  const errors = logged('detected disruption budget errors')
  expect(errors).toHaveLength(3)
  expect(errors[0]?.['err']).toMatch(/^invalid disruption budgets in nodepool default, /)
})

test('a loop that was held up for longer than a quarter of an hour says so, and so does each method', async () => {
  const world = aControllerWorld()
  const base = disruptionDeps(world, { snapshot: () => aWorld({ nodes: [], now: world.clock.now() }) })
  let holdMs = 0
  const snapshot = async () => {
    const heldMs = holdMs
    holdMs = 0
    await world.clock.sleep(heldMs)
    return base.cluster.snapshot()
  }
  const deps = { ...base, cluster: Object.create(base.cluster, { snapshot: { value: snapshot } }) }
  await world.start(disruptionController(deps, new OrchestrationQueue(deps), new VerdictBook()))
  holdMs = 14 * minute
  await world.run(20 * minute)
  expect(world.logged('abnormal time between runs')).toEqual([])
  holdMs = 15 * minute
  await world.run(20 * minute)
  expect(world.logged('abnormal time between runs')).toMatchObject(
    ['disruption', 'emptiness', 'staticDrift', 'drift', 'multiNode', 'singleNode'].map((name) => ({
      name,
      time_since: '910s',
    })),
  )
})

test('what is told again counts as the same for as long as the catalogue of events says', async () => {
  const nodes = [aStateNode('a', { nominatedUntil: noon + minute }), aStateNode('b')]
  const { recorder } = await told(nodes)
  const dedupes = new Map(recorder.published.map((event) => [event.reason, [event.dedupeValues, event.dedupeMs]]))
  expect(dedupes.get('DisruptionBlocked')).toEqual([['uid-a'], undefined])
  expect(dedupes.get('Unconsolidatable')).toEqual([['uid-b'], 15 * minute])

  const until = await told(annotated('10m', { uid: 'app', startedAt: noon - 9 * minute }))
  const notice = until.recorder.published.find(({ reason }) => reason === 'DoNotDisruptUntil')
  expect(notice?.dedupeValues).toEqual(['app', notice?.message])
  const elapsed = await told(annotated('10m', { uid: 'app', startedAt: noon - 11 * minute }))
  const last = elapsed.recorder.published.find(({ reason }) => reason === 'DoNotDisruptGracePeriodElapsed')
  expect(last?.dedupeValues).toEqual(['app'])
})

test('how many nodes each reason could take is told', async () => {
  const nodes = ['a', 'b'].map((name) => aStateNode(name, { pods: [aRunningPod()] }))
  const { counts } = await told(nodes, [aPool()])
  const eligible = (reason: string) => counts.observed('karpenter_voluntary_disruption_eligible_nodes', { reason })
  expect([eligible('empty'), eligible('drifted'), eligible('underutilized')]).toEqual([[0], [0], [2]])
})
