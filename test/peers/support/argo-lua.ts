import { join } from 'node:path'
import { buildGoProgram, whyNoGo } from './go-program.ts'
import { runOrThrow } from './run.ts'

/** Our Go program around gopher-lua, the interpreter that Argo CD has. */
const source = join(import.meta.dirname, '..', 'packaging', 'argo-lua')
const argoLua = { title: 'gopher-lua', name: 'argo-lua', source, package: '.' }

/** Why the program cannot be built here; undefined when it can. */
export function whyNoArgoLua(): Promise<string | undefined> {
  return whyNoGo(source)
}

interface LuaJob {
  readonly script: string
  readonly obj: unknown
}

/** Runs each script with its object as the global `obj`, and returns what they return; an error is thrown with the script's number. */
export async function runArgoLua(jobs: readonly LuaJob[]): Promise<readonly unknown[]> {
  const text = await runOrThrow(await buildGoProgram(argoLua), [], { input: JSON.stringify(jobs) })
  const outcomes = JSON.parse(text) as { readonly result?: unknown; readonly error?: string }[]
  return outcomes.map(({ result, error }, index) => {
    if (error !== undefined) throw new Error(`script ${index}: ${error}`)
    return result
  })
}
