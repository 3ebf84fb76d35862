import { join } from 'node:path'
import type { KubeObject } from '../../../src/api/kubernetes.ts'
import { buildGoProgram, whyNoGo } from './go-program.ts'
import { runOrThrow } from './run.ts'

/** Our Go program around gitops-engine, by which Argo CD compares. */
const source = join(import.meta.dirname, '..', 'packaging', 'argo-diff')
const program = { title: 'gitops-engine', name: 'argo-diff', source, package: '.' }

/** Why the program cannot be built here; undefined when it can. */
export function whyNoArgoDiff(): Promise<string | undefined> {
  return whyNoGo(source)
}

/** Builds it ahead of time. */
export function buildArgoDiff(): Promise<string> {
  return buildGoProgram(program)
}

interface Comparison {
  /** What Git says. */
  readonly config: object
  /** What the cluster has. */
  readonly live: KubeObject
  /** What the server answered to a dry run; given, this is compared instead of what Git says. */
  readonly dryRun?: KubeObject
}

/** What Argo CD says of each object; where it is out of sync, both sides as they were compared. */
export interface SyncVerdict {
  readonly modified: boolean
  readonly live?: object
  readonly predicted?: object
}

export async function argoDiff(comparisons: readonly Comparison[]): Promise<readonly SyncVerdict[]> {
  const text = await runOrThrow(await buildArgoDiff(), [], { input: JSON.stringify(comparisons) })
  const verdicts = JSON.parse(text) as readonly (SyncVerdict & { readonly error?: string })[]
  for (const { error } of verdicts) if (error !== undefined) throw new Error(error)
  return verdicts
}
