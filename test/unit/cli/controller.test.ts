import { expect, test } from 'vitest'
import { runCommand } from '../../support/command-run.ts'

test('controller --help lists the settings of the operator, not those of the command line parser', async () => {
  const { code, stdout } = await runCommand(['controller', '--help'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^Usage: joinery controller \[settings\.\.\.\]\n/)
  expect(stdout).toContain('--cluster-name')
  expect(stdout).toContain('--observe')
})

test('a flag nobody knows stops the start with 2, and so does a missing cluster name', async () => {
  const { code, stderr } = await runCommand(['controller', '--cluster=demo'])
  expect(code).toBe(2)
  expect(stderr).toContain('flag provided but not defined: -cluster')
  expect(stderr).toContain('missing field, cluster-name')
})

test('what is wrong with the settings is followed by the usage, as in every other command', async () => {
  const { stderr } = await runCommand(['controller', '--cluster-name=demo', '--nonsense'])
  expect(stderr).toBe(
    'flag provided but not defined: -nonsense\nUsage: joinery controller [settings...]\nSee `joinery controller --help`.\n',
  )
})

test('flags may follow each other with and without an equals sign, with one dash or two', async () => {
  const { code, stderr } = await runCommand(['controller', '-cluster-name', 'demo', '--log-level=loud'])
  expect(code).toBe(2)
  expect(stderr).toMatch(/^validating cli flags \/ env vars, invalid LOG_LEVEL "loud"\nUsage: /)
})
