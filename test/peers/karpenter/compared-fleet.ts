import type { NodePool } from '../../../src/api/karpenter.ts'
import type { Fault } from '../support/aws-edge.ts'
import type { AWSEvent } from '../support/interruption-bus.ts'
import type { Release } from '../support/moto-account.ts'
import type { Requests } from './workloads.ts'

/** A NodePool with its Deployments, and what people or AWS do to it. */
export interface ComparedFleet {
  /** Of its NodePool; its nodes carry it as label `fleet`, which its pods select. No fleet's name begins with another's and a dash. */
  readonly name: string
  /** The first is what its nodes are, until the change offers others. */
  readonly types?: readonly string[]
  readonly capacityType?: 'on-demand' | 'spot'
  /** Whether its EC2NodeClass is its own; most share one. */
  readonly hasClass?: boolean
  readonly template?: Partial<NodePool['spec']['template']['spec']>
  readonly disruption?: Partial<NodePool['spec']['disruption']>
  readonly limits?: NodePool['spec']['limits']
  readonly replicas?: number
  readonly groups: readonly PodGroup[]
  /** Come once the others run. */
  readonly later?: readonly PodGroup[]
  /** How many PodDisruptionBudgets let none of its pods go. */
  readonly guards?: number
  /** What EC2 says to whoever asks for its machines. */
  readonly refusal?: Fault
  readonly change: (hands: Hands) => Promise<unknown>
  readonly ends: Ending
  /** Words of an event, or of a NodeClaim's condition, that have to come; of its pool, claims, nodes, class and pods. */
  readonly says?: string
}

/** How many of its claims are still there in the end, and how many are new, which are then complete unless it says otherwise. */
export interface Ending {
  readonly kept: number
  readonly fresh: number
  readonly isReady?: false
}

/** The pods of a Deployment, called after it and its fleet. */
export interface PodGroup {
  readonly name: string
  readonly count?: number
  readonly requests: Requests
  readonly annotations?: Readonly<Record<string, string>>
  readonly nodeSelector?: Readonly<Record<string, string>>
}

/** What can be done to a fleet. */
export interface Hands {
  patchPool(spec: object): Promise<unknown>
  /** Lets consolidation look at its nodes a few seconds from now, once the pool is judged. */
  consolidateSoon(disruption?: object): Promise<unknown>
  release(release: Release): Promise<unknown>
  /** Deletes a Deployment, and waits for its pods to be gone. */
  remove(group: string): Promise<unknown>
  patchNodes(metadata: object): Promise<unknown>
  /** Writes a condition into the status of its nodes. */
  sayOfNodes(condition: object): Promise<unknown>
  /** Waits until it has a node, and takes a taint off it. */
  untaint(key: string): Promise<unknown>
  /** Adds a Deployment. */
  start(group: PodGroup): Promise<unknown>
  /** Adds a Deployment, and waits for its pods to run. */
  add(group: PodGroup): Promise<unknown>
  deleteClaims(): Promise<unknown>
  deleteNodes(): Promise<unknown>
  deletePool(): Promise<unknown>
  deleteClass(): Promise<unknown>
  /** Says that a volume is attached to its nodes. */
  attachVolume(): Promise<unknown>
  /** Creates a NodeClaim of no pool. */
  claim(): Promise<unknown>
  /** Ends its instances behind everybody's back. */
  terminateInstances(): Promise<unknown>
  /** Takes the finalizers off its nodes, and deletes them, while their machines run on. */
  loseNodes(): Promise<unknown>
  /** Writes into the status of its claims that their instance is another one. */
  mistake(providerID: string): Promise<unknown>
  /** Of its first instance. */
  publish(event: (instance: string) => AWSEvent): Promise<unknown>
  /** Puts a message into the queue that no rule of this account let through. */
  send(message: (instance: string) => object): Promise<unknown>
}

/** A patch of a pool's requirements. */
export function typesOf(types: readonly string[], capacityType = 'on-demand') {
  return {
    template: {
      spec: {
        requirements: [
          { key: 'karpenter.sh/capacity-type', operator: 'In' as const, values: [capacityType] },
          { key: 'node.kubernetes.io/instance-type', operator: 'In' as const, values: [...types] },
        ],
      },
    },
  }
}

export const doNotDisrupt = { 'karpenter.sh/do-not-disrupt': 'true' }
export const small: PodGroup = { name: 'app', requests: { cpu: '300m', memory: '128Mi' } }
export const protectedOne: PodGroup = { ...small, annotations: doNotDisrupt }
export const same: Ending = { kept: 1, fresh: 0 }
export const replaced: Ending = { kept: 0, fresh: 1 }

/** What AWS Health tells of work on the machine of an instance, and what else it says of it. */
export function scheduledChange(instance: string, more: object = {}): AWSEvent {
  return {
    source: 'aws.health',
    type: 'AWS Health Event',
    detail: {
      service: 'EC2',
      eventTypeCategory: 'scheduledChange',
      affectedEntities: [{ entityValue: instance }],
      ...more,
    },
  }
}
