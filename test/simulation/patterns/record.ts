import type { KubeObject } from '../../../src/api/kubernetes.ts'
import type { AWSCall } from '../../../src/embedded/aws/faults.ts'
import type { ClientCall, WatchMessage } from '../../../src/embedded/apiserver/index.ts'
import type { Scenario } from '../incidents/scenario.ts'
import type { Resource } from '../../../src/kube/resource.ts'
import { isWrite } from '../hooks.ts'

/** A write of the operator, to the API server or to AWS; it has its place in the run before any fault. */
export interface Write {
  readonly index: number
  readonly text: string
  /** Deletes, terminates, evicts or launches. */
  readonly decides: boolean
  /** How much the operator had seen by then, as an index into what it saw. */
  readonly seen: number
  /** Of the clock that never jumps. */
  readonly at: number
}

/** A watch message as the operator got it. */
export interface Seen {
  readonly index: number
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly resource: Resource
  readonly key: string
  readonly revision: number
  readonly object: KubeObject
  readonly at: number
}

export interface Trace {
  readonly writes: readonly Write[]
  readonly seen: readonly Seen[]
  /** What is seen earlier belongs to the preparation: nothing is injected there. */
  readonly actSeen: number
}

const decisive = new Set(['CreateFleet', 'RunInstances', 'TerminateInstances'])
/** Events and leases are told and renewed all the time; they have tests of their own. */
const unsung = new Set(['events', 'leases'])

export function isRecorded(call: ClientCall): boolean {
  return isWrite(call) && !unsung.has(call.resource.plural)
}

function decides({ verb, resource }: ClientCall): boolean {
  return verb === 'delete' || verb === 'evict' || (verb === 'create' && resource.plural === 'nodeclaims')
}

export function isCloudWrite({ action }: AWSCall): boolean {
  return !/^(Describe|Get|List|Receive|Assume)/.test(action)
}

export function textOf({ verb, resource, name = '', subresource }: ClientCall): string {
  return `${verb} ${resource.plural}${subresource === undefined ? '' : `/${subresource}`} ${name}`.trimEnd()
}

export function cloudTextOf({ service, action }: AWSCall): string {
  return `${service}:${action}`
}

export function keyOf({ metadata }: KubeObject): string {
  return metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`
}

export function revisionOf(message: WatchMessage): number {
  return Number(message.type === 'BOOKMARK' ? message.resourceVersion : message.object.metadata.resourceVersion)
}

/** Writes down what the operator of a scenario sees from now on, and from `act` on what it writes. */
export class Recorder {
  readonly #writes: Write[] = []
  readonly #seen: Seen[] = []
  readonly #elapsed: () => number
  #actSeen: number | undefined

  constructor({ hooks, world }: Scenario) {
    const { aws, clock } = world.stack.cluster
    this.#elapsed = () => clock.monotonicMs()
    hooks.observe((call) => {
      if (isRecorded(call)) this.#wrote(textOf(call), decides(call))
    })
    aws.faults.add((call) => {
      if (isCloudWrite(call)) this.#wrote(cloudTextOf(call), decisive.has(call.action))
      return undefined
    })
    hooks.addMessage(({ resource }, message) => {
      if (message.type !== 'BOOKMARK') {
        const object = message.object as unknown as KubeObject
        const { type } = message
        this.#seen.push({
          index: this.#seen.length,
          type,
          resource,
          key: keyOf(object),
          revision: revisionOf(message),
          object,
          at: this.#elapsed(),
        })
      }
      return [message]
    })
  }

  act(): void {
    this.#actSeen = this.#seen.length
  }

  /** Writes at or after `at` are left out: a fault there would have no time to heal. */
  trace(at: number): Trace {
    return {
      writes: this.#writes.filter((write) => write.at < at),
      seen: this.#seen.filter((seen) => seen.at < at),
      actSeen: this.#actSeen ?? 0,
    }
  }

  #wrote(text: string, decides: boolean): void {
    if (this.#actSeen === undefined) return
    const index = this.#writes.length
    this.#writes.push({ index, text, decides, seen: this.#seen.length, at: this.#elapsed() })
  }
}
