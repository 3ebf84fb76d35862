import { describe, expect, test } from 'vitest'
import { VainLaunches, withRoom } from '../../../../src/controllers/launches/index.ts'
import { askingFor } from '../../../../src/controllers/launches/shortfall.ts'
import { VirtualClock } from '../../../../src/embedded/clock.ts'
import type { PodInfo } from '../../../../src/model/pod.ts'
import { toResources } from '../../../../src/model/resources.ts'
import type { StateNode } from '../../../../src/model/snapshot.ts'
import {
  aRunningPod,
  aStateNode,
  aWorld,
  condition,
  daemonSetOwner,
  minute,
  nodeOwner,
  noon,
} from '../../../support/disruption-builders.ts'

const waitingPod = (more: Partial<PodInfo> = {}): PodInfo =>
  aRunningPod({ nodeName: '', phase: 'Pending', scheduledReason: 'Unschedulable', startedAt: undefined, ...more })
const scan = { key: 'scan', value: 'pending', effect: 'NoSchedule' } as const
const tainted = (name: string, pods: readonly PodInfo[] = []): StateNode => ({
  ...aStateNode(name, { pods }),
  taints: [scan],
})
/** A node that has less memory than its claim promised. */
const short = (name: string, promised: string, has: string, pods: readonly PodInfo[] = []): StateNode => {
  const node = aStateNode(name, { pods })
  const nodeClaim = { ...node.nodeClaim, status: { ...node.nodeClaim?.status, allocatable: { memory: promised } } }
  return { ...node, nodeClaim: nodeClaim as StateNode['nodeClaim'], allocatable: toResources({ memory: has }) }
}
const large = (): PodInfo => waitingPod({ requests: toResources({ memory: '13700Mi' }), labels: { app: 'large' } })
const daemon = aRunningPod({ ownerReferences: daemonSetOwner })
const mirror = aRunningPod({ ownerReferences: nodeOwner })

/** What passes tell the memory; `waiting` are promised the nodes in turn. */
function aMemory() {
  const clock = new VirtualClock({ startMs: noon })
  const vain = new VainLaunches(clock, () => '0/1 nodes are available')
  const launch = (name: string, pods: readonly PodInfo[], pool = 'default') =>
    vain.launched(`claim-${name}`, pool, pods)
  /** Every pod was promised the first of the nodes, and `elsewhere` tells whether the solve found it a place on a new one only. */
  const pass = (nodes: readonly StateNode[], waiting: readonly PodInfo[], placed: 'elsewhere' | 'there') => {
    const [node] = nodes
    const promised = new Map(waiting.map(({ uid }) => [uid, node?.key ?? '']))
    const snapshot = { ...aWorld({ nodes }), unboundPods: waiting }
    const gone = vain.observe({ snapshot, waiting, promised })
    const refused = vain.judge({ promised }, placed === 'elsewhere' ? waiting : [])
    return [...gone, ...refused].map(({ claim, because, isFirst }) => [claim.metadata.name, because, isFirst])
  }
  /** Two nodes that the pods do not tolerate. */
  const fail = (pods: readonly PodInfo[]) => {
    for (const name of ['a', 'b']) {
      launch(name, pods)
      pass([tainted(name)], pods, 'elsewhere')
    }
  }
  return { clock, vain, launch, pass, fail, held: (pods: readonly PodInfo[]) => [...vain.held(pods).keys()] }
}

describe('a node was launched in vain', () => {
  test('that its pod does not tolerate, once for all pods that are alike', () => {
    const { launch, pass } = aMemory()
    const pods = [waitingPod(), waitingPod()]
    launch('a', pods)
    const found = [['claim-a', 'untolerated taint scan=pending:NoSchedule', true]]
    expect(pass([tainted('a', [daemon, mirror])], pods, 'elsewhere')).toEqual(found)
    expect(pass([tainted('a')], pods, 'elsewhere')).toEqual([])
  })

  test('that the solver refuses for another reason: kube-scheduler says which', () => {
    const { launch, pass } = aMemory()
    const pod = waitingPod()
    launch('a', [pod])
    expect(pass([aStateNode('a')], [pod], 'elsewhere')).toEqual([['claim-a', '0/1 nodes are available', true]])
  })

  test('that went while its pod, planned there all the time, waited', async () => {
    const { clock, launch, pass } = aMemory()
    const pod = waitingPod()
    launch('a', [pod])
    expect(pass([aStateNode('a')], [pod], 'there')).toEqual([])
    await clock.run({ forMs: 2 * minute })
    expect(pass([aStateNode('a')], [pod], 'there')).toEqual([])
    expect(pass([], [pod], 'there')).toEqual([['claim-a', '0/1 nodes are available', true]])
  })
})

