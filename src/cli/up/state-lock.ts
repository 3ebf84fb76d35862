import { readFile, rm, writeFile } from 'node:fs/promises'
import { messageOf } from '../../api/error-text.ts'
import { ProblemsError } from '../command-line.ts'

/**
 * Keeps a second process from the saved state of the first, which whoever ends last would overwrite. The lock is a file beside it with the
 * number of the process; one that a killed process left behind is taken over. What is returned gives the state free.
 */
export async function lockState(file: string): Promise<() => Promise<void>> {
  const lock = `${file}.lock`
  if (!(await isCreated(lock, file))) {
    const owner = Number(await readFile(lock, 'utf8').catch(() => ''))
    if (isRunning(owner)) {
      throw new ProblemsError([`${file} is in use by process ${owner}: end that one, or take another file`])
    }
    await rm(lock, { force: true })
    if (!(await isCreated(lock, file))) throw new ProblemsError([`${file} has just been taken by another process`])
  }
  // Left behind it would be taken over; what made the process end is more important to know.
  return () => rm(lock, { force: true }).catch(() => undefined)
}

/** False where there is one already. A folder that cannot be written is found out now, while nothing can be lost. */
async function isCreated(lock: string, file: string): Promise<boolean> {
  try {
    await writeFile(lock, String(process.pid), { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw new ProblemsError([`--state ${file} cannot be written: ${messageOf(error)}`])
  }
}

/** In a container every run may have the same number: our own is that of one before us. */
function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It is there but belongs to somebody else.
    return codeOf(error) === 'EPERM'
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
