import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { runCommand } from '../../support/command-run.ts'

const examples = 'manifests/examples'

test.each([
  { command: 'version', args: [] },
  { command: 'hash', args: [examples] },
  { command: 'validate', args: [examples] },
  { command: 'convert', args: [examples] },
  { command: 'simulate', args: [examples, '--expand'] },
  { command: 'explain', args: ['nodepool', 'default', '-f', examples] },
  { command: 'plan', args: [examples, '--snapshot', examples] },
])('$command says the same in YAML as in JSON', async ({ command, args }) => {
  const json = await runCommand([command, ...args, '-o', 'json'])
  const yaml = await runCommand([command, ...args, '-o', 'yaml'])
  expect(json).toMatchObject({ code: 0, stderr: '' })
  expect(yaml).toMatchObject({ code: 0, stderr: '' })
  expect(parse(yaml.stdout)).toEqual(JSON.parse(json.stdout))
  // Some tools that read YAML know no anchors.
  expect(yaml.stdout).not.toMatch(/[:-] [&*]/)
})
