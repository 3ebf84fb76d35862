import { mkdir, readFile, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { contentHash, peerCacheFolder, withLock } from './cache.ts'
import { run, runOrThrow } from './run.ts'

/** Our Go program around gopher-lua, the interpreter that Argo CD has. */
const source = join(import.meta.dirname, '..', 'packaging', 'argo-lua')
const goEnv = { GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly -buildvcs=false', GOWORK: 'off', CGO_ENABLED: '0' }

/** Why the program cannot be built here; undefined when it can. */
export async function whyNoArgoLua(): Promise<string | undefined> {
  const { code } = await run('go', ['env', 'GOVERSION'], { env: goEnv, cwd: '/' })
  return code === 0 ? undefined : 'go is not on the PATH'
}

interface LuaJob {
  readonly script: string
  readonly obj: unknown
}

/** Runs each script with its object as the global `obj`, and returns what they return; an error is thrown with the script's number. */
export async function runArgoLua(jobs: readonly LuaJob[]): Promise<readonly unknown[]> {
  const text = await runOrThrow(await program(), [], { input: JSON.stringify(jobs) })
  const outcomes = JSON.parse(text) as { readonly result?: unknown; readonly error?: string }[]
  return outcomes.map(({ result, error }, index) => {
    if (error !== undefined) throw new Error(`script ${index}: ${error}`)
    return result
  })
}

async function program(): Promise<string> {
  const texts = await Promise.all(['go.mod', 'go.sum', 'main.go'].map((name) => readFile(join(source, name), 'utf8')))
  const folder = peerCacheFolder(`argo-lua-${contentHash(...texts, process.platform, process.arch)}`)
  const binary = join(folder, 'argo-lua')
  if (await exists(binary)) return binary
  await mkdir(folder, { recursive: true })
  return withLock(join(folder, 'lock'), async () => {
    if (await exists(binary)) return binary
    const unfinished = `${binary}.${process.pid}`
    await runOrThrow('go', ['build', '-trimpath', '-o', unfinished, '.'], {
      cwd: source,
      env: goEnv,
      timeoutMs: 600_000,
    })
    await rename(unfinished, binary)
    return binary
  })
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined
}
