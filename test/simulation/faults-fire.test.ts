import { expect, test } from 'vitest'
import { annotationDoNotDisrupt } from '../../src/api/labels.ts'
import type { KubeObject, Node, Pod, VolumeAttachment } from '../../src/api/kubernetes.ts'
import type { EC2NodeClass, NodeClaim, NodePool } from '../../src/api/karpenter.ts'
import { deployments } from '../../src/kube/kinds.ts'
import { parseQuantity } from '../../src/model/quantity.ts'
import type { WatchMessage } from '../../src/embedded/apiserver/index.ts'
import { faults } from './faults/index.ts'
import type { FaultContext } from './faults/fault.ts'
import { type Scenario, startScenario } from './incidents/scenario.ts'
import { idOf, isReadyNode } from './invariants/look.ts'
import { isRecorded, revisionOf } from './patterns/record.ts'
import { minute } from './world.ts'

/** What somebody who looks on sees of a fault while it is at work. */
interface Seen {
  readonly scenario: Scenario
  /** Before it. */
  readonly before: Before
  readonly restarts: number
  /** Calls and watch messages of the operator to which something was done. */
  readonly apiFaults: number
  /** Times that events were told in another order than that of their commits. */
  readonly reordered: number
  /** Events of one object that were told as one. */
  readonly coalesced: number
  /** Writes of an operator after one that was started later had written, too. */
  readonly twoLed: number
  /** Calls to AWS to which something was done. */
  readonly cloudFaults: number
  /** What the operator was told of calls to the API server that failed. */
  readonly refusals: readonly string[]
  readonly log: readonly string[]
  /** Committed changes, each as the object was afterwards. */
  changes<T extends KubeObject>(table: string): readonly T[]
}

interface Before {
  readonly offsetMs: number
  readonly images: number
  readonly launchedAt: ReadonlyMap<string, number>
}

const cloud = ({ scenario }: Pick<Seen, 'scenario'>) => scenario.world.stack.cluster.aws

function offsetMs({ world }: Scenario): number {
  const { clock } = world.stack.cluster
  return clock.now() - clock.monotonicMs()
}

function logged(pattern: RegExp) {
  return ({ log }: Seen): number => log.filter((line) => pattern.test(line)).length
}

const onTheAPI = ({ apiFaults }: Seen): number => apiFaults
const atAWS = ({ cloudFaults }: Seen): number => cloudFaults

/** New machines whose node has not come. */
function late({ scenario, before, changes }: Seen): number {
  const joined = new Set(changes<Node>('/nodes').map(({ spec }) => idOf(spec.providerID)))
  return scenario.machines().filter(({ id }) => !before.launchedAt.has(id) && !joined.has(id)).length
}

function smaller({ changes }: Seen): number {
  const promised = new Map(
    changes<NodeClaim>('karpenter.sh/nodeclaims').map(({ status }) => [
      status?.providerID,
      status?.capacity?.['memory'],
    ]),
  )
  return changes<Node>('/nodes').filter(({ spec, status }) => {
    const want = promised.get(spec.providerID)
    const got = status?.capacity?.['memory']
    return want !== undefined && got !== undefined && parseQuantity(got).compare(parseQuantity(want)) < 0
  }).length
}

function hanging({ changes, scenario }: Seen): number {
  const { clock } = scenario.world.stack.cluster
  const deleted = changes<Pod>('/pods').filter(
    ({ metadata }) => clock.now() - Date.parse(metadata.deletionTimestamp ?? '') > 2 * minute,
  )
  const left = new Set(
    scenario.world.stack.cluster.apiServer.context.store.list('/pods').map(({ metadata }) => metadata.uid),
  )
  return deleted.filter(({ metadata }) => left.has(metadata.uid)).length
}

/** Pods that went without having been told to end. */
function forced({ changes, scenario }: Seen): number {
  const told = new Map<string, boolean>()
  for (const { metadata } of changes<Pod>('/pods')) told.set(metadata.uid, metadata.deletionTimestamp !== undefined)
  for (const { metadata } of scenario.world.stack.cluster.apiServer.context.store.list('/pods'))
    told.delete(metadata.uid)
  return [...told.values()].filter((wasTold) => !wasTold).length
}

const notRunning = ({ scenario }: Seen): number =>
  cloud({ scenario }).state.instances.filter(({ state }) => state !== 'running').length

/** New nodes that were Ready, and then not. */
function turnedUnready({ before, changes }: Seen): number {
  const ready = new Set<string>()
  return changes<Node>('/nodes').filter((node) => {
    const id = idOf(node.spec.providerID)
    if (id === undefined || before.launchedAt.has(id)) return false
    if (isReadyNode(node)) ready.add(id)
    return !isReadyNode(node) && ready.has(id)
  }).length
}

