import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { conditionOf, isConditionTrue } from '../../../src/api/conditions.ts'
import type { NodeClaim } from '../../../src/api/karpenter.ts'
import { annotationTagged } from '../../../src/api/labels.ts'
import { ec2NodeClasses, nodeClaims, nodePools, rolloutPolicies } from '../../../src/kube/karpenter-kinds.ts'
import { deployments, nodes } from '../../../src/kube/kinds.ts'
import { argoHealth, fluxHealth } from '../../support/gitops-health.ts'
import { clusterReport } from '../support/cluster-report.ts'
import { installCRDs } from '../support/crds.ts'
import { documentedBlocks } from '../support/documented-steps.ts'
import { eventually, eventuallyFor } from '../support/eventually.ts'
import { reportFailures } from '../support/failure-report.ts'
import { Fleet } from '../support/fleet.ts'
import { joineryProgram } from '../support/joinery-process.ts'
import { karpenterManifest } from '../support/karpenter-deployment.ts'
import { buildKarpenter, karpenterCRDs } from '../support/karpenter-process.ts'
import { describeWithPeers } from '../support/peers.ts'
import { hashVersions, standing } from '../support/standing.ts'
import { startUserWorld, type UserWorld } from '../support/user-world.ts'

/** Two passes of either disruption loop, which looks every 10 s. */
const quietMs = 21_000

/** Karpenter was once seen to take its verdict on a claim back, and to come to it again soon after. */
const settledMs = 10_000

/** The class's hash on a claim. */
const hash = 'karpenter.k8s.aws/ec2nodeclass-hash'

const metricsPort = 8080

/** Which health checks read beside Karpenter's. */
const ownConditions: ReadonlySet<string> = new Set(['Reconciling', 'Stalled'])