describe('a node was not launched in vain', () => {
  test('whose room others took', () => {
    const { launch, pass } = aMemory()
    const pod = waitingPod({ labels: { app: 'late' } })
    launch('a', [pod])
    expect(pass([aStateNode('a', { pods: [aRunningPod()] })], [pod], 'elsewhere')).toEqual([])
    expect(pass([aStateNode('a')], [pod], 'elsewhere')).toEqual([])
  })

  test('that is not there yet, or is to go', () => {
    const { launch, pass } = aMemory()
    const pod = waitingPod()
    launch('a', [pod])
    expect(pass([aStateNode('a', { initialized: false })], [pod], 'elsewhere')).toEqual([])
    expect(pass([aStateNode('a', { markedForDeletion: true })], [pod], 'elsewhere')).toEqual([])
  })

  test('that went after its pod was gone', async () => {
    const { clock, launch, pass } = aMemory()
    const pod = waitingPod()
    launch('a', [pod])
    pass([aStateNode('a')], [pod], 'there')
    await clock.run({ forMs: 2 * minute })
    pass([aStateNode('a')], [pod], 'there')
    expect(pass([], [], 'there')).toEqual([])
  })

  test('that went while another of its pods waited for a node that was on its way, as under a spread', async () => {
    const { clock, vain, launch } = aMemory()
    const [here, there] = [waitingPod(), waitingPod()]
    launch('a', [here])
    launch('b', [there])
    const nodes = [aStateNode('a'), aStateNode('b', { initialized: false })]
    const waiting = [here, there]
    const promised = new Map(nodes.map(({ key }, index) => [waiting[index]?.uid ?? '', key]))
    for (const snapshot of [aWorld({ nodes }), aWorld({ nodes }), aWorld({ nodes: nodes.slice(1) })]) {
      expect(vain.observe({ snapshot, waiting, promised })).toEqual([])
      await clock.run({ forMs: 2 * minute })
    }
  })
})

describe('pods of which two nodes were launched in vain', () => {
  test('launch none for twenty minutes, and others do', async () => {
    const { clock, fail, held } = aMemory()
    const pod = waitingPod()
    const other = waitingPod({ labels: { app: 'other' } })
    fail([pod])
    expect(held([pod, other])).toEqual([pod.uid])
    await clock.run({ forMs: 19 * minute })
    expect(held([pod])).toEqual([pod.uid])
    await clock.run({ forMs: minute })
    expect(held([pod])).toEqual([])
  })

  test('are told how many, which was the last, why, and when the next may be', () => {
    const { fail, vain } = aMemory()
    const pod = waitingPod()
    fail([pod])
    expect(vain.held([pod]).get(pod.uid)).toBe(
      '2 nodes launched for it did not take it, last b: untolerated taint scan=pending:NoSchedule; next try at 2026-06-14T12:20:00Z',
    )
  })

  test('try with one node for one of them, then wait longer, for an hour at most', async () => {
    const { clock, fail, held, launch, pass, vain } = aMemory()
    const [one, other] = [waitingPod(), waitingPod()]
    fail([one, other])
    for (const [index, wait] of [20, 40, 60, 60].entries()) {
      expect(held([one])).toEqual([one.uid])
      await clock.run({ forMs: wait * minute })
      expect(held([one, other])).toEqual([other.uid])
      launch(`try-${index}`, [one])
      expect(held([one, other])).toEqual([one.uid, other.uid])
      expect(vain.held([one]).get(one.uid)).toMatch(/; one node is being tried$/)
      pass([tainted(`try-${index}`)], [one], 'elsewhere')
    }
  })

  test('may try again when the node of their try never came', async () => {
    const { clock, fail, held, launch, pass } = aMemory()
    const pod = waitingPod()
    fail([pod])
    await clock.run({ forMs: 20 * minute })
    launch('lost', [pod])
    pass([], [pod], 'elsewhere')
    expect(held([pod])).toEqual([])
  })

  test('launch again as soon as one of them runs, on whatever node', () => {
    const { clock, fail, held, pass } = aMemory()
    const pod = waitingPod()
    fail([pod])
    const nodes = [aStateNode('old', { pods: [aRunningPod({ startedAt: noon - minute })] })]
    pass(nodes, [pod], 'elsewhere')
    expect(held([pod])).toEqual([pod.uid])
    pass([aStateNode('old', { pods: [aRunningPod({ startedAt: clock.now() })] })], [pod], 'elsewhere')
    expect(held([pod])).toEqual([])
  })

  test('launch again once their pool or its class was edited, no other', () => {
    const { fail, held, vain } = aMemory()
    const pod = waitingPod()
    fail([pod])
    vain.reset('other')
    expect(held([pod])).toEqual([pod.uid])
    vain.reset('default')
    expect(held([pod])).toEqual([])
  })
})

