import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startChild, untilReady } from './child.ts'

describe('a program that a test starts', () => {
  let folder = ''
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'joinery-child-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  const options = (script: string) => ({
    name: 'sample',
    command: '/bin/sh',
    args: ['-c', script],
    logPath: join(folder, 'log'),
  })

  test('may finish its work after SIGTERM', async () => {
    const child = startChild(options("trap 'sleep 0.2; echo bye; exit 0' TERM; echo up; while :; do sleep 0.05; done"))
    await untilReady(child, 10_000, async () => (await child.logTail()) === 'up')
    await child.stop()
    expect(child.ended).toBe(true)
    expect(await child.logTail()).toMatch(/bye$/)
    await child.stop()
  })

  test('shows its last lines when it ends while starting', async () => {
    const child = startChild(options('echo no such flag >&2; exit 3'))
    await expect(untilReady(child, 10_000, async () => false)).rejects.toThrow(/ended while starting.*\nno such flag/s)
  })

  test('does not outlive a test process that is killed', async () => {
    const pidPath = join(folder, 'pid')
    const script = `echo $$ > ${pidPath}; trap '' TERM; while :; do sleep 0.05; done`
    const parent = spawn(process.execPath, ['--input-type=module', '-e', parentProgram(options(script))])
    try {
      const pid = async (): Promise<number> => Number(await readFile(pidPath, 'utf8').catch(() => '0'))
      await expect.poll(pid, { timeout: 20_000 }).toBeGreaterThan(0)
      expect(isAlive(await pid())).toBe(true)
      parent.kill('SIGKILL')
      await once(parent, 'exit')
      const started = await pid()
      await expect.poll(() => isAlive(started), { timeout: 10_000 }).toBe(false)
    } finally {
      parent.kill('SIGKILL')
    }
  })
})

function parentProgram(options: object): string {
  const module = join(import.meta.dirname, 'child.ts')
  return `import { startChild } from ${JSON.stringify(module)}; startChild(${JSON.stringify(options)}); setInterval(() => {}, 1000)`
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
