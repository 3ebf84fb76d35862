import { describe, expect, test } from 'vitest'
import { runCommand } from '../../../support/command-run.ts'

const mistyped = `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: p, lables: {}}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements: []
      expireAfer: 24h
`

const run = (...flags: string[]) => runCommand(['validate', '-', ...flags], { stdin: mistyped })

describe('--strict', () => {
  test('refuses fields that are not known, as kubectl apply does; without it they are warned of', async () => {
    expect(await run()).toMatchObject({ code: 0, stdout: expect.stringContaining('0 refused, 2 warnings\n') as string })
    expect(await run('--strict')).toEqual({
      code: 1,
      stdout:
        '-:9:7 NodePool/p spec.template.spec.expireAfer: unknown field "spec.template.spec.expireAfer" (schema)\n' +
        '    fix: Did you mean "expireAfter"?\n' +
        '-:3:21 NodePool/p metadata.lables: unknown field "metadata.lables" (schema)\n' +
        '    fix: Did you mean "labels"?\n' +
        '1 document, 1 refused, 0 warnings\n',
      stderr: '',
    })
  })

  test('asks of no field whether another was meant where none is like it', async () => {
    const stdin = mistyped.replace('expireAfer', 'whatever').replace('lables', 'anything')
    const { stdout } = await runCommand(['validate', '-', '--strict'], { stdin })
    expect(stdout).toContain('unknown field "spec.template.spec.whatever"')
    expect(stdout).not.toContain('fix:')
  })

  test('leaves what our own rules warn of a warning, with the advice of the rule', async () => {
    const sound = mistyped.replace(', lables: {}', '').replace('      expireAfer: 24h\n', '')
    const twins = `${sound}---\n${sound.replace('{name: p}', '{name: q}')}`
    const { code, stdout } = await runCommand(['validate', '-', '--strict'], { stdin: twins })
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /NodePool\/p spec\.weight: warning: .* \(JN-211\)\n    fix: Give the pools different weights, /,
    )
  })

  const unknown: Record<string, { readonly text: string; readonly want: string }> = {
    'another kind': {
      text: 'apiVersion: v1\nkind: ConfigMap\n',
      want: '-:1:1 ConfigMap/ apiVersion: no rules are known for v1 ConfigMap (unknown-kind)',
    },
    'a kind without a version': {
      text: 'kind: ConfigMap\n',
      want: '-:1:1 ConfigMap/ apiVersion: apiVersion and kind must be given (unknown-kind)',
    },
    'a version without a kind': {
      text: 'apiVersion: v1\n',
      want: '-:1:1 apiVersion: apiVersion and kind must be given (unknown-kind)',
    },
  }
  test.each(Object.entries(unknown))('refuses %s, which is left alone otherwise', async (_name, { text, want }) => {
    const validate = (...flags: readonly string[]) => runCommand(['validate', '-', ...flags], { stdin: text })
    expect(await validate('--strict')).toMatchObject({
      code: 1,
      stdout: `${want}\n1 document, 1 refused, 0 warnings\n`,
    })
    expect(await validate()).toMatchObject({
      code: 0,
      stdout: '1 document, 0 refused, 0 warnings, 1 of kinds that are not known here\n',
    })
  })
})
