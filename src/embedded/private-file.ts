import { randomBytes } from 'node:crypto'
import { rename, unlink, writeFile } from 'node:fs/promises'

/**
 * A file that only its owner can read, whatever is at the path before: written beside under a name that nobody can foresee, and renamed. So a
 * file that somebody has prepared keeps its rights to itself, a link its target, and a crash leaves the old file or the new one.
 */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const beside = `${path}.${randomBytes(8).toString('hex')}.tmp`
  try {
    await writeFile(beside, text, { mode: 0o600, flag: 'wx' })
    await rename(beside, path)
  } catch (error) {
    await unlink(beside).catch(() => undefined)
    throw error
  }
}
