import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { checkoutCommit } from '../../../src/cli/checkout-commit.ts'

const made: string[] = []
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function aFolder(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'joinery-checkout-'))
  made.push(folder)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

const commit = '0123456789abcdef0123456789abcdef01234567'
const other = 'f'.repeat(40)

const checkouts: Record<string, [files: Record<string, string>, want: string]> = {
  'a branch': [{ '.git/HEAD': 'ref: refs/heads/a/b\n', '.git/refs/heads/a/b': `${commit}\n` }, '0123456'],
  'a branch that git has packed': [
    {
      '.git/HEAD': 'ref: refs/heads/main\n',
      '.git/packed-refs': `# pack-refs with: peeled\n${other} refs/heads/not/main\n${commit} refs/heads/main\n`,
    },
    '0123456',
  ],
  'a branch that went on after git had packed it': [
    {
      '.git/HEAD': 'ref: refs/heads/main\n',
      '.git/refs/heads/main': `${commit}\n`,
      '.git/packed-refs': `${other} refs/heads/main\n`,
    },
    '0123456',
  ],
  'no branch': [{ '.git/HEAD': `${commit}\n` }, '0123456'],
  'nothing committed yet': [{ '.git/HEAD': 'ref: refs/heads/main\n' }, ''],
  'no checkout': [{ 'package.json': '{}' }, ''],
  'references that are kept in another form': [
    { '.git/HEAD': 'ref: refs/heads/.invalid\n', '.git/reftable/tables.list': '' },
    '',
  ],
}
test.each(Object.entries(checkouts))('the commit of %s', (_name, [files, want]) => {
  expect(checkoutCommit(aFolder(files))).toBe(want)
})

test('the commit of a further worktree, whose branch is kept in the first', () => {
  const first = aFolder({
    '.git/HEAD': 'ref: refs/heads/main\n',
    '.git/refs/heads/main': other,
    '.git/refs/heads/side': commit,
    '.git/worktrees/side/HEAD': 'ref: refs/heads/side\n',
    '.git/worktrees/side/commondir': '../..\n',
  })
  const second = aFolder({ '.git': `gitdir: ${join(first, '.git/worktrees/side')}\n` })
  expect(checkoutCommit(second)).toBe('0123456')
})