/** How often a node that was there before was not Ready. */
function unready({ before, changes }: Seen): number {
  return changes<Node>('/nodes').filter((node) => {
    const id = idOf(node.spec.providerID)
    return id !== undefined && before.launchedAt.has(id) && !isReadyNode(node)
  }).length
}

/** Nodes that came under the name of another machine's. */
function renamed({ before, changes }: Seen): number {
  const owners = new Map<string, Set<string>>()
  for (const { metadata, spec } of changes<Node>('/nodes')) {
    const ids = owners.get(metadata.name) ?? new Set()
    owners.set(metadata.name, ids.add(idOf(spec.providerID) ?? ''))
  }
  return [...owners.values()].filter((ids) => ids.size > 1 && [...ids].some((id) => before.launchedAt.has(id))).length
}

/** Images of others that have the name of one of Amazon's. */
function sameName({ scenario }: Pick<Seen, 'scenario'>): number {
  const { images } = cloud({ scenario }).state
  const names = new Set(images.filter(({ ownerAlias }) => ownerAlias === 'amazon').map(({ name }) => name))
  return images.filter(({ name, ownerAlias }) => ownerAlias === undefined && names.has(name)).length
}

/** Classes that name images, for which some were found. */
function selectedByName({ changes }: Pick<Seen, 'changes'>): number {
  return changes<EC2NodeClass>('karpenter.k8s.aws/ec2nodeclasses').filter(
    ({ metadata, spec, status }) =>
      spec?.amiSelectorTerms?.some(({ name }) => name !== undefined) === true &&
      status?.conditions?.some(
        ({ type, status: isReady, observedGeneration }) =>
          type === 'AMIsReady' && isReady === 'True' && observedGeneration === metadata.generation,
      ) === true,
  ).length
}

/** Whether an operator leads that is not the first. */
function handovers({ scenario }: Pick<Seen, 'scenario'>): number {
  const { operator, operators } = scenario.world.stack
  return operators > 1 && operator.lifecycle.state === 'running' ? 1 : 0
}

function tainted(taintKey: string) {
  return ({ changes }: Seen): number =>
    changes<Node>('/nodes').filter(({ spec }) => spec.taints?.some(({ key }) => key === taintKey)).length
}

