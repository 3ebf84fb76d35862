import { conditionOf } from '../../api/conditions.ts'
import { type HashRecord, recordText } from '../../api/hash/index.ts'
import { annotationNodeClassHashInput } from '../../api/joinery-annotations.ts'
import type { EC2NodeClass, NodeClaim, NodePool } from '../../api/karpenter.ts'
import type { KubeObject } from '../../api/kubernetes.ts'
import type { EventRecorder } from '../../kube/recorder.ts'
import type { Clock } from '../../model/clock.ts'
import type { DriftFinding } from '../../model/drift-finding.ts'
import { type InstanceType, typesByName } from '../../model/instance-type.ts'
import {
  type CloudProvider,
  CreateError,
  InsufficientCapacityError,
  type LaunchedInstance,
  NodeClaimNotFoundError,
  NodeClassNotReadyError,
  ProviderIDError,
  type RegistrationHook,
} from '../provider.ts'
import type { AMIProvider } from './ami/ami-provider.ts'
import type { ReservationProvider } from './capacity-reservation/reservation-provider.ts'
import { dynamicDrift, staticDrift } from './drift.ts'
import { causeChainText, isInstanceIDMalformed } from './errors.ts'
import { type EC2Instance, instanceIDOf } from './instance/ec2-instance.ts'
import type { InstanceProvider } from './instance/instance-provider.ts'
import type { Launcher } from './instance/launcher.ts'
import { toLaunched } from './instance/to-launched.ts'
import type { InstanceTypeProvider } from './instance-types/instance-type-provider.ts'
import type { PlacementGroup } from './instance-types/type-settings.ts'
import {
  hashAnnotation,
  hashVersionAnnotation,
  instanceProfileAnnotation,
  instanceTypeKey,
  nodeClassGroup,
  nodeClassKind,
  nodePoolKey,
  placementGroupIDKey,
  placementGroupPartitionKey,
  reservationIDKey,
} from './keys.ts'
import {
  placementGroupNotFound,
  type PlacementGroupProvider,
  placementGroupUnresolved,
} from './placement-group/placement-group-provider.ts'
import { repairPolicies } from './repair-policies.ts'
import { launchTags, type Tags } from './tags.ts'
import { specOf } from './wire.ts'

export interface ProviderParts {
  readonly clock: Clock
  readonly recorder: EventRecorder
  readonly clusterName: string
  readonly instanceTypes: InstanceTypeProvider
  readonly instances: InstanceProvider
  readonly launcher: Launcher
  readonly reservations: ReservationProvider
  readonly placementGroups: PlacementGroupProvider
  readonly images: Pick<AMIProvider, 'identify' | 'known'>
  readonly lookup: ObjectLookup
  readonly hash: NodeClassHash
  /** A NodePool's overlays laid over its types; leaves them as they are without the feature. */
  applyOverlays(nodePool: string, types: readonly InstanceType[]): readonly InstanceType[]
}

/** Reads from the controllers' caches. */
export interface ObjectLookup {
  nodeClass(name: string): EC2NodeClass | undefined
  nodePool(name: string): NodePool | undefined
}

export interface NodeClassHash {
  readonly version: string
  of(nodeClass: EC2NodeClass): string
  /** What the hash is made of. */
  inputOf(nodeClass: EC2NodeClass): HashRecord['input']
}

/** EC2 tells the partition within seconds; asking sooner would only spend calls. */
const partitionPollMs = 5_000

/** The cloud port on EC2. */
export class AWSCloudProvider implements CloudProvider {
  readonly name = 'aws'
  readonly nodeClassKinds = [{ group: nodeClassGroup, kind: nodeClassKind }]
  readonly repairPolicies = repairPolicies
  readonly registrationHooks: readonly RegistrationHook[]
  readonly #parts: ProviderParts

