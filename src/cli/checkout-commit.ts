import { readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Git shows no fewer. */
const shownDigits = 7

/** The commit that is checked out in a folder, from git's own files; empty where the folder is no checkout. */
export function checkoutCommit(folder: string): string {
  try {
    const gitFolder = gitFolderOf(folder)
    const head = read(gitFolder, 'HEAD')
    const ref = /^ref: (.+)$/.exec(head)?.[1]
    const commit = ref === undefined ? head : commitOf(ref, gitFolder)
    return /^[0-9a-f]{40,64}$/.test(commit) ? commit.slice(0, shownDigits) : ''
  } catch {
    return ''
  }
}

/** A further worktree has a file that says where its folder is. */
function gitFolderOf(folder: string): string {
  const place = join(folder, '.git')
  if (statSync(place).isDirectory()) return place
  return resolve(folder, read(folder, '.git').replace(/^gitdir: /, ''))
}

/** Branches belong to the repository, not to one of its worktrees; those that nothing was committed to for long are packed into one file. */
function commitOf(ref: string, gitFolder: string): string {
  const shared = resolve(gitFolder, tryRead(gitFolder, 'commondir') ?? '.')
  const loose = tryRead(gitFolder, ref) ?? tryRead(shared, ref)
  if (loose !== undefined) return loose
  const packed = read(shared, 'packed-refs').split('\n')
  return packed.find((line) => line.endsWith(` ${ref}`))?.split(' ')[0] ?? ''
}

function tryRead(folder: string, name: string): string | undefined {
  try {
    return read(folder, name)
  } catch {
    return undefined
  }
}

function read(folder: string, name: string): string {
  return readFileSync(join(folder, name), 'utf8').trim()
}
