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
})
