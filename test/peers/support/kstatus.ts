import { join } from 'node:path'
import type { KubeObject } from '../../../src/api/kubernetes.ts'
import { buildGoProgram, whyNoGo } from './go-program.ts'
import { runOrThrow } from './run.ts'

/** Our Go program around kstatus, as Flux and Helm 4 have it. */
const source = join(import.meta.dirname, '..', 'packaging', 'kstatus')
const program = { title: 'kstatus', name: 'kstatus', source, package: '.' }

/** Why the program cannot be built here; undefined when it can. */
export function whyNoKstatus(): Promise<string | undefined> {
  return whyNoGo(source)
}

export interface KstatusVerdict {
  readonly status: 'InProgress' | 'Failed' | 'Current' | 'Terminating' | 'NotFound' | 'Unknown'
  readonly message: string
}

/** What kstatus says of each object. */
export async function kstatusOf(objects: readonly KubeObject[]): Promise<readonly KstatusVerdict[]> {
  const text = await runOrThrow(await buildGoProgram(program), [], { input: JSON.stringify(objects) })
  const verdicts = JSON.parse(text) as readonly (KstatusVerdict & { readonly error?: string })[]
  for (const { error } of verdicts) if (error !== undefined) throw new Error(error)
  return verdicts
}
