import { isConditionTrue } from '../../../src/api/conditions.ts'
import type { NodeClaim } from '../../../src/api/karpenter.ts'
import type { Event, KubeObject } from '../../../src/api/kubernetes.ts'
import { ec2NodeClasses, nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { deployments, events, nodes, podDisruptionBudgets } from '../../../src/kube/kinds.ts'
import { isNotFound } from '../../../src/kube/errors.ts'
import { type AWSEdge, startAWSEdge } from '../support/aws-edge.ts'
import { clusterReport } from '../support/cluster-report.ts'
import { installCRDs } from '../support/crds.ts'
import { conditionTexts } from '../support/decisions.ts'
import { eventually } from '../support/eventually.ts'
import { aNodeClass } from '../support/fleet-manifests.ts'
import { type InterruptionBus, startInterruptionBus } from '../support/interruption-bus.ts'
import type { LogLine } from '../support/joinery-process.ts'
import { karpenterCRDs, startKarpenter } from '../support/karpenter-process.ts'
import { likeKarpenter, startOperator } from '../support/operator-process.ts'
import { type EmptyWorld, startEmptyWorld } from '../support/real-world.ts'
import type { ComparedFleet } from './compared-fleet.ts'
import { claimsOf, handsOn, merge, runs } from './fleet-hands.ts'
import { workloadOf, guardsOf, later, poolOf, sharedClass } from './fleet-objects.ts'
import { countedOf, type Outcome, outcomeOf } from './fleet-outcomes.ts'

/** A pass in which nothing is done comes every ten seconds, and what consolidation finds waits for fifteen. */
const quietMs = 12_000

interface Controller {
  lines(): Promise<readonly LogLine[]>
  logTail(lines?: number): Promise<string>
  metrics(): Promise<string>
  dispose(): Promise<unknown>
}

export interface KeptFleets {
  /** By fleet. */
  readonly outcomes: Readonly<Record<string, Outcome>>
  readonly counted: readonly string[]
  /** As they are served at the end. */
  readonly metrics: string
  readonly events: readonly Event[]
  readonly lines: readonly LogLine[]
  readonly log: string
}

/** Lets a controller have all fleets, and does to them what is to be done, one list of fleets after the other. */
export async function keepFleets(
  who: 'Karpenter' | 'Joinery',
  rounds: readonly (readonly ComparedFleet[])[],
  gates = 'StaticCapacity=true',
): Promise<KeptFleets> {
  const world = await startEmptyWorld()
  await using started = world.stops
  await installCRDs(world.controlPlane, await karpenterCRDs())
  const bus = await startInterruptionBus(world.account)
  started.defer(() => bus.queue.stop())
  const edge = await startAWSEdge(world.account.endpoint)
  started.defer(() => edge.stop())
  const controller = await start(who, world, { bus, edge, gates })
  started.defer(() => controller.dispose())
  const run = new Run({ world, bus, edge, controller }, rounds)
  try {
    return await run.all()
  } catch (error) {
    const report = `${await controller.logTail(120)}\n${await clusterReport(world.kube)}`
    throw new Error(`${who}: ${error instanceof Error ? error.message : String(error)}\n${report}`, { cause: error })
  }
}

function start(
  who: 'Karpenter' | 'Joinery',
  { controlPlane, account }: EmptyWorld,
  { bus: { queue }, edge, gates }: { readonly bus: InterruptionBus; readonly edge: AWSEdge; readonly gates: string },
) {
  const { kubeconfig, url: endpoint } = controlPlane
  const common = { kubeconfig, endpoint, account: { env: { ...account.env, AWS_ENDPOINT_URL: edge.endpoint } } }
  return who === 'Karpenter'
    ? startKarpenter({ ...common, env: { INTERRUPTION_QUEUE: queue.name, FEATURE_GATES: gates } })
    : startOperator({
        ...common,
        flags: [...likeKarpenter, `--interruption-queue=${queue.name}`, `--feature-gates=${gates}`],
      })
}

interface RunParts {
  readonly world: EmptyWorld
  readonly bus: InterruptionBus
  readonly edge: AWSEdge
  readonly controller: Controller
}

/** One controller's turn. */
class Run {
  readonly #parts: RunParts
  readonly #rounds: readonly (readonly ComparedFleet[])[]
  readonly #fleets: readonly ComparedFleet[]
  /** UIDs of the claims that each fleet had before anything was done to it. */
  readonly #before = new Map<string, ReadonlySet<string>>()
  /** What stands for names. */
  readonly #names = new Map<string, string>()

  constructor(parts: RunParts, rounds: readonly (readonly ComparedFleet[])[]) {
    this.#parts = parts
    this.#rounds = rounds
    this.#fleets = rounds.flat()
  }

  async all(): Promise<KeptFleets> {
    const { kube, account } = this.#parts.world
    await this.#prepare()
    for (const round of this.#rounds) await this.#go(round)
    const lines = await this.#parts.controller.lines()
    this.#learnLoggedNames(lines)
    const [told, instances] = [(await kube.list(events)).items, await account.liveInstances()]
    const outcomes: Record<string, Outcome> = {}
    for (const { name } of this.#fleets) {
      const isOwn = ({ metadata }: KubeObject): boolean => metadata.name === name
      outcomes[name] = outcomeOf({
        fleet: name,
        ...(await this.#sorted(name)),
        nodes: (await kube.list(nodes, { labelSelector: `fleet=${name}` })).items,
        pool: (await kube.list(nodePools)).items.find(isOwn),
        nodeClass: (await kube.list(ec2NodeClasses)).items.find(isOwn),
        instances: instances.filter(({ Tags = [] }) => Tags.some(({ Value }) => Value === name)),
        events: told,
        lines,
        names: this.#names,
      })
    }
    const metrics = await this.#parts.controller.metrics()
    return {
      outcomes,
      counted: countedOf(metrics),
      metrics,
      events: told,
      lines,
      log: await this.#parts.controller.logTail(),
    }
  }

  async #prepare(): Promise<void> {
    const { kube } = this.#parts.world
    for (const { name, refusal } of this.#fleets) {
      if (refusal !== undefined)
        this.#parts.edge.add({ action: 'CreateFleet', times: Infinity, about: name, fault: refusal })
    }
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
      for (const group of fleet.groups) await kube.create(deployments, workloadOf(fleet.name, group))
      for (const guard of guardsOf(fleet)) await kube.create(podDisruptionBudgets, guard)
    }
    for (const fleet of this.#fleets) await this.#stands(fleet)
    for (const fleet of this.#fleets) {
      for (const group of fleet.later ?? []) await kube.create(deployments, workloadOf(fleet.name, group))
    }
    for (const fleet of this.#fleets) {
      await this.#stands(fleet)
      this.#before.set(fleet.name, new Set((await claimsOf(kube, fleet.name)).map(({ metadata }) => metadata.uid)))
    }
    await this.#learnNames()
  }

  async #go(round: readonly ComparedFleet[]): Promise<void> {
    const { world, bus } = this.#parts
    for (const fleet of round) await fleet.change(handsOn(fleet, { ...world, bus }))
    for (const { name, ends, says } of round) {
      await eventually(`${name} ends with ${ends.kept} claims kept and ${ends.fresh} fresh`, async () => {
        const { kept, fresh } = await this.#sorted(name)
        return (
          kept.length === ends.kept &&
          fresh.length === ends.fresh &&
          (ends.isReady === false || fresh.every((claim) => isConditionTrue(claim, 'Ready')))
        )
      })
      if (says !== undefined) await eventually(`${name} says ${says}`, () => this.#hasSaid(name, says))
    }
    await this.#quiet()
    for (const { name } of round) {
      const patch = merge({ spec: { disruption: { consolidateAfter: later } } })
      await world.kube.patch(nodePools, { name }, patch).catch((error: unknown) => {
        if (!isNotFound(error)) throw error
      })
    }
    await this.#learnNames()
  }

  async #hasSaid(fleet: string, words: string): Promise<boolean> {
    const { kube } = this.#parts.world
    const claims = await claimsOf(kube, fleet)
    const conditions = claims.flatMap(({ status }) => conditionTexts(status?.conditions))
    const own = new Set(claims.flatMap(({ metadata, status }) => [metadata.name, status?.nodeName]))
    const isOwn = (name = ''): boolean => name === fleet || own.has(name) || name.startsWith(`${fleet}-`)
    const told = (await kube.list(events)).items.filter(({ involvedObject }) => isOwn(involvedObject.name))
    return [...conditions, ...told.map(({ message }) => message)].some((text) => text?.includes(words) === true)
  }

  /** Until nothing new is told for a while. */
  async #quiet(): Promise<void> {
    let told = ''
    let since = performance.now()
    await eventually('all is told', async () => {
      const { items } = await this.#parts.world.kube.list(events)
      const distinct = [...new Set(items.map(({ reason, message }) => `${reason} ${message}`))].toSorted().join('\n')
      if (distinct !== told) since = performance.now()
      told = distinct
      return performance.now() - since > quietMs
    })
  }

  /** All its pods run, and its nodes are complete. */
  async #stands({ name, replicas = 0, groups }: ComparedFleet): Promise<void> {
    const { kube } = this.#parts.world
    const machinesMin = Math.max(replicas, Math.min(groups.length, 1))
    await eventually(`${name} stands`, async () => {
      const claims = await claimsOf(kube, name)
      const isComplete = claims.length >= machinesMin && claims.every((claim) => isConditionTrue(claim, 'Ready'))
      return isComplete && runs(kube, name)
    })
  }

  /** Its claims, by whether it had them before anything was done to it. */
  async #sorted(fleet: string): Promise<{ readonly kept: readonly NodeClaim[]; readonly fresh: readonly NodeClaim[] }> {
    const claims = await claimsOf(this.#parts.world.kube, fleet)
    const isKept = ({ metadata }: NodeClaim): boolean => this.#before.get(fleet)?.has(metadata.uid) === true
    return { kept: claims.filter(isKept), fresh: claims.filter((claim) => !isKept(claim)) }
  }

  async #learnNames(): Promise<void> {
    const { kube } = this.#parts.world
    for (const { metadata, status } of (await kube.list(nodeClaims)).items) {
      const fleet = metadata.labels?.['fleet'] ?? 'none'
      this.#names.set(metadata.name, `claim of ${fleet}`)
      if (status?.nodeName !== undefined) this.#names.set(status.nodeName, `node of ${fleet}`)
      if (status?.providerID !== undefined) this.#names.set(status.providerID, `instance of ${fleet}`)
    }
    for (const { metadata, status } of (await kube.list(ec2NodeClasses)).items) {
      if (status?.instanceProfile !== undefined) this.#names.set(status.instanceProfile, `profile of ${metadata.name}`)
    }
  }

  /** Of claims that were gone before anybody looked. */
  #learnLoggedNames(lines: readonly LogLine[]): void {
    const nameIn = (field: unknown): string => (field as { readonly name?: string } | undefined)?.name ?? ''
    for (const { message, NodeClaim, NodePool } of lines) {
      const [claim, pool] = [nameIn(NodeClaim), nameIn(NodePool)]
      if (message !== 'created nodeclaim' || claim === '' || this.#names.has(claim)) continue
      this.#names.set(claim, `claim of ${pool}`)
    }
  }
}
