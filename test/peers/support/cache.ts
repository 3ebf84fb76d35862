import { createHash } from 'node:crypto'
import { mkdir, open, readFile, rm, stat, utimes } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Where built and installed peers are kept between runs: outside the checkout, one folder per content hash. */
export function peerCacheFolder(hash: string): string {
  const base = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  return join(base, 'joinery', 'peers', hash)
}

/** Short hash of texts in the given order; names the cache folder of what is made from them. */
export function contentHash(...texts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const text of texts) hash.update(`${Buffer.byteLength(text)}:${text}`)
  return hash.digest('hex').slice(0, 20)
}

/** The owner refreshes its lock this often; one that was not refreshed for `staleMs` belongs to a process that died. */
const refreshMs = 5_000
const staleMs = 60_000
const pollMs = 500

/**
 * Runs `work` while holding the file `path` as a lock against other processes of this machine. Waits as long as the owner lives: a
 * first build takes minutes.
 */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  await mkdir(join(path, '..'), { recursive: true })
  while (!(await tryLock(path))) await sleep(pollMs)
  const refresh = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => undefined), refreshMs)
  try {
    return await work()
  } finally {
    clearInterval(refresh)
    await rm(path, { force: true })
  }
}

async function tryLock(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx')
    await file.writeFile(String(process.pid))
    await file.close()
    return true
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  if (await isAbandoned(path)) await rm(path, { force: true })
  return false
}

async function isAbandoned(path: string): Promise<boolean> {
  try {
    const owner = Number(await readFile(path, 'utf8'))
    const age = Date.now() - (await stat(path)).mtimeMs
    return age > staleMs || (owner > 0 && !isAlive(owner))
  } catch {
    return false
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