await describeWithPeers(
  'a fleet moves from Karpenter to the operator and back, by the commands of README.md',
  ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl', 'moto', 'karpenter', 'helm'],
  () => {
    let world: UserWorld
    let fleet: Fleet
    /** Its budget lets nothing go, so that its node is drifted and stays. */
    let frozen: Fleet
    /** Without pods, and none of Karpenter's. */
    let fresh: Fleet
    let before: unknown
    /** UIDs of the claims that Karpenter made. */
    let adopted: ReadonlySet<string>
    let karpenterSeries: ReadonlyMap<string, readonly string[]>
    beforeAll(async () => {
      const karpenter = { command: await buildKarpenter(), args: [] }
      world = await startUserWorld((image) => (image.startsWith('karpenter:') ? karpenter : joineryProgram))
      const { controlPlane, kube, account } = world
      await installCRDs(controlPlane, await karpenterCRDs())
      fleet = new Fleet(kube, account)
      frozen = new Fleet(kube, account, { name: 'frozen' })
      fresh = new Fleet(kube, account, { name: 'fresh' })
      const input = JSON.stringify(karpenterManifest(controlPlane.url))
      expect(await controlPlane.kubectl(['apply', '-f', '-'], { input })).toMatchObject({ code: 0 })
    })
    afterAll(() => world?.stop())
    reportFailures(async () =>
      [await world.kubelet.logs(), await world.controlPlane.logs(10), await clusterReport(world.kube)].join('\n'),
    )

    test('Karpenter, a Deployment of it, launches a fleet, and finds a node of it drifted', async () => {
      await Promise.all([fleet.apply('v20260101', 4), frozen.apply('v20260101', 2)])
      const body = { spec: { disruption: { budgets: [{ nodes: '0' }] } } }
      await world.kube.patch(nodePools, { name: 'frozen' }, { kind: 'merge', body })
      await eventually('every pod runs', async () => (await fleet.allRun(4)) && (await frozen.allRun(2)))
      await frozen.release('v20260201')
      await eventuallyFor(settledMs, 'the claim is drifted', async () => (await drifted()).length === 1)
      expect(await driftReasons()).toEqual(['AMIDrift'])
      expect(await hashVersions(world.kube)).toEqual(['v5', 'v5', 'v5'])
      before = await standing(world.kube, world.account)
      adopted = new Set((await claims()).map(({ metadata }) => metadata.uid))
      karpenterSeries = seriesOf(await world.kubelet.scrape('karpenter', metricsPort))
    })

    test('looking on beside it writes nothing', async () => {
      const [look = ''] = await documentedBlocks('From Karpenter')
      await world.shell.type(look)
      const { spec } = await world.kube.get(deployments, { namespace: 'kube-system', name: 'joinery' })
      expect(spec.template.spec?.containers[0]?.args).toEqual(['controller', '--observe'])
      await eventually('a write is held back', () => says('joinery', 'write held back in observe mode'))
      expect(await hashVersions(world.kube)).toEqual(['v5', 'v5', 'v5'])
      expect(await standing(world.kube, world.account)).toEqual(before)
      const written = [
        ...(await claims()),
        ...(await world.kube.list(nodePools)).items,
        ...(await world.kube.list(ec2NodeClasses)).items,
      ].filter(({ metadata }) => Object.keys(metadata.annotations ?? {}).some((key) => key.startsWith('joinery.dev/')))
      expect(written).toEqual([])
    })

    test('an installation in another namespace waits for as long as it runs', async () => {
      const options = '--namespace elsewhere --create-namespace --set settings.clusterName=demo'
      const small = '--set replicas=1 --set webhook.enabled=false'
      await world.shell.type(`helm upgrade --install second manifests/charts/joinery ${options} ${small}`)
      await eventually('it says who is in its way', () =>
        says('second-joinery', 'two installations would act on one cluster'),
      )
      await world.shell.type('helm uninstall second --namespace elsewhere --wait')
      expect(await says('second-joinery', 'controllers started')).toBe(false)
      expect(await hashVersions(world.kube)).toEqual(['v5', 'v5', 'v5'])
      expect(await standing(world.kube, world.account)).toEqual(before)
    })

    test('the operator takes over: every claim is restamped, a drifted one stays drifted, nothing is replaced', async () => {
      const [, take = ''] = await documentedBlocks('From Karpenter')
      const printed = await world.shell.type(take)
      for (const { metadata } of await claims()) expect(printed).toContain(metadata.name)
      expect(printed).toMatch(/^NAME .* DRIFTED/m)
      await eventually('all claims are stamped', async () =>
        (await hashVersions(world.kube)).every((version) => version === 'v6'),
      )
      await sleep(quietMs)
      expect(await standing(world.kube, world.account)).toEqual(before)
      expect(await outOfDate()).toEqual([])
      // Its hash is of the other version, which comes before what it drifted for.
      expect(await driftReasons()).toEqual(['NodeClassDrift'])
    })

    test('the fleet grows, and another one is begun', async () => {
      await Promise.all([fleet.scale(6), fresh.apply('v20260101', 0)])
      await eventually('cluster and account agree', () => fleet.isBalanced())
      expect(await hashVersions(world.kube)).toEqual(['v6', 'v6', 'v6', 'v6'])
      before = await standing(world.kube, world.account)
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
      const shown = seriesOf(await world.kubelet.scrape('joinery', metricsPort))
      // What fails while a class is not ready yet is a matter of moments.
      const absent = [...karpenterSeries.keys()].filter((name) => !shown.has(name) && !name.endsWith('_errors_total'))
      expect(absent).toEqual([])
      const listed = await listedMetrics()
      const missing = [...karpenterSeries].filter(([name, labels]) =>
        labels.some((label) => !(shown.get(name) ?? listed.get(name) ?? []).includes(label)),
      )
      expect(missing).toEqual([])
    })

    test("our CRDs take the place of Karpenter's", async () => {
      const [, , define = ''] = await documentedBlocks('From Karpenter')
      await world.shell.type(define)
      await eventually('rollout policies are served', async () =>
        world.kube.list(rolloutPolicies).then(
          () => true,
          () => false,
        ),
      )
      expect(await standing(world.kube, world.account)).toEqual(before)
    })

    test('back at Karpenter, every claim is restamped, and nothing is replaced', async () => {
      const [back = ''] = await documentedBlocks('Back to Karpenter')
      await world.shell.type(back)
      await eventually('all claims are stamped', async () =>
        (await hashVersions(world.kube)).every((version) => version === 'v5'),
      )
      await sleep(quietMs)
      expect(await standing(world.kube, world.account)).toEqual(before)
      expect(await outOfDate()).toEqual([])
      const known = (await world.kube.list(deployments, { namespace: 'kube-system' })).items
      expect(known.map(({ metadata }) => metadata.name)).toEqual(['karpenter'])
    })

    test('no condition of ours is left for health checks to wait for, and they go by Karpenter again after an edit', async () => {
      const left = (await poolsAndClasses()).flatMap(({ status }) => status?.conditions ?? [])
      expect(left.filter(({ type }) => ownConditions.has(type))).toEqual([])
      // Neither of them is part of a hash: nothing drifts for it.
      const pool = { spec: { weight: 7 } }
      await world.kube.patch(nodePools, { name: 'frozen' }, { kind: 'merge', body: pool })
      const { spec } = await world.kube.get(ec2NodeClasses, { name: 'frozen' })
      const subnetSelectorTerms = [...(spec?.subnetSelectorTerms ?? []), { tags: { nothing: 'has-this' } }]
      const nodeClass = { spec: { subnetSelectorTerms } }
      await world.kube.patch(ec2NodeClasses, { name: 'frozen' }, { kind: 'merge', body: nodeClass })
      await eventually('everything is healthy', async () =>
        (await poolsAndClasses()).every(
          (object) =>
            argoHealth(object.kind, object).status === 'Healthy' && fluxHealth(object.kind, object) === 'Healthy',
        ),
      )
      expect(await standing(world.kube, world.account)).toEqual(before)
    })

    test('Karpenter ends what either of them launched', async () => {
      await Promise.all([fleet.end(), frozen.end(), fresh.end()])
      const { status } = await world.kube.get(deployments, { namespace: 'kube-system', name: 'karpenter' })
      expect(status).toMatchObject({ readyReplicas: 2 })
    })

    /** The last to be written of it, in whichever order: that it is consolidatable, and that its instance is tagged. */
    async function isComplete({ metadata: { name } }: NodeClaim): Promise<boolean> {
      const claim = await world.kube.get(nodeClaims, { name })
      const isTagged = claim.metadata.annotations?.[annotationTagged] === 'true'
      return isTagged && isConditionTrue(claim, 'Consolidatable')
    }

    async function says(deployment: string, text: string): Promise<boolean> {
      return (await world.kubelet.output(deployment)).includes(text)
    }

    async function driftReasons() {
      return (await drifted()).map((claim) => conditionOf(claim, 'Drifted')?.reason)
    }

    async function claims() {
      return (await world.kube.list(nodeClaims)).items
    }

    async function poolsAndClasses() {
      return [...(await world.kube.list(nodePools)).items, ...(await world.kube.list(ec2NodeClasses)).items]
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
