import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild, untilReady } from './child.ts'
import { buildGoProgram, goEnv, whyNoGo } from './go-program.ts'
import { freePorts } from './ports.ts'
import { runOrThrow } from './run.ts'

/** Names the release, which is built from its published modules as it is. */
const source = join(import.meta.dirname, '..', 'flux', 'controller')
const module = 'github.com/fluxcd/kustomize-controller'
const startTimeoutMs = 60_000

/** Why the program cannot be built here; undefined when it can. */
export function whyNoFlux(): Promise<string | undefined> {
  return whyNoGo(source)
}

/** The definition of Kustomizations that the release carries. */
export async function kustomizationCRD(): Promise<string> {
  const args = ['mod', 'download', '-json', module]
  const { Dir } = JSON.parse(await runOrThrow('go', args, { cwd: source, env: goEnv, timeoutMs: 600_000 })) as {
    Dir: string
  }
  return readFile(join(Dir, 'config', 'crd', 'bases', 'kustomize.toolkit.fluxcd.io_kustomizations.yaml'), 'utf8')
}

export interface FluxProcess {
  logTail(lines?: number): Promise<string>
  /** Ends it, and removes its log. Safe to call twice. */
  dispose(): Promise<void>
}

/** Flux's kustomize-controller as its own process, as its Deployment starts it; resolves when it is ready. */
export async function startFlux({ kubeconfig }: { readonly kubeconfig: string }): Promise<FluxProcess> {
  const name = 'kustomize-controller'
  const command = await buildGoProgram({ title: 'kustomize-controller of Flux', name, source, package: module })
  const ports = await freePorts('metrics', 'health')
  await using started = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'joinery-flux-'))
  started.defer(() => rm(folder, { recursive: true, force: true }))
  const child = startChild({
    name,
    command,
    args: [
      '--watch-all-namespaces',
      '--enable-leader-election=false',
      '--log-level=debug',
      `--metrics-addr=127.0.0.1:${ports.metrics}`,
      `--health-addr=127.0.0.1:${ports.health}`,
    ],
    logPath: join(folder, 'output.log'),
    env: { KUBECONFIG: kubeconfig, RUNTIME_NAMESPACE: 'flux-system' },
  })
  started.defer(() => child.stop())
  await untilReady(child, startTimeoutMs, async () => (await fetch(`http://127.0.0.1:${ports.health}/readyz`)).ok)
  const stops = started.move()
  return { logTail: (lines) => child.logTail(lines), dispose: () => stops.disposeAsync() }
}
