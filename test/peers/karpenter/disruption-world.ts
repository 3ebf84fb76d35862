import { conditionOf, isConditionTrue } from '../../../src/api/conditions.ts'
import type { NodeClaim, NodePool } from '../../../src/api/karpenter.ts'
import type { Deployment, PodDisruptionBudget, Unsaved } from '../../../src/api/kubernetes.ts'
import { ec2NodeClasses, nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { deployments, events, nodes, podDisruptionBudgets, pods } from '../../../src/kube/kinds.ts'
import { clusterReport } from '../support/cluster-report.ts'
import { installCRDs } from '../support/crds.ts'
import { eventually } from '../support/eventually.ts'
import { aNodeClass } from '../support/fleet-manifests.ts'
import { type InterruptionBus, startInterruptionBus } from '../support/interruption-bus.ts'
import type { LogLine } from '../support/joinery-process.ts'
import { karpenterCRDs, startKarpenter } from '../support/karpenter-process.ts'
import { likeKarpenter, startOperator } from '../support/operator-process.ts'
import { type EmptyWorld, startEmptyWorld } from '../support/real-world.ts'
import { type DisruptedFleet, type Hands, type PodGroup, typesOf } from './disrupted-fleets.ts'
import { countedOf, type Outcome, outcomeOf } from './disruption-outcomes.ts'

/** A pass in which nothing is done comes every ten seconds, and what consolidation finds waits for fifteen. */
const quietMs = 12_000

const sharedClass = 'shared'

/** Until then consolidation says nothing of a node; what it once said it does not say otherwise for a quarter of an hour. */
const later = '1h'

/** After it a pool that was edited has been judged; until then pods have no place in it. */
const judgedSeconds = 8

interface Controller {
  lines(): Promise<readonly LogLine[]>
  logTail(lines?: number): Promise<string>
  metrics(): Promise<string>
  dispose(): Promise<unknown>
}

export interface Disruptions {
  /** By fleet. */
  readonly outcomes: Readonly<Record<string, Outcome>>
  readonly counted: readonly string[]
  readonly lines: readonly LogLine[]
  readonly log: string
}

/** Lets a controller have all fleets, and does to them what is to be done, one list of fleets after the other. */
export async function disrupt(
  who: 'Karpenter' | 'Joinery',
  rounds: readonly (readonly DisruptedFleet[])[],
): Promise<Disruptions> {
  const world = await startEmptyWorld()
  try {
    await installCRDs(world.controlPlane, await karpenterCRDs())
    const bus = await startInterruptionBus(world.account)
    world.stops.push(() => Promise.resolve(bus.queue.stop()))
    const controller = await start(who, world, bus)
    world.stops.push(() => controller.dispose())
    const run = new Run(world, bus, controller, rounds)
    try {
      return await run.all()
    } catch (error) {
      const report = `${await controller.logTail(120)}\n${await clusterReport(world.kube)}`
      throw new Error(`${who}: ${error instanceof Error ? error.message : String(error)}\n${report}`, { cause: error })
    }
  } finally {
    await world.stop()
  }
}

function start(who: 'Karpenter' | 'Joinery', { controlPlane, account }: EmptyWorld, { queue }: InterruptionBus) {
  const { kubeconfig, url: endpoint } = controlPlane
  const gates = 'StaticCapacity=true'
  return who === 'Karpenter'
    ? startKarpenter({ kubeconfig, endpoint, account, env: { INTERRUPTION_QUEUE: queue.name, FEATURE_GATES: gates } })
    : startOperator({
        kubeconfig,
        endpoint,
        account,
        flags: [...likeKarpenter, `--interruption-queue=${queue.name}`, `--feature-gates=${gates}`],
      })
}

/** One controller's turn. */
class Run {
  readonly #world: EmptyWorld
  readonly #bus: InterruptionBus
  readonly #controller: Controller
  readonly #rounds: readonly (readonly DisruptedFleet[])[]
  readonly #fleets: readonly DisruptedFleet[]
  /** UIDs of the claims that each fleet had before anything was done to it. */
  readonly #before = new Map<string, ReadonlySet<string>>()
  /** What stands for names. */
  readonly #names = new Map<string, string>()

  constructor(
    world: EmptyWorld,
    bus: InterruptionBus,
    controller: Controller,
    rounds: readonly (readonly DisruptedFleet[])[],
  ) {
    this.#world = world
    this.#bus = bus
    this.#controller = controller
    this.#rounds = rounds
    this.#fleets = rounds.flat()
  }

  async all(): Promise<Disruptions> {
    await this.#prepare()
    for (const round of this.#rounds) await this.#go(round)
    const lines = await this.#controller.lines()
    const told = (await this.#world.kube.list(events)).items
    const outcomes: Record<string, Outcome> = {}
    for (const { name } of this.#fleets) {
      const source = { fleet: name, ...(await this.#sorted(name)), events: told, lines, names: this.#names }
      outcomes[name] = outcomeOf(source)
    }
    return {
      outcomes,
      counted: countedOf(await this.#controller.metrics()),
      lines,
      log: await this.#controller.logTail(),
    }
  }

  async #prepare(): Promise<void> {
    const { kube } = this.#world
    const classes = [sharedClass, ...this.#fleets.filter(({ hasClass }) => hasClass).map(({ name }) => name)]
    for (const name of classes) await kube.create(ec2NodeClasses, aNodeClass('v20260101', { name }))
    await eventually('every class is ready', async () =>
      (await kube.list(ec2NodeClasses)).items.every((each) => isConditionTrue(each, 'Ready')),
    )
    for (const fleet of this.#fleets) await kube.create(nodePools, poolOf(fleet))
    await eventually('every pool is ready', async () =>
      (await kube.list(nodePools)).items.every((pool) => isConditionTrue(pool, 'Ready')),
    )
    for (const fleet of this.#fleets) {
      for (const group of fleet.groups) await kube.create(deployments, deploymentOf(fleet.name, group))
      for (const guard of guardsOf(fleet)) await kube.create(podDisruptionBudgets, guard)
    }
    for (const fleet of this.#fleets) await this.#stands(fleet)
    for (const fleet of this.#fleets) {
      for (const group of fleet.later ?? []) await kube.create(deployments, deploymentOf(fleet.name, group))
    }
    for (const fleet of this.#fleets) {
      await this.#stands(fleet)
      this.#before.set(fleet.name, new Set((await this.#claims(fleet.name)).map(({ metadata }) => metadata.uid)))
    }
    await this.#learnNames()
  }

  async #go(round: readonly DisruptedFleet[]): Promise<void> {
    for (const fleet of round) await fleet.change(this.#handsOn(fleet))
    for (const { name, ends, says } of round) {
      await eventually(`${name} ends with ${ends.kept} claims kept and ${ends.fresh} fresh`, async () => {
        const { kept, fresh } = await this.#sorted(name)
        return (
          kept.length === ends.kept &&
          fresh.length === ends.fresh &&
          fresh.every((claim) => isConditionTrue(claim, 'Ready'))
        )
      })
      if (says !== undefined) await eventually(`${name} says ${says}`, () => this.#hasSaid(name, says))
    }
    await this.#quiet()
    for (const { name } of round) {
      await this.#world.kube.patch(nodePools, { name }, merge({ spec: { disruption: { consolidateAfter: later } } }))
    }
    await this.#learnNames()
  }

  async #hasSaid(fleet: string, words: string): Promise<boolean> {
    const own = new Set(
      (await this.#claims(fleet)).flatMap(({ metadata, status }) => [metadata.name, status?.nodeName]),
    )
    const { items } = await this.#world.kube.list(events)
    return items.some(
      ({ involvedObject: { name }, message }) => (name === fleet || own.has(name)) && message?.includes(words) === true,
    )
  }

  /** Until nothing new is told for a while. */
  async #quiet(): Promise<void> {
    let told = ''
    let since = performance.now()
    await eventually('all is told', async () => {
      const now = (await this.#world.kube.list(events)).items.map(({ reason, message }) => `${reason} ${message}`)
      const distinct = [...new Set(now)].toSorted().join('\n')
      if (distinct !== told) since = performance.now()
      told = distinct
      return performance.now() - since > quietMs
    })
  }

  /** All its pods run, and its nodes are complete. */
  async #stands({ name, replicas = 0 }: DisruptedFleet): Promise<void> {
    await eventually(`${name} stands`, async () => {
      const claims = await this.#claims(name)
      return (
        claims.length >= Math.max(replicas, 1) &&
        claims.every((claim) => isConditionTrue(claim, 'Ready')) &&
        this.#run(name)
      )
    })
  }

  async #run(fleet: string, app?: string): Promise<boolean> {
    const { items } = await this.#world.kube.list(deployments, {
      namespace: 'default',
      labelSelector: `fleet=${fleet}`,
    })
    return items
      .filter(({ metadata }) => app === undefined || metadata.name === app)
      .every(({ spec, status }) => status?.readyReplicas === spec?.replicas)
  }

  async #claims(fleet: string): Promise<readonly NodeClaim[]> {
    return (await this.#world.kube.list(nodeClaims, { labelSelector: `karpenter.sh/nodepool=${fleet}` })).items
  }

  /** Its claims, by whether it had them before anything was done to it. */
  async #sorted(fleet: string): Promise<{ readonly kept: readonly NodeClaim[]; readonly fresh: readonly NodeClaim[] }> {
    const claims = await this.#claims(fleet)
    const isKept = ({ metadata }: NodeClaim): boolean => this.#before.get(fleet)?.has(metadata.uid) === true
    return { kept: claims.filter(isKept), fresh: claims.filter((claim) => !isKept(claim)) }
  }

  #handsOn({ name, hasClass = false }: DisruptedFleet): Hands {
    const { kube, account } = this.#world
    return {
      consolidateSoon: async (disruption = {}) => {
        const [claim] = await this.#claims(name)
        const initialized = claim && conditionOf(claim, 'Initialized')?.lastTransitionTime
        const since = Date.parse(claim?.status?.lastPodEventTime ?? initialized ?? '')
        const consolidateAfter = `${Math.ceil((Date.now() - since) / 1_000) + judgedSeconds}s`
        await kube.patch(nodePools, { name }, merge({ spec: { disruption: { ...disruption, consolidateAfter } } }))
      },
      patchPool: (spec) => kube.patch(nodePools, { name }, merge({ spec })),
      release: async (release) => {
        if (!hasClass) throw new Error(`${name} has no class of its own`)
        const { spec } = aNodeClass(release)
        await kube.patch(ec2NodeClasses, { name }, merge({ spec: { amiSelectorTerms: spec?.amiSelectorTerms } }))
      },
      remove: async (group) => {
        await kube.delete(deployments, { namespace: 'default', name: `${name}-${group}` })
        await eventually(`${name} has no pods of ${group}`, async () => {
          const { items } = await kube.list(pods, { namespace: 'default', labelSelector: `app=${name}-${group}` })
          return items.length === 0
        })
      },
      patchNodes: async (metadata) => {
        const { items } = await kube.list(nodes, { labelSelector: `fleet=${name}` })
        for (const node of items) await kube.patch(nodes, { name: node.metadata.name }, merge({ metadata }))
      },
      add: async (group) => {
        await kube.create(deployments, deploymentOf(name, group))
        await eventually(`the pods of ${group.name} run`, () => this.#run(name, `${name}-${group.name}`))
      },
      deleteClaims: async () => {
        for (const claim of await this.#claims(name)) await kube.delete(nodeClaims, { name: claim.metadata.name })
      },
      deleteNodes: async () => {
        const { items } = await kube.list(nodes, { labelSelector: `fleet=${name}` })
        for (const node of items) await kube.delete(nodes, { name: node.metadata.name })
      },
      publish: async (event) => {
        const [first] = (await account.liveInstances()).filter(({ Tags = [] }) =>
          Tags.some(({ Key, Value }) => Key === 'karpenter.sh/nodepool' && Value === name),
        )
        await this.#bus.publish(event(first?.InstanceId ?? 'none'))
      },
    }
  }

  async #learnNames(): Promise<void> {
    for (const { metadata, status } of (await this.#world.kube.list(nodeClaims)).items) {
      const pool = metadata.labels?.['karpenter.sh/nodepool'] ?? 'none'
      this.#names.set(metadata.name, `claim of ${pool}`)
      if (status?.nodeName !== undefined) this.#names.set(status.nodeName, `node of ${pool}`)
    }
    for (const { metadata, status } of (await this.#world.kube.list(ec2NodeClasses)).items) {
      if (status?.instanceProfile !== undefined) this.#names.set(status.instanceProfile, `profile of ${metadata.name}`)
    }
  }
}

function merge(body: object) {
  return { kind: 'merge' as const, body }
}

function poolOf(fleet: DisruptedFleet): Unsaved<NodePool> {
  const { name, types = ['m5.large'], capacityType, template, disruption, replicas, hasClass = false } = fleet
  const { requirements } = typesOf(types.slice(0, 1), capacityType).template.spec
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: {
      ...(replicas === undefined ? {} : { replicas }),
      template: {
        metadata: { labels: { fleet: name } },
        spec: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: hasClass ? name : sharedClass },
          expireAfter: 'Never',
          requirements,
          ...template,
        },
      },
      disruption: { consolidateAfter: later, budgets: [{ nodes: '100%' }], ...disruption },
    },
  }
}

function deploymentOf(
  fleet: string,
  { name, count = 1, requests, annotations, nodeSelector }: PodGroup,
): Unsaved<Deployment> {
  const app = `${fleet}-${name}`
  const labels = { app, fleet }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: app, namespace: 'default', labels: { fleet } },
    spec: {
      replicas: count,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, ...(annotations === undefined ? {} : { annotations }) },
        spec: {
          terminationGracePeriodSeconds: 1,
          nodeSelector: { ...nodeSelector, fleet },
          containers: [{ name: 'app', image: 'registry.example/app:1', resources: { requests: { ...requests } } }],
        },
      },
    },
  }
}

function guardsOf({ name, guards = 0 }: DisruptedFleet): readonly Unsaved<PodDisruptionBudget>[] {
  return Array.from({ length: guards }, (_, index) => ({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: `${name}-${index}`, namespace: 'default' },
    spec: { maxUnavailable: 0, selector: { matchLabels: { fleet: name } } },
  }))
}