/** By id, what tells that it is at work: more than nothing. */
const evidence: Readonly<Record<string, (seen: Seen) => number>> = {
  F1: ({ restarts, apiFaults }) => Math.min(restarts, apiFaults),
  F2: ({ restarts, apiFaults }) => Math.min(restarts, apiFaults),
  F3: onTheAPI,
  F4: onTheAPI,
  'F5 coalesced': ({ coalesced }) => coalesced,
  'F5 dropped and doubled': onTheAPI,
  'F5 reordered': ({ reordered }) => reordered,
  'F6 relist storm': onTheAPI,
  'F6 dead watches': onTheAPI,
  F7: onTheAPI,
  'F8 rejects': logged(/policy\.example\.com/),
  'F8 mutates': ({ changes }) =>
    changes<NodeClaim>('karpenter.sh/nodeclaims').filter(
      ({ metadata }) => metadata.labels?.['policy.example.com/seen'] !== undefined,
    ).length,
  'F9 fail': ({ restarts, apiFaults }) => Math.min(restarts, apiFaults),
  'F9 frozen leader': ({ scenario, apiFaults }) => Math.min(handovers({ scenario }), apiFaults),
  'F9 slow': onTheAPI,
  'F9 two leaders': ({ scenario, twoLed }) => Math.min(handovers({ scenario }), twoLed),
  'F10 hour': ({ scenario, before }) => Math.abs(offsetMs(scenario) - before.offsetMs) - 5 * minute,
  'F10 minutes': ({ scenario, before }) => Math.abs(offsetMs(scenario) - before.offsetMs),
  'F10 slow': ({ scenario, before }) => before.offsetMs - offsetMs(scenario),
  'F11 never': late,
  'F11 late': late,
  'F11 too late': late,
  'F11 turn unready': turnedUnready,
  F12: smaller,
  'F13 foreign': tainted('example.com/maintenance'),
  'F13 startup': tainted('example.com/agent-not-ready'),
  'F14 hang': hanging,
  'F14 by force': forced,
  'F15 overlapping': ({ refusals }) => refusals.filter((text) => /more than one PodDisruptionBudget/.test(text)).length,
  'F15 zero': ({ changes }) =>
    changes<KubeObject & { readonly spec: { readonly maxUnavailable?: unknown } }>(
      'policy/poddisruptionbudgets',
    ).filter(({ spec }) => spec.maxUnavailable === 0).length,
  F16: ({ changes }) =>
    changes<Pod>('/pods').filter(({ metadata }) => metadata.annotations?.[annotationDoNotDisrupt] === 'true').length,
  F17: ({ changes }) => changes<Pod>('/pods').filter(({ metadata }) => metadata.name.startsWith('bare-')).length,
  'F18 attached': ({ changes }) =>
    changes<VolumeAttachment>('storage.k8s.io/volumeattachments').filter(
      ({ metadata }) => metadata.deletionTimestamp !== undefined,
    ).length,
  'F18 silent': unready,
  F19: ({ changes }) =>
    changes<KubeObject & { readonly spec: { readonly replicas?: number } }>('apps/deployments').filter(
      ({ spec }) => spec.replicas === 30,
    ).length,
  'F20 class': ({ changes }) =>
    changes<EC2NodeClass>('karpenter.k8s.aws/ec2nodeclasses').filter(({ spec }) => spec?.tags?.['team'] === 'nodes')
      .length,
  'F20 limits and claims': ({ changes }) =>
    changes<NodePool>('karpenter.sh/nodepools').filter(({ spec }) => String(spec.limits?.['cpu']) === '8').length,
  F21: atAWS,
  F22: logged(/UnfulfillableCapacity|InsufficientInstanceCapacity/),
  F23: atAWS,
  F24: atAWS,
  F25: atAWS,
  'F26 terminated': notRunning,
  'F26 stopped': notRunning,
  'F26 untagged': ({ scenario }) =>
    cloud({ scenario }).state.instances.filter(({ tags }) => Object.keys(tags).length === 0).length,
  F27: logged(/interruption message/),
  F28: logged(/failed parsing interruption message/),
  'F29 fail': atAWS,
  'F29 empty': atAWS,
  'F30 deregistered': logged(/no amis exist given constraints/),
  'F30 same name': ({ scenario, changes }) => Math.min(sameName({ scenario }), selectedByName({ changes })),
  'F30 moves': ({ scenario, before }) => cloud({ scenario }).state.images.length - before.images,
  'F31 groups': ({ scenario }) => (cloud({ scenario }).state.securityGroups.length === 0 ? 1 : 0),
  'F31 addresses': ({ scenario }) =>
    cloud({ scenario }).state.subnets.filter(({ addresses }) => addresses === 0).length,
  'F32 profiles': logged(/Invalid IAM Instance Profile name/),
  'F32 templates': logged(/InvalidLaunchTemplateName\.NotFoundException/),
  'F33 credentials': logged(/Request has expired/),
  'F33 permissions': logged(/UnauthorizedOperation|AccessDenied/),
  F34: ({ scenario, before }) =>
    cloud({ scenario }).state.instances.filter(({ id, launchedAt }) => {
      const at = before.launchedAt.get(id)
      return at !== undefined && at !== launchedAt
    }).length,
  'F37 old': ({ changes }) =>
    changes<NodePool>('karpenter.sh/nodepools').filter(
      ({ spec }, index, all) =>
        spec.template?.metadata?.labels?.['revision'] === 'old' &&
        all.slice(0, index).some((pool) => pool.spec.template?.metadata?.labels?.['revision'] === 'new'),
    ).length,
  'F37 prunes': ({ scenario }) => {
    const { pools, stack } = scenario.world
    const there = new Set(
      stack.cluster.apiServer.context.store.list('karpenter.sh/nodepools').map(({ metadata }) => metadata.name),
    )
    return pools.filter(({ name }) => !there.has(name)).length
  },
  'F37 same': ({ changes }) =>
    changes<NodePool>('karpenter.sh/nodepools').filter(({ metadata }) =>
      JSON.stringify(metadata['managedFields'] ?? []).includes('argocd-controller'),
    ).length,
  F38: ({ changes }) =>
    changes<NodeClaim>('karpenter.sh/nodeclaims').filter(
      ({ metadata }) => metadata.annotations?.['karpenter.sh/nodepool-hash-version'] === 'v1',
    ).length,
  'F39 killed': ({ restarts }) => restarts,
  'F39 stalled': onTheAPI,
  F40: renamed,
}

/** Those that befall only some of the few calls and machines here: they are made to befall all. */
const certain: ReadonlySet<string> = new Set(['F11', 'F21', 'F22', 'F27', 'F32'])

/** What is tried with the admission server has tests of its own (`catalogue.test.ts`). */
const tried = faults
  .filter(({ id }) => id !== 'F35' && id !== 'F36')
  .flatMap(({ id, name, inject, ways }) =>
    ways === undefined
      ? [{ id, what: id, name, inject }]
      : Object.entries(ways).map(([way, inOneWay]) => ({ id, what: `${id} ${way}`, name, inject: inOneWay })),
  )

