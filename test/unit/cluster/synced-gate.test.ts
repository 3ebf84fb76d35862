import { describe, expect, test } from 'vitest'
import type { NodeClaim } from '../../../src/api/karpenter.ts'
import { nodeClaims } from '../../../src/kube/karpenter-kinds.ts'
import { nodes } from '../../../src/kube/kinds.ts'
import { KubeError } from '../../../src/kube/errors.ts'
import { stateSyncController, type StateSyncOptions } from '../../../src/cluster/state-sync.ts'
import { aClaim, aNode, aPool, aWorld, aWorldToStart, managedLabels, put, type World } from './world.ts'
import { aReconcileContext } from '../../support/reconcile-context.ts'

describe('the synced gate', () => {
  test('stays closed until every watch has delivered what there is', async () => {
    const world = aWorldToStart()
    expect(world.state.synced()).toBe(false)
    await world.start()
    expect(world.state.synced()).toBe(true)
  })

  test('a claim without provider ID closes it, at any time', async () => {
    const world = await aWorld()
    expect(world.state.synced()).toBe(true)
    await put.claim(world, aClaim('c1'))
    await world.settle()
    expect(world.state.synced()).toBe(false)
    expect(world.state.unlaunched.names).toEqual(['c1'])
    await world.client.patch(nodeClaims, { name: 'c1' }, { kind: 'merge', body: { status: { providerID: 'p1' } } })
    await world.settle()
    expect(world.state.synced()).toBe(true)
  })

  test('after the first success an untracked node does not close it', async () => {
    const world = await aWorld()
    expect(world.state.synced()).toBe(true)
    await put.node(world, aNode('n', { labels: managedLabels() }))
    await world.settle()
    expect(world.state.synced()).toBe(true)
  })

  test('devices that are to be watched open it once they have been listed', async () => {
    const world = await aWorld()
    expect(world.state.synced()).toBe(true)
    world.state.watchDevices()
    expect(world.state.synced()).toBe(false)
    await world.settle()
    expect(world.state.synced()).toBe(true)
  })

  test('a claim that is being replaced is not counted in full while that goes on, whatever else changes about it', async () => {
    const world = await aWorld()
    const claim = aClaim('c1', { providerID: 'p1' })
    await put.claim(world, claim)
    await world.settle()
    const conditionsAre = async (conditions: readonly object[], labels = {}): Promise<object> => {
      const body = { metadata: { labels }, status: { conditions } }
      await world.client.patch(nodeClaims, { name: 'c1' }, { kind: 'merge', body })
      await world.settle()
      return world.state.counts.counts('default')
    }
    const going = { type: 'DisruptionReason', status: 'True', reason: 'Drifted', message: 'Drifted' }
    expect(await conditionsAre([going])).toEqual({ active: 0, pendingDisruption: 1, deleting: 0 })
    expect(await conditionsAre([going], { other: 'label' })).toEqual({ active: 0, pendingDisruption: 1, deleting: 0 })
    expect(await conditionsAre([])).toEqual({ active: 1, pendingDisruption: 0, deleting: 0 })
  })

  test('a created claim counts before the watch brings it, and its absence heals', async () => {
    const world = await aWorld()
    world.state.synced()
    world.state.observeNodeClaim({
      ...aClaim('ghost'),
      metadata: { ...aClaim('ghost').metadata, uid: 'u', resourceVersion: '', creationTimestamp: '' },
    })
    expect(world.state.synced()).toBe(false)
    expect(world.state.counts.counts('default').active).toBe(1)
    const reports: boolean[] = []
    await syncFor(world, 35_000, {
      relist: (resource) => world.caches.relist(resource),
      report: ({ synced }) => reports.push(synced),
    })
    expect(world.state.synced()).toBe(true)
    expect(reports).toEqual([false, false, false, false, false, false, false, true])
    expect(world.state.counts.counts('default').active).toBe(0)
    expect(world.log.lines.map((line) => line.message)).toContain(
      'garbage collecting stale unlaunched nodeclaim from cluster state',
    )
  })

  test('only an answer that a claim is not there makes it forgotten', async () => {
    const world = await aWorld()
    await put.claim(world, aClaim('c1'))
    await world.settle()
    const asked = failReads(world, () => new KubeError('InternalError', 500, 'overloaded'))
    const controller = stateSyncController({ ...world, relist: () => undefined, report: () => undefined })
    for (let passed = 0; passed <= 60_000; passed += 5_000) {
      const look = controller.reconcile(aReconcileContext(world.log))
      if (passed < 15_000) await look
      else await expect(look).rejects.toThrow('overloaded')
      await world.clock.run({ forMs: 5_000 })
    }
    expect(asked()).toBeGreaterThan(2)
    expect(world.state.hasClaim('c1')).toBe(true)
  })

  test('claims that the API server does not have are listed anew, and after a minute so is everything state is made of', async () => {
    const world = await aWorld()
    const ghost = aClaim('ghost')
    const metadata = { ...ghost.metadata, uid: 'u', resourceVersion: '', creationTimestamp: '' }
    world.state.observeNodeClaim({ ...ghost, metadata })
    const relisted: string[] = []
    const relist: StateSyncOptions['relist'] = ({ plural }) => void relisted.push(plural)
    await syncFor(world, 35_000, { relist })
    // Not found, and not found again.
    expect(relisted).toEqual(['nodeclaims', 'nodeclaims'])
    await put.claim(world, aClaim('slow'))
    await world.settle()
    await syncFor(world, 55_000, { relist })
    expect(relisted).toHaveLength(2)
    await syncFor(world, 125_000, { relist })
    expect(relisted.slice(2)).toEqual(['nodeclaims', 'nodes', 'nodeclaims', 'nodes'])
  })

  test('a wait that is over does not count towards the next one', async () => {
    const world = await aWorld()
    const waits: number[] = []
    const report: StateSyncOptions['report'] = ({ unsyncedSeconds }) => void waits.push(unsyncedSeconds)
    const controller = stateSyncController({ ...world, relist: () => undefined, report })
    const look = async () => {
      await controller.reconcile(aReconcileContext(world.log))
      await world.clock.run({ forMs: 5_000 })
    }
    for (const name of ['first', 'second']) {
      await put.claim(world, aClaim(name))
      await world.settle()
      for (let times = 0; times < 3; times += 1) await look()
      await world.client.delete(nodeClaims, { name })
      await world.settle()
      await look()
    }
    expect(waits).toEqual([0, 5, 10, 0, 0, 5, 10, 0])
  })

  test('a claim of which the watch told first is not taken back to what it was when it was written', async () => {
    const world = await aWorld()
    const written = await put.claim(world, aClaim('c1'))
    await world.client.patch(nodeClaims, { name: 'c1' }, { kind: 'merge', body: { status: { providerID: 'p1' } } })
    await world.settle()
    world.state.observeNodeClaim(written)
    expect(world.state.unlaunched.names).toEqual([])
    expect(world.state.byClaimName('c1')?.key).toBe('p1')
  })

  test('one answer of an API server that is behind makes no claim forgotten', async () => {
    const world = await aWorld()
    await put.claim(world, aClaim('c1'))
    await world.settle()
    const asked = failReads(world, (count) => (count % 2 === 1 ? new KubeError('NotFound', 404, 'not yet') : undefined))
    await syncFor(world, 120_000)
    expect(asked()).toBeGreaterThanOrEqual(6)
    expect(world.state.hasClaim('c1')).toBe(true)
  })

  test('thousands of claims that nobody launches are looked up in one call, and those of them that are gone are forgotten', async () => {
    const world = await aWorld()
    const own = Array.from({ length: 2_000 }, (_, index) => aClaim(`c${index}`))
    for (const claim of own) await world.client.create(nodeClaims, claim)
    await world.settle()
    for (let index = 0; index < 100; index += 1) {
      const ghost = aClaim(`ghost-${index}`)
      const metadata = { ...ghost.metadata, uid: 'u', resourceVersion: '', creationTimestamp: '' }
      world.state.observeNodeClaim({ ...ghost, metadata })
    }
    const before = world.client.calls.length
    await syncFor(world, 35_000)
    expect(world.state.unlaunched.names).toHaveLength(2_000)
    const asked = world.client.calls.slice(before).map(({ operation }) => operation)
    expect(asked).toEqual(['list', 'list'])
  }, 60_000)

  test('a long wait is reported every ten seconds from the thirtieth, with the claims that hold it up', async () => {
    const world = await aWorld()
    await put.claim(world, aClaim('c1'))
    await world.settle()
    await syncFor(world, 50_000)
    const warnings = world.log.lines.filter(
      (line) => line.message === 'cluster is waiting on sync for extended duration',
    )
    expect(warnings.map((line) => line.fields['duration'])).toEqual(['30s', '40s', '50s'])
    expect(warnings.map((line) => line.fields['NodeClaims'])).toEqual(['c1', 'c1', 'c1'])
  })

  test('so are nodes of a pool that have no provider ID yet, which hold up a start', async () => {
    const world = await aWorld()
    for (const name of ['n2', 'n1']) await put.node(world, aNode(name, { labels: managedLabels() }))
    await put.node(world, aNode('fine', { providerID: 'p', labels: managedLabels() }))
    await world.settle()
    await syncFor(world, 30_000)
    const [warning] = world.log.lines.filter(({ level }) => level === 'error')
    expect(warning?.fields).toEqual({ duration: '30s', Nodes: 'n1, n2' })
    for (const name of ['n2', 'n1']) {
      await world.client.patch(nodes, { name }, { kind: 'merge', body: { spec: { providerID: name } } })
    }
    await world.settle()
    expect(world.state.untrackedNodes).toEqual([])
    expect(world.state.synced()).toBe(true)
    await put.node(world, aNode('later', { labels: managedLabels() }))
    await world.settle()
    expect(world.state.untrackedNodes).toEqual([])
  })

  describe('a claim that can have no instance', () => {
    const finalizers = ['karpenter.sh/termination']
    const held = { ...aClaim('held'), metadata: { ...aClaim('held').metadata, finalizers: ['example.com/hold'] } }
    const passedOver = ({ log }: World) =>
      log.lines.filter(({ message }) => message.startsWith('going on without a nodeclaim')).map(({ fields }) => fields)

    test('since it is on its way out and somebody keeps it there, is waited for for a minute', async () => {
      const world = await aWorld()
      await put.claim(world, held)
      await world.client.delete(nodeClaims, { name: 'held' })
      await world.settle()
      await syncFor(world, 55_000)
      expect(world.state.synced()).toBe(false)
      await syncFor(world, 60_000)
      expect(world.state.synced()).toBe(true)
      expect(passedOver(world)).toEqual([{ NodeClaim: { name: 'held' }, reason: 'deleting' }])
      const limited = aPool('default', { limits: { cpu: '48' } })
      expect(world.state.plans.begin(limited, world.state.plans.basis())).toBeUndefined()
    })

    const condition = {
      type: 'Launched',
      status: 'Unknown',
      reason: 'LaunchFailed',
      message: 'no',
      lastTransitionTime: '',
    }
    const bare = { ...aClaim('bare'), status: { conditions: [condition] } } as NodeClaim

    test('since it may not have our finalizer, is waited for for ten minutes, and again once it has it', async () => {
      const world = await aWorld()
      await put.claim(world, bare)
      await world.settle()
      await syncFor(world, 595_000)
      expect(world.state.synced()).toBe(false)
      await syncFor(world, 600_000)
      expect(world.state.synced()).toBe(true)
      expect(passedOver(world)).toEqual([{ NodeClaim: { name: 'bare' }, reason: 'refused' }])
      await world.client.patch(nodeClaims, { name: 'bare' }, { kind: 'merge', body: { metadata: { finalizers } } })
      await world.settle()
      expect(world.state.synced()).toBe(false)
    })

    test('leaves those that may have one waited for, and the log names only them', async () => {
      const world = await aWorld()
      await put.claim(world, { ...bare, metadata: { ...aClaim('slow').metadata, finalizers } })
      // As in an outage.
      await put.claim(world, aClaim('new'))
      await put.claim(world, bare)
      await world.settle()
      await syncFor(world, 3_600_000)
      expect(world.state.synced()).toBe(false)
      const warnings = world.log.lines.filter(({ message }) => message.startsWith('cluster is waiting on sync'))
      expect(warnings.at(0)?.fields['NodeClaims']).toBe('bare, new, slow')
      expect(warnings.at(-1)?.fields['NodeClaims']).toBe('new, slow')
    })

    test('is looked up all the same: its deletion may be missed', async () => {
      const world = await aWorld()
      await put.claim(world, bare)
      await world.settle()
      await syncFor(world, 605_000)
      const controller = stateSyncController({ ...world, relist: () => undefined, report: () => undefined })
      expect(await controller.reconcile(aReconcileContext(world.log))).toMatchObject({ afterMs: 5_000 })
      const looked = await controller.reconcile(aReconcileContext(world.log))
      expect(looked.kind === 'requeue' && looked.unless?.()).toBe(false)
      await world.client.delete(nodeClaims, { name: 'bare' })
      await world.settle()
      expect(looked.kind === 'requeue' && looked.unless?.()).toBe(true)
    })
  })

  test('a start waits for ten minutes for nodes of a pool that have no provider ID', async () => {
    const world = await aWorld()
    await put.node(world, aNode('n', { labels: managedLabels() }))
    await world.settle()
    await syncFor(world, 595_000)
    expect(world.state.synced()).toBe(false)
    await syncFor(world, 600_000)
    expect(world.state.synced()).toBe(true)
  })
})

/** Looks every five seconds, from now until so long after. */
async function syncFor(
  { state, client, clock, log }: World,
  forMs: number,
  told: Partial<Pick<StateSyncOptions, 'relist' | 'report'>> = {},
): Promise<void> {
  const ignored = { relist: () => undefined, report: () => undefined }
  const controller = stateSyncController({ state, client, clock, ...ignored, ...told })
  for (let passed = 0; passed <= forMs; passed += 5_000) {
    await controller.reconcile(aReconcileContext(log))
    await clock.run({ forMs: 5_000 })
  }
}

/** Fails reads of single objects as the answer to how many there were says; returns what tells how many there were. */
function failReads({ client }: World, answer: (count: number) => KubeError | undefined): () => number {
  let asked = 0
  client.fault = ({ operation }) => {
    if (operation !== 'get') return
    asked += 1
    const error = answer(asked)
    if (error !== undefined) throw error
  }
  return () => asked
}
