import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { contentHash, peerCacheFolder, withLock } from './cache.ts'
import { run, runOrThrow } from './run.ts'

/** The release whose behaviour the tests were written against; another one fakes other things. */
const motoVersion = '5.2.1'
const requirement = `moto[server]==${motoVersion}`
const oldestPython = [3, 10]

/** Why moto cannot be had here; undefined when it can. */
export async function whyNoMoto(): Promise<string | undefined> {
  return (await findPython()) === undefined
    ? `python3 ${oldestPython.join('.')} or newer is not on the PATH`
    : undefined
}

/** A Python that can import that moto: the machine's own, or one of a virtual environment that is made and kept in the peers' cache. */
export async function motoPython(): Promise<string> {
  const python = await findPython()
  if (python === undefined) throw new Error(await whyNoMoto())
  if (await hasMoto(python)) return python
  const version = await runOrThrow(python, ['--version'])
  const folder = peerCacheFolder(`moto-${contentHash(requirement, version, process.platform, process.arch)}`)
  const own = join(folder, 'venv', 'bin', 'python')
  if (await hasMoto(own)) return own
  await mkdir(folder, { recursive: true })
  return withLock(join(folder, 'lock'), async () => {
    if (await hasMoto(own)) return own
    process.stderr.write(`moto for the peer tests: installing ${requirement}; this happens once per machine\n`)
    await rm(join(folder, 'venv'), { recursive: true, force: true })
    await runOrThrow(python, ['-m', 'venv', join(folder, 'venv')])
    await runOrThrow(own, ['-m', 'pip', 'install', '--quiet', requirement], { timeoutMs: 600_000 })
    return own
  })
}

async function findPython(): Promise<string | undefined> {
  const check = `import sys; sys.exit(sys.version_info < (${oldestPython.join(', ')}))`
  for (const name of ['python3', 'python']) {
    if ((await run(name, ['-c', check])).code === 0) return name
  }
  return undefined
}

async function hasMoto(python: string): Promise<boolean> {
  const found = await run(python, ['-c', 'import moto, moto.server; print(moto.__version__)'])
  return found.code === 0 && found.stdout.trim() === motoVersion
}