  constructor(parts: ProviderParts) {
    this.#parts = parts
    this.registrationHooks = [
      { name: 'PlacementGroupRegistrationHook', check: (nodeClaim) => this.#checkPartition(nodeClaim) },
    ]
  }

  async getInstanceTypes(nodePool: NodePool): Promise<readonly InstanceType[]> {
    const nodeClass = this.#liveClass(nodePool.spec.template.spec.nodeClassRef.name)
    if (nodeClass === undefined) {
      this.#publishUnresolved(nodePool)
      return []
    }
    return this.#parts.instanceTypes.list(nodeClass)
  }

  async create(nodeClaim: NodeClaim): Promise<LaunchedInstance> {
    const { launcher, instances, reservations, hash, images } = this.#parts
    const nodeClass = this.#liveClass(nodeClaim.spec.nodeClassRef.name)
    if (nodeClass === undefined) {
      this.#publishUnresolved(nodeClaim)
      throw new InsufficientCapacityError(`resolving node class, ${nodeClaim.spec.nodeClassRef.name} not found`)
    }
    assertReady(nodeClass)
    const tags = this.#tags(nodeClass, nodeClaim)
    await this.#assertPlacementGroup(nodeClass)
    await this.#countReservations(nodeClass)
    const types = this.#typesFor(nodeClass, nodeClaim)
    const instance = await instances.launch(nodeClaim.metadata, () =>
      launcher.launch({ nodeClass, nodeClaim, tags, types }),
    )
    if (instance.reservation !== undefined) reservations.markLaunched(instance.reservation.id)
    const stamp = hash.of(nodeClass)
    return this.#toLaunched(instance, nodeClass, types, {
      [hashAnnotation]: stamp,
      [hashVersionAnnotation]: hash.version,
      [instanceProfileAnnotation]: nodeClass.status?.instanceProfile ?? '',
      [annotationNodeClassHashInput]: recordText({
        generation: nodeClass.metadata.generation ?? 0,
        hash: stamp,
        // Nothing waits for EC2 here: the instance runs, and who explains its drift can ask then.
        image: images.known(instance.imageID),
        input: hash.inputOf(nodeClass),
      }),
    })
  }

  async get(providerID: string): Promise<LaunchedInstance> {
    try {
      return this.#described(await this.#parts.instances.get(parseProviderID(providerID)))
    } catch (error) {
      throw isInstanceIDMalformed(error) ? new ProviderIDError(providerID, error) : error
    }
  }

  async list(): Promise<readonly LaunchedInstance[]> {
    const instances = await this.#parts.instances.list()
    return instances.map((instance) => this.#described(instance))
  }

  async delete(nodeClaim: NodeClaim): Promise<void> {
    const { reservations } = this.#parts
    try {
      await this.#deleteInstance(nodeClaim.status?.providerID)
    } catch (error) {
      const { labels, uid } = nodeClaim.metadata
      const reservation = labels?.[reservationIDKey]
      if (error instanceof NodeClaimNotFoundError && reservation !== undefined)
        reservations.markTerminated(reservation, uid)
      throw error
    }
  }

  async isDrifted(nodeClaim: NodeClaim): Promise<DriftFinding | undefined> {
    const { lookup, instances, instanceTypes, placementGroups, reservations, images, hash } = this.#parts
    const poolName = nodeClaim.metadata.labels?.[nodePoolKey]
    const nodePool = poolName === undefined ? undefined : lookup.nodePool(poolName)
    const nodeClass = nodePool && this.#liveClass(nodePool.spec.template.spec.nodeClassRef.name)
    if (nodeClass === undefined) return undefined
    const finding = staticDrift(nodeClaim, nodeClass, hash)
    if (finding !== undefined) return finding
    const typeName = nodeClaim.metadata.labels?.[instanceTypeKey] ?? ''
    return dynamicDrift({
      nodeClaim,
      nodeClass,
      instance: await instances.get(parseProviderID(nodeClaim.status?.providerID)),
      type: instanceTypes.get(nodeClass, typeName),
      placementGroupID: (await placementGroups.knownOrAsked(nodeClass))?.id ?? '',
      identify: (id) => images.identify(id),
      reservationSelected: async (id) => {
        const fresh = await reservations.listFresh(specOf(nodeClass).capacityReservationSelectorTerms ?? [])
        return fresh.some((it) => it.CapacityReservationId === id)
      },
    })
  }

  /** A provider ID that an editor or a backup has spoilt names no instance; what was launched for the claim goes as one that nobody claims. */
  async #deleteInstance(providerID: string | undefined): Promise<void> {
    try {
      await this.#parts.instances.delete(parseProviderID(providerID))
    } catch (error) {
      if (!(error instanceof ProviderIDError) && !isInstanceIDMalformed(error)) throw error
      throw new NodeClaimNotFoundError(`provider id ${JSON.stringify(providerID ?? '')} names no instance`, {
        cause: error,
      })
    }
  }

  #liveClass(name: string): EC2NodeClass | undefined {
    const nodeClass = this.#parts.lookup.nodeClass(name)
    return nodeClass?.metadata.deletionTimestamp === undefined ? nodeClass : undefined
  }

  #publishUnresolved(object: KubeObject): void {
    this.#parts.recorder.publish({
      object,
      type: 'Warning',
      reason: '',
      message: 'Failed resolving NodeClass',
      dedupeValues: [object.metadata.uid],
    })
  }

  #tags(nodeClass: EC2NodeClass, nodeClaim: NodeClaim): Tags {
    try {
      return launchTags(nodeClass, nodeClaim, this.#parts.clusterName)
    } catch (error) {
      throw new NodeClassNotReadyError(causeChainText(error), { cause: error })
    }
  }

  /** The class may have been found ready by an earlier process: launched before its group is known, a machine would end outside of it. */
  async #assertPlacementGroup(nodeClass: EC2NodeClass): Promise<void> {
    const selector = specOf(nodeClass).placementGroupSelector
    if (selector === undefined) return
    let group: PlacementGroup | undefined
    try {
      group = await this.#parts.placementGroups.knownOrAsked(nodeClass)
    } catch (error) {
      const { reason, message } = placementGroupUnresolved
      throw new CreateError(`resolving placement group, ${causeChainText(error)}`, reason, message, error)
    }
    if (group === undefined) throw new NodeClassNotReadyError(placementGroupNotFound(selector))
  }

  /** Reservations of which nothing is known count as full: a launch without them is better than none. */
  async #countReservations(nodeClass: EC2NodeClass): Promise<void> {
    const { instanceTypes, reservations } = this.#parts
    try {
      const ids = instanceTypes.settingsOf(nodeClass).reservations.map(({ id }) => id)
      await reservations.ensureCounted(specOf(nodeClass).capacityReservationSelectorTerms ?? [], ids)
    } catch {
      // What is wrong with the class or with EC2 is told by those who look for just that.
    }
  }

  #typesFor(nodeClass: EC2NodeClass, nodeClaim: NodeClaim): readonly InstanceType[] {
    const { instanceTypes, applyOverlays } = this.#parts
    const nodePool = nodeClaim.metadata.labels?.[nodePoolKey]
    try {
      const types = instanceTypes.list(nodeClass)
      return nodePool === undefined ? types : applyOverlays(nodePool, types)
    } catch (error) {
      throw new CreateError(
        `resolving instance types, ${causeChainText(error)}`,
        'InstanceTypeResolutionFailed',
        'Error resolving instance types',
        error,
      )
    }
  }

  /** With what pool and class still tell about it; a missing one leaves its part out. */
  #described(instance: EC2Instance): LaunchedInstance {
    const { lookup, instanceTypes } = this.#parts
    const nodePool = lookup.nodePool(instance.tags[nodePoolKey] ?? '')
    const nodeClass = nodePool && this.#liveClass(nodePool.spec.template.spec.nodeClassRef.name)
    let types: readonly InstanceType[] = []
    try {
      if (nodeClass !== undefined) types = instanceTypes.list(nodeClass)
    } catch {
      // An instance can be told apart from others without its type.
    }
    return this.#toLaunched(instance, nodeClass, types, {})
  }

  #toLaunched(
    instance: EC2Instance,
    nodeClass: EC2NodeClass | undefined,
    types: readonly InstanceType[],
    annotations: Record<string, string>,
  ): LaunchedInstance {
    const { clock, placementGroups } = this.#parts
    return toLaunched({
      instance,
      type: typesByName(types).get(instance.instanceType),
      nodeClass,
      placementGroup: nodeClass === undefined ? undefined : placementGroups.known(nodeClass),
      annotations,
      now: clock.now(),
    })
  }

  async #checkPartition(nodeClaim: NodeClaim): ReturnType<RegistrationHook['check']> {
    const labels = nodeClaim.metadata.labels ?? {}
    const clear = { kind: 'clear', labels: {} } as const
    if (labels[placementGroupIDKey] === undefined || labels[placementGroupPartitionKey] !== '') return clear
    const instance = await this.#parts.instances.get(parseProviderID(nodeClaim.status?.providerID), 'fresh')
    if (instance.partition === 0) return { kind: 'pending', requeueAfterMs: partitionPollMs }
    return { kind: 'clear', labels: { [placementGroupPartitionKey]: String(instance.partition) } }
  }
}

function parseProviderID(text: string | undefined): string {
  const id = instanceIDOf(text)
  if (id === undefined) throw new ProviderIDError(text)
  return id
}

function assertReady(nodeClass: EC2NodeClass): void {
  const ready = conditionOf(nodeClass, 'Ready')
  if (ready?.status === 'False') throw new NodeClassNotReadyError(ready.message ?? '')
  if (ready?.status !== 'True') {
    const message = 'NodeClass is in Ready=Unknown'
    throw new CreateError(message, 'NodeClassReadinessUnknown', message)
  }
  if (ready.observedGeneration !== nodeClass.metadata.generation) {
    throw new NodeClassNotReadyError('nodeclass status has not been reconciled against the latest spec')
  }
}
