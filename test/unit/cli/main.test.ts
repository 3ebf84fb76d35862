import { expect, test } from 'vitest'
import { isInteractive } from '../../../src/cli/main.ts'
import { runCommand } from '../../support/command-run.ts'

const help: Record<string, string[]> = {
  'all of it': ['--help'],
  'all of it, as a command': ['help'],
  'that of a command': ['validate', '--help'],
  'that of a command, by name': ['help', 'validate'],
  'that of a command of a group, by name': ['rollout', 'help', 'status'],
  'that of help': ['help', 'help'],
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
}
test.each(Object.entries(unfinished))('what names nothing to do has not been done: %s', async (_name, args) => {
  const { code, stdout, stderr } = await runCommand(args)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(/^Usage: joinery/)
})

const wrong: Record<string, [args: string[], error: string, usage: string]> = {
  'a command that there is not': [['valdate'], "error: unknown command 'valdate'", 'joinery [options] [command]'],
  'help about a command that there is not': [
    ['help', 'explian'],
    "error: unknown command 'explian'\n(Did you mean explain?)",
    'joinery [options] [command]',
  ],
  'help about a command that there is not, deeper down': [
    ['rollout', 'help', 'statsu'],
    "error: unknown command 'statsu'\n(Did you mean status?)",
    'joinery rollout [options] [command]',
  ],
  'a day that does not exist': [
    ['plan', 'x.yaml', '--now', '2026-02-30T00:00:00Z'],
    "error: option '--now <time>' argument '2026-02-30T00:00:00Z' is invalid.",
    'joinery plan [options] [file...]',
  ],
  'a fleet without end': [
    ['up', '--nodes', '6000'],
    "error: option '--nodes <number>' argument '6000' is invalid. expected a whole number, 0 to 5000",
    'joinery up [options]',
  ],
  'a number that is not written in digits': [
    ['up', '--nodes', '1e3'],
    "error: option '--nodes <number>' argument '1e3' is invalid. expected a whole number, 0 to 5000",
    'joinery up [options]',
  ],
  'a port that is not written in digits': [
    ['up', '--port', '0x10'],
    "error: option '--port <number>' argument '0x10' is invalid. expected a whole number, 0 to 65535",
    'joinery up [options]',
  ],
  'a flag that there is not': [
    ['validate', '--nonsense'],
    "error: unknown option '--nonsense'",
    'joinery validate [options] [file...]',
  ],
  'an argument too few, deeper down': [
    ['rollout', 'pause'],
    "error: missing required argument 'object'",
    'joinery rollout pause [options] <object> [name]',
  ],
}
test.each([['up'], ['simulate', 'manifests/examples'], ['validate', 'manifests/examples'], ['top']])(
  'a region that is not built in is a wrong command line: %s',
  async (...args) => {
    const { code, stderr } = await runCommand([...args, '--region', 'mars-1'])
    expect(code).toBe(2)
    expect(stderr).toMatch(/^error: --region mars-1: instance types are built in for us-east-1, /)
  },
)

const unset: Record<string, string[]> = {
  'where a cluster is kept': ['up', '--port', '0', '--state', ''],
  'where a kubeconfig goes': ['up', '--port', '0', '--kubeconfig', ''],
  'which port': ['up', '--port', ''],
  'which port of the webhook': ['webhook', '--port', ''],
  'which cluster': ['rollout', 'status', '--kubeconfig', ''],
  'which cluster is explained': ['explain', 'node', 'a', '--kubeconfig', ''],
  'which cluster is changed': ['plan', 'manifests/examples', '--kubeconfig', ''],
  'where a snapshot goes': ['snapshot', '--out', ''],
  'where certificates lie': ['webhook', '--certificate-dir', ''],
  'whose certificates count': ['webhook', '--client-ca-file', ''],
}
test.each(Object.entries(unset))(
  'a variable of a script that is not set is a wrong command line: %s',
  async (_name, args) => {
    const { code, stderr } = await runCommand(args)
    expect(code).toBe(2)
    expect(stderr).toMatch(/^error: option '--[a-z-]+ <[a-z]+>' argument '' is invalid\. .*(empty|whole number)/)
  },
)

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
  'a dumb terminal': [{ isTTY: true }, { TERM: 'dumb' }, false],
  'a pipe': [{}, {}, false],
}
test.each(Object.entries(terminals))('colour is for terminals: %s', (_name, [stdout, env, want]) => {
  expect(isInteractive(stdout, env)).toBe(want)
})
