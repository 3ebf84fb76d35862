import { mkdir, readFile, readdir, rename, stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { contentHash, peerCacheFolder, withLock } from './cache.ts'
import { run } from './run.ts'

/** The published modules as they are, whatever Go the machine has and whatever it is configured to do. */
export const goEnv = { GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly -buildvcs=false', GOWORK: 'off', CGO_ENABLED: '0' }

/** A cold build takes minutes of CPU on a small machine; beyond this something hangs. */
const buildTimeoutMs = 40 * 60_000
const progressMs = 30_000

/** A program that Go builds from published modules. */
export interface GoProgram {
  /** What the messages call it. */
  readonly title: string
  /** The file name of the binary, and the beginning of its folder's name in the cache. */
  readonly name: string
  /** The module of ours that names the versions. */
  readonly source: string
  /** What is built; `.` is the module's own program. */
  readonly package: string
  /** Values of the `-X` flag of the linker. */
  readonly stamps?: Readonly<Record<string, string>>
}

/** Why a program of a module cannot be built here; undefined when it can. */
export async function whyNoGo(source: string): Promise<string | undefined> {
  const version = await run('go', ['env', 'GOVERSION'], { env: goEnv, cwd: '/' })
  if (version.code !== 0) return 'go is not on the PATH'
  const have = version.stdout.trim().replace(/^go/, '')
  const need = /^go (\S+)$/m.exec(await readFile(join(source, 'go.mod'), 'utf8'))?.[1] ?? ''
  return compareVersions(have, need) < 0 ? `go ${have} is older than ${need}, which is needed` : undefined
}

/** The path of the built program. The first call on a machine downloads the modules and builds it, which takes minutes. */
export async function buildGoProgram(program: GoProgram): Promise<string> {
  const files = (await readdir(program.source)).filter((name) => /\.go$|^go\.(mod|sum)$/.test(name)).sort()
  const texts = await Promise.all(files.map((name) => readFile(join(program.source, name), 'utf8')))
  const hash = contentHash(...files, ...texts, process.platform, process.arch)
  const folder = peerCacheFolder(`${program.name}-${hash}`)
  const binary = join(folder, program.name)
  if (await exists(binary)) return binary
  await mkdir(folder, { recursive: true })
  return withLock(join(folder, 'lock'), async () => {
    if (!(await exists(binary))) await build(program, binary)
    return binary
  })
}

async function build({ title, source, package: path, stamps = {} }: GoProgram, binary: string): Promise<void> {
  const ldflags = ['-s', '-w', ...Object.entries(stamps).map(([name, value]) => `-X ${name}=${value}`)]
  const started = performance.now()
  const say = (text: string): void => void process.stderr.write(`${title} for the peer tests: ${text}\n`)
  say('building with Go; this happens once per machine and takes some minutes')
  const progress = setInterval(() => say(`still building after ${seconds(started)} s`), progressMs)
  const unfinished = `${binary}.${process.pid}`
  const parallel = String(Math.max(2, availableParallelism()))
  const result = await run(
    'nice',
    ['-n', '10', 'go', 'build', '-p', parallel, '-trimpath', `-ldflags=${ldflags.join(' ')}`, '-o', unfinished, path],
    { cwd: source, env: goEnv, timeoutMs: buildTimeoutMs },
  )
  clearInterval(progress)
  if (result.code !== 0) {
    throw new Error(`go build of ${title} ended with ${result.code}:\n${result.stderr.slice(-8_000)}`)
  }
  await rename(unfinished, binary)
  say(`built in ${seconds(started)} s`)
}

function seconds(since: number): number {
  return Math.round((performance.now() - since) / 1000)
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined
}

/** By numeric parts; what is no number (`rc1`) counts as 0. */
function compareVersions(a: string, b: string): number {
  const [x, y] = [a, b].map((text) => text.split('.').map((part) => Number.parseInt(part, 10) || 0))
  for (let i = 0; i < 3; i++) {
    const difference = (x?.[i] ?? 0) - (y?.[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
