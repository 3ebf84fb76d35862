import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { conditionOf, isConditionTrue } from '../../../src/api/conditions.ts'
import type { NodeClaim } from '../../../src/api/karpenter.ts'
import { annotationTagged } from '../../../src/api/labels.ts'
import { ec2NodeClasses, nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { namespaces, nodes, pods } from '../../../src/kube/kinds.ts'
import { eventually } from '../support/eventually.ts'
import { reportFailures } from '../support/failure-report.ts'
import type { Fleet } from '../support/fleet.ts'
import { karpenterCRDs, type KarpenterProcess } from '../support/karpenter-process.ts'
import { type OperatorProcess, startOperator } from '../support/operator-process.ts'
import { describeWithPeers } from '../support/peers.ts'
import { type RealWorld, startRealWorld } from '../support/real-world.ts'

/** Two passes of either disruption loop, which looks every 10 s. */
const quietMs = 21_000

/** The class's hash on a claim, and under which version. */
const hash = 'karpenter.k8s.aws/ec2nodeclass-hash'
const hashVersion = 'karpenter.k8s.aws/ec2nodeclass-hash-version'

await describeWithPeers(
  'a fleet moves from Karpenter to the operator and back',
  ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl', 'moto', 'karpenter'],
  () => {
    let world: RealWorld
    let karpenter: KarpenterProcess
    let operator: OperatorProcess
    /** Its budget lets nothing go, so that its node is drifted and stays. */
    let frozen: Fleet
    /** Without pods, and none of Karpenter's. */
    let fresh: Fleet
    let before: unknown
    /** UIDs of the claims that Karpenter made. */
    let adopted: ReadonlySet<string>
    let karpenterSeries: ReadonlyMap<string, readonly string[]>
    beforeAll(async () => {
      world = await startRealWorld({ definitions: await karpenterCRDs() })
      await world.kube.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'karpenter' } })
      frozen = world.fleetOf({ name: 'frozen' })
      fresh = world.fleetOf({ name: 'fresh' })
      karpenter = await world.startKarpenter()
    })
    afterAll(() => world.stop())
    reportFailures(() => world.report())

    test('Karpenter launches a fleet, and finds a node of it drifted', async () => {
      await Promise.all([world.fleet.apply('v20260101', 4), frozen.apply('v20260101', 2)])
      const body = { spec: { disruption: { budgets: [{ nodes: '0' }] } } }
      await world.kube.patch(nodePools, { name: 'frozen' }, { kind: 'merge', body })
      await eventually('every pod runs', async () => (await world.fleet.allRun(4)) && (await frozen.allRun(2)))
      await frozen.release('v20260201')
      await eventually('the claim is drifted', async () => (await drifted()).length === 1)
      expect(await driftReasons()).toEqual(['AMIDrift'])
      expect(await stamps()).toEqual(['v5', 'v5', 'v5'])
      before = await standing()
      adopted = new Set((await claims()).map(({ metadata }) => metadata.uid))
      karpenterSeries = seriesOf(await karpenter.metrics())
    })

    test('beside it the observer writes nothing, and the operator waits', async () => {
      const { kubeconfig, url: endpoint } = world.controlPlane
      const { account } = world
      const [observer, waiting] = await Promise.all([
        startOperator({ kubeconfig, account, endpoint, flags: ['--observe'] }),
        world.startOperator(),
      ])
      operator = waiting
      await Promise.all([
        eventually('a write is held back', async () =>
          (await observer.lines()).some(({ message }) => message === 'write held back in observe mode'),
        ),
        eventually('it says who is in its way', () => says('two installations would act on one cluster')),
      ])
      await observer.dispose()
      expect(await says('controllers started')).toBe(false)
      expect(await stamps()).toEqual(['v5', 'v5', 'v5'])
      expect(await standing()).toEqual(before)
      const written = [
        ...(await claims()),
        ...(await world.kube.list(nodePools)).items,
        ...(await world.kube.list(ec2NodeClasses)).items,
      ].filter(({ metadata }) => Object.keys(metadata.annotations ?? {}).some((key) => key.startsWith('joinery.dev/')))
      expect(written).toEqual([])
    })

    test('when Karpenter is stopped the operator takes over', async () => {
      await karpenter.stop()
      await eventually('it takes over', () => says('controllers started'))
    })

    test('every claim is restamped, a drifted one stays drifted, and nothing is replaced', async () => {
      await eventually('all claims are stamped', async () => (await stamps()).every((version) => version === 'v6'))
      await sleep(quietMs)
      expect(await standing()).toEqual(before)
      expect(await outOfDate()).toEqual([])
      // Its hash is of the other version, which comes before what it drifted for.
      expect(await driftReasons()).toEqual(['NodeClassDrift'])
    })

    test('the fleet grows, and another one is begun', async () => {
      await Promise.all([world.fleet.scale(6), fresh.apply('v20260101', 0)])
      await eventually('cluster and account agree', () => world.fleet.isBalanced())
      expect(await stamps()).toEqual(['v6', 'v6', 'v6', 'v6'])
      before = await standing()
    })

    test('what either of them launched looks the same', async () => {
      const all = await claims()
      const mine = all.filter(({ metadata }) => !adopted.has(metadata.uid))
      const theirs = all.filter(({ metadata, spec }) => adopted.has(metadata.uid) && spec.nodeClassRef.name === 'peers')
      expect([mine.length, theirs.length]).toEqual([1, 2])
      for (const claim of [...mine, ...theirs]) await eventually('it is complete', () => isComplete(claim))
      const known = (await world.kube.list(nodes)).items
      const instances = await world.account.liveInstances()
      const faceOf = (claim: NodeClaim): unknown => {
        const node = known.find(({ metadata }) => metadata.name === claim.status?.nodeName)
        const instance = instances.find(({ InstanceId = 'none' }) => claim.status?.providerID?.endsWith(InstanceId))
        return {
          spec: { ...claim.spec, requirements: claim.spec.requirements.toSorted((a, b) => (a.key < b.key ? -1 : 1)) },
          labels: keysOf(claim.metadata.labels),
          annotations: keysOf(claim.metadata.annotations),
          finalizers: claim.metadata.finalizers,
          owners: claim.metadata.ownerReferences,
          conditions: (claim.status?.conditions ?? [])
            .map(({ type, status, reason }) => `${type}=${status} ${reason}`)
            .filter((text) => !text.startsWith('ConsistentStateFound'))
            .toSorted(),
          nodeLabels: keysOf(node?.metadata.labels),
          nodeAnnotations: keysOf(node?.metadata.annotations),
          nodeFinalizers: node?.metadata.finalizers,
          tags: instance?.Tags?.map(({ Key = '' }) => Key).toSorted(),
        }
      }
      const settled = (await claims()).filter(({ spec }) => spec.nodeClassRef.name === 'peers')
      const [first, ...others] = settled.map(faceOf)
      expect(others).toEqual([first, first])
    })

    test('every metric that Karpenter showed is there under the same name, with its labels', async () => {
      expect([...karpenterSeries.keys()]).toEqual(
        expect.arrayContaining(['karpenter_nodeclaims_created_total', 'karpenter_nodes_allocatable']),
      )
      const shown = seriesOf(await operator.metrics())
      // What fails while a class is not ready yet is a matter of moments.
      const absent = [...karpenterSeries.keys()].filter((name) => !shown.has(name) && !name.endsWith('_errors_total'))
      expect(absent).toEqual([])
      const listed = await listedMetrics()
      const missing = [...karpenterSeries].filter(([name, labels]) =>
        labels.some((label) => !(shown.get(name) ?? listed.get(name) ?? []).includes(label)),
      )
      expect(missing).toEqual([])
    })

    test('back at Karpenter, every claim is restamped, and nothing is replaced', async () => {
      await operator.stop()
      for (const kind of ['mutatingwebhookconfiguration', 'validatingwebhookconfiguration']) {
        expect(await world.controlPlane.kubectl(['delete', kind, '--all'])).toMatchObject({ code: 0 })
      }
      karpenter = await world.startKarpenter()
      await eventually('all claims are stamped', async () => (await stamps()).every((version) => version === 'v5'))
      await sleep(quietMs)
      expect(await standing()).toEqual(before)
      expect(await outOfDate()).toEqual([])
    })

    test('Karpenter ends what either of them launched', async () => {
      await Promise.all([world.fleet.end(), frozen.end(), fresh.end()])
      expect(karpenter.ended).toBe(false)
    })

    /** The last to be written of it, in whichever order: that it is consolidatable, and that its instance is tagged. */
    async function isComplete({ metadata: { name } }: NodeClaim): Promise<boolean> {
      const claim = await world.kube.get(nodeClaims, { name })
      const isTagged = claim.metadata.annotations?.[annotationTagged] === 'true'
      return isTagged && isConditionTrue(claim, 'Consolidatable')
    }

    async function says(text: string): Promise<boolean> {
      return (await operator.lines()).some(({ message }) => message.includes(text))
    }

    async function driftReasons() {
      return (await drifted()).map((claim) => conditionOf(claim, 'Drifted')?.reason)
    }

    async function claims() {
      return (await world.kube.list(nodeClaims)).items
    }

    async function stamps(): Promise<readonly (string | undefined)[]> {
      return (await claims()).map(({ metadata }) => metadata.annotations?.[hashVersion])
    }

    async function drifted() {
      return (await claims()).filter((claim) => conditionOf(claim, 'Drifted')?.status === 'True')
    }

    /** Undrifted claims whose hash is not that of their class. */
    async function outOfDate(): Promise<readonly string[]> {
      const classes = new Map((await world.kube.list(ec2NodeClasses)).items.map((one) => [one.metadata.name, one]))
      return (await claims())
        .filter((claim) => conditionOf(claim, 'Drifted') === undefined)
        .filter(({ metadata, spec }) => {
          const wanted = classes.get(spec.nodeClassRef.name)?.metadata.annotations?.[hash]
          return wanted === undefined || metadata.annotations?.[hash] !== wanted
        })
        .map(({ metadata }) => metadata.name)
    }

    /** What a switch must not change: claims, nodes, instances, which claims are drifted, and where each pod runs. */
    async function standing(): Promise<unknown> {
      const placed = (await world.kube.list(pods, { namespace: 'default' })).items
      return {
        claims: Object.fromEntries((await claims()).map(({ metadata, status }) => [metadata.uid, status?.providerID])),
        drifted: (await drifted()).map(({ metadata }) => metadata.name),
        nodes: Object.fromEntries(
          (await world.kube.list(nodes)).items.map(({ metadata, spec }) => [
            metadata.uid,
            // Those of Kubernetes come and go with what kubelets report.
            (spec.taints ?? []).filter(({ key }) => !key.startsWith('node.kubernetes.io/')),
          ]),
        ),
        instances: (await world.account.liveInstances()).map(({ InstanceId = '' }) => InstanceId).toSorted(),
        pods: Object.fromEntries(placed.map(({ metadata, spec }) => [metadata.uid, spec.nodeName])),
      }
    }
  },
)

