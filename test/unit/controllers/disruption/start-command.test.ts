import { expect, test } from 'vitest'
import { conditionOf } from '../../../../src/api/conditions.ts'
import { disruptionController, OrchestrationQueue, VerdictBook } from '../../../../src/controllers/disruption/index.ts'
import type { LaunchCause } from '../../../../src/controllers/disruption/deps.ts'
import { startCommand } from '../../../../src/controllers/disruption/start-command.ts'
import { silentLogger } from '../../../../src/kube/logger.ts'
import { nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes } from '../../../../src/kube/kinds.ts'
import { toRequirement } from '../../../../src/model/requirement.ts'
import { aClaim } from '../../../support/controller-builders.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import { daemonSetOwner, aRunningPod, aType, aWorld, condition } from '../../../support/disruption-builders.ts'
import { options, plan } from '../../../support/disruption-decisions.ts'
import { aStoredNode, disruptionDeps } from '../../../support/disruption-deps.ts'
import { aQueue } from './queue-world.ts'

const capacityType = (...values: string[]) => toRequirement('karpenter.sh/capacity-type', 'In', values)
const types = (count: number) => Array.from({ length: count }, (_, index) => aType(`t${index}`, { price: 0.1 }))

/** A drifted node whose pods need the nodes of these plans. */
async function aDriftedNode(replacements: readonly ReturnType<typeof plan>[]) {
  const world = aControllerWorld()
  const pods = [aRunningPod(), aRunningPod(), aRunningPod({ ownerReferences: daemonSetOwner })]
  let state = await aStoredNode(world, 'a', { pods, conditions: [condition('Drifted')] })
  const happened: string[] = []
  const seen = {
    snapshot: () => aWorld({ nodes: [state], now: world.clock.now() }),
    markForDeletion: (key: string) => void happened.push(`marked ${key}`),
  }
  let refused = ''
  const reasons: string[] = []
  const deps = disruptionDeps(world, seen, {
    settings: options,
    simulatorFor: () =>
      function* simulate() {
        yield undefined
        return { kind: 'placed', replacements, destinations: [], unplaced: undefined }
      },
    launch: async (_plan: unknown, { reason, annotations }: LaunchCause) => {
      reasons.push(`${reason} ${JSON.stringify(annotations)}`)
      const name = `new-${reasons.length}`
      const { spec } = await world.read(nodes, { name: 'a' })
      const marks = (spec.taints ?? []).map(({ key }) => key).join(' ')
      happened.push(`launch ${name} with ${marks}`)
      if (name === refused) throw new Error('no quota')
      return world.kube.create(nodeClaims, aClaim(name))
    },
  })
  const queue = new OrchestrationQueue(deps)
  const start = () => world.start(disruptionController(deps, queue, new VerdictBook()))
  const refuse = (name: string) => {
    refused = name
  }
  /** What the cluster's cache has by now; what the node had drifted from was taken back. */
  const catchUp = async () => {
    const node = await world.read(nodes, { name: 'a' })
    const nodeClaim = await world.read(nodeClaims, { name: 'claim-a' })
    const conditions = (nodeClaim.status?.conditions ?? []).filter(({ type }) => type !== 'Drifted')
    state = { ...state, node, nodeClaim: { ...nodeClaim, status: { ...nodeClaim.status, conditions } } }
  }
  const marks = async () => [
    ((await world.read(nodes, { name: 'a' })).spec.taints ?? []).map(({ key }) => key),
    conditionOf(await world.read(nodeClaims, { name: 'claim-a' }), 'DisruptionReason')?.status,
  ]
  const awaited = () => [...deps.late.awaited([state])].map(([claim, { name }]) => [claim, name])
  return { ...world, awaited, catchUp, happened, marks, queue, reasons, refuse, start }
}

