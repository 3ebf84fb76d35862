import type { Node } from '../../api/kubernetes.ts'
import type { ClaimDraft } from '../nodeclaim/claim-draft.ts'
import type { MachineLookup } from '../nodeclaim/lookup.ts'
import type { VolumeLookup } from './volume-lookup.ts'

/** What the steps of one node's termination work on. */
export interface Termination {
  readonly node: Node
  readonly terminationTime: number | undefined
  /** Absent for a node whose claim is gone or not certain. */
  readonly draft: ClaimDraft | undefined
  readonly lookup: MachineLookup
  readonly volumes: VolumeLookup
}

/** Why a step of the termination is not over yet; undefined when it is. */
export type Waiting = { readonly afterMs: number } | undefined
