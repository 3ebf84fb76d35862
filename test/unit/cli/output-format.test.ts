import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { runCommand } from '../../support/command-run.ts'

const examples = 'manifests/examples'

const commands = [
  { command: 'version', args: [] },
  { command: 'hash', args: [examples] },
  { command: 'validate', args: [examples] },
  { command: 'convert', args: [examples] },
  { command: 'simulate', args: [examples, '--expand'] },
  { command: 'explain', args: ['nodepool', 'default', '-f', examples] },
  { command: 'plan', args: [examples, '--snapshot', examples] },
]

test.each(commands)('$command says the same in YAML as in JSON', async ({ command, args }) => {
  const json = await runCommand([command, ...args, '-o', 'json'])
  const yaml = await runCommand([command, ...args, '-o', 'yaml'])
  expect(json).toMatchObject({ code: 0, stderr: '' })
  expect(yaml).toMatchObject({ code: 0, stderr: '' })
  expect(parse(yaml.stdout)).toEqual(JSON.parse(json.stdout))
  // Some tools that read YAML know no anchors.
  expect(yaml.stdout).not.toMatch(/[:-] [&*]/)
})

test.each(commands)('$command prints what people read by either word for it', async ({ command, args }) => {
  const usual = await runCommand([command, ...args])
  expect(usual.code).toBe(0)
  for (const word of ['text', 'table']) expect(await runCommand([command, ...args, '-o', word])).toEqual(usual)
})

test.each(['text', 'table'])('-o %s is what people read of top, too', async (word) => {
  const { code, stderr } = await runCommand(['top', '--kubeconfig', 'nowhere', '-o', word])
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('nowhere') })
})

test('a format that there is not is told with those that there are', async () => {
  const { code, stderr } = await runCommand(['hash', examples, '-o', 'csv'])
  expect(code).toBe(2)
  expect(stderr).toContain("argument 'csv' is invalid. Allowed choices are table, json, yaml.")
})