test.each(tried)('$what does what it says, and the operator lives with it: $name', async ({ id, what, inject }) => {
  const scenario = await settled()
  const restarts = { count: 0 }
  const watched = watch(scenario, restarts)
  const random = scenario.world.random.fork(what)
  if (certain.has(id)) random.next = () => 0
  if (id === 'F25') random.below = (limit) => limit - 1
  const context: FaultContext = {
    ...scenario,
    random,
    restart() {
      restarts.count += 1
      scenario.crash()
    },
  }
  const { allowances } = scenario.invariants
  allowances.healedAt = Number.POSITIVE_INFINITY
  const heal = await inject(context)
  await release(scenario)
  expect(evidence[what]?.(watched()) ?? 0).toBeGreaterThan(0)
  heal()
  allowances.healedAt = scenario.world.stack.cluster.clock.monotonicMs()
  await scenario.run(minute)
  expect(await scenario.end()).toEqual([])
})

test('where nothing fails there is no sign of any of them', async () => {
  const scenario = await settled()
  const watched = watch(scenario, { count: 0 })
  await release(scenario)
  const seen = watched()
  expect(Object.entries(evidence).flatMap(([id, count]) => (count(seen) > 0 ? [id] : []))).toEqual([])
  expect(await scenario.end()).toEqual([])
})

function settled(): Promise<Scenario> {
  return startScenario({ settleMs: 4 * minute, pools: [{ name: 'general', capacityTypes: ['spot'] }] })
}

/** New machines, and pods that go. */
async function release({ world, run }: Scenario): Promise<void> {
  const web = { namespace: 'default', name: 'web' }
  const template = { metadata: { annotations: { release: '2' } } }
  const body = { spec: { replicas: 20, template } }
  await world.stack.cluster.client.patch(deployments, web, { kind: 'merge', body })
  await run(6 * minute)
}

/** Looks on from now; what it returns tells what has been seen. */
function watch(scenario: Scenario, restarts: { readonly count: number }): () => Seen {
  const { world, hooks } = scenario
  const { cluster } = world.stack
  const counts = { apiFaults: 0, cloudFaults: 0, reordered: 0, coalesced: 0, twoLed: 0 }
  let lastWriter = 0
  const addCall = hooks.addCall.bind(hooks)
  addCall((call, operator) => {
    if (!isRecorded(call)) return undefined
    if (operator < lastWriter) counts.twoLed += 1
    lastWriter = Math.max(lastWriter, operator)
    return undefined
  })
  hooks.addCall = (hook) =>
    addCall((call, operator) => {
      const fault = hook(call, operator)
      if (fault !== undefined) counts.apiFaults += 1
      return fault
    })
  const withheld = new WeakMap<object, Map<string, number>>()
  const coalescedIn = (call: object, message: WatchMessage, told: readonly WatchMessage[]): number => {
    const counts = withheld.get(call) ?? new Map<string, number>()
    withheld.set(call, counts)
    const key = (of: WatchMessage): string => (of.type === 'BOOKMARK' ? '' : of.object.metadata.uid)
    counts.set(key(message), (counts.get(key(message)) ?? 0) + 1)
    const missing = told.map(
      (each) => (counts.get(key(each)) ?? 0) - told.filter((one) => key(one) === key(each)).length,
    )
    for (const each of told) counts.delete(key(each))
    return missing.filter((count) => count > 0).length
  }
  const addMessage = hooks.addMessage.bind(hooks)
  hooks.addMessage = (hook) =>
    addMessage((call, message, operator) => {
      const outcome = hook(call, message, operator)
      if (!Array.isArray(outcome) || outcome.length !== 1) counts.apiFaults += 1
      if (Array.isArray(outcome)) {
        const versions = outcome.map(revisionOf)
        counts.coalesced += coalescedIn(call, message, outcome)
        if (versions.some((version, index) => version < (versions[index - 1] ?? 0))) counts.reordered += 1
      }
      return outcome
    })
  const { faults: injector, state } = cluster.aws
  const add = injector.add.bind(injector)
  injector.add = (interceptor) =>
    add((call) => {
      const fault = interceptor(call)
      if (fault !== undefined) counts.cloudFaults += 1
      return fault
    })
  const refusals: string[] = []
  hooks.observeOutcome((_call, error) => {
    if (error !== undefined) refusals.push(String(error))
  })
  const log: string[] = []
  hooks.observeLog((line) => log.push(line))
  const changed = new Map<string, KubeObject[]>()
  cluster.apiServer.context.store.subscribe('all', ({ table, object }) => {
    const list = changed.get(table) ?? []
    changed.set(table, list)
    list.push(object as unknown as KubeObject)
  })
  const before: Before = {
    offsetMs: offsetMs(scenario),
    images: state.images.length,
    launchedAt: new Map(state.instances.map((instance) => [instance.id, instance.launchedAt])),
  }
  return () => ({
    scenario,
    before,
    ...counts,
    restarts: restarts.count,
    refusals,
    log,
    changes: <T extends KubeObject>(table: string) => (changed.get(table) ?? []) as unknown as readonly T[],
  })
}