describe('stand-ins of capacity buffers', () => {
  const standIn = (more: Partial<PodInfo> = {}): PodInfo =>
    waitingPod({ virtualBuffer: { namespace: 'default', name: 'spare' }, ...more })
  const on = ({ key }: StateNode, ...pods: readonly PodInfo[]) => ({ key, pods })
  /** What a pass tells that placed stand-ins on these nodes, and those elsewhere on none of them. */
  const pass = (
    { vain, clock }: ReturnType<typeof aMemory>,
    nodes: readonly StateNode[],
    elsewhere: readonly PodInfo[],
    existing: readonly ReturnType<typeof on>[] = [],
  ) => {
    const snapshot = { ...aWorld({ nodes }), now: clock.now() }
    vain.observe({ snapshot, waiting: [], promised: new Map() })
    const found = vain.judgeStandIns(snapshot, { elsewhere, existing })
    return found.map(({ claim, because }) => [claim.metadata.name, because])
  }
  const upSince = (node: StateNode, now: number): StateNode => {
    const lastTransitionTime = new Date(now).toISOString()
    const conditions = [{ ...condition('Initialized'), lastTransitionTime }]
    return { ...node, nodeClaim: { ...node.nodeClaim, status: { conditions } } as StateNode['nodeClaim'] }
  }
  /** A memory with two nodes that did not take the stand-in. */
  const inTrouble = (pod: PodInfo) => {
    const memory = aMemory()
    for (const name of ['a', 'b']) {
      memory.launch(name, [pod])
      expect(pass(memory, [tainted(name)], [pod])).toEqual([
        [`claim-${name}`, 'untolerated taint scan=pending:NoSchedule'],
      ])
    }
    return memory
  }

  test('launch no third node while two that came for them got none of them', async () => {
    const [one, other] = [standIn(), standIn()]
    const { clock, held } = inTrouble(one)
    expect(held([one, other, waitingPod({ labels: { app: 'other' } })])).toEqual([one.uid, other.uid])
    await clock.run({ forMs: 20 * minute })
    expect(held([one, other])).toEqual([other.uid])
  })

  test('are refused by no node that got pods, is not up yet, or came for others', () => {
    const memory = aMemory()
    const pod = standIn()
    memory.launch('a', [pod])
    memory.launch('b', [standIn({ labels: { app: 'other' } })])
    const [node, other] = [upSince(aStateNode('a'), noon), aStateNode('b')]
    expect(pass(memory, [node, other], [pod], [on(node, standIn())])).toEqual([])
    expect(pass(memory, [aStateNode('a', { initialized: false }), other], [pod])).toEqual([])
    expect(pass(memory, [node, other], [])).toEqual([])
    expect(pass(memory, [node, other], [pod])).toHaveLength(1)
  })

  test('launch again once a node that came for them has held them for a minute', async () => {
    const pod = standIn()
    const memory = inTrouble(pod)
    const { clock, held, launch } = memory
    await clock.run({ forMs: 20 * minute })
    launch('c', [pod])
    const node = upSince(aStateNode('c'), clock.now())
    for (const after of ['old', 'new'] as const) {
      pass(memory, [node], [], [on(node, pod)])
      expect([after, held([pod])]).toEqual([after, after === 'old' ? [pod.uid] : []])
      await clock.run({ forMs: minute })
    }
  })

  test('do not launch again for a place on a node that was there before', async () => {
    const pod = standIn()
    const memory = inTrouble(pod)
    const node = upSince(aStateNode('old'), noon - minute)
    pass(memory, [node], [], [on(node, pod)])
    expect(memory.held([pod])).toEqual([pod.uid])
  })

  test('were taken by a node that has held them, whatever becomes of it later', async () => {
    const memory = aMemory()
    const pod = standIn()
    memory.launch('a', [pod])
    const node = upSince(aStateNode('a'), noon)
    await memory.clock.run({ forMs: minute })
    expect(pass(memory, [node], [], [on(node, pod)])).toEqual([])
    expect(pass(memory, [{ ...node, taints: [scan] }], [pod])).toEqual([])
  })

  test('ask for more room where their node was smaller than promised', () => {
    const memory = aMemory()
    const pod = { ...large(), virtualBuffer: { namespace: 'default', name: 'spare' } }
    memory.launch('a', [pod])
    expect(pass(memory, [short('a', '14Gi', '13600Mi')], [pod])).toHaveLength(1)
    expect(withRoom([pod], memory.vain)[0]?.requests).not.toEqual(pod.requests)
    const others = [standIn()]
    expect(withRoom(others, memory.vain)).toEqual(others)
  })
})

