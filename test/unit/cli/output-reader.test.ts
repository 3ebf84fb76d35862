import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, openSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('a reader that has seen enough is no failure', async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../../bin/joinery.js'), '--help'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // Gone before the first byte, as `head -0` would be.
  child.stdout.destroy()
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text
  })
  const code = await new Promise((resolve) => child.on('close', resolve))
  expect({ code, complaint }).toEqual({ code: 0, complaint: '' })
})

test('a reader that has seen enough of the demo breaks it off, and is no failure', { timeout: 60_000 }, async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../../bin/joinery.js'), 'demo', '--quiet'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child.stdout.once('data', () => child.stdout.destroy())
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0)
})

test.skipIf(!existsSync('/dev/full'))('an output that cannot be written is told of in one line', () => {
  const command = join(import.meta.dirname, '../../../bin/joinery.js')
  const run = spawnSync(process.execPath, [command, 'version'], {
    stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
  })
  expect({ code: run.status, complaint: String(run.stderr) }).toEqual({
    code: 1,
    complaint: 'error: cannot write to standard output: ENOSPC: no space left on device, write\n',
  })
})

test('a current folder that has been deleted is told of in one line', () => {
  const command = join(import.meta.dirname, '../../../bin/joinery.js')
  const folder = mkdtempSync(join(tmpdir(), 'joinery-gone-'))
  const script = 'rmdir "$1" && exec "$2" "$3" version'
  const run = spawnSync('sh', ['-c', script, 'sh', folder, process.execPath, command], { cwd: folder })
  expect({ code: run.status, complaint: String(run.stderr) }).toEqual({
    code: 1,
    complaint: 'error: the current folder is no longer there: go to another one\n',
  })
})
