import { expect, test } from 'vitest'
import { runCommand } from '../../support/command-run.ts'

test('controller --help lists the settings of the operator, not those of the command line parser', async () => {
  const { code, stdout } = await runCommand(['controller', '--help'])
  expect(code).toBe(0)
  expect(stdout).toContain('--cluster-name')
  expect(stdout).toContain('--observe')
})

test('a flag nobody knows stops the start with 2, and so does a missing cluster name', async () => {
  const { code, stderr } = await runCommand(['controller', '--cluster=demo'])
  expect(code).toBe(2)
  expect(stderr).toContain('flag provided but not defined: -cluster')
  expect(stderr).toContain('missing field, cluster-name')
})

test('flags may follow each other with and without an equals sign, with one dash or two', async () => {
  const { code, stderr } = await runCommand(['controller', '-cluster-name', 'demo', '--log-level=loud'])
  expect(code).toBe(2)
  expect(stderr).toBe('validating cli flags / env vars, invalid LOG_LEVEL "loud"\n')
})