test('a node is tainted, then its replacements are made, and only then is it taken out of the capacity', async () => {
  const { counts, happened, reasons, run, start } = await aDriftedNode([plan([]), plan([])])
  await start()
  await run(100)
  expect(happened).toEqual([
    'launch new-1 with karpenter.sh/disrupted',
    'launch new-2 with karpenter.sh/disrupted',
    'marked aws:///z1/i-a',
  ])
  const said = 'drifted {"joinery.dev/replaces":"Drifted claim-a"}'
  expect(reasons).toEqual([said, said])
  const decided = { nodepool: 'default', decision: 'replace', reason: 'drifted', consolidation_type: '' }
  expect(counts.sum('karpenter_voluntary_disruption_decisions_by_nodepool_total', decided)).toBe(1)
})

test('where one replacement cannot be made, the node is given back by the next pass, and the other one stays', async () => {
  const { catchUp, exists, happened, logged, marks, queue, refuse, run, start } = await aDriftedNode([
    plan([]),
    plan([]),
  ])
  refuse('new-2')
  await start()
  await run(0)
  expect(await marks()).toEqual([['karpenter.sh/disrupted'], 'True'])
  expect(happened.filter((each) => each.startsWith('marked'))).toEqual([])
  expect(queue.commands).toEqual([])
  expect(logged('Reconciler error')[0]).toMatchObject({
    err: { message: 'launching replacement nodeclaim, no quota' },
  })
  await catchUp()
  await run(5_000)
  expect(await marks()).toEqual([[], undefined])
  expect(await exists(nodeClaims, { name: 'new-1' })).toBe(true)
  expect(happened.filter((each) => each.startsWith('marked'))).toEqual([])
})

test('a replacement whose fellow cannot be made is not taken for empty: the node is still to go for it', async () => {
  const { awaited, refuse, run, start } = await aDriftedNode([plan([]), plan([])])
  refuse('new-2')
  await start()
  await run(0)
  expect(awaited()).toEqual([['new-1', 'a']])
})

test('the line in the log says what goes, and what comes instead', async () => {
  const either = plan(types(7), capacityType('spot', 'on-demand'))
  const one = await aDriftedNode([either])
  await one.start()
  await one.run(100)
  expect(one.logged('disrupting node(s)')).toMatchObject([
    {
      command: expect.stringMatching(
        /^Drifted\/[-\da-f]+: replace: nodepools=\[default\]: \[a\] -> \[1 replacement\] \(savings: \$0\.90\)$/,
      ),
      decision: 'replace',
      'disrupted-node-count': 1,
      'replacement-node-count': 1,
      'pod-count': 2,
      'disrupted-nodes': [
        {
          Node: { name: 'a' },
          NodeClaim: { name: 'claim-a' },
          'instance-type': 'm5.large',
          'capacity-type': 'on-demand',
        },
      ],
      'replacement-nodes': [{ 'capacity-type': 'spot', 'instance-types': 't0, t1, t2, t3, t4 and 2 other(s)' }],
    },
  ])
  const two = await aDriftedNode([either, plan(types(1), capacityType('reserved', 'spot'))])
  await two.start()
  await two.run(100)
  expect(two.logged('disrupting node(s)')[0]?.['replacement-nodes']).toEqual([
    { 'capacity-type': 'spot' },
    { 'capacity-type': 'reserved' },
  ])
})

test('a node that goes already is not begun with a second time, and the place of its replacement is given back', async () => {
  const { queue, deps, begin, command, first } = await aQueue(['a'])
  await begin([])
  const released: unknown[] = []
  const pool = { ...first.pool, spec: { ...first.pool.spec, replicas: 1 } }
  const again = { ...command([]), candidates: [{ ...first, pool }] as const }
  const counting = {
    ...deps,
    static: { ...deps.static, release: (...of: readonly unknown[]) => void released.push(of) },
  }
  const context = {
    queue,
    log: silentLogger,
    basis: { marksTakenBack: 0, claims: new Map(), launching: new Set<string>() },
  }
  await expect(startCommand(again, counting, context)).rejects.toThrow('candidate is being disrupted, a')
  expect(released).toEqual([['default', 1]])
  expect(queue.commands).toHaveLength(1)
})
