import { mkdir, readFile, readdir, rename, stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { contentHash, peerCacheFolder, withLock } from './cache.ts'
import { run } from './run.ts'

/** Our Go program that is etcd, kube-apiserver, kube-controller-manager and kube-scheduler in one. */
const source = join(import.meta.dirname, '..', 'kubernetes', 'control-plane')

/** The published modules as they are, whatever Go the machine has and whatever it is configured to do. */
const goEnv = { GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly -buildvcs=false', GOWORK: 'off', CGO_ENABLED: '0' }

/** A cold build takes minutes of CPU on a small machine; beyond this something hangs. */
const buildTimeoutMs = 40 * 60_000
const progressMs = 30_000

/** Why the program cannot be built here; undefined when it can. */
export async function whyNoGo(): Promise<string | undefined> {
  const version = await run('go', ['env', 'GOVERSION'], { env: goEnv, cwd: '/' })
  if (version.code !== 0) return 'go is not on the PATH'
  const have = version.stdout.trim().replace(/^go/, '')
  const need = /^go (\S+)$/m.exec(await readFile(join(source, 'go.mod'), 'utf8'))?.[1] ?? ''
  return compareVersions(have, need) < 0 ? `go ${have} is older than ${need}, which Kubernetes needs` : undefined
}

/** The path of the built program. The first call on a machine downloads the modules and builds it, which takes minutes. */
export async function buildControlPlane(): Promise<string> {
  const files = (await readdir(source)).filter((name) => /\.go$|^go\.(mod|sum)$/.test(name)).sort()
  const texts = await Promise.all(files.map((name) => readFile(join(source, name), 'utf8')))
  const folder = peerCacheFolder(`control-plane-${contentHash(...files, ...texts, process.platform, process.arch)}`)
  const binary = join(folder, 'control-plane')
  if (await exists(binary)) return binary
  await mkdir(folder, { recursive: true })
  return withLock(join(folder, 'lock'), async () => {
    if (!(await exists(binary))) await build(binary, texts[files.indexOf('go.mod')] ?? '')
    return binary
  })
}

async function build(binary: string, goMod: string): Promise<void> {
  const version = /^\s*k8s\.io\/kubernetes (v\d+\.\d+\.\d+)$/m.exec(goMod)?.[1] ?? 'v0.0.0'
  const [major = '', minor = ''] = version.slice(1).split('.')
  // What Kubernetes' own build sets, so that GET /version tells the truth.
  const stamps = { gitVersion: version, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' }
  const ldflags = [
    '-s',
    '-w',
    ...Object.entries(stamps).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`),
  ]
  const started = performance.now()
  const say = (text: string): void => void process.stderr.write(`Kubernetes ${version} for the peer tests: ${text}\n`)
  say('building with Go; this happens once per machine and takes some minutes')
  const progress = setInterval(() => say(`still building after ${seconds(started)} s`), progressMs)
  const unfinished = `${binary}.${process.pid}`
  const parallel = String(Math.max(2, availableParallelism()))
  const result = await run(
    'nice',
    ['-n', '10', 'go', 'build', '-p', parallel, '-trimpath', `-ldflags=${ldflags.join(' ')}`, '-o', unfinished, '.'],
    { cwd: source, env: goEnv, timeoutMs: buildTimeoutMs },
  )
  clearInterval(progress)
  if (result.code !== 0) {
    throw new Error(
      `go build of the Kubernetes control plane ended with ${result.code}:\n${result.stderr.slice(-8_000)}`,
    )
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