describe('pods whose node was smaller than promised', () => {
  const refuse = ({ launch, pass }: ReturnType<typeof aMemory>, name: string, pod: PodInfo, has = '13600Mi') => {
    launch(name, [pod])
    pass([short(name, '14Gi', has)], [pod], 'elsewhere')
  }

  test('may have the next one at once, and ask for as much more', () => {
    const memory = aMemory()
    const pod = large()
    refuse(memory, 'a', pod)
    expect(memory.held([pod])).toEqual([])
    const shortfalls = memory.vain.shortfalls([pod, waitingPod()])
    expect([...shortfalls].map(([uid, shortfall]) => [uid, [...shortfall]])).toEqual([[pod.uid, [['memory', 1059]]]])
    // 14Gi is 1.054 times 13600Mi.
    expect(askingFor(pod, shortfalls).requests.get('memory')?.units).toBe((13_700n * 1_048_576n * 1_059n) / 1_000n + 1n)
    expect(askingFor(waitingPod(), shortfalls).requests).toEqual(waitingPod().requests)
  })

  test('learn nothing from nodes that have what was promised, or in which they would have had room', () => {
    for (const node of [short('a', '14Gi', '14Gi'), short('a', '14Gi', '13800Mi')]) {
      const { launch, pass, vain } = aMemory()
      const pod = large()
      launch('a', [pod])
      pass([node], [pod], 'elsewhere')
      expect(vain.shortfalls([pod]).size).toBe(0)
      expect(vain.shortfallsText).toBe('')
    }
  })

  test('learn three times; nodes that are no shorter than those before count like any other', () => {
    const same = aMemory()
    const pod = large()
    for (const name of ['a', 'b']) refuse(same, name, pod)
    expect(same.held([pod])).toEqual([])
    refuse(same, 'c', pod)
    expect(same.held([pod])).toEqual([pod.uid])

    const worse = aMemory()
    for (const [index, has] of ['13600Mi', '13Gi', '12Gi'].entries()) refuse(worse, `${index}`, pod, has)
    expect(worse.held([pod])).toEqual([])
    for (const [index, has] of ['11Gi', '10Gi'].entries()) refuse(worse, `late-${index}`, pod, has)
    expect(worse.held([pod])).toEqual([pod.uid])
  })

  test('go on asking for more when one of them runs, and trouble that comes later begins anew', async () => {
    const memory = aMemory()
    const { clock, pass, launch, held, vain } = memory
    const pod = large()
    refuse(memory, 'a', pod)
    const ran = aRunningPod({ requests: pod.requests, labels: pod.labels, startedAt: clock.now() + minute })
    pass([aStateNode('b', { pods: [ran] })], [pod], 'there')
    expect(vain.shortfalls([pod]).size).toBe(1)
    await clock.run({ forMs: 10 * minute })
    for (const name of ['c', 'd']) {
      launch(name, [pod])
      pass([tainted(name), aStateNode('b', { pods: [ran] })], [pod], 'elsewhere')
    }
    expect(held([pod])).toEqual([pod.uid])
    vain.reset('default')
    expect(vain.shortfalls([pod]).size).toBe(0)
  })

  test('ask for more for a day', async () => {
    const memory = aMemory()
    const pod = large()
    refuse(memory, 'a', pod)
    await memory.clock.run({ forMs: 23 * 60 * minute })
    memory.pass([], [], 'there')
    expect(memory.vain.shortfalls([pod]).size).toBe(1)
    await memory.clock.run({ forMs: 61 * minute })
    memory.pass([], [], 'there')
    expect(memory.vain.shortfalls([pod]).size).toBe(0)
  })

  test('know of devices that one machine lacks only that it lacks them', () => {
    const { launch, pass, vain, held } = aMemory()
    const pod = waitingPod({ requests: toResources({ 'nvidia.com/gpu': '8' }) })
    for (const name of ['a', 'b']) {
      const node = short(name, '14Gi', '14Gi')
      const nodeClaim = { ...node.nodeClaim, status: { allocatable: { 'nvidia.com/gpu': '8' } } }
      launch(name, [pod])
      const allocatable = toResources({ 'nvidia.com/gpu': '7' })
      pass([{ ...node, nodeClaim: nodeClaim as StateNode['nodeClaim'], allocatable }], [pod], 'elsewhere')
    }
    expect(vain.shortfalls([pod]).size).toBe(0)
    expect(held([pod])).toEqual([pod.uid])
  })
})
