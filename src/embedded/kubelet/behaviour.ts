import type { InstanceRecord } from '../aws/state.ts'

/** How a machine behaves. Times are milliseconds. */
export interface NodeBehaviour {
  /** Whether its kubelet ever reaches the API server. */
  readonly joins: boolean
  /** From the launch to the Node object. */
  readonly bootMs: number
  /** From the Node object to Ready; never when the image is broken. */
  readonly readyMs: number
  readonly becomesReady: boolean
  /** From the Node object until device plugins have announced their devices. */
  readonly devicesMs: number
  /** Part of the type's memory that never reaches the kubelet. */
  readonly memoryOverhead: number
  /** Conditions that the node reports besides the usual ones, e.g. `AcceleratedHardwareReady: False`. */
  readonly conditions: Readonly<Record<string, 'True' | 'False' | 'Unknown'>>
  /** Whether the kubelet still talks to the API server. */
  readonly responds: boolean
  /** Whether it reports itself Ready. */
  readonly healthy: boolean
  /** Turns from ready to not ready and back each time so much has passed; 0 for a steady machine. */
  readonly flapMs: number
  /** From the binding of a pod to its containers running. */
  readonly podStartMs: number
  /** From running to ready. */
  readonly podReadyMs: number
  /** From the stop signal to the end of the containers; never more than the grace period. */
  readonly podStopMs: number
  /** How long a pod of a Job runs, unless its annotation says otherwise. */
  readonly jobMs: number
  /** Containers crash over and over instead of becoming ready. */
  readonly podsCrash: boolean
  /** Pods never finish stopping: they stay until somebody deletes them by force. */
  readonly podsHang: boolean
  /** Labels or taints beside those of the user data, for machines that don't do as they are told. */
  readonly extraLabels: Readonly<Record<string, string>>
  readonly dropsTaints: boolean
}

/** A healthy machine of a current image. */
export const usualBehaviour: NodeBehaviour = {
  joins: true,
  bootMs: 30_000,
  readyMs: 10_000,
  becomesReady: true,
  devicesMs: 20_000,
  memoryOverhead: 0.065,
  conditions: {},
  responds: true,
  healthy: true,
  flapMs: 0,
  podStartMs: 2_000,
  podReadyMs: 0,
  podStopMs: 1_000,
  jobMs: 30_000,
  podsCrash: false,
  podsHang: false,
  extraLabels: {},
  dropsTaints: false,
}

/** For how long a pod runs before it succeeds (a Go duration such as `90s`), on pods that may end. */
export const runDurationAnnotation = 'embedded.joinery.dev/run-for'

export interface BehaviourState {
  /** Overrides for every machine. */
  all: Partial<NodeBehaviour>
  /** Overrides by image id: a broken image breaks every machine that boots from it. */
  byImage: Record<string, Partial<NodeBehaviour>>
  /** Overrides by instance id; they win. */
  byInstance: Record<string, Partial<NodeBehaviour>>
  /** Instances whose kubelet has registered: it does not register a second time. */
  registered: Record<string, number>
}

/** The behaviour of every machine: what holds for all, for its image, and for itself. */
export class Behaviours {
  state: BehaviourState = { all: {}, byImage: {}, byInstance: {}, registered: {} }
  readonly #listeners = new Set<() => void>()
  /** Decides for machines without an override of their own, e.g. by a draw. */
  chooser: (instance: InstanceRecord) => Partial<NodeBehaviour> = () => ({})

  of(instance: InstanceRecord): NodeBehaviour {
    return {
      ...usualBehaviour,
      ...this.state.all,
      ...this.chooser(instance),
      ...this.state.byImage[instance.imageID],
      ...this.state.byInstance[instance.id],
    }
  }

  setAll(overrides: Partial<NodeBehaviour>): void {
    Object.assign(this.state.all, overrides)
    this.#changed()
  }

  setImage(imageID: string, overrides: Partial<NodeBehaviour>): void {
    this.state.byImage[imageID] = { ...this.state.byImage[imageID], ...overrides }
    this.#changed()
  }

  setInstance(instanceID: string, overrides: Partial<NodeBehaviour>): void {
    this.state.byInstance[instanceID] = { ...this.state.byInstance[instanceID], ...overrides }
    this.#changed()
  }

  /** Told after every change. Returns how to stop. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}
