import { readFile } from 'node:fs/promises'
import type { SavedState } from './apiserver/index.ts'
import type { AWSState } from './aws/state.ts'
import type { BehaviourState } from './kubelet/behaviour.ts'
import { writePrivateFile } from './private-file.ts'

/** Everything an embedded cluster is, as JSON. What was under way (boots, terminations, grace periods) follows from it again. */
export interface EmbeddedState {
  readonly formatVersion: 1
  /** Wall-clock time of the cluster, in milliseconds since the epoch. */
  readonly savedAtMs: number
  readonly region: string
  readonly clusterName: string
  readonly kubernetesVersion: string
  readonly nodeRole: string
  readonly interruptionQueue: string
  readonly apiServer: SavedState
  readonly aws: AWSState
  readonly behaviours: BehaviourState
}

export class EmbeddedStateError extends Error {
  readonly code = 'EmbeddedState'
  override readonly name = 'EmbeddedStateError'
}

export function writeEmbeddedState(path: string, state: EmbeddedState): Promise<void> {
  return writePrivateFile(path, JSON.stringify(state))
}

/** @throws EmbeddedStateError when the file holds something else */
export async function readEmbeddedState(path: string): Promise<EmbeddedState> {
  const value = parsed(await readFile(path, 'utf8'))
  if (!isState(value)) throw new EmbeddedStateError(`${path} is not the saved state of an embedded cluster`)
  return value
}

/** Undefined for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const parts = {
  savedAtMs: 'number',
  region: 'string',
  clusterName: 'string',
  kubernetesVersion: 'string',
  nodeRole: 'string',
  interruptionQueue: 'string',
  apiServer: 'object',
  aws: 'object',
  behaviours: 'object',
} as const satisfies Readonly<Record<Exclude<keyof EmbeddedState, 'formatVersion'>, string>>

function isState(value: unknown): value is EmbeddedState {
  if (typeof value !== 'object' || value === null) return false
  const state = value as Readonly<Record<string, unknown>>
  return state['formatVersion'] === 1 && Object.entries(parts).every(([part, type]) => typeof state[part] === type)
}