/** Without those of ours, which 1.14 does not have. */
function keysOf(map: Readonly<Record<string, string>> | undefined): readonly string[] {
  return Object.keys(map ?? {})
    .filter((key) => !key.startsWith('joinery.dev/'))
    .toSorted()
}

/** Label names by family, of what Karpenter itself measures; labels that we have besides are in docs/compatibility.md. */
function seriesOf(metrics: string): ReadonlyMap<string, readonly string[]> {
  const families = new Map<string, string[]>()
  for (const [, name = '', labels = ''] of metrics.matchAll(/^((?:karpenter|operator)_\w+)\{(.*)\} \S+$/gm)) {
    const family = name.replace(/_(?:bucket|sum|count)$/, '')
    const known = families.get(family) ?? []
    families.set(family, known)
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) if (!known.includes(label)) known.push(label)
  }
  return families
}

/** Label names by family, of the list that is published. */
async function listedMetrics(): Promise<ReadonlyMap<string, readonly string[]>> {
  const path = join(import.meta.dirname, '..', '..', '..', 'docs', 'metrics.md')
  const rows = (await readFile(path, 'utf8')).matchAll(/^\| `(\w+)` \| \w+ \| ([^|]*) \|/gm)
  return new Map(
    [...rows].map(([, name = '', labels = '']) => [name, [...labels.matchAll(/\w+/g)].map(([each]) => each)]),
  )
}
