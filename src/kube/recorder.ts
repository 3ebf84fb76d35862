import type { KubeObject } from '../api/kubernetes.ts'

/** Publishes Kubernetes events under source `karpenter`. Never rejects, never blocks. */
export interface EventRecorder {
  publish(...events: readonly EventToPublish[]): void
}

export interface EventToPublish {
  readonly object: KubeObject
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
  /** With the reason they form the key under which repeats within `dedupeMs` are dropped; absent: no dedupe. */
  readonly dedupeValues?: readonly string[]
  /** Default two minutes. */
  readonly dedupeMs?: number
  /** Shares one token bucket among all events that name it. */
  readonly rateLimit?: { readonly name: string; readonly perSecond: number; readonly burst: number }
}
