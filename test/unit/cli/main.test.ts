import { expect, test } from 'vitest'
import { isInteractive } from '../../../src/cli/main.ts'
import { runCommand } from '../../support/command-run.ts'

const help: Record<string, string[]> = {
  'all of it': ['--help'],
  'all of it, as a command': ['help'],
  'that of a command': ['validate', '--help'],
  'that of a command, by name': ['help', 'validate'],
  'that of a group': ['rollout', '--help'],
}
test.each(Object.entries(help))('help that is asked for is the answer: %s', async (_name, args) => {
  const { code, stdout, stderr } = await runCommand(args)
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^Usage: joinery/)
})

const unfinished: Record<string, string[]> = {
  'no command': [],
  'no command of a group': ['rollout'],
  'help about a command that there is not': ['help', 'nonsense'],
}
test.each(Object.entries(unfinished))('what names nothing to do has not been done: %s', async (_name, args) => {
  const { code, stdout, stderr } = await runCommand(args)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(/^Usage: joinery/)
})

const wrong: Record<string, [args: string[], error: string, usage: string]> = {
  'a command that there is not': [['valdate'], "error: unknown command 'valdate'", 'joinery [options] [command]'],
  'a flag that there is not': [
    ['validate', '--nonsense'],
    "error: unknown option '--nonsense'",
    'joinery validate [options] [file...]',
  ],
  'an argument too few, deeper down': [
    ['rollout', 'pause'],
    "error: missing required argument 'object'",
    'joinery rollout pause [options] <object>',
  ],
}
test.each(Object.entries(wrong))('the mistake is in sight, not scrolled away by help: %s', async (_name, wanted) => {
  const [args, error, usage] = wanted
  const { code, stderr } = await runCommand(args)
  expect(code).toBe(2)
  expect(stderr.startsWith(error)).toBe(true)
  expect(stderr).toContain(`\nUsage: ${usage}\nSee \`${usage.split(' [options]')[0]} --help\`.\n`)
  expect(stderr.trim().split('\n').length).toBeLessThan(6)
})

const terminals: Record<string, [stdout: { isTTY?: boolean }, env: Record<string, string>, want: boolean]> = {
  'a terminal': [{ isTTY: true }, {}, true],
  'a terminal with NO_COLOR': [{ isTTY: true }, { NO_COLOR: '1' }, false],
  'a terminal with an empty NO_COLOR, which does not count': [{ isTTY: true }, { NO_COLOR: '' }, true],
  'a pipe': [{}, {}, false],
}
test.each(Object.entries(terminals))('colour is for terminals: %s', (_name, [stdout, env, want]) => {
  expect(isInteractive(stdout, env)).toBe(want)
})
